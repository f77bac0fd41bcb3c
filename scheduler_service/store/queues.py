"""Lists of items for reviewers: keyset-paged in page order, and the neighbours of one item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import text
from sqlalchemy.engine import Connection

# Before the first item: page ids are never empty.
BEGINNING = ("", -1, 0)
# The summary of an item: its row, its work state where it is in work, and what its shown candidate carries.
_SUMMARY = """
select i.item_id, i.site_id, i.page_id, i.field_name, i.target_locale, left(i.label, 300) as label, i.text_format, i.status,
    w.work_state, i.source_revision, left(i.source_text, 300) as source_excerpt,
    left(coalesce(c.text, ''), 300) as target_excerpt, i.score::float8 as score,
    coalesce(jd.is_offline_estimate, false) as is_offline_estimate,
    coalesce(gt.hard_failed, 0) as hard_gates_failed, coalesce(jd.findings_count, 0) as findings_count,
    coalesce(gt.flags, 0) as flags_count, coalesce(i.last_error_code, '') as last_error_code, i.attempt_count,
    i.status_changed_at, i.reasons, i.version, i.turns, i.position
from items i
left join item_work w on w.item_id = i.item_id
left join candidates c on c.candidate_id = i.candidate_id
left join lateral (
    select count(*) filter (where severity = 'hard' and outcome = 'fail') as hard_failed,
           count(*) filter (where severity = 'flag' and outcome = 'fail') as flags
    from gates where candidate_id = i.candidate_id) gt on true
left join lateral (
    select bool_or(m.is_offline_estimate) as is_offline_estimate, count(f.ordinal) as findings_count
    from judgments m left join findings f using (judgment_id) where m.candidate_id = i.candidate_id) jd on true
"""
_LIST = text(_SUMMARY + """
where i.site_id = :site_id and i.is_active and i.status = any(cast(:statuses as text[]))
  and (:target_locale = '' or i.target_locale = :target_locale)
  and (:page_id = '' or i.page_id = :page_id)
  and (:query = '' or strpos(lower(i.source_text), lower(:query)) > 0
                   or strpos(lower(coalesce(c.text, '')), lower(:query)) > 0)
  and (i.page_id, i.position, i.item_id) > (:after_page, :after_position, :after_item)
order by i.page_id, i.position, i.item_id limit :most
""")
_ONE = text(_SUMMARY + "where i.item_id = :item_id")
_COUNTS = text("""
select status, count(*) as count from items
where site_id = :site_id and is_active and (:target_locale = '' or target_locale = :target_locale)
group by status
""")
_NEXT = text("""
select item_id from items
where site_id = :site_id and target_locale = :target_locale and is_active and status = any(cast(:statuses as text[]))
  and (page_id, position, item_id) > (:page_id, :position, :item_id)
order by page_id, position, item_id limit 1
""")
_PREVIOUS = text("""
select item_id from items
where site_id = :site_id and target_locale = :target_locale and is_active and status = any(cast(:statuses as text[]))
  and (page_id, position, item_id) < (:page_id, :position, :item_id)
order by page_id desc, position desc, item_id desc limit 1
""")
_PLACE = text("""
select count(*) as queue_count,
       count(*) filter (where (page_id, position, item_id) <= (:page_id, :position, :item_id)) as place,
       coalesce(bool_or(item_id = :item_id), false) as is_in
from items
where site_id = :site_id and target_locale = :target_locale and is_active and status = any(cast(:statuses as text[]))
""")


def list_items(
    connection: Connection,
    *,
    site_id: str,
    statuses: Sequence[str],
    target_locale: str = "",
    page_id: str = "",
    query: str = "",
    after: tuple[str, int, int] = BEGINNING,
    most: int,
) -> list[Any]:
    """Return summaries in page order after `after` (page_id, position, item_id); empty filters mean all."""
    return list(connection.execute(_LIST, {
        "site_id": site_id, "statuses": list(statuses), "target_locale": target_locale, "page_id": page_id,
        "query": query, "after_page": after[0], "after_position": after[1], "after_item": after[2], "most": most,
    }))


def summary(connection: Connection, item_id: int) -> Any | None:
    """Return one item's summary, None when there is no such item."""
    return connection.execute(_ONE, {"item_id": item_id}).first()


def counts(connection: Connection, site_id: str, target_locale: str) -> dict[str, int]:
    """Return how many active items a site (and locale) has in each status."""
    return {row.status: row.count for row in connection.execute(
        _COUNTS, {"site_id": site_id, "target_locale": target_locale})}


def neighbours(connection: Connection, item: Any, statuses: Sequence[str]) -> tuple[int, int, int, int]:
    """Return (previous item, next item, place in the queue, queue length) of a summary; 0 for none."""
    where = {
        "site_id": item.site_id, "target_locale": item.target_locale, "statuses": list(statuses),
        "page_id": item.page_id, "position": item.position, "item_id": item.item_id,
    }
    place = connection.execute(_PLACE, where).one()
    return (
        connection.execute(_PREVIOUS, where).scalar() or 0,
        connection.execute(_NEXT, where).scalar() or 0,
        place.place if place.is_in else 0,
        place.queue_count,
    )
