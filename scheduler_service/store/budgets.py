"""Money ceilings: held and spent per item, site-day and credential-day, under row locks in that order."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.engine import Connection


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A ceiling that a reservation would pass. Amounts in micros."""

    scope: str
    needs: int
    has: int


# Ensures the rows, then locks them by the order of `rank`: the same for everybody, so no deadlock.
_ENSURE = text("""
insert into budgets (scope, scope_key, day) values
    ('item', :item_key, null),
    ('site_day', :site_id, (now() at time zone 'UTC')::date),
    ('credential_day', :credential_id, (now() at time zone 'UTC')::date)
on conflict do nothing
""")
_LOCK = text("""
select b.budget_id, b.scope, b.held_micros + b.spent_micros as used,
    case b.scope when 'item' then s.item_ceiling_micros when 'site_day' then s.day_ceiling_micros
                 else g.day_ceiling_micros end as ceiling
from budgets b, sites s, credentials g
where s.site_id = :site_id and g.credential_id = :credential_id and (
    (b.scope = 'item' and b.scope_key = :item_key)
    or (b.scope = 'site_day' and b.scope_key = :site_id and b.day = (now() at time zone 'UTC')::date)
    or (b.scope = 'credential_day' and b.scope_key = :credential_id and b.day = (now() at time zone 'UTC')::date))
order by array_position(array['item', 'run', 'site_day', 'credential_day'], b.scope)
for update of b
""")
_HOLD = text("""
with held as (
    update budgets set held_micros = held_micros + :micros
    where budget_id = any(cast(:budget_ids as bigint[])) returning budget_id
)
insert into budget_entries (budget_id, call_id, kind, held_micros, spent_micros)
select budget_id, :call_id, 'reserve', :micros, 0 from held
""")
_END = text("""
with mine as (
    select budget_id, sum(held_micros) as held from budget_entries where call_id = :call_id group by budget_id
), locked as (
    select b.budget_id, mine.held from budgets b join mine using (budget_id)
    order by array_position(array['item', 'run', 'site_day', 'credential_day'], b.scope) for update of b
), moved as (
    update budgets b set held_micros = b.held_micros - l.held, spent_micros = b.spent_micros + :spent
    from locked l where b.budget_id = l.budget_id returning b.budget_id, l.held
)
insert into budget_entries (budget_id, call_id, kind, held_micros, spent_micros)
select budget_id, :call_id, :kind, -held, :spent from moved
""")


def hold(
    connection: Connection, *, call_id: UUID, item_id: int, site_id: str, credential_id: str, micros: int
) -> Shortfall | None:
    """Hold `micros` for a call on every ceiling, or hold nothing and return the first that is too low.

    Nothing is locked or written for a call that can cost nothing.
    """
    if micros == 0:
        return None
    keys = {"item_key": str(item_id), "site_id": site_id, "credential_id": credential_id}
    connection.execute(_ENSURE, keys)
    rows = connection.execute(_LOCK, keys).all()
    for row in rows:
        if row.ceiling is not None and row.used + micros > row.ceiling:
            return Shortfall(row.scope, micros, max(row.ceiling - row.used, 0))
    connection.execute(
        _HOLD, {"micros": micros, "budget_ids": [row.budget_id for row in rows], "call_id": call_id}
    )
    return None


def settle(connection: Connection, call_id: UUID, spent_micros: int) -> None:
    """Release what a call held and book what it cost."""
    connection.execute(_END, {"call_id": call_id, "spent": spent_micros, "kind": "settle"})


def release(connection: Connection, call_id: UUID) -> None:
    """Release what a call held: it did no work."""
    connection.execute(_END, {"call_id": call_id, "spent": 0, "kind": "release"})


def write_off(connection: Connection, call_id: UUID, upper_bound_micros: int) -> None:
    """Book an unknown call at its upper bound."""
    connection.execute(_END, {"call_id": call_id, "spent": upper_bound_micros, "kind": "write_off"})
