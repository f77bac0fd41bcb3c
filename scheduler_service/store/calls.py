"""The ledger: one row a call, one open call a part, money held and settled beside it.

The caller owns the transaction. Ends are written whoever holds the item now: what was paid for is booked.
"""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import text
from sqlalchemy.engine import Connection

from scheduler_service.domain.calls import CallKind, CallState, OpenCall, Part, Spent

# Only for who still holds the item: the fence, the call and its part in one statement.
_RESERVE = text("""
with held as (
    select item_id from items
    where item_id = :item_id and claim_seq = :claim_seq and source_revision = :source_revision
      and is_active and status in ('missing', 'stale')
      -- A worker that lost the item may have stored the answer a moment ago: it isn't bought again.
      and not exists (
        select from segments s where s.item_id = :item_id and s.source_revision = :source_revision
          and s.turn = :turn and s.ordinal = :segment and s.text is not null)
    for update
), made as (
    insert into calls (call_id, kind, state, credential_id, site_id, claim_seq, worker_id, reserved_micros,
        is_rebuy, is_free)
    select :call_id, :kind, 'reserved', :credential_id, :site_id, :claim_seq, :worker_id, :reserved_micros,
        :is_rebuy, :is_free
    from held returning call_id
)
insert into call_parts (call_id, item_id, source_revision, turn, segment, kind, ordinal)
select call_id, :item_id, :source_revision, :turn, :segment, :kind, :ordinal from made
returning call_id
""")
_DISPATCH = text("""
update calls set state = 'dispatched', dispatched_at = clock_timestamp(), boot_id = :boot_id
where call_id = :call_id and state in ('reserved', 'dispatched') returning call_id
""")
_STORE = text("""
update calls set state = :state, ended_at = clock_timestamp(), settled_micros = :cost_micros,
    is_estimated = :is_estimated, input_tokens = :input_tokens, output_tokens = :output_tokens,
    provider = :provider, engine = :engine, provider_request_id = :provider_request_id,
    provider_response_id = :provider_response_id, boot_id = :boot_id, outcome_code = :outcome_code,
    resolved_by = :resolved_by
where call_id = :call_id and state in ('reserved', 'dispatched', 'unknown') returning reserved_micros
""")
_REFUSE = text("""
update calls set state = 'refused', ended_at = clock_timestamp(), outcome_code = :outcome_code,
    resolved_by = :resolved_by
where call_id = :call_id and state in ('reserved', 'dispatched', 'unknown') returning reserved_micros
""")
_WITHDRAW = text("""
update calls set state = 'refused', ended_at = clock_timestamp(), outcome_code = :outcome_code,
    resolved_by = :resolved_by
where call_id = :call_id and state = 'reserved' returning call_id
""")
_UNKNOWN = text("""
update calls set state = 'unknown', outcome_code = :outcome_code
where call_id = :call_id and state in ('reserved', 'dispatched')
""")
_WRITE_OFF = text("""
update calls set state = 'written_off', ended_at = clock_timestamp(), settled_micros = reserved_micros,
    is_estimated = true, resolved_by = :resolved_by
where call_id = :call_id and state = 'unknown' returning reserved_micros
""")
_USED = text("""
update calls set state = :state where call_id = any(cast(:call_ids as uuid[])) and state = 'stored'
""")
_OPEN = text("""
select c.call_id, c.state, c.reserved_micros, c.is_free, c.boot_id
from call_parts p join calls c using (call_id)
where p.is_open and p.item_id = :item_id and p.source_revision = :source_revision and p.turn = :turn
  and p.segment = :segment and p.kind = :kind and p.ordinal = :ordinal
for update of c
""")
# One at a time: two who ask at once would both be granted what is left. The sum is a statement of its own, so that it
# sees what the one before has written off.
_ALLOWANCE = text("""
select duplicate_allowance_micros from credentials where credential_id = :credential_id for no key update
""")
_ALLOWANCE_USED = text("""
select coalesce(sum(reserved_micros), 0) from calls
where credential_id = :credential_id and resolved_by = 'allowance'
  and ended_at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'
""")


def reserve(
    connection: Connection,
    *,
    call_id: UUID,
    part: Part,
    credential_id: str,
    site_id: str,
    claim_seq: int,
    worker_id: UUID,
    reserved_micros: int,
    is_rebuy: bool = False,
    is_free: bool = False,
) -> bool:
    """Write a call's intent before it is sent; False (and nothing written) if the claim no longer stands, or if the
    segment's text has just been stored.

    Raises (through the transaction): unique violation of ``call_parts_one_open`` when the part has an open call.
    """
    return connection.execute(_RESERVE, {
        "call_id": call_id, "kind": part.kind, "credential_id": credential_id, "site_id": site_id,
        "claim_seq": claim_seq, "worker_id": worker_id, "reserved_micros": reserved_micros, "is_rebuy": is_rebuy,
        "is_free": is_free,
        "item_id": part.item_id, "source_revision": part.source_revision, "turn": part.turn,
        "segment": part.segment, "ordinal": part.ordinal,
    }).first() is not None


