"""Who is alive: one row a worker, written at each renewal."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import text
from sqlalchemy.engine import Connection

_BEAT = text("""
insert into workers (worker_id, held_items) values (:worker_id, :held_items)
on conflict (worker_id) do update set beat_at = clock_timestamp(), held_items = excluded.held_items
""")
_LEAVE = text("update workers set stopped_at = clock_timestamp(), held_items = 0 where worker_id = :worker_id")


def beat(connection: Connection, worker_id: UUID, held_items: int) -> None:
    """Note that a worker is alive and how many items it holds."""
    connection.execute(_BEAT, {"worker_id": worker_id, "held_items": held_items})


def leave(connection: Connection, worker_id: UUID) -> None:
    """Note that a worker has stopped in good order."""
    connection.execute(_LEAVE, {"worker_id": worker_id})
