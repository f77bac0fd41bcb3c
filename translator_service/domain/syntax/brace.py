"""Curly placeholders: `{name}`, `{0:>10}`, `${name}`, and i18next's `{{name}}`, `$t(key)`, `<0>`."""

from __future__ import annotations

import regex

from translator_service.domain.syntax import html, plain
from translator_service.domain.syntax.spans import settle
from translator_service.domain.values import Span, Token, TokenKind

PLACEHOLDER = regex.compile(r"\$?\{\{\{?[^{}\n]*\}?\}\}|[$%]?\{(?:[^{}\n]|\{[^{}\n]*\})*\}")
NESTING = regex.compile(r"\$t\((?:[^()]|\([^()]*\))*\)")


def find_tokens(text: str) -> tuple[Token, ...]:
    own = [Token(Span(m.start(), m.end()), TokenKind.PLACEHOLDER) for m in NESTING.finditer(text)]
    own += [Token(Span(m.start(), m.end()), TokenKind.PLACEHOLDER) for m in PLACEHOLDER.finditer(text)]
    return settle(own, html.find_tags(text), plain.find_common_tokens(text))


find_prose = plain.find_prose
find_blocks = plain.find_blocks
