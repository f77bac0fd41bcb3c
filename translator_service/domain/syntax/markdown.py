"""Markdown: blocks by line, inline text by offset."""

from __future__ import annotations

import regex

from translator_service.domain.syntax import html, plain
from translator_service.domain.syntax.spans import lines_of, settle, trimmed, without
from translator_service.domain.values import Span, Token, TokenKind

_FENCE = regex.compile(r"^([ \t]*)(```+|~~~+)[^\n]*\n(?:.*?\n)??[ \t]*\2[`~]*[ \t]*$", regex.MULTILINE | regex.DOTALL)
_LINE_MARKUP = regex.compile(
    r"^[ \t]*(?:(?:/{3,}|:{3,})[ \t]*\w*(?:[ \t]*\|[ \t]*)?|\{\*.*\*\}|!!![ \t]*\w+[ \t]*|> \[!\w+\][+-]?|[-*_]{3,}[ \t]*$|\|?(?:[ \t]*:?-+:?[ \t]*\|)+[-: \t]*$)",
    regex.MULTILINE,
)
_BLOCK = regex.compile(r"^[ \t]*(?:>[ \t]?)*(?:#{1,6}[ \t]+|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+)?")
_ATTRIBUTES = regex.compile(r"[ \t]*\{:?[ \t]*[#.][^{}\n]*\}")
_CODE = regex.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", regex.DOTALL)
_LINK = regex.compile(r"\]\((?:[^()\n]|\([^()\n]*\))*\)|\]\[[^\]\n]*\]|!?\[(?=[^\]\n]*(?:\][(\[]|`))|\]")
_EMPHASIS = regex.compile(r"\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|~~")


def find_tokens(text: str) -> tuple[Token, ...]:
    fences = [Token(Span(m.start(), m.end()), TokenKind.CODE) for m in _FENCE.finditer(text)]
    lines = [Token(Span(m.start(), m.end()), TokenKind.MARKUP) for m in _LINE_MARKUP.finditer(text)]
    lines += [Token(Span(m.start(), m.end()), TokenKind.MARKUP) for m in _ATTRIBUTES.finditer(text)]
    code = [Token(Span(m.start(), m.end()), TokenKind.CODE) for m in _CODE.finditer(text)]
    links = [Token(Span(m.start(), m.end()), TokenKind.LINK) for m in _LINK.finditer(text)]
    emphasis = [Token(Span(m.start(), m.end()), TokenKind.MARKUP) for m in _EMPHASIS.finditer(text)]
    return settle(fences, lines, code, html.find_tags(text), links, plain.find_common_tokens(text), emphasis)


def find_prose(text: str) -> tuple[Span, ...]:
    tokens = find_tokens(text)
    spans: list[Span] = []
    for line in lines_of(text):
        start = line.start + len(_BLOCK.match(text[line.start : line.end])[0])
        end = line.end
        covering = [t for t in tokens if t.span.start < line.end and t.span.end > line.start]
        for token in covering:
            if token.span.start <= start < token.span.end:
                start = token.span.end
        for token in reversed(covering):
            if token.kind is TokenKind.MARKUP and text[token.span.start : token.span.end].lstrip().startswith("{"):
                end = min(end, token.span.start)
        cells = [(start, end)]
        if text[start:end].lstrip().startswith("|"):
            bars = [start + m.start() for m in regex.finditer(r"(?<!\\)\|", text[start:end])]
            cells = list(zip([b + 1 for b in bars], [*bars[1:], end]))
        for a, b in cells:
            span = trimmed(text, a, max(a, b))
            if span.end > span.start and regex.search(r"\p{L}", without(text, tokens, span.start, span.end)):
                spans.append(span)
    return tuple(spans)


def find_blocks(text: str) -> tuple[Span, ...]:
    fences = [m.span() for m in _FENCE.finditer(text)]
    spans: list[Span] = []
    for block in plain.find_blocks(text):
        if spans and any(a < block.start < b for a, b in fences):
            spans[-1] = Span(spans[-1].start, block.end)
        else:
            spans.append(block)
    return tuple(spans)
