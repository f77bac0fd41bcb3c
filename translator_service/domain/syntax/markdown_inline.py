"""Inline Markdown with offsets: the parser's own rules, watched while they run.

markdown-it keeps no offsets of inline tokens. Its rules tell where they started and stopped, so the
marks found here follow CommonMark exactly instead of imitating it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import regex
from markdown_it.rules_inline import StateInline

from translator_service.domain.syntax import html, plain
from translator_service.domain.syntax.markdown_blocks import PARSER
from translator_service.domain.syntax.spans import settle
from translator_service.domain.values import Span, Token, TokenKind

_ATTRIBUTE = r"(?:[#.][\w:.-]+|[\w-]+=(?:\"[^\"\n]*\"|[^\s{}\"]+))"
# Templates and shortcodes, attribute lists, footnote marks, wiki links, `:rocket:`, task boxes. All are
# bounded or anchored: a page of half-open braces must not take minutes.
_EXTRA = regex.compile(
    r"(?P<template>\{\{(?:[^{}]|\{[^{}]{0,200}\}){0,300}\}\}|\{(?P<sign>[%*!])[^{}]{0,500}(?P=sign)\})"
    rf"|(?P<attributes>(?<![ \t])[ \t]*\{{:?[ \t]*{_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE})*[ \t]*\}})"
    r"|(?P<footnote>\[\^[^\]\s]+\]:?|^\*\[[^\]\n]+\]:)"
    r"|(?P<wiki>!?\[\[[^\[\]\n|]+(?:\|(?=[^\[\]\n]*\]\])|\]\]))"
    r"|(?P<undefined>(?<=\])\[[^\[\]\n]+\])"
    r"|(?P<emoji>(?<![\w:]):[a-z][a-z0-9_+-]*:(?![\w:]))"
    r"|(?P<box>^\[[ xX]\](?=\s))"
    r"|(?P<alert>^\[!\w+\][+-]?)",
    regex.MULTILINE | regex.DOTALL,
)
_EXTRA_KINDS = {
    "template": TokenKind.PLACEHOLDER,
    "attributes": TokenKind.MARKUP,
    "footnote": TokenKind.MARKUP,
    "wiki": TokenKind.LINK,
    "undefined": TokenKind.LINK,
    "emoji": TokenKind.EMOJI,
    "box": TokenKind.MARKUP,
    "alert": TokenKind.MARKUP,
}


@dataclass(slots=True)
class _Watch:
    """What the rules did on one text: (rule, start, end), and where each emphasis delimiter stands."""

    state: StateInline | None = None
    marks: list[tuple[str, int, int]] = field(default_factory=list)
    labels: dict[int, int] = field(default_factory=dict)
    delimiters: list[tuple[list, int, int, int]] = field(default_factory=list)


def find_inline_tokens(content: str, env: dict, offset: int = 0) -> list[Token]:
    """The tokens of one inline text, settled; spans are shifted by `offset`."""
    watch = _Watch()
    state = StateInline(content, PARSER, {**env, "watch": watch}, [])
    watch.state = state
    PARSER.inline.tokenize(state)
    for rule in PARSER.inline.ruler2.getRules(""):
        rule(state)
    firm: list[Token] = []
    soft: list[Token] = []
    for name, start, end in watch.marks:
        if name in ("link", "image"):
            firm += _link_tokens(content, name, start, end, watch.labels[start], env, soft)
        elif name in _FIRM:
            firm.append(Token(Span(start, end), _FIRM[name]))
        elif name == "newline":
            soft += _hard_break(content, start, end)
        else:
            soft.append(Token(Span(start, end), TokenKind.MARKUP))
    elements = [
        Token(Span(m.start(), m.end()), TokenKind.CODE)
        for m in (html.VERBATIM.finditer(content) if "<" in content else ())
        if ("html_inline", m.start()) in {(name, start) for name, start, _ in watch.marks}
    ]
    extra = [Token(Span(m.start(), m.end()), _extra_kind(m)) for m in _EXTRA.finditer(content)]
    settled = settle(elements, firm, extra, plain.find_common_tokens(content), soft + _emphasis(content, watch))
    if not offset:
        return list(settled)
    return [Token(Span(t.span.start + offset, t.span.end + offset), t.kind, t.target) for t in settled]


def _extra_kind(match: regex.Match[str]) -> TokenKind:
    return next(kind for name, kind in _EXTRA_KINDS.items() if match[name] is not None)


_FIRM = {"backticks": TokenKind.CODE, "autolink": TokenKind.LINK, "html_inline": TokenKind.TAG}


def _link_tokens(
    content: str, name: str, start: int, end: int, label_end: int, env: dict, soft: list[Token]
) -> list[Token]:
    opening = start + (2 if name == "image" else 1)
    follows = content[label_end + 1 : label_end + 3]
    if not (follows.startswith("(") or (follows.startswith("[") and follows != "[]")) or label_end + 1 >= end:
        # A shortcut or collapsed reference: its label is the key of the definition.
        return [Token(Span(start, end), TokenKind.LINK)]
    if name == "image":
        soft += find_inline_tokens(content[opening:label_end], env, opening)
    return [Token(Span(start, opening), TokenKind.MARKUP), Token(Span(label_end, end), TokenKind.LINK)]


def _hard_break(content: str, start: int, end: int) -> list[Token]:
    begin = start
    while begin > 0 and content[begin - 1] == " ":
        begin -= 1
    return [Token(Span(begin, start + 1), TokenKind.MARKUP)] if start - begin >= 2 else []


def _emphasis(content: str, watch: _Watch) -> list[Token]:
    """The delimiters that found their partner, neighbours of one sort joined."""
    places = {(id(found), index): (at, width) for found, index, at, width in watch.delimiters}
    paired: list[tuple[int, int]] = []
    for found, index, at, width in watch.delimiters:
        if index < len(found) and found[index].end >= 0:
            paired.append((at, width))
            closing = places.get((id(found), found[index].end))
            if closing:
                paired.append(closing)
    tokens: list[Token] = []
    for at, width in sorted(set(paired)):
        if tokens and tokens[-1].span.end == at and content[at - 1] == content[at]:
            tokens[-1] = Token(Span(tokens[-1].span.start, at + width), TokenKind.MARKUP)
        else:
            tokens.append(Token(Span(at, at + width), TokenKind.MARKUP))
    return tokens


def _watched(name: str, rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    def run(state: StateInline, silent: bool) -> bool:
        watch = state.env.get("watch")
        if silent or watch is None or watch.state is not state:
            return rule(state, silent)
        start = state.pos
        found, before = state.delimiters, len(state.delimiters)
        if not rule(state, silent):
            return False
        if name in ("emphasis", "strikethrough"):
            width = 2 if name == "strikethrough" else 1
            first = start + (state.pos - start) % width
            for index in range(before, len(found)):
                watch.delimiters.append((found, index, first + (index - before) * width, width))
            return True
        if name in ("link", "image"):
            label_start = start + (1 if name == "image" else 0)
            watch.labels[start] = state.md.helpers.parseLinkLabel(state, label_start, name == "link")
        watch.marks.append((name, start, state.pos))
        return True

    return run


def _watch_rules() -> None:
    for rule in PARSER.inline.ruler.__rules__:
        if rule.name != "text":
            PARSER.inline.ruler.at(rule.name, _watched(rule.name, rule.fn))


_watch_rules()
