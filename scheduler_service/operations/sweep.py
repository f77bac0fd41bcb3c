"""Ends items whose attempts are used up and whose lease ran out: the rest is taken up by claims."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy.engine import Connection

from scheduler_service.domain.attempts import ATTEMPT_LIMIT, used_up
from scheduler_service.domain.items import ItemStatus
from scheduler_service.errors import Code
from scheduler_service.store import candidates, sweeps
from scheduler_service.store.engine import Database

# Items a transaction; repeated until one comes back short.
BATCH = 200


@dataclass(frozen=True, slots=True)
class Swept:
    """Disjoint counts; `checked` is their sum. `requeued` are lapsed leases with attempts left."""

    checked: int = 0
    requeued: int = 0
    to_review: int = 0
    to_credential: int = 0
    failed: int = 0
    unchanged: int = 0

    def __add__(self, other: Swept) -> Swept:
        return Swept(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def sweep(database: Database) -> Swept:
    """Sweep one batch of lapsed leases, oldest first; repeat while `checked` equals `BATCH`."""

    def batch(connection: Connection) -> Swept:
        total = Swept()
        for row in sweeps.lapsed(connection, BATCH):
            total += _end(connection, row)
        return total

    return database.transact(batch)


def _end(connection: Connection, row: Any) -> Swept:
    if row.attempt_count < ATTEMPT_LIMIT or row.has_progress:
        sweeps.free(connection, row)
        return Swept(checked=1, requeued=1)
    best = candidates.best(connection, row.item_id, row.source_revision)
    following = used_up(Code.WORKER_TIMEOUT, has_candidate=best is not None)
    if following.status is None:
        sweeps.mark_failed(connection, row, Code.WORKER_TIMEOUT.value)
        return Swept(checked=1, failed=1)
    sweeps.end(connection, row, following.status.value, Code.WORKER_TIMEOUT.value,
               best.candidate_id if best else None, best.score if best else None)
    if following.status is ItemStatus.NEEDS_REVIEW:
        return Swept(checked=1, to_review=1)
    return Swept(checked=1, to_credential=1)
