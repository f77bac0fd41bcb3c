"""ICU MessageFormat: a small parser with offsets."""

from __future__ import annotations

import regex

from translator_service.domain.syntax import plain
from translator_service.domain.syntax.spans import settle, trimmed
from translator_service.domain.values import Span, Token, TokenKind

_PART = regex.compile(
    r"'[{}#|][^']*'|\{\s*[\w.-]+\s*,\s*(?:plural|select|selectordinal)\s*,(?:\s*offset:\d+)?\s*[=\w]+\s*\{"
    r"|\}\s*[=\w]+\s*\{|\{[^{}]*\}|\}|#"
)


def find_tokens(text: str) -> tuple[Token, ...]:
    own = [Token(Span(m.start(), m.end()), TokenKind.PLACEHOLDER) for m in _PART.finditer(text)]
    return settle(own, plain.find_common_tokens(text))


def find_prose(text: str) -> tuple[Span, ...]:
    spans: list[Span] = []
    at = 0
    for match in _PART.finditer(text):
        if "," in match[0] or match[0].startswith("}"):
            spans.append(trimmed(text, at, match.start()))
            at = match.end()
    spans.append(trimmed(text, at, len(text)))
    return tuple(s for s in spans if s.end > s.start)


def find_blocks(text: str) -> tuple[Span, ...]:
    return (Span(0, len(text)),) if text else ()