def dispatch(connection: Connection, call_id: UUID, boot_id: str = "") -> bool:
    """Mark the caller's own reserved call as sent to the translator process `boot_id` (empty: any): the last act
    before the RPC. Repeatable; False when it ended."""
    return connection.execute(_DISPATCH, {"call_id": call_id, "boot_id": boot_id}).first() is not None


def store(
    connection: Connection, call_id: UUID, spent: Spent, state: CallState, *, code: str | None = None,
    resolved_by: str | None = None,
) -> int | None:
    """Settle an open call whose paid answer came; return what had been reserved, None if it had ended before.

    `state` is STORED; APPLIED for an answer that is used in the same transaction; UNUSED for one that can't be
    (refused by the model, empty).
    """
    return connection.execute(_STORE, {
        "call_id": call_id, "state": state.value, "cost_micros": spent.cost_micros,
        "is_estimated": spent.is_estimated, "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens, "provider": spent.provider, "engine": spent.engine,
        "provider_request_id": spent.provider_request_id, "provider_response_id": spent.provider_response_id,
        "boot_id": spent.boot_id, "outcome_code": code, "resolved_by": resolved_by,
    }).scalar()


def refuse(connection: Connection, call_id: UUID, code: str, resolved_by: str | None = None) -> int | None:
    """End an open call of which it is proven that no work was done; return what is released."""
    return connection.execute(
        _REFUSE, {"call_id": call_id, "outcome_code": code, "resolved_by": resolved_by}
    ).scalar()


def withdraw(connection: Connection, call_id: UUID, code: str, resolved_by: str) -> bool:
    """End a call that is still only reserved; False when it was dispatched or has ended: then nothing is proven."""
    return connection.execute(
        _WITHDRAW, {"call_id": call_id, "outcome_code": code, "resolved_by": resolved_by}
    ).first() is not None


def mark_unknown(connection: Connection, call_id: UUID, code: str) -> None:
    """Note that nobody knows how an open call ended; its money stays held."""
    connection.execute(_UNKNOWN, {"call_id": call_id, "outcome_code": code})


def write_off(connection: Connection, call_id: UUID, resolved_by: str) -> int | None:
    """Book an unknown call at its upper bound; return that bound. `resolved_by` ``allowance`` uses that up."""
    return connection.execute(_WRITE_OFF, {"call_id": call_id, "resolved_by": resolved_by}).scalar()


def mark_used(connection: Connection, call_ids: list[UUID], *, is_applied: bool) -> None:
    """Say of stored calls whether their text became the candidate."""
    connection.execute(_USED, {"call_ids": call_ids, "state": "applied" if is_applied else "unused"})


def open_call(connection: Connection, part: Part) -> OpenCall | None:
    """Return and lock the open call of a part, if there is one."""
    row = connection.execute(_OPEN, {
        "item_id": part.item_id, "source_revision": part.source_revision, "turn": part.turn,
        "segment": part.segment, "kind": CallKind(part.kind), "ordinal": part.ordinal,
    }).first()
    return OpenCall(row.call_id, CallState(row.state), row.reserved_micros, row.is_free, row.boot_id) if row else None


def allowance_left(connection: Connection, credential_id: str) -> int:
    """Return what is left today (UTC) of a credential's duplicate allowance, in micros, and keep others from asking
    until the transaction ends: what it writes off by the allowance is used up."""
    where = {"credential_id": credential_id}
    allowance = connection.execute(_ALLOWANCE, where).scalar_one()
    return int(allowance - connection.execute(_ALLOWANCE_USED, where).scalar_one())


_STATE = text("select state from calls where call_id = :call_id")


def is_in(connection: Connection, call_id: UUID, state: str) -> bool | None:
    """Return True if the call is in `state`, else None: what reading back a broken COMMIT wants."""
    return connection.execute(_STATE, {"call_id": call_id}).scalar() == state or None


def is_ended(connection: Connection, call_id: UUID) -> bool:
    """Return whether the call has ended, however."""
    return connection.execute(_STATE, {"call_id": call_id}).scalar() not in (
        None, "reserved", "dispatched", "unknown")


_LEFT_BEHIND = text("""
select c.call_id, c.state, c.reserved_micros, c.is_free, c.boot_id
from call_parts p join calls c using (call_id)
where p.is_open and p.item_id = :item_id and (p.source_revision, p.turn) < (:source_revision, :turn)
""")
_ENGINES = text("""
select coalesce(string_agg(distinct engine, ', '), '') from calls
where call_id = any(cast(:call_ids as uuid[])) and engine <> ''
""")


def left_behind(connection: Connection, item_id: int, source_revision: int, turn: int) -> list[OpenCall]:
    """Return an item's open calls of earlier revisions and turns: nobody waits for their answers any more."""
    rows = connection.execute(
        _LEFT_BEHIND, {"item_id": item_id, "source_revision": source_revision, "turn": turn})
    return [OpenCall(row.call_id, CallState(row.state), row.reserved_micros, row.is_free, row.boot_id) for row in rows]


def engines(connection: Connection, call_ids: list[UUID]) -> str:
    """Return the engines or models that answered these calls, as their providers name them."""
    return connection.execute(_ENGINES, {"call_ids": call_ids}).scalar_one()
