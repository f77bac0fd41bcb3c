"""JSON strings files: every string is a field, whatever the nesting; ARB notes and i18next plurals included.

Keys that start with ``@`` or ``_comment`` speak to translators and are no fields: ``@key`` may hold a
``description`` and a ``max_length`` for ``key``, ``_comment_key`` is a note to ``key``, and ``_comment`` one to
everything beside and below it that has no note of its own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from scheduler_service.content.formats.detecting import text_format_of
from scheduler_service.content.formats.encoding import decode, encode, line_of
from scheduler_service.content.formats.i18next_plurals import PluralGroup, plural_groups
from scheduler_service.content.formats.json_scanner import JsonProblem, Member, Value, scan
from scheduler_service.content.formats.splicing import Edit, splice
from scheduler_service.content.values import BrokenStrings, Field, Page, UnknownFields

# Longer keys are sentences used as keys. They are content, and too long for an index: a hash names them.
_LONGEST_KEY = 120

_ARB_SUFFIX = ".arb"
_ARB_LOCALE = "@@locale"
_NON_ASCII_ESCAPE = re.compile(r"\\u(?!00[0-7])[0-9A-Fa-f]{4}")


@dataclass(frozen=True, slots=True)
class _Slot:
    """A field and the place of its text. `value` is None for a plural form that the source file lacks."""

    name: str
    text: str
    note: str
    max_length: int | None
    value: Value | None
    group: PluralGroup | None = None
    key: str = ""


class JsonStringsFormat:
    name = "json-strings"
    suffixes = (".json", _ARB_SUFFIX)
    allows_untranslated = False

    def read(self, path_label: str, data: bytes, target_locale: str) -> Page:
        """Return a field a string, named by its path: keys and indexes joined with dots.

        In a key a dot is written ``\\.`` and a backslash ``\\\\``; an empty key is ``\\e``. Of an i18next plural
        there is a field for each form of `target_locale`. Blank strings are no fields.

        Raises:
            NotUtf8, BrokenStrings
        """
        is_arb = path_label.casefold().endswith(_ARB_SUFFIX)
        slots = _slots(_scanned(path_label, decode(path_label, data)), target_locale)
        return Page(
            path_label,
            tuple(
                Field(
                    slot.name, slot.text, text_format_of(slot.text, is_icu=is_arb), slot.note, slot.max_length,
                    position=position,
                )
                for position, slot in enumerate(slots)
            ),
        )

    def write(
        self, data: bytes, translations: Mapping[str, str], target_locale: str, source_locale: str
    ) -> bytes:
        """Return `data` with the given texts in place; without any it is `data` itself.

        Plural forms that only the target locale has are added beside the others; once all forms of a group are
        given, forms that it doesn't have are dropped. ARB's ``@@locale`` changes from source to target.

        Raises:
            UnknownFields, NotUtf8, BrokenStrings
        """
        text = decode(self.name, data)
        root = _scanned(self.name, text)
        slots = _slots(root, target_locale)
        unknown = translations.keys() - {slot.name for slot in slots}
        if unknown:
            raise UnknownFields(unknown)
        is_ascii = text.isascii() and bool(_NON_ASCII_ESCAPE.search(text))
        edits = [
            edit
            for slot in slots
            if slot.name in translations
            for edit in _slot_edits(text, slot, json.dumps(translations[slot.name], ensure_ascii=is_ascii),
                                    translations[slot.name])
        ]
        edits += _dropped_forms(root, slots, translations)
        if translations:
            edits += _locale_edits(root, target_locale, source_locale)
        return encode(splice(text, edits), data)


def field_name(*parts: str) -> str:
    """Return the name of the field at the path of keys and indexes `parts`."""
    return ".".join(_escaped(part) for part in parts)


def _escaped(key: str) -> str:
    if len(key) > _LONGEST_KEY:
        return f"k-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    return key.replace("\\", "\\\\").replace(".", "\\.") or "\\e"


def _scanned(path_label: str, text: str) -> Value:
    try:
        root = scan(text)
    except JsonProblem as problem:
        raise BrokenStrings(path_label, line_of(text, problem.offset), problem.problem, problem.remedy) from None
    if root.kind not in ("object", "array"):
        raise BrokenStrings(path_label, line_of(text, root.start), "the file is a single value", "Write an object")
    return root


def _slots(root: Value, target_locale: str) -> list[_Slot]:
    return [slot for slot in _walk(root, (), "", target_locale) if slot.text.strip()]


def _walk(value: Value, path: tuple[str, ...], note: str, target_locale: str) -> Iterator[_Slot]:
    if value.kind == "string":
        yield _Slot(field_name(*path), value.text, note, None, value)
    elif value.kind == "array":
        for index, item in enumerate(value.items):
            yield from _walk(item, (*path, str(index)), note, target_locale)
    elif value.kind == "object":
        yield from _walk_object(value, path, value.string("_comment") or note, target_locale)


def _walk_object(parent: Value, path: tuple[str, ...], common_note: str, target_locale: str) -> Iterator[_Slot]:
    members = [member for member in parent.members if not _is_note(member.key)]
    groups = plural_groups(members, target_locale)
    done: set[str] = set()
    for member in members:
        group = groups.get(member.key)
        note, max_length = _note_for(parent, member.key)
        if group is None:
            for slot in _walk(member.value, (*path, member.key), note or common_note, target_locale):
                yield slot if max_length is None else replace(slot, max_length=max_length)
        elif group.other.key not in done:
            done.add(group.other.key)
            for form in group.slots:
                own_note, own_length = _note_for(parent, form.key)
                yield _Slot(
                    field_name(*path, form.key), form.source_text,
                    "\n".join(filter(None, (own_note or common_note, form.note))),
                    own_length, form.member.value if form.member else None, group, form.key,
                )


def _is_note(key: str) -> bool:
    return key.startswith(("@", "_comment"))


def _note_for(parent: Value, key: str) -> tuple[str, int | None]:
    """Return what `parent` says to translators about `key` alone, and its length limit."""
    about = parent.member(f"@{key}")
    own = ""
    max_length = None
    if about is not None:
        own = about.text if about.kind == "string" else about.string("description")
        max_length = about.whole_number("max_length", "maxLength")
    own = own or parent.string(f"_comment_{key}")
    return own, max_length if max_length and max_length > 0 else None


def _slot_edits(text: str, slot: _Slot, spelling: str, translation: str) -> Iterator[Edit]:
    if slot.value is not None:
        if slot.value.text != translation:
            yield Edit(slot.value.start, slot.value.end, spelling)
        return
    assert slot.group
    other = slot.group.other
    colon = text[other.key_end : other.value.start]
    key = json.dumps(slot.key, ensure_ascii=text.isascii())
    yield Edit(other.start, other.start, f"{key}{colon}{spelling},{_indent(text, other)}")


def _indent(text: str, member: Member) -> str:
    """Return the blanks between `member` and the sign before it."""
    before = text[: member.start]
    return before[len(before.rstrip(" \t\r\n")) :]


def _dropped_forms(root: Value, slots: list[_Slot], translations: Mapping[str, str]) -> Iterator[Edit]:
    by_group: dict[int, list[_Slot]] = {}
    for slot in slots:
        if slot.group:
            by_group.setdefault(slot.group.other.start, []).append(slot)
    dropped = {
        member.start
        for group in by_group.values()
        if all(slot.name in translations for slot in group) and group[0].group
        for member in group[0].group.superfluous
    }
    if dropped:
        yield from _removals(root, dropped)


def _removals(value: Value, dropped: set[int]) -> Iterator[Edit]:
    """Yield the edits that take out the members starting at `dropped`, each with the comma it needs no more."""
    members = value.members
    index = 0
    while index < len(members):
        end = index
        while end < len(members) and members[end].start in dropped:
            end += 1
        if end == index:
            yield from _removals(members[index].value, dropped)
            index += 1
            continue
        if end < len(members):
            yield Edit(members[index].start, members[end].start, "")
        else:
            # A group keeps its _other entry, so something stands before a run that reaches the end.
            yield Edit(members[index - 1].value.end, members[end - 1].value.end, "")
        index = end
    for item in value.items:
        yield from _removals(item, dropped)


def _locale_edits(root: Value, target_locale: str, source_locale: str) -> Iterator[Edit]:
    declared = root.member(_ARB_LOCALE)
    if declared and declared.text.replace("_", "-").casefold() == source_locale.replace("_", "-").casefold():
        # ARB and its tools write locales with an underscore.
        yield Edit(declared.start, declared.end, json.dumps(target_locale.replace("-", "_")))
