"""Ren'Py dialogue: interpolation `[name]`, text tags `{w=0.5}`, escapes."""

from __future__ import annotations

import regex

from translator_service.domain.syntax import plain
from translator_service.domain.syntax.spans import settle
from translator_service.domain.values import Span, Token, TokenKind

_PART = regex.compile(r"(?P<escape>\[\[|\{\{|%%|\\[n\"'\\ ])|(?P<variable>\[[^\[\]\n]+\])|(?P<tag>\{[^{}\n]+\})")
_KINDS = {"escape": TokenKind.MARKUP, "variable": TokenKind.PLACEHOLDER, "tag": TokenKind.TAG}


def find_tokens(text: str) -> tuple[Token, ...]:
    own = [Token(Span(m.start(), m.end()), _KINDS[m.lastgroup]) for m in _PART.finditer(text) if m.lastgroup]
    return settle(own, plain.find_common_tokens(text))


find_prose = plain.find_prose
find_blocks = plain.find_blocks
