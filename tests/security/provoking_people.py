"""What people and services may ask of the scheduler's API and must be refused, with their words in it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

import canaries

from scheduler_service.answers import GetItemResponse
from scheduler_service.client import SchedulerClient
from scheduler_service.errors import SchedulerError


def provoke(
    person: SchedulerClient, site_id: str, first: int, second: int, stale: dict[str, int]
) -> Iterator[tuple[str, bytes]]:
    """Ask for what can't be; yield (what the client raised, everything that it says)."""
    for attempt in (
        lambda: person.edit(first, **stale, text=canaries.TYPED, approve=True),
        lambda: person.approve(first, **stale, text_hash=canaries.TYPED, note=canaries.TYPED),
        lambda: person.reject(second, version=10**12, candidate_id=10**15, note=canaries.TYPED, ask_again=True),
        lambda: person.list_items(site_id, query=canaries.TYPED + "\0"),
        lambda: person.list_items(site_id, page_token=canaries.TYPED),
        lambda: person.list_items(site_id, page_token=_page_token(canaries.TYPED, 10**30, 1)),
        lambda: person.list_items(canaries.TYPED),
        lambda: person.invite(canaries.TYPED * 9, []),
        lambda: person.reset_items(site_id, item_ids=[first], reason=canaries.PERSON_NOTE + "\0"),
        lambda: person.put_site("new-site", name=canaries.TYPED + "\0", source_locale="en", target_locales=["pt-BR"],
                                    credential="offline"),
        lambda: person.put_site(site_id, name="x", source_locale=canaries.TYPED, target_locales=[canaries.TYPED],
                                    credential=canaries.TYPED),
        lambda: person.with_token(None).sign_in(canaries.TYPED, canaries.TYPED),
    ):
        try:
            attempt()
        except SchedulerError as error:
            yield type(error).__name__, f"{error} {vars(error)}".encode()


def meet_a_broken_database(person: SchedulerClient, item: GetItemResponse) -> Iterator[tuple[str, bytes]]:
    """Look at an item, and decide on it, while `provoking_database.broken`; yield as `provoke` does."""
    item_id, seen = item.summary.item_id, item.candidate.candidate_id if item.candidate else 0
    for what, act in {
        "a table is gone": lambda: person.get_item(item_id),
        "a trigger quotes a note": lambda: person.reject(
            item_id, version=item.summary.version, candidate_id=seen, note=canaries.TYPED, ask_again=False),
    }.items():
        try:
            act()
        except SchedulerError as error:
            yield what, f"{error} {vars(error)}".encode()


def _page_token(*values: object) -> str:
    """Return a token that looks like the scheduler's own."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode()
