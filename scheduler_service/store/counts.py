"""Counts, always derived: the statuses partition the active items, the work states the missing and stale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import text
from sqlalchemy.engine import Connection

_BY_STATUS = text("""
select status, count(*) as count, min(status_changed_at) as oldest_at
from items where site_id = any(cast(:site_ids as text[])) and is_active group by status
""")
_INACTIVE = text("select count(*) from items where site_id = any(cast(:site_ids as text[])) and not is_active")
_BY_WORK_STATE = text("""
select work_state, count(*) as count from item_work where site_id = any(cast(:site_ids as text[])) group by work_state
""")
_FAILURES = text("""
select field_name, target_locale, error_code as code, count(*) as count
from item_work where site_id = any(cast(:site_ids as text[])) and work_state = 'failed'
group by 1, 2, 3 order by count desc, 1, 2, 3 limit 50
""")
_CREDENTIALS = text("""
select c.credential_id, c.provider, c.halted_until > now() as is_halted, c.halt_code,
    nullif(nullif(c.cooling_until, '-infinity'), 'infinity') as cooling_until,
    (select count(*) from items i join sites s using (site_id)
     where i.is_active and i.status in ('missing', 'stale', 'needs_credential')
       and c.credential_id in (s.credential_id, s.judge_credential_id)) as waiting_items,
    (select coalesce(sum(settled_micros), 0) from calls k where k.credential_id = c.credential_id
       and k.ended_at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC') as spent_today_micros
from credentials c
where c.credential_id in (select unnest(array[credential_id, judge_credential_id]) from sites
                          where site_id = any(cast(:site_ids as text[])))
order by c.credential_id
""")
_WORKERS = text("""
select worker_id::text as worker, started_at, beat_at, held_items,
       stopped_at is null and beat_at > now() - interval '90 seconds' as is_alive
from workers where stopped_at is null and beat_at > now() - interval '1 day' order by started_at desc limit 50
""")
_EVERY_BY_STATUS = text("""
select site_id, status, count(*) as count from items where is_active group by site_id, status
""")
_EVERY_BY_WORK_STATE = text("""
select site_id, work_state, count(*) as count from item_work group by site_id, work_state
""")
_UNKNOWN_CALLS = text("select count(*) from calls where state = 'unknown' and site_id = any(cast(:site_ids as text[]))")


def status(connection: Connection, site_ids: Sequence[str]) -> dict[str, Any]:
    """Return every count of these sites in sum: by_status, inactive, by_work_state, failures, credentials, workers,
    unknown_calls. They add up only when the caller reads them in one snapshot."""
    where = {"site_ids": list(site_ids)}
    return {
        "by_status": connection.execute(_BY_STATUS, where).all(),
        "inactive": connection.execute(_INACTIVE, where).scalar_one(),
        "by_work_state": connection.execute(_BY_WORK_STATE, where).all(),
        "failures": connection.execute(_FAILURES, where).all(),
        "credentials": connection.execute(_CREDENTIALS, where).all(),
        "workers": connection.execute(_WORKERS).all(),
        "unknown_calls": connection.execute(_UNKNOWN_CALLS, where).scalar_one(),
    }


def by_site(connection: Connection) -> tuple[list[Any], list[Any]]:
    """Return (site_id, status, count) and (site_id, work_state, count) of every site; see `status` for snapshots."""
    return connection.execute(_EVERY_BY_STATUS).all(), connection.execute(_EVERY_BY_WORK_STATE).all()
