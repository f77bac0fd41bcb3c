"""ICU MessageFormat: the arguments and the frame of choices survive, the texts of the branches are prose."""

from __future__ import annotations

import regex

from translator_service.domain.syntax import brace, html, plain
from translator_service.domain.syntax.icu_messages import (
    Argument,
    Fault,
    Message,
    parse,
)
from translator_service.domain.syntax.spans import settle, trimmed, without
from translator_service.domain.values import Span, Token, TokenKind

_LETTER = regex.compile(r"\p{L}")


def find_tokens(text: str) -> tuple[Token, ...]:
    """A text that is no message is read as one with plain curly placeholders."""
    message = parse(text)
    if isinstance(message, Fault):
        return brace.find_tokens(text)
    own: list[Token] = []
    _collect(message, own)
    return settle(own, html.find_tags(text), plain.find_common_tokens(text))


def _collect(message: Message, tokens: list[Token]) -> None:
    tokens += [Token(span, TokenKind.PLACEHOLDER) for span in message.hashes]
    tokens += [Token(span, TokenKind.MARKUP) for span in message.quoted]
    for argument in message.arguments:
        if not argument.branches:
            tokens.append(Token(argument.span, TokenKind.PLACEHOLDER))
            continue
        for branch in argument.branches:
            tokens.append(Token(branch.opening, TokenKind.PLACEHOLDER))
            _collect(branch.message, tokens)
        tokens.append(Token(Span(argument.branches[-1].message.span.end, argument.span.end), TokenKind.PLACEHOLDER))


def find_prose(text: str) -> tuple[Span, ...]:
    message = parse(text)
    if isinstance(message, Fault):
        return brace.find_prose(text)
    tokens = find_tokens(text)
    spans = (trimmed(text, span.start, span.end) for span in _texts(message))
    return tuple(s for s in spans if _LETTER.search(without(text, tokens, s.start, s.end)))


def _texts(message: Message) -> list[Span]:
    """The stretches around and inside choices; simple arguments stay within them."""
    spans: list[Span] = []
    at = message.span.start
    for argument in message.arguments:
        if argument.branches:
            spans.append(Span(at, argument.span.start))
            spans += [span for branch in argument.branches for span in _texts(branch.message)]
            at = argument.span.end
    spans.append(Span(at, message.span.end))
    return spans


def find_blocks(text: str) -> tuple[Span, ...]:
    """A message is one block: it can't be cut."""
    return (Span(0, len(text)),) if text else ()


def find_arguments(message: Message) -> list[Argument]:
    """All arguments, outer before inner."""
    found: list[Argument] = []
    for argument in message.arguments:
        found.append(argument)
        for branch in argument.branches:
            found += find_arguments(branch.message)
    return found
