"""Sites and their glossaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlalchemy.engine import Connection

_PUT = text("""
insert into sites (site_id, name, source_locale, target_locales, credential_id, judge_credential_id)
values (:site_id, :name, :source_locale, :target_locales, :credential_id, :judge_credential_id)
on conflict (site_id) do update set name = excluded.name, source_locale = excluded.source_locale,
    target_locales = excluded.target_locales, credential_id = excluded.credential_id,
    judge_credential_id = excluded.judge_credential_id
""")
_GET = text("""
select site_id, name, source_locale, target_locales, credential_id, judge_credential_id,
       pass_score::float8 as pass_score
from sites where site_id = :site_id
""")
_LOCK = text("select site_id from sites where site_id = :site_id for no key update")
_EXISTS = text("select exists (select from sites where site_id = :site_id)")
_LIST = text("""
select site_id, name, source_locale, target_locales, credential_id,
       nullif(nullif(paused_until, '-infinity'), 'infinity') as paused_until,
       paused_until > now() as is_paused
from sites where :every or site_id = any(cast(:site_ids as text[])) order by site_id
""")
_OF_ITEM = text("select site_id from items where item_id = :item_id")
_CURRENT = text("""
select version, forbidden_terms from glossaries where site_id = :site_id and target_locale = :target_locale and is_current
""")
_RETIRE = text("""
update glossaries set is_current = false
where site_id = :site_id and target_locale = :target_locale and is_current and version <> :version
""")
_GLOSSARY = text("""
insert into glossaries (site_id, target_locale, version, forbidden_terms, is_current, person_id)
values (:site_id, :target_locale, :version, :forbidden_terms, true, :person_id)
on conflict (site_id, target_locale, version) do update set is_current = true
returning xmax = 0 as is_new
""")
_TERM = text("""
insert into glossary_terms (site_id, target_locale, version, ordinal, source, target, do_not_translate,
    accepted_forms, forbidden_forms, case_sensitive, part_of_speech, sense, note)
values (:site_id, :target_locale, :version, :ordinal, :source, :target, :do_not_translate,
    :accepted_forms, :forbidden_forms, :case_sensitive, :part_of_speech, :sense, :note)
""")


def put(connection: Connection, values: dict[str, Any]) -> None:
    """Create a site, or update the one of this id."""
    connection.execute(_PUT, values)


def get(connection: Connection, site_id: str) -> Any | None:
    """Return a site's row, None when there is none."""
    return connection.execute(_GET, {"site_id": site_id}).first()


def lock(connection: Connection, site_id: str) -> bool:
    """Lock a site for this transaction; False when there is none."""
    return connection.execute(_LOCK, {"site_id": site_id}).first() is not None


def exists(connection: Connection, site_id: str) -> bool:
    return bool(connection.execute(_EXISTS, {"site_id": site_id}).scalar_one())


def list_sites(connection: Connection, site_ids: Sequence[str], *, every: bool) -> list[Any]:
    """Return the named sites, or every site."""
    return list(connection.execute(_LIST, {"site_ids": list(site_ids), "every": every}))


def of_item(connection: Connection, item_id: int) -> str | None:
    """Return the site of an item, None when there is no such item."""
    return connection.execute(_OF_ITEM, {"item_id": item_id}).scalar()


@dataclass(frozen=True, slots=True)
class CurrentGlossary:
    version: str = ""
    forbidden_terms: Sequence[str] = ()


def current_glossary(connection: Connection, site_id: str, target_locale: str) -> CurrentGlossary:
    """Return the version in force with its forbidden terms; an empty version for none."""
    row = connection.execute(_CURRENT, {"site_id": site_id, "target_locale": target_locale}).first()
    return CurrentGlossary(row.version, row.forbidden_terms) if row else CurrentGlossary()


def put_glossary(
    connection: Connection,
    *,
    site_id: str,
    target_locale: str,
    version: str,
    terms: Sequence[dict[str, Any]],
    forbidden_terms: Sequence[str],
    person_id: int | None,
) -> bool:
    """Make `version` the current glossary; its terms are written once. Return whether it is a new version."""
    where = {"site_id": site_id, "target_locale": target_locale, "version": version}
    connection.execute(_RETIRE, where)
    is_new = connection.execute(
        _GLOSSARY, where | {"forbidden_terms": list(forbidden_terms), "person_id": person_id}
    ).scalar_one()
    if is_new and terms:
        connection.execute(_TERM, [where | {"ordinal": n} | dict(term) for n, term in enumerate(terms)])
    return bool(is_new)


_OTHER_LOCALES = text("""
with gone as (
    update items i set is_active = false, deactivated_at = now(), version = i.version + 1,
        claim_seq = i.claim_seq + 1, lease_until = null, worker_id = null
    from sites s
    where s.site_id = :site_id and i.site_id = s.site_id and i.is_active
      and not i.target_locale = any(s.target_locales)
    returning i.item_id, i.status, i.source_revision
)
insert into item_log (item_id, event, from_status, to_status, actor, source_revision)
select item_id, 'deactivated', status, status, 'site', source_revision from gone
""")


def deactivate_other_locales(connection: Connection, site_id: str) -> None:
    """Let nothing more be bought for locales that the site no longer translates into; a scan brings them back."""
    connection.execute(_OTHER_LOCALES, {"site_id": site_id})
