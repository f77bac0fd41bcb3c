"""A person who signs in with the first admin's link, and decides on every item through the scheduler's API."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from scheduler_service.answers import GetItemResponse, ItemSummary, Queue
from scheduler_service.client import SchedulerClient
from scheduler_service.domain.items import ItemStatus
from scheduler_service.embedded.demo import SITE_ID
from scheduler_service.embedded.installation import Installation

OVERRIDE_REASON = "Read beside the source; only the wording is poor"


def sign_in(installation: Installation) -> SchedulerClient:
    """Return a client with the session of the first admin, who has every role."""
    link = installation.sign_in_link()
    (token,) = parse_qs(urlsplit(link).query)["token"]
    client = installation.scheduler()
    return client.with_token(client.with_token(None).sign_in(token).session_token)


def list_queue(client: SchedulerClient, queue: Queue | None = None) -> Iterator[ItemSummary]:
    """Yield every item of a queue, or of the site, in page order."""
    token = ""
    while True:
        answer = client.list_items(SITE_ID, queue=queue, page_size=200, page_token=token)
        yield from answer.items
        token = answer.next_page_token
        if not token:
            return


def approve(client: SchedulerClient, item: GetItemResponse) -> int:
    """Approve what is shown of an item, over an open gate where there is one; return the new version."""
    assert item.candidate is not None, f"{item.summary.key}: there is no text to approve"
    answer = client.approve(
        item.summary.item_id, version=item.summary.version, candidate_id=item.candidate.candidate_id,
        text_hash=item.candidate.text_hash, override_reason=OVERRIDE_REASON if item.candidate.open_gates else "",
    )  # fmt: skip
    assert answer.status is ItemStatus.APPROVED
    return answer.version


def publish(client: SchedulerClient, item: GetItemResponse, version: int) -> None:
    """Publish what `approve` approved."""
    assert item.candidate is not None
    answer = client.publish(item.summary.item_id, version=version, text_hash=item.candidate.text_hash)
    assert answer.status is ItemStatus.PUBLISHED
