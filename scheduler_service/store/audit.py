"""One row a decision, in its own transaction; the database chains them per site."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.engine import Connection

from scheduler_service.domain.authority import Caller

_ADD = text("""
insert into audit (site_id, ordinal, person_id, token_id, session_id, role, action, object_kind, object_id,
                   before_hash, after_hash, reason, previous_hash, row_hash)
values (:site_id, 0, :person_id, :token_id, :session_id, :role, :action, :object_kind, :object_id,
        :before_hash, :after_hash, :reason, '\\x', '\\x')
""")


def add(
    connection: Connection,
    caller: Caller,
    *,
    site_id: str,
    role: str,
    action: str,
    object_kind: str,
    object_id: str | int,
    before_hash: str = "",
    after_hash: str = "",
    reason: str = "",
) -> None:
    """Write who did what to which object and why; hashes of texts, never texts."""
    connection.execute(_ADD, {
        "site_id": site_id, "person_id": caller.person_id, "token_id": caller.token_id,
        "session_id": caller.session_id, "role": role, "action": action, "object_kind": object_kind,
        "object_id": str(object_id), "before_hash": before_hash, "after_hash": after_hash, "reason": reason,
    })
