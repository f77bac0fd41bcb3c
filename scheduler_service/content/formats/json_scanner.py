"""A JSON reader that remembers where every key and value stands, and checks the text strictly.

The standard library's decoder forgets offsets, takes duplicate keys and NaN, and so can't serve a splice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from json.decoder import JSONDecodeError, scanstring
from typing import Literal

# Far deeper than strings files nest, far from Python's own recursion limit.
MAX_DEPTH = 100

_BLANK = re.compile(r"[ \t\r\n]*")
_OTHER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonProblem(Exception):
    """The text is not JSON that can be used; `offset` is where."""

    def __init__(self, offset: int, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.offset = offset
        self.problem = problem
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON value and its place ``[start, end)``; `text` is set for strings, `number` for whole numbers."""

    kind: Literal["object", "array", "string", "other"]
    start: int
    end: int
    text: str = ""
    number: int | None = None
    members: tuple[Member, ...] = ()
    items: tuple[Value, ...] = ()

    def member(self, key: str) -> Value | None:
        """Return the value of `key`, None without it."""
        return next((member.value for member in self.members if member.key == key), None)

    def string(self, *keys: str) -> str:
        """Return the text of the first of `keys` that holds a string, else nothing."""
        found = (self.member(key) for key in keys)
        return next((value.text for value in found if value and value.kind == "string"), "")

    def whole_number(self, *keys: str) -> int | None:
        """Return the number of the first of `keys` that holds a whole one, else None."""
        found = (self.member(key) for key in keys)
        return next((value.number for value in found if value and value.number is not None), None)


@dataclass(frozen=True, slots=True)
class Member:
    """A key of an object and its value; the key's spelling is ``[start, key_end)``, quotes included."""

    key: str
    start: int
    key_end: int
    value: Value = field(repr=False)


def scan(text: str) -> Value:
    """Return the value that `text` is.

    Raises:
        JsonProblem: it is not one JSON value, has a key twice in an object, holds a character that UTF-8 or
        a database can't carry, or nests deeper than `MAX_DEPTH`.
    """
    start = _skip(text, 0)
    if start == len(text):
        raise JsonProblem(start, "the file is empty", "Write at least {}")
    value = _value(text, start, 0)
    end = _skip(text, value.end)
    if end != len(text):
        raise JsonProblem(end, "something follows the end of the JSON value", "Remove it")
    return value


def _value(text: str, start: int, depth: int) -> Value:
    if depth > MAX_DEPTH:
        raise JsonProblem(start, f"values are nested more than {MAX_DEPTH} deep", "Flatten the file")
    first = text[start : start + 1]
    if first == '"':
        string, end = _string(text, start)
        return Value("string", start, end, text=string)
    if first == "{":
        return _object(text, start, depth)
    if first == "[":
        return _array(text, start, depth)
    other = _OTHER.match(text, start)
    if not other:
        raise JsonProblem(
            start, "a value is missing or misspelled here",
            "Strings need double quotes; JSON has no comments and no comma after the last entry",
        )
    number = int(other.group()) if re.fullmatch(r"-?\d{1,9}", other.group(), re.ASCII) else None
    return Value("other", start, other.end(), number=number)


def _object(text: str, start: int, depth: int) -> Value:
    members: list[Member] = []
    seen: set[str] = set()
    at = _skip(text, start + 1)
    if text[at : at + 1] == "}":
        return Value("object", start, at + 1)
    while True:
        if text[at : at + 1] != '"':
            raise JsonProblem(at, "a key in double quotes is missing here", "Check commas and quotes")
        key, key_end = _string(text, at)
        if key in seen:
            raise JsonProblem(at, f"the key {key!r} is there twice in one object", "Keep one of the two")
        seen.add(key)
        colon = _skip(text, key_end)
        if text[colon : colon + 1] != ":":
            raise JsonProblem(colon, f"a colon is missing after the key {key!r}", "Write \"key\": value")
        value = _value(text, _skip(text, colon + 1), depth + 1)
        members.append(Member(key, at, key_end, value))
        at, is_last = _after(text, value.end, "}")
        if is_last:
            return Value("object", start, at, members=tuple(members))


def _array(text: str, start: int, depth: int) -> Value:
    items: list[Value] = []
    at = _skip(text, start + 1)
    if text[at : at + 1] == "]":
        return Value("array", start, at + 1)
    while True:
        items.append(_value(text, at, depth + 1))
        at, is_last = _after(text, items[-1].end, "]")
        if is_last:
            return Value("array", start, at, items=tuple(items))


def _after(text: str, end: int, closing: str) -> tuple[int, bool]:
    """Return where the next entry starts, or the end of the container and True."""
    at = _skip(text, end)
    sign = text[at : at + 1]
    if sign == closing:
        return at + 1, True
    if sign != ",":
        raise JsonProblem(at, f"a comma or {closing} is missing here", "Check commas and brackets")
    return _skip(text, at + 1), False


def _string(text: str, start: int) -> tuple[str, int]:
    try:
        string, end = scanstring(text, start + 1, True)
    except JSONDecodeError as error:
        raise JsonProblem(
            error.pos, "a string is not closed, or has a raw control character or a wrong escape",
            "Close it with a double quote; write line ends as \\n and a backslash as \\\\",
        ) from None
    if "\0" in string or _SURROGATE.search(string):
        raise JsonProblem(
            start, "a string holds \\u0000 or half of a surrogate pair, which UTF-8 text can't carry", "Remove it"
        )
    return string, end


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    assert found
    return found.end()
