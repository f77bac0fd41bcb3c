"""A glossary as a table: ``glossary.csv`` with source, target, note and a few optional columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from scheduler_service.content.formats.encoding import decode
from scheduler_service.content.values import BrokenGlossary, GlossaryRow

# In this order where the table has no header. Forms are separated by a bar.
_COLUMNS = (
    "source", "target", "note", "accepted_forms", "forbidden_forms", "case_sensitive", "part_of_speech", "sense",
)
_MOST_WITHOUT_HEADER = 5
_DO_NOT_TRANSLATE = "do not translate"
# Not "do not translate as …", which speaks of one rendering.
_KEEP_NOTE = re.compile(r"\s*do not translate\s*(?:$|[.;,:(!–—-])", re.IGNORECASE)
_YES = frozenset({"yes", "true", "1", "y", "x"})
_NO = frozenset({"no", "false", "0", "n", ""})


def read_glossary(path_label: str, data: bytes) -> tuple[GlossaryRow, ...]:
    """Return the terms of the table, in its order; an empty table has none.

    Two to five columns, or those that a header row names; separated by commas, semicolons or tabs. A term
    stays untranslated if its target equals its source or its note says "do not translate".

    Raises:
        NotUtf8: see `decode`.
        BrokenGlossary: a row is wrong; says which line and column.
    """
    text = decode(path_label, data)
    rows = _records(path_label, text)
    first = next(rows, None)
    if first is None:
        return ()
    columns = _header(path_label, *first)
    body = rows if columns else _chain(first, rows)
    terms: list[GlossaryRow] = []
    lines: dict[tuple[str, str, str], int] = {}
    for line, cells in body:
        term = _term(path_label, line, cells, columns)
        key = (term.source if term.case_sensitive else term.source.casefold(), term.part_of_speech, term.sense)
        if key in lines:
            raise BrokenGlossary(
                path_label, line, f"the source term {term.source!r} stands in line {lines[key]} already",
                "Keep one of the two, or tell them apart in the column sense",
            )
        lines[key] = line
        terms.append(term)
    return tuple(terms)


def _records(path_label: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, each with the line it starts in."""
    first_line = text.partition("\n")[0]
    delimiter = next((sign for sign in (",", ";", "\t") if sign in first_line), ",")
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, [cell.strip() for cell in cells]
            line = reader.line_num + 1
    except csv.Error:
        raise BrokenGlossary(
            path_label, line, "the quotes of this row don't match",
            'Put a cell with a comma or quote in double quotes and write "" for a quote inside',
        ) from None


def _lines(text: str) -> Iterator[str]:
    """Yield lines as files have them; str.splitlines would also break at characters inside a cell."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _chain(
    first: tuple[int, list[str]], rest: Iterator[tuple[int, list[str]]]
) -> Iterator[tuple[int, list[str]]]:
    yield first
    yield from rest


def _header(path_label: str, line: int, cells: list[str]) -> list[str]:
    """Return the column names of a header row, nothing if the row is a term already."""
    names = [cell.casefold().replace(" ", "_").replace("-", "_") for cell in cells]
    if "source" not in names or "target" not in names:
        return []
    for name in names:
        if name not in _COLUMNS or names.count(name) > 1:
            raise BrokenGlossary(
                path_label, line, f"the column {name!r} is unknown or there twice", f"Use {', '.join(_COLUMNS)}"
            )
    return names


def _term(path_label: str, line: int, cells: list[str], columns: list[str]) -> GlossaryRow:
    names = columns or list(_COLUMNS[:_MOST_WITHOUT_HEADER])
    while len(cells) > len(names) and not cells[-1]:
        cells = cells[:-1]
    if not 2 <= len(cells) <= len(names):
        wanted = f"{len(names)}" if columns else f"2 to {_MOST_WITHOUT_HEADER}"
        raise BrokenGlossary(
            path_label, line, f"the row has {len(cells)} columns instead of {wanted}",
            "Put a cell that contains the separator in double quotes",
        )
    cell = dict.fromkeys(_COLUMNS, "") | dict(zip(names, cells, strict=False))
    says_keep = bool(_KEEP_NOTE.match(cell["note"]))
    if says_keep and cell["target"] not in ("", cell["source"]):
        raise BrokenGlossary(
            path_label, line, f'the note says "{_DO_NOT_TRANSLATE}" beside another target',
            "Empty the target, or change the note",
        )
    is_kept = says_keep or cell["target"] == cell["source"]
    for name in ("source",) if is_kept else ("source", "target"):
        if not cell[name]:
            raise BrokenGlossary(
                path_label, line, f"the column {name} is empty",
                f'Fill it, or write "{_DO_NOT_TRANSLATE}" as the note of a term that stays as it is',
            )
    is_case_sensitive = cell["case_sensitive"].casefold()
    if is_case_sensitive not in _YES | _NO:
        raise BrokenGlossary(path_label, line, "case_sensitive must be yes or no", "Write yes, no or nothing")
    return GlossaryRow(
        source=cell["source"],
        target=cell["source"] if is_kept else cell["target"],
        do_not_translate=is_kept,
        accepted_forms=_split(cell["accepted_forms"]),
        forbidden_forms=_split(cell["forbidden_forms"]),
        case_sensitive=is_case_sensitive in _YES,
        part_of_speech=cell["part_of_speech"],
        sense=cell["sense"],
        note=cell["note"],
        line=line,
    )


def _split(cell: str) -> tuple[str, ...]:
    return tuple(form.strip() for form in cell.split("|") if form.strip())
