"""Takes pages in: validates them, then upserts their items in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from scheduler_service.domain.items import TEXT_MOST_BYTES, text_hash
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations.configure import locale
from scheduler_service.store import scans, sites
from scheduler_service.store.engine import Database
from scheduler_service.store.scans import ScanCounts, ScannedField

PAGES_MOST = 1_000
# A name is part of an index entry, which PostgreSQL limits to 2,704 bytes in all.
PAGE_ID_MOST_BYTES = 1_000
FIELD_NAME_MOST_BYTES = 500
# What goes with a text to the model and onto the reviewer's page: a remark, no second text.
ASIDE_MOST_BYTES = 20_000
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

    # After a COMMIT of unknown outcome the scan is simply repeated: what is there already counts as unchanged.
    return database.transact(put, committed=lambda _connection: None)


def _rows(pages: Sequence[SourcePage]) -> list[ScannedField]:
    rows: list[ScannedField] = []
    seen: set[tuple[str, str]] = set()
    for page_number, page in enumerate(pages):
        on_page = f"pages[{page_number}]"
        _require_text(page.page_id, f"{on_page}.page_id", PAGE_ID_MOST_BYTES, is_name=True)
        for number, field in enumerate(page.fields):
            where = f"{on_page}.fields[{number}]"
            _require_field(field, where)
            if not field.text.strip():
                continue  # nothing to translate, and nothing that a reader could miss
            key = (page.page_id, field.field_name)
            if key in seen:
                raise Refused(Reason.INVALID_FIELD, "This page has two fields of this name", where)
            seen.add(key)
            context = {"note": field.note, "speaker": field.speaker, "max_length": field.max_length}
            rows.append(ScannedField(
                page.page_id, field.field_name, field.label or field.field_name, field.text_format,
                {name: value for name, value in context.items() if value}, field.position, field.text,
                text_hash(field.text),
            ))
    return rows


def _require_field(field: SourceField, where: str) -> None:
    _require_text(field.field_name, f"{where}.field_name", FIELD_NAME_MOST_BYTES, is_name=True)
    _require_text(field.text, f"{where}.text", TEXT_MOST_BYTES)
    for name, value in (("label", field.label), ("note", field.note), ("speaker", field.speaker)):
        _require_text(value, f"{where}.{name}", ASIDE_MOST_BYTES)
    if field.text_format not in FORMATS:
        raise Refused(Reason.INVALID_FIELD, "Use one of: " + ", ".join(sorted(FORMATS)), f"{where}.text_format")
    if field.max_length < 0:
        raise Refused(Reason.INVALID_FIELD, "Use 0 for no limit", f"{where}.max_length")


def _require_text(value: str, where: str, most_bytes: int, *, is_name: bool = False) -> None:
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError:
        raise Refused(Reason.INVALID_FIELD, "It holds half a character: send it as UTF-8", where) from None
    if is_name and not value:
        raise Refused(Reason.INVALID_FIELD, "Give it a name", where)
    if "\x00" in value:
        raise Refused(Reason.INVALID_FIELD, "Remove the NUL character from it", where)
    if size > most_bytes:
        raise Refused(Reason.INVALID_FIELD, f"Make it shorter: at most {most_bytes} bytes", where)
