"""The header of a PO catalogue: what of it must change so that the file is one of another language."""

from __future__ import annotations

import re
from collections.abc import Iterator

import polib

from scheduler_service.content.formats.plurals import gettext_plurals
from scheduler_service.content.formats.po_scanner import Entry, Literal
from scheduler_service.content.formats.splicing import Edit

_CHARSET = re.compile(r"charset=([^\s;]*)", re.IGNORECASE)
_UTF8_TYPE = "text/plain; charset=UTF-8"
# Names that UTF-8 bytes can go under: itself, its subset, and the placeholder of a fresh template.
_HARMLESS_CHARSETS = frozenset({"utf-8", "utf8", "ascii", "us-ascii", "charset", ""})


def gettext_locale(tag: str) -> str:
    """Return `tag` as gettext spells it: ``pt_BR`` for ``pt-BR``."""
    return tag.replace("-", "_")


def header_field(header: Entry | None, name: str) -> str | None:
    """Return the value of the header field `name`, None without it."""
    if header is None:
        return None
    for line in header.translations[0].text.split("\n"):
        key, colon, value = line.partition(":")
        if colon and key.strip().casefold() == name.casefold():
            return value.strip()
    return None


def foreign_charset(header: Entry | None) -> str:
    """Return the charset that the header names, if it is one that UTF-8 text must not claim; else nothing."""
    found = _CHARSET.search(header_field(header, "Content-Type") or "")
    return found[1] if found and found[1].casefold() not in _HARMLESS_CHARSETS else ""


def new_header(target_locale: str, newline: str) -> str:
    """Return a whole header entry, with the blank line after it, for a catalogue that has none."""
    fields = {"MIME-Version": "1.0"} | _needed(None, target_locale) | {"Content-Transfer-Encoding": "8bit"}
    lines = ['msgid ""', 'msgstr ""', *(_spelling(name, value) for name, value in fields.items()), "", ""]
    return newline.join(lines)


def header_edits(header: Entry, target_locale: str, newline: str) -> Iterator[Edit]:
    """Yield the edits that make `header` one of `target_locale`: Language, Plural-Forms, and the charset of a
    template. Other fields stay as they are spelled."""
    statement = header.translations[0]
    changes = {
        name: value
        for name, value in _needed(header, target_locale).items()
        if header_field(header, name) != value
    }
    if not changes:
        return
    lines = [line for line in re.split(r"(?<=\n)", statement.text) if line]
    spans = _spans(lines, statement.literals)
    if spans is None or (lines and not lines[-1].endswith("\n")):
        yield Edit(statement.start, statement.end, _whole(lines, changes, newline))
        return
    for line, (start, end) in zip(lines, spans, strict=True):
        name = line.partition(":")[0].strip()
        value = _take(changes, name)
        if value is not None:
            yield Edit(start, end, _spelling(name, value))
    if changes:
        added = "".join(newline + _spelling(name, value) for name, value in changes.items())
        yield Edit(statement.end, statement.end, added)


def _needed(header: Entry | None, target_locale: str) -> dict[str, str]:
    needed = {"Language": gettext_locale(target_locale), "Plural-Forms": gettext_plurals(target_locale).header}
    content_type = header_field(header, "Content-Type") or ""
    if "utf" not in content_type.casefold():
        needed["Content-Type"] = _UTF8_TYPE
    return needed


def _spelling(name: str, value: str) -> str:
    return f'"{polib.escape(f"{name}: {value}")}\\n"'


def _take(changes: dict[str, str], name: str) -> str | None:
    for key in changes:
        if key.casefold() == name.casefold():
            return changes.pop(key)
    return None


def _spans(lines: list[str], literals: list[Literal]) -> list[tuple[int, int]] | None:
    """Return the place of each header line, None if the strings don't break where the lines do."""
    spans: list[tuple[int, int]] = []
    left = [literal for literal in literals if literal.text]
    for line in lines:
        taken: list[Literal] = []
        while left and len("".join(literal.text for literal in taken)) < len(line):
            taken.append(left.pop(0))
        if "".join(literal.text for literal in taken) != line:
            return None
        spans.append((taken[0].start, taken[-1].end))
    return spans


def _whole(lines: list[str], changes: dict[str, str], newline: str) -> str:
    fields: list[str] = []
    for line in lines:
        name, _, value = line.rstrip("\n").partition(":")
        new = _take(changes, name.strip())
        fields.append(_spelling(name.strip(), value.strip() if new is None else new))
    fields += [_spelling(name, value) for name, value in changes.items()]
    return newline.join(['msgstr ""', *fields])
