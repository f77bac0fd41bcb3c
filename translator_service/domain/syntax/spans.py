"""Arithmetic on spans: sorting, merging by precedence, cutting. No dialect in here."""

from __future__ import annotations

from collections.abc import Iterable

from translator_service.domain.values import Span, Token


def settle(*groups: Iterable[Token]) -> tuple[Token, ...]:
    """Tokens of all groups, sorted and without overlap: an earlier group wins over a later one,
    inside a group the earlier and then the longer token wins. Empty tokens are dropped."""
    kept: list[Token] = []
    for group in groups:
        ordered = sorted(group, key=lambda token: (token.span.start, -token.span.end))
        free: list[Token] = []
        taken = iter(kept)
        barrier = next(taken, None)
        reached = 0
        for token in ordered:
            if token.span.end <= token.span.start or token.span.start < reached:
                continue
            while barrier is not None and barrier.span.end <= token.span.start:
                barrier = next(taken, None)
            if barrier is not None and barrier.span.start < token.span.end:
                continue
            free.append(token)
            reached = token.span.end
        kept = sorted(kept + free, key=lambda token: token.span.start)
    return tuple(kept)


def without(text: str, tokens: Iterable[Token], start: int = 0, end: int | None = None) -> str:
    """text[start:end] with each token replaced by one space."""
    end = len(text) if end is None else end
    pieces: list[str] = []
    at = start
    for token in tokens:
        if token.span.end <= start or token.span.start >= end:
            continue
        pieces.append(text[at : max(at, token.span.start)])
        at = min(end, token.span.end)
    pieces.append(text[at:end])
    return " ".join(pieces)


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without the white space at its edges; empty at `end` when nothing else is there."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def lines_of(text: str) -> list[Span]:
    """The lines, their ends included; joined they equal the text."""
    spans: list[Span] = []
    at = 0
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop + 1
        spans.append(Span(at, stop))
        at = stop
    return spans
