"""Lapsed leases: found oldest first with SKIP LOCKED, each change fenced and logged."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text
from sqlalchemy.engine import Connection

_LAPSED = text("""
select item_id, claim_seq, source_revision, attempt_count, status, turns,
       progress_claim_seq is not distinct from claim_seq as has_progress
from items
where is_active and status in ('missing', 'stale') and lease_until <= clock_timestamp()
order by lease_until limit :most for update skip locked
""")
# An attempt that stored a paid answer is given back.
_FREE = text("""
update items set lease_until = null, worker_id = null, claim_seq = claim_seq + 1,
    last_error_code = 'Worker.Timeout', next_attempt_at = least(next_attempt_at, now()),
    attempt_count = attempt_count - case when :has_progress then 1 else 0 end
where item_id = :item_id
""")
_FAILED = text("""
update items set lease_until = null, worker_id = null, claim_seq = claim_seq + 1, last_error_code = :code
where item_id = :item_id
""")
_END = text("""
update items set status = :status, status_changed_at = now(), version = version + 1, lease_until = null,
    worker_id = null, claim_seq = claim_seq + 1, last_error_code = :code, reasons = array[cast(:code as text)],
    candidate_id = :candidate_id, score = :score
where item_id = :item_id
""")
_LOG = text("""
insert into item_log (item_id, event, from_status, to_status, actor, code, source_revision, turn, claim_seq)
values (:item_id, 'lease_lapsed', :status, :to_status, 'sweep', :code, :source_revision, :turns, :claim_seq)
""")


def lapsed(connection: Connection, most: int) -> list[Any]:
    """Return and lock up to `most` items whose lease ran out, oldest first."""
    return list(connection.execute(_LAPSED, {"most": most}))


def _log(connection: Connection, row: Any, to_status: str, code: str) -> None:
    connection.execute(_LOG, {
        "item_id": row.item_id, "status": row.status, "to_status": to_status, "code": code,
        "source_revision": row.source_revision, "turns": row.turns, "claim_seq": row.claim_seq,
    })


def free(connection: Connection, row: Any) -> None:
    """Put an item with attempts left back, at once."""
    connection.execute(_FREE, {"item_id": row.item_id, "has_progress": row.has_progress})
    _log(connection, row, row.status, "Worker.Timeout")


def mark_failed(connection: Connection, row: Any, code: str) -> None:
    """Note that an item's attempts are used up with nothing to show."""
    connection.execute(_FAILED, {"item_id": row.item_id, "code": code})
    _log(connection, row, row.status, code)


def end(
    connection: Connection, row: Any, status: str, code: str, candidate_id: int | None, score: float | None
) -> None:
    """Move an item whose attempts are used up to where somebody looks at it."""
    connection.execute(_END, {
        "item_id": row.item_id, "status": status, "code": code, "candidate_id": candidate_id, "score": score,
    })
    _log(connection, row, status, code)
