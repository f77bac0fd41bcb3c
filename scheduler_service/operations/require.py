"""What every decision needs: a person, the item at the version that was seen, a text of it; and its audit row."""

from __future__ import annotations

from typing import Any

from sqlalchemy.engine import Connection

from scheduler_service.domain.authority import Action, Caller
from scheduler_service.domain.items import TEXT_MOST_BYTES, ItemStatus
from scheduler_service.errors import Reason, Refused
from scheduler_service.store import audit, decisions

# A remark: it goes to the model with the next turn, and into the audit.
NOTE_MOST_CHARACTERS = 4_000


def item_at(connection: Connection, item_id: int, version: int) -> Any:
    """Return the locked item if it is at `version`."""
    item = decisions.lock(connection, item_id)
    if item is None or not item.is_active:
        raise Refused(Reason.NOT_FOUND, "There is no such item any more", "item_id")
    if item.version != version:
        raise Refused(Reason.VERSION_CONFLICT, "Somebody or something changed this item meanwhile. Look again", "version")
    return item


def item_in(connection: Connection, item_id: int, version: int, statuses: frozenset[ItemStatus]) -> Any:
    """Return the locked item if it is at `version` and in one of `statuses`."""
    item = item_at(connection, item_id, version)
    if item.status not in statuses:
        raise Refused(Reason.NOTHING_TO_DECIDE, "This item doesn't wait for such a decision now")
    return item


def text_of(connection: Connection, item: Any, candidate_id: int | None) -> Any:
    """Return the candidate if it belongs to the item and to its present source."""
    chosen = decisions.candidate(connection, item.item_id, candidate_id or 0)
    if chosen is None:
        raise Refused(Reason.NOTHING_TO_DECIDE, "This item has no such text", "candidate_id")
    if chosen.source_revision != item.source_revision:
        raise Refused(Reason.VERSION_CONFLICT, "The source has changed since this text was made", "candidate_id")
    return chosen


def text_to_keep(text: str) -> None:
    """Let pass what can be a translation.

    Raises:
        Refused: INVALID_FIELD for a text that is empty, too long or can't be stored.
    """
    if not text.strip() or "\x00" in text:
        raise Refused(Reason.INVALID_FIELD, "Write a text (without NUL characters)", "text")
    if len(text.encode("utf-8", "surrogatepass")) > TEXT_MOST_BYTES:
        raise Refused(Reason.INVALID_FIELD, f"Make it shorter: at most {TEXT_MOST_BYTES} bytes", "text")


def short(**remarks: str) -> None:
    """Let pass remarks of a sensible length; the names are those of the request's fields."""
    for field, remark in remarks.items():
        if len(remark) > NOTE_MOST_CHARACTERS:
            raise Refused(Reason.INVALID_FIELD, f"Write at most {NOTE_MOST_CHARACTERS} characters", field)


def person(caller: Caller) -> int:
    """Return which person calls: no service token decides."""
    if caller.person_id is None:
        raise Refused(Reason.NOT_ALLOWED, "Only a person can decide, no service token")
    return caller.person_id


def record(
    connection: Connection, caller: Caller, item: Any, action: Action, name: str, *, before_hash: str = "",
    after_hash: str = "", reason: str = "",
) -> None:
    """Write the decision into the audit: hashes of texts, never texts."""
    role = caller.role_for(action, item.site_id)
    audit.add(connection, caller, site_id=item.site_id, role=role.value if role else "", action=name,
              object_kind="item", object_id=item.item_id, before_hash=before_hash, after_hash=after_hash,
              reason=reason)
