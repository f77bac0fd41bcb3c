"""Brings a folder's pages into the inventory, and its published texts back out, through the scheduler's API."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from scheduler_service.answers_content import GlossaryTerm, ScanPagesResponse, SourceField, SourcePage
from scheduler_service.client import SchedulerClient
from scheduler_service.content.limits import page_bytes
from scheduler_service.content.values import GlossaryRow, Page

# A request may have 4 MiB. One transaction writes it: smaller ones hold no locks for long.
CHUNK_BYTES = 2_500_000
CHUNK_PAGES = 1_000


def push(client: SchedulerClient, site_id: str, target_locale: str, pages: Sequence[Page]) -> ScanPagesResponse:
    """Scan `pages`, which are all that the site has for this locale; return what happened in sum.

    What fits into one request is one transaction. More goes in several, and pages that are gone come last. Each
    page must be one that `limits.require_page` lets pass.

    Raises:
        Refused, SchedulerUnreachable: requests before the failing one took effect; pushing again completes it.
    """
    chunks = list(_chunks(pages)) or [[]]
    if len(chunks) == 1:
        return client.scan_pages(site_id, target_locale, map(_source_page, chunks[0]), is_complete=True)
    known = {item.key.page_id for item in list_fields(client, site_id, target_locale)}
    gone = [SourcePage(page_id, ()) for page_id in sorted(known - {page.page_id for page in pages})]
    requests = [list(map(_source_page, chunk)) for chunk in chunks]
    requests += [gone[start:start + CHUNK_PAGES] for start in range(0, len(gone), CHUNK_PAGES)]
    answers = [client.scan_pages(site_id, target_locale, request, is_complete=False) for request in requests]
    return ScanPagesResponse(*(
        sum(getattr(answer, name) for answer in answers) for name in ScanPagesResponse.__slots__
    ))


def glossary_terms(rows: Iterable[GlossaryRow]) -> list[GlossaryTerm]:
    """Return glossary rows as the scheduler takes them."""
    return [
        GlossaryTerm(
            row.source, row.target, row.do_not_translate, row.accepted_forms, row.forbidden_forms,
            row.case_sensitive, row.part_of_speech, row.sense, row.note,
        ) for row in rows
    ]


def list_fields(client: SchedulerClient, site_id: str, target_locale: str) -> Iterator:  # type: ignore[type-arg]
    """Yield the summary of every active field, in page order."""
    token = ""
    while True:
        answer = client.list_fields(site_id, target_locale=target_locale, page_size=500, page_token=token)
        yield from answer.items
        token = answer.next_page_token
        if not token:
            return


@dataclass(slots=True)
class Published:
    """What is published of a site: `texts` by page and field, which translate the present source; `outdated` counts
    those that translate an earlier one. `digest` is another as soon as any of it is."""

    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    outdated: int = 0
    digest: str = ""


def pull(client: SchedulerClient, site_id: str, target_locale: str) -> Published:
    """Return every published text of the active fields."""
    published = Published()
    digest = hashlib.sha256()
    token = ""
    while True:
        answer = client.list_published(site_id, target_locale, page_size=500, page_token=token)
        for text in answer.texts:
            digest.update(repr((text.key.page_id, text.key.field_name, text.text_hash, text.is_current)).encode())
            if text.is_current:
                published.texts.setdefault(text.key.page_id, {})[text.key.field_name] = text.text
            else:
                published.outdated += 1
        token = answer.next_page_token
        if not token:
            published.digest = digest.hexdigest()
            return published


def _chunks(pages: Sequence[Page]) -> Iterator[list[Page]]:
    chunk: list[Page] = []
    size = 0
    for page in pages:
        page_size = page_bytes(page)
        if chunk and (size + page_size > CHUNK_BYTES or len(chunk) >= CHUNK_PAGES):
            yield chunk
            chunk, size = [], 0
        chunk.append(page)
        size += page_size
    if chunk:
        yield chunk


def _source_page(page: Page) -> SourcePage:
    return SourcePage(page.page_id, tuple(
        SourceField(
            field_name=field.name, text=field.text, label=field.label or field.name, text_format=field.text_format,
            note=field.note, speaker=field.speaker, max_length=field.max_length or 0, position=field.position,
        ) for field in page.fields
    ))
