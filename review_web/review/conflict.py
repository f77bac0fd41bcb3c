"""What a reviewer sees whose decision came too late: the text as it is now beside what they had."""

from __future__ import annotations

from datetime import UTC, datetime

from review_web.pages import page
from review_web.presenting import ages, diff
from review_web.presenting.direction import direction, language_name
from review_web.review.item_page import Abilities, Typed
from review_web.review.looking import Looking
from review_web.scheduler import site
from scheduler_service.answers import GetItemResponse
from scheduler_service.domain.items import ItemStatus, text_hash

_ACCEPTED = frozenset({ItemStatus.APPROVED, ItemStatus.PUBLISHED})


def already_done(item: GetItemResponse, what: str, text: str | None, note: str, seen_hash: str) -> bool:
    """Return whether the item stands exactly where the late decision would have brought it."""
    status = item.summary.status
    wanted_hash = text_hash(text) if text is not None else seen_hash
    now_hash = item.candidate.text_hash if item.candidate else text_hash(item.published_text)
    if what == "approved":
        return status in _ACCEPTED and now_hash == wanted_hash
    if what == "published":
        return status is ItemStatus.PUBLISHED and now_hash == wanted_hash
    latest = max(item.history, key=lambda entry: entry.at or datetime.min.replace(tzinfo=UTC), default=None)
    return what == "rejected" and status is ItemStatus.REJECTED and latest is not None and latest.note == note


def conflict_page(item: GetItemResponse, looking: Looking, typed: Typed, seen_candidate_id: int) -> str:
    """Return the page: nothing that was typed is lost, and nothing is decided."""
    current = item.candidate.text if item.candidate else item.published_text or item.previous_text
    seen = next((each.text for each in item.candidates if each.candidate_id == seen_candidate_id), "")
    mine = seen if typed.text is None else typed.text
    changes = diff.word_diff(mine, current) if mine else ()
    latest = max(item.history, key=lambda entry: entry.at or datetime.min.replace(tzinfo=UTC), default=None)
    return page(
        "review/conflict.html",
        site=site(item.summary.key.site_id),
        section="review",
        item=item,
        key=item.summary.key,
        status=item.summary.status,
        looking=looking,
        typed=typed,
        can=Abilities.of(item),
        current=current,
        mine=mine,
        is_typed=typed.text is not None,
        changes=diff.folded(changes) if diff.has_change(changes) else (),
        latest=latest,
        direction=direction,
        language_name=language_name,
        age=ages.age,
        exact=ages.exact,
        now=datetime.now(UTC),
    )
