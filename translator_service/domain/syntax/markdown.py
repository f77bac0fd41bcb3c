"""Markdown: blocks by their line maps, inline text by offset, nothing ever serialised again."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

import regex
from markdown_it.token import Token as BlockToken

from translator_service.domain.syntax import html
from translator_service.domain.syntax.front_matter import find_values
from translator_service.domain.syntax.markdown_blocks import (
    front_matter_end,
    parse_blocks,
    same_length,
)
from translator_service.domain.syntax.markdown_inline import find_inline_tokens
from translator_service.domain.syntax.spans import lines_of, settle, trimmed, without
from translator_service.domain.values import Span, Token, TokenKind

_LETTER = regex.compile(r"\p{L}")
_ATX = regex.compile(r"#{1,6}")
_BAR = regex.compile(r"(?<!\\)\|")


# Ends the label of a directive that has a title of its own.
TITLED = " (titled)"


@dataclass(frozen=True, slots=True)
class Block:
    """One block or its opening: `label` says what it is (`h2`, `li`, `fence python`), `depth` how deep."""

    label: str
    span: Span
    depth: int


@dataclass(frozen=True, slots=True)
class Document:
    """A Markdown text, read. `outline` has every block in order, containers before what they hold."""

    tokens: tuple[Token, ...]
    prose: tuple[Span, ...]
    outline: tuple[Block, ...]


def find_tokens(text: str) -> tuple[Token, ...]:
    return read(text).tokens


def find_prose(text: str) -> tuple[Span, ...]:
    return read(text).prose


def find_blocks(text: str) -> tuple[Span, ...]:
    """The outermost blocks, each with the blank lines and link definitions that follow it."""
    starts = sorted({block.span.start for block in read(text).outline if block.depth == 0} | {0})
    return tuple(Span(a, b) for a, b in zip(starts, [*starts[1:], len(text)]) if b > a)


# A page is read by several gates in a row, source and candidate by turns; more would only keep texts in memory.
@lru_cache(maxsize=8)
def read(text: str) -> Document:
    """Parse once for all questions."""
    return _Reader(text).document()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.body = front_matter_end(text)
        self.lines = lines_of(same_length(text[self.body :]))
        self.groups: tuple[list[Token], list[Token]] = ([], [])
        self.prose: list[Span] = []
        self.outline: list[Block] = []

    def document(self) -> Document:
        if self.body:
            self._read_front_matter()
        blocks, env = parse_blocks(self.text[self.body :])
        self._read_definitions(env)
        row: list[Span] = []
        heading = ""
        for token in blocks:
            if token.map and token.nesting >= 0 and token.type not in ("inline", "thead_open", "tbody_open"):
                label = _label(token)
                if token.type == "tr_open":
                    row = self._cells(token)
                    label = f"row of {len(row)}"
                elif token.type == "table_open":
                    label = f"table {self._delimiters(token)}"
                self.outline.append(Block(label, self._lines(token), token.level))
            if token.type == "heading_open":
                heading = token.markup
            elif token.type == "inline":
                in_row = bool(row) and token.level > 0 and token.map and token.map[1] - token.map[0] == 1
                self._read_inline(token, env, row.pop(0) if in_row and row else None, heading)
                heading = ""
            elif token.type == "tr_close":
                row = []
            elif token.type in ("fence", "code_block"):
                self._add(0, self._code_span(token), TokenKind.CODE)
            elif token.type == "html_block":
                self._read_html(self._lines(token))
            elif token.type in ("directive", "container_open"):
                self._read_directive(token, env)
        tokens = settle(*self.groups)
        prose = self.prose + html.find_attribute_prose(self.text, tokens, self.prose)
        return Document(tokens, tuple(sorted(set(prose), key=lambda span: span.start)), tuple(self.outline))

    def _add(self, group: int, span: Span, kind: TokenKind) -> None:
        self.groups[group].append(Token(span, kind))

    def _lines(self, token: BlockToken) -> Span:
        first, stop = token.map
        if first >= len(self.lines):
            return Span(len(self.text), len(self.text))
        last = self.lines[min(max(stop - 1, first), len(self.lines) - 1)]
        return Span(self.lines[first].start + self.body, last.end + self.body)

    def _code_span(self, token: BlockToken) -> Span:
        span = self._lines(token)
        end = span.end
        while end > span.start and self.text[end - 1].isspace():
            end -= 1
        start = span.start
        if token.type == "fence":
            start = self.text.find(token.markup, span.start, span.end)
        return Span(max(start, span.start), max(end, start))

    def _read_front_matter(self) -> None:
        self.outline.append(Block("front matter", Span(0, self.body), 0))
        at = 0
        for value in find_values(self.text[: self.body]):
            self._add(0, Span(at, value.start), TokenKind.MARKUP)
            self.prose.append(value)
            at = value.end
        end = self.body
        while end > at and self.text[end - 1].isspace():
            end -= 1
        self._add(0, Span(at, end), TokenKind.MARKUP)

    def _read_definitions(self, env: dict) -> None:
        found = [*env.get("references", {}).values(), *env.get("duplicate_refs", ())]
        for definition in found:
            first, stop = definition["map"]
            span = Span(self.lines[first].start + self.body, self.lines[stop - 1].end + self.body)
            self._add(0, trimmed(self.text, span.start, span.end), TokenKind.LINK)

    def _read_directive(self, token: BlockToken, env: dict) -> None:
        start, end = token.meta["start"] + self.body, token.meta["end"] + self.body
        title = token.meta.get("title")
        if title is None:
            self._add(0, trimmed(self.text, start, end), TokenKind.MARKUP)
            return
        inner = trimmed(self.text, title[0] + self.body, title[1] + self.body)
        self._add(0, Span(start, inner.start), TokenKind.MARKUP)
        self._add(0, trimmed(self.text, inner.end, end), TokenKind.MARKUP)
        tokens = find_inline_tokens(inner.of(self.text), env, inner.start)
        self.groups[1].extend(tokens)
        self._add_prose(inner, tokens)

    def _read_html(self, span: Span) -> None:
        inner = span.of(self.text)
        for token in html.find_tokens(inner):
            self._add(0, Span(token.span.start + span.start, token.span.end + span.start), token.kind)
        self.prose += [Span(s.start + span.start, s.end + span.start) for s in html.find_prose(inner)]

    def _cells(self, row: BlockToken) -> list[Span]:
        """Where the cells of a table row stand; escaped bars don't part them."""
        line = self.lines[row.map[0]]
        start, end = line.start + self.body, line.end + self.body
        bars = [start + m.start() for m in _BAR.finditer(self.text[start:end])]
        edges = list(zip([start, *[bar + 1 for bar in bars]], [*bars, end]))
        if edges and not self.text[edges[0][0] : edges[0][1]].strip(" \t>"):
            edges = edges[1:]
        if len(edges) > 1 and not self.text[edges[-1][0] : edges[-1][1]].strip():
            edges = edges[:-1]
        return [trimmed(self.text, a, b) for a, b in edges]

    def _delimiters(self, table: BlockToken) -> str:
        """The row under the header, a token of its own; lengths of its dashes don't count."""
        line = self.lines[table.map[0] + 1]
        span = trimmed(self.text, line.start + self.body, line.end + self.body)
        self._add(0, span, TokenKind.MARKUP)
        return regex.sub(r"-+", "-", regex.sub(r"[\s>]", "", span.of(self.text))).strip("|")

    def _read_inline(self, token: BlockToken, env: dict, cell: Span | None, heading: str) -> None:
        if not token.content:
            return
        places = self._places(token, cell, heading)
        if places is None:
            return
        tokens: list[Token] = []
        for found in find_inline_tokens(token.content, env):
            span = Span(_at(places, found.span.start), _at(places, found.span.end - 1) + 1)
            tokens.append(Token(span, found.kind))
        for (_, source, length), (_, following, _) in zip(places, places[1:]):
            gap = Span(source + length, following)
            if ">" in gap.of(self.text):
                tokens.append(Token(gap, TokenKind.MARKUP))
        tokens.sort(key=lambda t: t.span.start)
        self.groups[1].extend(tokens)
        begin, source, length = places[-1]
        self._add_prose(trimmed(self.text, places[0][1], source + length), tokens)

    def _places(self, token: BlockToken, cell: Span | None, heading: str) -> list[tuple[int, int, int]] | None:
        """(offset in the content, offset in the text, length) of each line; None where they don't match."""
        if cell is not None:
            if cell.of(self.text) == token.content:
                return [(0, cell.start, len(token.content))]
            return self._escaped(cell, token.content)
        places: list[tuple[int, int, int]] = []
        at = 0
        for number, content in zip(range(token.map[0], len(self.lines)), token.content.split("\n")):
            line = self.lines[number]
            source = same_length(self.text[line.start + self.body : line.end + self.body]).rstrip("\n")
            if heading.startswith("#"):
                opening = source.find(heading)
                start = source.find(content, opening + len(heading)) if opening >= 0 else -1
            elif source.endswith(content):
                start = len(source) - len(content)
            else:
                start = source.rfind(content.rstrip())
                content = content.rstrip() if start >= 0 else content
            if start < 0:
                return None
            places.append((at, line.start + self.body + start, len(content)))
            at += len(token.content.split("\n")[number - token.map[0]]) + 1
        return places

    def _escaped(self, cell: Span, content: str) -> list[tuple[int, int, int]] | None:
        """A cell with `\\|`: the parser took the backslashes out."""
        source = cell.of(self.text)
        if source.replace("\\|", "|") != content:
            return None
        places: list[tuple[int, int, int]] = []
        at, begin = 0, 0
        for match in regex.finditer(r"\\\|", source):
            places.append((begin, cell.start + at, match.start() - at))
            begin += match.start() - at
            at = match.start() + 1
        places.append((begin, cell.start + at, len(source) - at))
        return [place for place in places if place[2]]

    def _add_prose(self, span: Span, tokens: list[Token]) -> None:
        """The span, parted at block tags and without marks of the block at its edges, where words are left."""
        parts: list[Span] = []
        at = span.start
        for token in tokens:
            if token.kind is TokenKind.TAG and html.is_block_token(self.text, token):
                parts.append(Span(at, token.span.start))
                at = token.span.end
        parts.append(Span(at, span.end))
        for part in parts:
            inner = [t for t in tokens if t.span.start >= part.start and t.span.end <= part.end]
            part = self._peeled(trimmed(self.text, part.start, part.end), inner)
            if _LETTER.search(without(self.text, inner, part.start, part.end)):
                self.prose.append(part)

    def _peeled(self, span: Span, tokens: list[Token]) -> Span:
        start, end = span.start, span.end
        for token in tokens:
            if token.span.start <= start < token.span.end and _belongs_to_block(token.span.of(self.text)):
                start = trimmed(self.text, token.span.end, end).start
        for token in reversed(tokens):
            if (
                token.span.end == end
                and token.span.of(self.text).lstrip().startswith("{")
                and token.kind is TokenKind.MARKUP
            ):
                end = trimmed(self.text, start, max(start, token.span.start)).end
        return Span(start, max(start, end))


def _belongs_to_block(text: str) -> bool:
    return text[:2] in ("[ ", "[x", "[X", "[!", "[^", "*[", "\n>") or text.lstrip().startswith(">")


def _at(places: list[tuple[int, int, int]], offset: int) -> int:
    begin, source, length = places[max(0, bisect_right(places, offset, key=lambda place: place[0]) - 1)]
    return source + offset - begin


def _label(token: BlockToken) -> str:
    name = token.type.removesuffix("_open")
    if name == "heading":
        return token.tag
    if name == "ordered_list":
        return f"ordered list from {token.attrs.get('start', 1)}"
    if name == "fence":
        return f"fence {token.info.strip()}".rstrip()
    if name in ("directive", "container"):
        title = token.meta.get("title")
        if title is None:
            return token.markup.strip()
        cut = title[0] - token.meta["start"]
        return token.markup[:cut].rstrip(' \t|"[') + TITLED
    return name.replace("_", " ")
