"""gettext catalogues (PO, and POT templates): the source is the msgid, never an id that stands for a text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polib

from scheduler_service.content.formats.detecting import has_placeholders_of, text_format_of
from scheduler_service.content.formats.encoding import decode, encode, newline_of
from scheduler_service.content.formats.plurals import gettext_plurals
from scheduler_service.content.formats.po_header import (
    foreign_charset,
    gettext_locale,
    header_edits,
    header_field,
    new_header,
)
from scheduler_service.content.formats.po_scanner import Entry, PoProblem, scan
from scheduler_service.content.formats.splicing import Edit, splice
from scheduler_service.content.values import BrokenCatalogue, Field, NotUtf8, Page, UnknownFields

# Enough to recognise a message in a list.
LABEL_CHARACTERS = 40
# What joins context and message in gettext's own compiled catalogues.
_CONTEXT_SEPARATOR = "\x04"
_FLAGGED_FORMATS = {
    "python-format": "python-format",
    "python-brace-format": "brace",
    "c-format": "printf",
    "objc-format": "printf",
    "php-format": "printf",
}


@dataclass(frozen=True, slots=True)
class _Form:
    """One field: a message, or one plural form of it, and its source text."""

    name: str
    source_text: str
    note: str


class GettextFormat:
    name = "gettext"
    suffixes = (".po", ".pot")
    allows_untranslated = True

    def read(self, path_label: str, data: bytes, target_locale: str) -> Page:
        """Return a field a message; for a plural message one for each form of `target_locale`.

        Names are ``m-`` and a hash of context and msgid, with ``#<form>`` for plural forms: stable, and without
        content. Obsolete messages are left out. Translators' comments and the context make the note.

        Raises:
            NotUtf8, BrokenCatalogue
        """
        entries = _scanned(path_label, decode(path_label, data))
        fields: list[Field] = []
        names: set[str] = set()
        for entry in entries:
            text_format = _text_format(entry)
            for form in _forms(entry, target_locale):
                if form.name in names:
                    raise BrokenCatalogue(
                        path_label, entry.line, "two messages share one name, by an unlikely chance",
                        "Change the wording of one of them, or give it a msgctxt",
                    )
                names.add(form.name)
                fields.append(Field(
                    form.name, form.source_text, text_format, form.note, position=len(fields),
                    label=_label(form.source_text),
                ))
        return Page(path_label, tuple(fields))

    def write(
        self, data: bytes, translations: Mapping[str, str], target_locale: str, source_locale: str
    ) -> bytes:
        """Return `data` as a catalogue of `target_locale` with the given translations.

        The header's Language and Plural-Forms, and the number of plural forms, become those of the target.
        Without a translation a msgstr is empty, unless the catalogue is in the target's language already: then
        it keeps what it has. A plural message is translated only with all its forms, since gettext would
        show an empty one. Translated messages are no longer fuzzy. Obsolete ones stay.

        Raises:
            UnknownFields, NotUtf8, BrokenCatalogue
        """
        text = decode(self.name, data)
        newline = newline_of(text)
        entries = _scanned(self.name, text)
        forms = {entry.start: list(_forms(entry, target_locale)) for entry in entries}
        unknown = translations.keys() - {form.name for of_entry in forms.values() for form in of_entry}
        if unknown:
            raise UnknownFields(unknown)
        header = next((entry for entry in entries if entry.is_header), None)
        is_in_target = _same_language(header_field(header, "Language"), target_locale)
        edits: list[Edit] = []
        if header is not None:
            edits += header_edits(header, target_locale, newline)
            edits += _without_fuzzy(header, newline)
        elif entries:
            edits.append(Edit(entries[0].start, entries[0].start, new_header(target_locale, newline)))
        for entry in entries:
            if entry is header:
                continue
            given = [translations.get(form.name, "") for form in forms[entry.start]]
            if given and all(given):
                edits += _translation_edits(entry, given, newline)
                edits += _without_fuzzy(entry, newline)
            else:
                edits += _translation_edits(entry, _untranslated(entry, target_locale, is_in_target), newline)
        return encode(splice(text, edits), data)


def message_name(context: str | None, message_id: str) -> str:
    """Return the name of a message's field: the same as long as context and msgid are."""
    key = message_id if context is None else f"{context}{_CONTEXT_SEPARATOR}{message_id}"
    # 12 hex digits: among 10,000 messages two share a name once in five million catalogues, and that is an error.
    return f"m-{hashlib.sha256(key.encode()).hexdigest()[:12]}"


