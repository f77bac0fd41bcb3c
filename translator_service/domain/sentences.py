"""Sentences of a text by offsets. Joined they equal the text, whatever the splitter thinks."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType

from translator_service.domain.values import Span


def split_sentences(text: str, locale: str) -> tuple[Span, ...]:
    """The sentences, each with the white space that follows it; empty for an empty text."""
    if not text:
        return ()
    pieces = _splitter().segment(locale.replace("_", "-").split("-")[0].lower() or "en", text)
    if "".join(pieces) != text:
        return (Span(0, len(text)),)
    spans: list[Span] = []
    at = 0
    for piece in pieces:
        if spans and not piece.strip():
            spans[-1] = Span(spans[-1].start, at + len(piece))
        elif piece:
            spans.append(Span(at, at + len(piece)))
        at += len(piece)
    return tuple(spans)


@lru_cache(maxsize=1)
def _splitter() -> ModuleType:
    """Imported at first use: its rules cost memory that a process without long texts never needs."""
    import sentencex

    return sentencex
