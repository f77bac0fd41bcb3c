"""Gives failed items a fresh attempt budget: an operator's act, audited."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.engine import Connection

from scheduler_service.domain.authority import Action, Caller
from scheduler_service.errors import Reason, Refused
from scheduler_service.store import audit, decisions
from scheduler_service.store.engine import Database


def reset_items(database: Database, caller: Caller, *, site_id: str, item_ids: Sequence[int], reason: str) -> int:
    """Reset the named failed items, or every failed one; return how many. Items with a live lease stay.

    Raises:
        Refused: INVALID_FIELD without a reason.
    """
    if not reason.strip():
        raise Refused(Reason.INVALID_FIELD, "Say why", "reason")

    def reset(connection: Connection) -> int:
        rows = decisions.reset(connection, site_id, item_ids)
        role = caller.role_for(Action.OPERATE, site_id)
        for row in rows:
            decisions.log(connection, row, event="reset", to_status=row.status, person_id=caller.person_id, note=reason)
            audit.add(connection, caller, site_id=site_id, role=role.value if role else "", action="reset",
                      object_kind="item", object_id=row.item_id, reason=reason)
        return len(rows)

    return database.transact(reset)
