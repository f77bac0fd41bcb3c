"""Game dialogue: one JSON object a line with ``id``, ``speaker``, ``text``, ``note`` and ``max_length``.

The texts may hold Ren'Py's text tags and interpolations. Other keys of a row are the game's and stay.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scheduler_service.content.formats.encoding import decode, encode
from scheduler_service.content.formats.json_scanner import JsonProblem, Value, scan
from scheduler_service.content.formats.splicing import Edit, splice
from scheduler_service.content.values import BrokenDialogue, Field, Page, UnknownFields

# An id is a label of the script, and part of a database key: a longer one is a mistake.
_LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of dialogue; `start` is where its JSON starts in the file."""

    id: str
    start: int
    text: Value
    speaker: str
    note: str
    max_length: int | None


class DialogueFormat:
    name = "dialogue"
    suffixes = (".dialogue.jsonl",)
    allows_untranslated = False

    def read(self, path_label: str, data: bytes, target_locale: str) -> Page:
        """Return a field a row, named by the row's id. Rows with a blank text, and blank lines, are left out.

        Raises:
            NotUtf8, BrokenDialogue
        """
        rows = _rows(path_label, decode(path_label, data))
        return Page(
            path_label,
            tuple(
                Field(row.id, row.text.text, "renpy", row.note, row.max_length, row.speaker, position)
                for position, row in enumerate(rows)
            ),
        )

    def write(
        self, data: bytes, translations: Mapping[str, str], target_locale: str, source_locale: str
    ) -> bytes:
        """Return `data` with the given texts in place; speakers, notes and all else stay.

        Raises:
            UnknownFields, NotUtf8, BrokenDialogue
        """
        text = decode(self.name, data)
        rows = list(_rows(self.name, text))
        unknown = translations.keys() - {row.id for row in rows}
        if unknown:
            raise UnknownFields(unknown)
        edits = [
            Edit(
                row.start + row.text.start, row.start + row.text.end,
                json.dumps(translations[row.id], ensure_ascii=False),
            )
            for row in rows
            if translations.get(row.id, row.text.text) != row.text.text
        ]
        return encode(splice(text, edits), data)


def _rows(path_label: str, text: str) -> Iterator[_Row]:
    lines_by_id: dict[str, int] = {}
    offset = 0
    for line, raw in enumerate(text.split("\n"), 1):
        start = offset
        offset += len(raw) + 1
        if not raw.strip():
            continue
        try:
            row = _row(scan(raw), start)
        except JsonProblem as problem:
            raise BrokenDialogue(path_label, line, problem.problem, problem.remedy) from None
        if row.id in lines_by_id:
            raise BrokenDialogue(
                path_label, line, f"the id {row.id!r} stands in line {lines_by_id[row.id]} already",
                "Give every row an id of its own",
            )
        lines_by_id[row.id] = line
        if row.text.text.strip():
            yield row


def _row(value: Value, start: int) -> _Row:
    if value.kind != "object":
        raise JsonProblem(0, "a row must be a JSON object", 'Write {"id": "…", "text": "…"} in one line')
    row_id = value.string("id")
    if not row_id.strip() or len(row_id) > _LONGEST_ID:
        raise JsonProblem(
            0, f"a row needs an id of 1 to {_LONGEST_ID} characters, as a string", "Add the label of the line"
        )
    text = value.member("text")
    if text is None or text.kind != "string":
        raise JsonProblem(0, "a row needs a text, as a string", 'Add "text"; a row without words has ""')
    limit = value.member("max_length")
    max_length = limit.number if limit else None
    is_null = limit is not None and limit.kind == "other" and limit.number is None
    if limit is not None and (limit.kind != "other" or (max_length or 0) < 1) and not is_null:
        raise JsonProblem(0, "max_length must be a whole number above 0", "Leave it out for no limit")
    return _Row(row_id, start, text, value.string("speaker"), value.string("note"), max_length)
