"""What scanning takes, and what scanning and reading answer; the rules of `answers` hold here too."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from scheduler_service.answers import ItemKey


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    source: str
    target: str
    do_not_translate: bool = False
    accepted_forms: tuple[str, ...] = ()
    forbidden_forms: tuple[str, ...] = ()
    case_sensitive: bool = False
    part_of_speech: str = ""
    sense: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class SourceField:
    """`max_length` counts characters, 0 for no limit; `position` orders the fields of a page."""

    field_name: str
    text: str
    label: str = ""
    text_format: str = "plain"
    note: str = ""
    speaker: str = ""
    max_length: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class SourcePage:
    """All fields of a page: one that is absent goes inactive."""

    page_id: str
    fields: tuple[SourceField, ...]


@dataclass(frozen=True, slots=True)
class PutGlossaryResponse:
    version: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class ScanPagesResponse:
    new_items: int
    changed_items: int
    unchanged_items: int
    deactivated_items: int
    reactivated_items: int


@dataclass(frozen=True, slots=True)
class PublishedText:
    key: ItemKey
    text: str
    text_hash: str
    is_current: bool
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class ReadTextResponse:
    text: PublishedText


@dataclass(frozen=True, slots=True)
class ReadPageResponse:
    texts: tuple[PublishedText, ...]


@dataclass(frozen=True, slots=True)
class ListPublishedResponse:
    texts: tuple[PublishedText, ...]
    next_page_token: str
