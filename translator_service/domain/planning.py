"""A long text becomes segments at block boundaries. No database, no call."""

from __future__ import annotations

import regex

from translator_service.domain.sentences import split_sentences
from translator_service.domain.syntax import find_blocks, find_prose, find_tokens
from translator_service.domain.syntax.spans import without
from translator_service.domain.values import Segment, Span, TextFormat

_LETTER = regex.compile(r"\p{L}")


def plan(text: str, text_format: TextFormat, max_characters: int) -> tuple[Segment, ...]:
    """Segments of at most `max_characters` where the blocks allow it; joined they always equal the text.

    A fence or a table is never cut, however long; an over-long paragraph is cut at sentence ends.
    """
    if max_characters < 1:
        raise ValueError("max_characters must be at least 1")
    pieces: list[Span] = []
    for block in find_blocks(text, text_format):
        if block.end - block.start <= max_characters or not has_prose(block.of(text), text_format):
            pieces.append(block)
        else:
            pieces.extend(_at_sentences(text, block))
    packed: list[Span] = []
    for piece in pieces:
        if packed and piece.end - packed[-1].start <= max_characters:
            packed[-1] = Span(packed[-1].start, piece.end)
        else:
            packed.append(piece)
    return tuple(Segment(ordinal, span) for ordinal, span in enumerate(packed))


def _at_sentences(text: str, block: Span) -> list[Span]:
    return [Span(block.start + s.start, block.start + s.end) for s in split_sentences(block.of(text), "en")]


def has_prose(text: str, text_format: TextFormat) -> bool:
    """False when there is nothing to translate: digits, symbols, addresses, placeholders, blanks."""
    tokens = find_tokens(text, text_format)
    return any(
        _LETTER.search(without(text, tokens, span.start, span.end)) for span in find_prose(text, text_format)
    )
