"""ICU MessageFormat as a tree with offsets. A broken message is a value, `Fault`, not an exception."""

from __future__ import annotations

from dataclasses import dataclass

import regex

from translator_service.domain.values import Span

COMPLEX_TYPES = frozenset({"plural", "select", "selectordinal"})
SIMPLE_TYPES = frozenset({"", "number", "date", "time", "spellout", "ordinal", "duration", "list"})
_NAME = regex.compile(r"[^\p{Pattern_Syntax}\p{Pattern_White_Space}]+")
_SELECTOR = regex.compile(r"=\d+|[^\p{Pattern_Syntax}\p{Pattern_White_Space}][^\p{Pattern_White_Space}{}=]*")
_OFFSET = regex.compile(r"offset\s*:\s*\d+")
_BLANK = regex.compile(r"\p{Pattern_White_Space}*")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a text is no ICU message; `at` is the offset where it stopped making sense."""

    at: int
    reason: str


@dataclass(frozen=True, slots=True)
class Branch:
    """One choice: `opening` runs from its selector (or the argument's start) to its brace."""

    selector: str
    opening: Span
    message: Message


@dataclass(frozen=True, slots=True)
class Argument:
    """`{name}`, `{name, type, style}` or a choice between branches."""

    name: str
    type: str
    style: str
    span: Span
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """What stands between two braces, or the whole text. `quoted` are apostrophe escapes, `hashes` the `#`."""

    span: Span
    arguments: tuple[Argument, ...]
    hashes: tuple[Span, ...]
    quoted: tuple[Span, ...]


def parse(text: str) -> Message | Fault:
    """Read a message; apostrophes quote as ICU's default does (before `{`, `}`, and `#` in a plural)."""
    try:
        return _Parser(text).message(0, in_plural=False, is_inner=False)
    except _Broken as broken:
        return broken.fault


class _Broken(Exception):
    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.fault = Fault(at, reason)


class _Parser:
    # Deeper than any real message, and far below the interpreter's own limit.
    MAX_DEPTH = 30

    def __init__(self, text: str) -> None:
        self.text = text
        self.depth = 0

    def message(self, at: int, in_plural: bool, is_inner: bool) -> Message:
        start = at
        arguments: list[Argument] = []
        hashes: list[Span] = []
        quoted: list[Span] = []
        while at < len(self.text):
            sign = self.text[at]
            if sign == "'":
                end = self._quote_end(at, in_plural)
                if end > at + 1:
                    quoted.append(Span(at, end))
                at = end
            elif sign == "{":
                argument = self._argument(at)
                arguments.append(argument)
                at = argument.span.end
            elif sign == "}":
                if not is_inner:
                    raise _Broken(at, "a closing brace that opens nowhere")
                return Message(Span(start, at), tuple(arguments), tuple(hashes), tuple(quoted))
            else:
                if sign == "#" and in_plural:
                    hashes.append(Span(at, at + 1))
                at += 1
        if is_inner:
            raise _Broken(start - 1, "a brace that is never closed")
        return Message(Span(start, at), tuple(arguments), tuple(hashes), tuple(quoted))

    def _quote_end(self, at: int, in_plural: bool) -> int:
        following = self.text[at + 1 : at + 2]
        if following == "'":
            return at + 2
        if following not in ("{", "}") and not (in_plural and following == "#"):
            return at + 1
        end = at + 1
        while True:
            end = self.text.find("'", end)
            if end < 0:
                return len(self.text)
            if self.text[end + 1 : end + 2] != "'":
                return end + 1
            end += 2

    def _argument(self, start: int) -> Argument:
        self.depth += 1
        if self.depth > self.MAX_DEPTH:
            raise _Broken(start, "too deeply nested")
        at = self._blank(start + 1)
        name = _NAME.match(self.text, at)
        if name is None:
            raise _Broken(at, "an argument without a name")
        at = self._blank(name.end())
        kind, style = "", ""
        branches: tuple[Branch, ...] = ()
        if self._sign(at) == ",":
            at = self._blank(at + 1)
            found = _NAME.match(self.text, at)
            kind = found[0] if found else ""
            if kind not in SIMPLE_TYPES | COMPLEX_TYPES or not found:
                raise _Broken(at, "an unknown argument type")
            at = self._blank(found.end())
            if kind in COMPLEX_TYPES:
                if self._sign(at) != ",":
                    raise _Broken(at, "a choice without branches")
                at, branches = self._branches(start, self._blank(at + 1), kind)
            elif self._sign(at) == ",":
                end = self._style_end(at + 1)
                style = self.text[at + 1 : end].strip()
                at = end
        if self._sign(at) != "}":
            raise _Broken(at, "something between the argument and its closing brace")
        self.depth -= 1
        return Argument(name[0], kind, style, Span(start, at + 1), branches)

    def _branches(self, start: int, at: int, kind: str) -> tuple[int, tuple[Branch, ...]]:
        offset = _OFFSET.match(self.text, at) if kind != "select" else None
        at = self._blank(offset.end()) if offset else at
        branches: list[Branch] = []
        opening = start
        while self._sign(at) != "}":
            if at >= len(self.text):
                raise _Broken(start, "a brace that is never closed")
            selector = _SELECTOR.match(self.text, at)
            if selector is None:
                raise _Broken(at, "a branch without a selector")
            brace = self._blank(selector.end())
            if self._sign(brace) != "{":
                raise _Broken(brace, "a selector without a branch")
            message = self.message(brace + 1, in_plural=kind != "select", is_inner=True)
            branches.append(Branch(selector[0], Span(opening, brace + 1), message))
            opening = message.span.end
            at = self._blank(message.span.end + 1)
        if not any(branch.selector == "other" for branch in branches):
            raise _Broken(at, "a choice without an other branch")
        return at, tuple(branches)

    def _style_end(self, at: int) -> int:
        depth = 0
        while at < len(self.text):
            if self.text[at] == "{":
                depth += 1
            elif self.text[at] == "}":
                if not depth:
                    return at
                depth -= 1
            at += 1
        raise _Broken(at, "a brace that is never closed")

    def _blank(self, at: int) -> int:
        match = _BLANK.match(self.text, at)
        return match.end() if match else at

    def _sign(self, at: int) -> str:
        return self.text[at : at + 1]
