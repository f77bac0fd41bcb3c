"""How much the scheduler takes, told with the file's name before anything starts.

The numbers are the scheduler's and gRPC's own; tests hold them together.
"""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_service.content.values import BrokenGlossary, Field, GlossaryRow, Page, TooLarge

TEXT_MOST_BYTES = 500_000
# Notes and speakers.
ASIDE_MOST_BYTES = 20_000
FIELD_NAME_MOST_BYTES = 500
PAGE_ID_MOST_BYTES = 1_000
MAX_LENGTH_MOST = 2**31 - 1
TERMS_MOST = 2_000
# A page is scanned whole, and a glossary replaced whole: one request, which may have 4 MiB.
REQUEST_MOST_BYTES = 3_500_000
# What a message adds to its texts and numbers: a tag and a length for each of at most nine, and its own.
FRAME_BYTES = 100

# Names in messages are for recognising; a long one would hide what is said about it.
_SHOWN_CHARACTERS = 60
_SPLIT = "Split it"


def require_page(page: Page) -> None:
    """Let pass a page that the scheduler takes.

    Raises:
        TooLarge: naming the file, and the field at fault.
    """
    path = page.page_id
    if len(path.encode("utf-8")) > PAGE_ID_MOST_BYTES:
        raise TooLarge(path, None, f"the path has more than {PAGE_ID_MOST_BYTES:,} bytes", "Shorten its names")
    for field in page.fields:
        _require_field(path, field)
    if page_bytes(page) > REQUEST_MOST_BYTES:
        raise TooLarge(
            path, None, f"all fields together have more than {REQUEST_MOST_BYTES:,} bytes",
            "Split it into several files",
        )


def _require_field(path: str, field: Field) -> None:
    shown = field.label or field.name
    shown = shown if len(shown) <= _SHOWN_CHARACTERS else shown[: _SHOWN_CHARACTERS - 1] + "…"
    for what, value, most, remedy in (
        ("the name", field.name, FIELD_NAME_MOST_BYTES, "Shorten its keys, or nest it less deeply"),
        ("the text", field.text, TEXT_MOST_BYTES, _SPLIT),
        ("the note", field.note, ASIDE_MOST_BYTES, "Shorten it"),
        ("the speaker", field.speaker, ASIDE_MOST_BYTES, "Shorten it"),
    ):
        size = len(value.encode("utf-8"))
        if size > most:
            raise TooLarge(path, None, f"{what} of {shown!r} has {size:,} bytes; {most:,} are allowed", remedy)
    if (field.max_length or 0) > MAX_LENGTH_MOST:
        raise TooLarge(
            path, None, f"the max_length of {shown!r} is above {MAX_LENGTH_MOST:,}", "Leave it out for no limit"
        )


def require_glossary(path: str, rows: Sequence[GlossaryRow]) -> None:
    """Let pass a glossary that the scheduler takes.

    Raises:
        BrokenGlossary: it has too many terms, or too long ones.
    """
    if len(rows) > TERMS_MOST:
        raise BrokenGlossary(
            path, rows[TERMS_MOST].line, f"a glossary has at most {TERMS_MOST:,} terms", "Keep those that matter most"
        )
    size = 0
    for row in rows:
        texts = (row.source, row.target, row.part_of_speech, row.sense, row.note)
        size += _bytes(*texts) + sum(_bytes(form) for form in (*row.accepted_forms, *row.forbidden_forms))
        size += FRAME_BYTES * (1 + len(row.accepted_forms) + len(row.forbidden_forms))
        if size > REQUEST_MOST_BYTES:
            raise BrokenGlossary(
                path, row.line, f"up to here the glossary has more than {REQUEST_MOST_BYTES:,} bytes",
                "Shorten its notes",
            )


def page_bytes(page: Page) -> int:
    """Return what `page` adds to a request, or a little more."""
    return FRAME_BYTES + _bytes(page.page_id) + sum(
        FRAME_BYTES + _bytes(field.name, field.text, field.label or field.name, field.text_format, field.note,
                             field.speaker)
        for field in page.fields
    )


def _bytes(*texts: str) -> int:
    return sum(len(text.encode("utf-8")) for text in texts)
