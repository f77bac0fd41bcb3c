"""How an item leaves its worker: drafted, for a person, failed for now, or handed back. All fenced.

A claim stands while the item bears its claim_seq and a lease, live or lapsed: an item that was let go has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.engine import Connection

from scheduler_service.store.claims import Claim

_FINISH = text("""
with before as (
    select item_id, status from items where item_id = :item_id and claim_seq = :claim_seq
      and source_revision = :source_revision and status in ('missing', 'stale') and lease_until is not null for update
), done as (
    update items i set status = :status, status_changed_at = now(), version = i.version + 1,
        candidate_id = :candidate_id, score = :score, reasons = :reasons, turns = :turns,
        lease_until = null, worker_id = null, waiting_since = null, last_error_code = :code
    from before b where i.item_id = b.item_id
    returning i.item_id, b.status as old_status, i.source_revision, i.claim_seq, i.site_id
), logged as (
    insert into item_log (item_id, event, from_status, to_status, actor, code, source_revision, turn, claim_seq,
                          cost_micros)
    select item_id, :event, old_status, :status, 'worker', :code, source_revision, :turns, claim_seq, (
        select coalesce(sum(c.settled_micros), 0) from calls c where c.call_id in (
            select p.call_id from call_parts p
            where p.item_id = done.item_id and p.source_revision = done.source_revision)
    ) from done
), announced as (
    insert into outbox (site_id, item_id, event_type, payload)
    select site_id, item_id, 'translation.completed',
           jsonb_build_object('item_id', item_id, 'source_revision', source_revision, 'candidate_id',
                              cast(:candidate_id as bigint))
    from done where :is_pass
)
select count(*) from done
""")

_TURN_USED = text("""
update items set turns = :turns, version = version + 1
where item_id = :item_id and claim_seq = :claim_seq and turns < :turns
""")

_RETRY = text("""
with done as (
    update items i set
        attempt_count = greatest(i.attempt_count - case when :gives_back then 1 else 0 end, 0),
        next_attempt_at = case when :is_last then 'infinity'
                               else clock_timestamp() + cast(:delay as interval) end,
        lease_until = null, worker_id = null, last_error_code = :code,
        waiting_since = case when :is_waiting then coalesce(i.waiting_since, now()) end,
        unknown_count = case when :is_waiting then i.unknown_count + 1 else 0 end
    where i.item_id = :item_id and i.claim_seq = :claim_seq and i.lease_until is not null
    returning i.item_id, i.status, i.source_revision, i.claim_seq, i.turns
), logged as (
    insert into item_log (item_id, event, from_status, to_status, actor, code, source_revision, turn, claim_seq)
    select item_id, 'attempt_ended', status, status, 'worker', :code, source_revision, turns, claim_seq from done
)
select count(*) from done
""")

_HAND_BACK = text("""
update items i set attempt_count = greatest(i.attempt_count - 1, 0), lease_until = null, worker_id = null,
    claim_seq = i.claim_seq + 1
from unnest(cast(:item_ids as bigint[]), cast(:claim_seqs as bigint[])) as held (item_id, claim_seq)
where i.item_id = held.item_id and i.claim_seq = held.claim_seq and i.lease_until is not null
returning i.item_id
""")


def finish_if_held(
    connection: Connection,
    claim: Claim,
    *,
    status: str,
    event: str,
    candidate_id: int | None,
    score: float | None,
    reasons: Sequence[str],
    turns: int,
    code: str | None = None,
    is_pass: bool = False,
) -> bool:
    """Move the item out of its worker's hands; False (and nothing written) if the claim no longer stands.

    With `is_pass` the outbox event ``translation.completed`` goes into the same transaction.
    """
    return bool(connection.execute(_FINISH, {
        "item_id": claim.item_id, "claim_seq": claim.claim_seq, "source_revision": claim.source_revision,
        "status": status, "event": event, "candidate_id": candidate_id, "score": score,
        "reasons": list(reasons), "turns": turns, "code": code, "is_pass": is_pass,
    }).scalar_one())


def use_turn(connection: Connection, claim: Claim, turns: int) -> None:
    """Note that `turns` turns of this revision are used."""
    connection.execute(
        _TURN_USED, {"item_id": claim.item_id, "claim_seq": claim.claim_seq, "turns": turns}
    )


def retry_if_held(
    connection: Connection, claim: Claim, *, code: str, delay: timedelta | None, gives_back: bool, is_waiting: bool
) -> bool:
    """End an attempt that failed for now; `delay` None means no further attempt by itself.

    `is_waiting` keeps count of waits in a row and of when the waiting began; any other ending clears both.
    """
    return bool(connection.execute(_RETRY, {
        "item_id": claim.item_id, "claim_seq": claim.claim_seq, "code": code, "gives_back": gives_back,
        "is_last": delay is None, "delay": delay or timedelta(0), "is_waiting": is_waiting,
    }).scalar_one())


def hand_back(connection: Connection, held: dict[int, int]) -> set[int]:
    """Return untouched claims (item to claim_seq) with their attempts: at shutdown, or when work can't go on."""
    if not held:
        return set()
    return set(connection.execute(
        _HAND_BACK, {"item_ids": list(held), "claim_seqs": list(held.values())}
    ).scalars())


_GIVE_BACK = text("""
update items set attempt_count = greatest(attempt_count - 1, 0)
where item_id = :item_id and claim_seq = :claim_seq
""")


def give_back(connection: Connection, claim: Claim) -> None:
    """Return the attempt that the claim took."""
    connection.execute(_GIVE_BACK, {"item_id": claim.item_id, "claim_seq": claim.claim_seq})