def _scanned(path_label: str, text: str) -> list[Entry]:
    try:
        entries = scan(text)
    except PoProblem as problem:
        raise BrokenCatalogue(path_label, problem.line, problem.problem, problem.remedy) from None
    header = next((entry for entry in entries if entry.is_header), None)
    charset = foreign_charset(header)
    if header and charset:
        raise NotUtf8(
            path_label, header.line, f"the header says charset={charset}", "Convert it with msgconv --to-code=UTF-8"
        )
    return entries


def _forms(entry: Entry, target_locale: str) -> Iterator[_Form]:
    if not entry.message_id.strip():
        return
    name = message_name(entry.context.text if entry.context else None, entry.message_id)
    note = _note(entry)
    if entry.plural is None:
        yield _Form(name, entry.message_id, note)
        return
    singular, plural = entry.message_id, entry.plural.text
    forms = gettext_plurals(target_locale).forms
    for index, form in enumerate(forms):
        # A form that serves 0 or 21 as well as 1 can't come from a singular without the number ("One chair"):
        # readers would miss it, and msgfmt refuses it.
        is_singular = 1 in form.numbers and len(forms) > 1 and (
            form.is_only_one or has_placeholders_of(singular, plural)
        )
        yield _Form(
            f"{name}#{index}", singular if is_singular else plural, "\n".join(filter(None, (note, form.note)))
        )


def _note(entry: Entry) -> str:
    comments = [comment.text for comment in entry.comments if comment.sign in (".", "") and comment.text]
    context = [f"context: {entry.context.text}"] if entry.context else []
    return "\n".join(context + comments)


def _text_format(entry: Entry) -> str:
    flags = entry.flags
    for flag, text_format in _FLAGGED_FORMATS.items():
        if flag in flags:
            return text_format
    text_format = text_format_of(entry.message_id + (entry.plural.text if entry.plural else ""))
    is_denied = any(flag.startswith("no-") and _FLAGGED_FORMATS.get(flag[3:]) == text_format for flag in flags)
    return "plain" if is_denied else text_format


def _same_language(declared: str | None, target_locale: str) -> bool:
    return bool(declared) and (declared or "").casefold() == gettext_locale(target_locale).casefold()


def _untranslated(entry: Entry, target_locale: str, is_in_target: bool) -> list[str]:
    """Return what stands in the msgstr of a message that nobody translated here."""
    count = len(gettext_plurals(target_locale).forms) if entry.plural else 1
    existing = [statement.text for statement in entry.translations]
    if is_in_target and len(existing) == count:
        return existing
    return [""] * count


def _translation_edits(entry: Entry, texts: list[str], newline: str) -> Iterator[Edit]:
    old = entry.translations
    for statement, text in zip(old, texts, strict=False):
        if statement.text != text:
            yield Edit(statement.start, statement.end, _spelling(statement.word, text, newline))
    if len(texts) > len(old):
        indexes = range(len(old), len(texts))
        added = "".join(newline + _spelling(f"msgstr[{index}]", texts[index], newline) for index in indexes)
        yield Edit(old[-1].end, old[-1].end, added)
    elif len(texts) < len(old):
        yield Edit(old[len(texts) - 1].end, old[-1].end, "")


def _spelling(word: str, text: str, newline: str) -> str:
    pieces = [piece for piece in re.split(r"(?<=\n)", text) if piece]
    if len(pieces) <= 1:
        return f'{word} "{polib.escape(text)}"'
    return newline.join([f'{word} ""', *(f'"{polib.escape(piece)}"' for piece in pieces)])


def _without_fuzzy(entry: Entry, newline: str) -> Iterator[Edit]:
    for comment in entry.comments:
        flags = [flag.strip() for flag in comment.text.split(",")] if comment.sign == "," else []
        if "fuzzy" in flags:
            kept = [flag for flag in flags if flag and flag != "fuzzy"]
            yield Edit(comment.start, comment.end, f"#, {', '.join(kept)}{newline}" if kept else "")


def _label(source_text: str) -> str:
    """Return the beginning of a message: its hashed name means nothing to people."""
    line = " ".join(source_text.split())
    return line if len(line) <= LABEL_CHARACTERS else line[: LABEL_CHARACTERS - 1] + "…"
