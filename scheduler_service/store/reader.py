"""What the public may read: published texts and nothing else."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text
from sqlalchemy.engine import Connection

_TEXT = text("""
select i.site_id, i.page_id, i.field_name, i.target_locale, p.text, p.text_hash, p.published_at,
       i.is_active and p.source_revision = i.source_revision as is_current
from items i join publications p on p.item_id = i.item_id and p.superseded_at is null
where i.site_id = :site_id and i.target_locale = :target_locale and i.page_id = :page_id
  and i.field_name = :field_name
""")
_PAGE = text("""
select i.site_id, i.page_id, i.field_name, i.target_locale, p.text, p.text_hash, p.published_at,
       i.is_active and p.source_revision = i.source_revision as is_current
from items i join publications p on p.item_id = i.item_id and p.superseded_at is null
where i.site_id = :site_id and i.target_locale = :target_locale and i.page_id = :page_id
order by i.position, i.item_id
""")
# `has_more` also when it is the bytes that were used up; the first text always comes.
_LIST = text("""
with found as (
    select i.site_id, i.page_id, i.field_name, i.target_locale, p.text, p.text_hash, p.published_at,
           i.is_active and p.source_revision = i.source_revision as is_current, i.item_id
    from items i join publications p on p.item_id = i.item_id and p.superseded_at is null
    where i.site_id = :site_id and i.target_locale = :target_locale and i.is_active and i.item_id > :after
    order by i.item_id limit :most + 1
), measured as (
    select *, row_number() over ordered as number, count(*) over () as found_count,
           sum(octet_length(text)) over ordered - octet_length(text) as bytes_before
    from found window ordered as (order by item_id)
), page as (
    select * from measured where number <= :most and bytes_before < :most_bytes
)
select *, (select count(*) from page) < found_count as has_more from page order by item_id
""")


def read_text(
    connection: Connection, *, site_id: str, page_id: str, field_name: str, target_locale: str
) -> Any | None:
    """Return the published text of one field, None when nothing is published."""
    return connection.execute(_TEXT, {
        "site_id": site_id, "page_id": page_id, "field_name": field_name, "target_locale": target_locale,
    }).first()


def read_page(connection: Connection, *, site_id: str, page_id: str, target_locale: str) -> list[Any]:
    """Return the published texts of a page in order."""
    return list(connection.execute(
        _PAGE, {"site_id": site_id, "page_id": page_id, "target_locale": target_locale}
    ))


def list_published(
    connection: Connection, *, site_id: str, target_locale: str, after: int, most: int, most_bytes: int
) -> list[Any]:
    """Return published texts of active items, by item_id from after `after`: at most `most`, and no further one once
    they have `most_bytes`. Each row says in `has_more` whether others follow the last."""
    return list(connection.execute(_LIST, {
        "site_id": site_id, "target_locale": target_locale, "after": after, "most": most, "most_bytes": most_bytes,
    }))
