"""A gettext PO reader that remembers where every message string stands.

polib reads the same files but forgets offsets below the line and takes broken ones (a message without
translation line, forms out of order) in silence; its escaping rules are used here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import polib

_KEYWORD = re.compile(r'[ \t]*(?P<word>msgctxt|msgid_plural|msgid|msgstr(?:\[(?P<form>\d+)\])?)[ \t]*(?P<literal>".*)')
_LITERAL = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"[ \t]*')
_HINT = "Compare with msgfmt --check"


class PoProblem(Exception):
    """The text is not a catalogue that can be used; `line` counts from 1."""

    def __init__(self, line: int, problem: str, remedy: str = _HINT) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem
        self.remedy = remedy


@dataclass(slots=True)
class Literal:
    """One quoted string, quotes included in ``[start, end)``."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class Statement:
    """A keyword with its strings; ``[start, end)`` runs from the keyword to the last closing quote."""

    word: str
    line: int
    start: int
    end: int
    literals: list[Literal]

    @property
    def text(self) -> str:
        return "".join(literal.text for literal in self.literals)


@dataclass(slots=True)
class Comment:
    """A comment line; ``[start, end)`` is the whole line with its line end. `text` is without the sign."""

    sign: str
    text: str
    start: int
    end: int


@dataclass(slots=True)
class Entry:
    """A message that is not obsolete, with the comments right before it."""

    start: int
    line: int
    comments: list[Comment] = field(default_factory=list)
    context: Statement | None = None
    message: Statement | None = None
    plural: Statement | None = None
    translations: list[Statement] = field(default_factory=list)

    @property
    def message_id(self) -> str:
        assert self.message
        return self.message.text

    @property
    def is_header(self) -> bool:
        return self.context is None and self.message_id == ""

    @property
    def flags(self) -> frozenset[str]:
        """The flags, such as ``fuzzy`` and ``python-format``."""
        lines = (comment.text for comment in self.comments if comment.sign == ",")
        return frozenset(flag.strip() for line in lines for flag in line.split(",") if flag.strip())


def scan(text: str) -> list[Entry]:
    """Return the messages of the catalogue `text`, the header among them.

    Raises:
        PoProblem: a line that is no PO, or a message that is incomplete or there twice.
    """
    entries: list[Entry] = []
    current: Entry | None = None
    statement: Statement | None = None
    offset = 0
    for number, raw in enumerate(text.split("\n"), 1):
        line, start = raw.removesuffix("\r"), offset
        offset += len(raw) + 1
        sign = line.lstrip(" \t")
        if not sign:
            continue
        if sign.startswith("#~"):
            current = statement = None
        elif sign.startswith("#"):
            if current is None or current.message is not None or current.context is not None:
                current = _open(entries, start, number)
            statement = None
            kind = sign[1:2] if sign[1:2] in (".", ":", ",", "|") else ""
            current.comments.append(Comment(kind, sign[1 + len(kind) :].strip(), start, min(offset, len(text))))
        elif sign.startswith('"'):
            if statement is None:
                raise PoProblem(number, "a string stands here without a keyword before it")
            literal = _literal(line, start, len(line) - len(sign), number)
            statement.literals.append(literal)
            statement.end = literal.end
        else:
            found = _KEYWORD.fullmatch(line)
            if not found:
                raise PoProblem(number, "this line is neither a comment nor a msgid, msgstr or string in quotes")
            if current is None or _starts_next(current, found["word"]):
                current = _open(entries, start, number)
            literal = _literal(line, start, found.start("literal"), number)
            statement = Statement(found["word"], number, start + found.start("word"), literal.end, [literal])
            _add(current, statement, found["form"])
    entries = [entry for entry in entries if entry.message or entry.context]
    _check(entries)
    return entries


def _open(entries: list[Entry], start: int, line: int) -> Entry:
    entry = Entry(start, line)
    entries.append(entry)
    return entry


def _starts_next(entry: Entry, word: str) -> bool:
    if word == "msgctxt":
        return entry.message is not None or entry.context is not None
    return word == "msgid" and entry.message is not None


def _literal(line: str, line_start: int, at: int, number: int) -> Literal:
    found = _LITERAL.fullmatch(line, at)
    if not found:
        raise PoProblem(number, "a string is not closed, or has a quote inside that is not escaped", 'Write \\" inside')
    start, end = line_start + found.start(), line_start + found.end("text") + 1
    return Literal(start, end, polib.unescape(found["text"]))


def _add(entry: Entry, statement: Statement, form: str | None) -> None:
    word, number = statement.word, statement.line
    if word == "msgctxt":
        entry.context = statement
        return
    if word == "msgid":
        entry.message = statement
        entry.line = number
        return
    if entry.message is None:
        raise PoProblem(number, f"{word} stands here without a msgid before it")
    if word == "msgid_plural":
        if entry.plural or entry.translations:
            raise PoProblem(number, "msgid_plural must stand once, right after msgid")
        entry.plural = statement
        return
    if (form is not None) != (entry.plural is not None):
        raise PoProblem(number, "msgstr[n] goes with msgid_plural, and plain msgstr with msgid alone")
    if int(form or 0) != len(entry.translations):
        raise PoProblem(number, f"{word} is there twice or out of order", "Number the forms 0, 1, 2 …")
    entry.translations.append(statement)


def _check(entries: list[Entry]) -> None:
    seen: dict[tuple[str | None, str], int] = {}
    for entry in entries:
        if entry.message is None:
            raise PoProblem(entry.line, "msgctxt stands here without a msgid after it")
        if not entry.translations:
            raise PoProblem(entry.line, "the message has no msgstr", 'Add msgstr ""')
        key = (entry.context.text if entry.context else None, entry.message_id)
        if key in seen:
            raise PoProblem(
                entry.line, f"the same message stands in line {seen[key]} already",
                "Keep one of the two, or tell them apart with msgctxt",
            )
        seen[key] = entry.line
