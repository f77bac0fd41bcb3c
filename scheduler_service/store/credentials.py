"""Credentials: halt and cool as one small row, never as a change of items."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.engine import Connection

_ENSURE = text("""
insert into credentials (credential_id) values (:credential_id) on conflict do nothing
""")
_HALT = text("""
update credentials set halted_until = 'infinity', halt_code = :code, halted_at = now(),
    halt_generation = halt_generation + 1
where credential_id = :credential_id and halted_until < 'infinity' returning credential_id
""")
_COOL = text("""
update credentials set cooling_until = greatest(cooling_until, clock_timestamp() + cast(:pause as interval))
where credential_id = :credential_id
""")


def ensure(connection: Connection, credential_id: str) -> None:
    """Make sure that the named profile has its row."""
    connection.execute(_ENSURE, {"credential_id": credential_id})


def halt(connection: Connection, credential_id: str, code: str) -> bool:
    """Stop all spending on a credential until an operator resumes it; False when it was halted already."""
    return connection.execute(_HALT, {"credential_id": credential_id, "code": code}).first() is not None


def cool(connection: Connection, credential_id: str, pause: timedelta) -> None:
    """Let nobody use a credential for `pause`; never shortens a longer pause."""
    connection.execute(_COOL, {"credential_id": credential_id, "pause": pause})
