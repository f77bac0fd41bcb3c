"""Upserts whole pages: COPY into a temporary table, then one statement for each kind of change.

Unchanged text writes nothing: every statement first finds the rows that differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlalchemy.engine import Connection


@dataclass(frozen=True, slots=True)
class ScannedField:
    page_id: str
    field_name: str
    label: str
    text_format: str
    context: dict[str, Any]
    position: int
    source_text: str
    source_hash: str


@dataclass(frozen=True, slots=True)
class ScanCounts:
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    deactivated: int = 0
    reactivated: int = 0


# One scan of a site and locale at a time: of two at once, the later text must not lose against the earlier.
_ALONE = text("select pg_advisory_xact_lock(hashtextextended(:site_id || '/' || :target_locale, 0))")
_SCANNED = text("""
create temporary table scanned (
    page_id text not null, field_name text not null, label text not null, text_format text not null,
    context jsonb not null, position integer not null, source_text text not null, source_hash text not null
) on commit drop
""")

# A changed text is a new revision with a fresh budget, in the same statement; also when it changes back.
_CHANGED = text("""
with changed as (
    select i.item_id, i.candidate_id as closed_candidate_id, i.status as old_status, s.*
    from scanned s
    join items i on i.site_id = :site_id and i.target_locale = :target_locale
                and i.page_id = s.page_id and i.field_name = s.field_name
    where i.source_hash <> s.source_hash or i.source_locale <> :source_locale
       or i.text_format <> s.text_format
    for update of i
), moved as (
    update items i set
        source_locale = :source_locale, source_text = c.source_text, source_hash = c.source_hash,
        source_revision = i.source_revision + 1, text_format = c.text_format, label = c.label,
        context = c.context, position = c.position, is_active = true, deactivated_at = null,
        status = case when exists (
                select from approvals a where a.item_id = i.item_id and a.revoked_at is null
            ) or exists (
                select from candidates p where p.item_id = i.item_id and p.origin = 'person'
            ) then 'stale' else 'missing' end,
        status_changed_at = now(), version = i.version + 1,
        attempt_count = 0, next_attempt_at = now(), lease_until = null, worker_id = null,
        claim_seq = i.claim_seq + 1, progress_claim_seq = null, claimed_hash = null, claimed_revision = null,
        last_error_code = null, waiting_since = null, unknown_count = 0, turns = 0,
        turns_granted = (select turns_per_revision from sites where site_id = :site_id),
        person_note = '', score = null, reasons = '{}', candidate_id = null, approval_id = null
    from changed c where i.item_id = c.item_id
    returning i.item_id, c.old_status, i.status, i.source_revision
), closed as (
    update candidates set closed_at = now(), closed_reason = 'source_changed'
    where candidate_id in (select closed_candidate_id from changed) and closed_at is null
), logged as (
    insert into item_log (item_id, event, from_status, to_status, actor, source_revision)
    select item_id, 'source_changed', old_status, status, 'scan', source_revision from moved
)
select count(*) from moved
""")

_RETURNED = text("""
with returned as (
    update items i set is_active = true, deactivated_at = null, version = i.version + 1
    from scanned s
    where i.site_id = :site_id and i.target_locale = :target_locale
      and i.page_id = s.page_id and i.field_name = s.field_name
      and i.source_hash = s.source_hash and not i.is_active
    returning i.item_id, i.status, i.source_revision
), logged as (
    insert into item_log (item_id, event, from_status, to_status, actor, source_revision)
    select item_id, 'reactivated', status, status, 'scan', source_revision from returned
)
select count(*) from returned
""")

# What surrounds a text may change without making it another text.
_REDESCRIBED = text("""
update items i set label = s.label, context = s.context, position = s.position
from scanned s
where i.site_id = :site_id and i.target_locale = :target_locale
  and i.page_id = s.page_id and i.field_name = s.field_name and i.source_hash = s.source_hash
  and (i.label, i.context, i.position) is distinct from (s.label, s.context, s.position)
""")

_NEW = text("""
with made as (
    insert into items (site_id, page_id, field_name, target_locale, source_locale, text_format, label, context,
                       position, source_text, source_hash, turns_granted)
    select :site_id, s.page_id, s.field_name, :target_locale, :source_locale, s.text_format, s.label, s.context,
           s.position, s.source_text, s.source_hash,
           (select turns_per_revision from sites where site_id = :site_id)
    from scanned s
    where not exists (
        select from items i where i.site_id = :site_id and i.target_locale = :target_locale
          and i.page_id = s.page_id and i.field_name = s.field_name)
    on conflict (site_id, target_locale, page_id, field_name) do nothing
    returning item_id, status, source_revision
), logged as (
    insert into item_log (item_id, event, to_status, actor, source_revision)
    select item_id, 'found', status, 'scan', source_revision from made
)
select count(*) from made
""")

# Work that is cut off counts nothing, so a live claim's attempt is given back.
_GONE = text("""
with gone as (
    update items i set is_active = false, deactivated_at = now(), version = i.version + 1,
        attempt_count = greatest(i.attempt_count - case when i.lease_until > now() then 1 else 0 end, 0),
        claim_seq = i.claim_seq + 1, lease_until = null, worker_id = null
    where i.site_id = :site_id and i.target_locale = :target_locale and i.is_active
      and (:is_complete or i.page_id = any(cast(:page_ids as text[])))
      and not exists (
        select from scanned s where s.page_id = i.page_id and s.field_name = i.field_name)
    returning i.item_id, i.status, i.source_revision
), logged as (
    insert into item_log (item_id, event, from_status, to_status, actor, source_revision)
    select item_id, 'deactivated', status, status, 'scan', source_revision from gone
)
select count(*) from gone
""")


def scan(
    connection: Connection,
    *,
    site_id: str,
    source_locale: str,
    target_locale: str,
    page_ids: Sequence[str],
    fields: Iterable[ScannedField],
    is_complete: bool,
) -> ScanCounts:
    """Upsert the items of whole pages and return what happened to them; the caller commits.

    `page_ids` names every page that was looked at, those without fields too. With `is_complete` items of all
    other pages of this site and locale go inactive as well.
    """
    where = {"site_id": site_id, "target_locale": target_locale}
    connection.execute(_ALONE, where)
    connection.execute(_SCANNED)
    total = 0
    with connection.connection.driver_connection.cursor() as cursor:  # type: ignore[union-attr]
        with cursor.copy("copy scanned from stdin") as copy:
            for field in fields:
                total += 1
                copy.write_row((
                    field.page_id, field.field_name, field.label, field.text_format,
                    json.dumps(field.context), field.position, field.source_text, field.source_hash,
                ))
    connection.execute(text("analyze scanned"))
    described = where | {"source_locale": source_locale}
    changed = connection.execute(_CHANGED, described).scalar_one()
    reactivated = connection.execute(_RETURNED, where).scalar_one()
    connection.execute(_REDESCRIBED, where)
    new = connection.execute(_NEW, described).scalar_one()
    deactivated = connection.execute(
        _GONE, where | {"page_ids": list(page_ids), "is_complete": is_complete}
    ).scalar_one()
    return ScanCounts(new, changed, total - new - changed - reactivated, deactivated, reactivated)
