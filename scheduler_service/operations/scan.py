"""Takes pages in: validates them, then upserts their items in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from scheduler_service.domain.items import text_hash
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations.configure import locale
from scheduler_service.store import scans, sites
from scheduler_service.store.engine import Database
from scheduler_service.store.scans import ScanCounts, ScannedField

PAGES_MOST = 1_000
# One text travels in one gRPC message, twice when it is judged; see the limits of the contract.
TEXT_MOST_BYTES = 1_500_000
FORMATS = frozenset(
    "plain markdown html icu printf python-format brace i18next renpy".split()
)


@dataclass(frozen=True, slots=True)
class SourceField:
    field_name: str
    text: str
    text_format: str = "plain"
    label: str = ""
    note: str = ""
    speaker: str = ""
    max_length: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class SourcePage:
    page_id: str
    fields: Sequence[SourceField]


def scan_pages(
    database: Database,
    *,
    site_id: str,
    target_locale: str,
    pages: Sequence[SourcePage],
    is_complete: bool = False,
) -> ScanCounts:
    """Upsert the items of whole pages for one target locale and return what happened; all or nothing.

    Unchanged text writes nothing. With `is_complete` the pages are all there is: other items go inactive.

    Raises:
        Refused: INVALID_FIELD naming page and field number, NOT_FOUND for an unknown site.
    """
    target = locale(target_locale, "target_locale")
    if len(pages) > PAGES_MOST:
        raise Refused(Reason.INVALID_FIELD, f"Send at most {PAGES_MOST} pages at a time", "pages")
    rows = _rows(pages)

    def put(connection: Connection) -> ScanCounts:
        site = sites.get(connection, site_id)
        if site is None:
            raise Refused(Reason.NOT_FOUND, "There is no such site", "site_id")
        if target not in site.target_locales:
            raise Refused(Reason.INVALID_FIELD, "This site doesn't translate into this locale", "target_locale")
        return scans.scan(
            connection, site_id=site_id, source_locale=site.source_locale, target_locale=target,
            page_ids=[page.page_id for page in pages], fields=rows, is_complete=is_complete,
        )

    return database.transact(put)


def _rows(pages: Sequence[SourcePage]) -> list[ScannedField]:
    rows: list[ScannedField] = []
    seen: set[tuple[str, str]] = set()
    for page_number, page in enumerate(pages):
        for number, field in enumerate(page.fields):
            where = f"pages[{page_number}].fields[{number}]"
            key = (page.page_id, field.field_name)
            if not page.page_id or not field.field_name:
                raise Refused(Reason.INVALID_FIELD, "Page and field need a name", where)
            if key in seen:
                raise Refused(Reason.INVALID_FIELD, "This page has two fields of this name", where)
            if "\x00" in field.text or "\x00" in page.page_id or "\x00" in field.field_name:
                raise Refused(Reason.INVALID_FIELD, "Remove the NUL character from it", where)
            if field.text_format not in FORMATS:
                raise Refused(Reason.INVALID_FIELD, "Use one of: " + ", ".join(sorted(FORMATS)), where + ".text_format")
            if len(field.text.encode("utf-8", "surrogatepass")) > TEXT_MOST_BYTES:
                raise Refused(Reason.INVALID_FIELD, f"Split it: at most {TEXT_MOST_BYTES} bytes", where + ".text")
            if not field.text.strip():
                continue  # nothing to translate, and nothing that a reader could miss
            seen.add(key)
            context = {"note": field.note, "speaker": field.speaker, "max_length": field.max_length}
            rows.append(ScannedField(
                page.page_id, field.field_name, field.label or field.field_name, field.text_format,
                {name: value for name, value in context.items() if value}, field.position, field.text,
                text_hash(field.text),
            ))
    return rows
