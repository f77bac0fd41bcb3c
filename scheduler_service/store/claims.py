"""Where an item is claimed: one statement, committed before anything is called."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.engine import Connection


@dataclass(frozen=True, slots=True)
class Claim:
    """What a worker holds. `claim_seq` is its fence: each of its writes names it."""

    item_id: int
    claim_seq: int
    source_revision: int
    source_hash: str
    attempt_count: int
    site_id: str
    page_id: str
    field_name: str
    target_locale: str


# The CTE is MATERIALIZED because a bare subquery with LIMIT may be run again and lock too many. A lapsed
# lease is taken like any due item; its attempt is given back when that claim had stored a paid answer.
_CLAIM = text("""
with runs as materialized (
    select s.site_id from sites s
    join credentials g on g.credential_id = s.credential_id
    join credentials j on j.credential_id = s.judge_credential_id
    where s.site_id = :site_id and s.paused_until <= statement_timestamp()
      and greatest(g.halted_until, g.cooling_until) <= statement_timestamp()
      and greatest(j.halted_until, j.cooling_until) <= statement_timestamp()
), due as materialized (
    select item_id from items
    where site_id = (select site_id from runs)
      and is_active and status in ('missing', 'stale')
      and next_attempt_at <= statement_timestamp()
      and (lease_until is null or lease_until <= statement_timestamp())
      and (attempt_count < 4 or (lease_until is not null and progress_claim_seq = claim_seq))
    order by next_attempt_at, page_id
    limit :most for update skip locked
)
update items i set
    attempt_count = i.attempt_count
        + case when i.lease_until is not null and i.progress_claim_seq = i.claim_seq then 0 else 1 end,
    claim_seq = i.claim_seq + 1,
    lease_until = statement_timestamp() + :lease,
    worker_id = :worker_id,
    claimed_hash = i.source_hash,
    claimed_revision = i.source_revision,
    last_error_code = null,
    last_attempt_at = statement_timestamp()
from due where i.item_id = due.item_id
returning i.item_id, i.claim_seq, i.source_revision, i.source_hash, i.attempt_count,
          i.site_id, i.page_id, i.field_name, i.target_locale
""")

_RUNNABLE = text("""
select s.site_id from sites s
join credentials g on g.credential_id = s.credential_id
join credentials j on j.credential_id = s.judge_credential_id
where s.paused_until <= statement_timestamp()
  and greatest(g.halted_until, g.cooling_until, j.halted_until, j.cooling_until) <= statement_timestamp()
order by s.site_id
""")

# An item that was let go keeps its claim_seq: without a lease there is nothing to renew, however late this comes.
_RENEW = text("""
update items i set lease_until = statement_timestamp() + :lease
from unnest(cast(:item_ids as bigint[]), cast(:claim_seqs as bigint[])) as held (item_id, claim_seq)
where i.item_id = held.item_id and i.claim_seq = held.claim_seq and i.lease_until is not null
returning i.item_id
""")


def claim(
    connection: Connection, *, site_id: str, worker_id: UUID, most: int, lease: timedelta
) -> list[Claim]:
    """Take up to `most` due items of a site; empty when nothing is due, or the site or a credential of it may
    not run. Each claim is committed when this returns (on a connection that commits by itself)."""
    rows = connection.execute(
        _CLAIM, {"site_id": site_id, "worker_id": worker_id, "most": most, "lease": lease}
    )
    return [Claim(*row) for row in rows]


def runnable_sites(connection: Connection) -> list[str]:
    """Return the sites that are not paused and whose credentials may be used now."""
    return list(connection.execute(_RUNNABLE).scalars())


_TAKE_BACK = text("""
update items set attempt_count = greatest(attempt_count - 1, 0), claim_seq = claim_seq + 1, lease_until = null,
    worker_id = null
where worker_id = :worker_id and lease_until is not null and is_active and status in ('missing', 'stale')
  and item_id <> all(cast(:known as bigint[]))
returning item_id
""")


def take_back(connection: Connection, worker_id: UUID, known: list[int]) -> set[int]:
    """Give back, with its attempt, whatever this worker holds beside the items it knows of: claims whose answer
    got lost on the way."""
    return set(connection.execute(_TAKE_BACK, {"worker_id": worker_id, "known": known}).scalars())


def renew(connection: Connection, held: dict[int, int], lease: timedelta) -> set[int]:
    """Renew the leases of `held` (item to claim_seq); return the items that are still held. The rest is lost."""
    if not held:
        return set()
    return set(connection.execute(
        _RENEW, {"item_ids": list(held), "claim_seqs": list(held.values()), "lease": lease}
    ).scalars())
