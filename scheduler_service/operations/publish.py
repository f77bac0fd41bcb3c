"""Releases an approved text: an act of its own, by a person, on the very text that was shown."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from scheduler_service.domain.authority import Action, Caller
from scheduler_service.domain.items import ItemStatus
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations import require
from scheduler_service.operations.decide import Decided
from scheduler_service.store import decisions
from scheduler_service.store.engine import Database


def publish(database: Database, caller: Caller, *, item_id: int, version: int, seen_hash: str) -> Decided:
    """Release the approved text, in place of the one published before.

    Raises:
        Refused: VERSION_CONFLICT, NOT_APPROVED, TEXT_CHANGED; NOT_ALLOWED for a service token.
    """
    require.person(caller)

    def release(connection: Connection) -> Decided:
        item = require.item_at(connection, item_id, version)
        if item.status != ItemStatus.APPROVED or item.approval_id is None:
            raise Refused(Reason.NOT_APPROVED, "Only an approved text can be published")
        chosen = require.text_of(connection, item, item.candidate_id)
        if chosen.text_hash != seen_hash:
            raise Refused(Reason.TEXT_CHANGED, "The approved text isn't the one that was shown", "text_hash")
        if decisions.publish(connection, item, require.person(caller)) is None:
            raise Refused(Reason.NOT_APPROVED, "The approval was taken back")
        decisions.log(connection, item, event="published", to_status=ItemStatus.PUBLISHED.value,
                      person_id=caller.person_id)
        moved = decisions.move(connection, item_id, ItemStatus.PUBLISHED.value, keeps_approval=True)
        decisions.announce(connection, item, "translation.published")
        require.record(connection, caller, item, Action.PUBLISH, "publish", after_hash=chosen.text_hash)
        return Decided(moved.version, ItemStatus.PUBLISHED)

    return database.transact(release)
