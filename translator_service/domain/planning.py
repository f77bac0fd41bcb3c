"""A long text becomes segments. No database, no call; joined, the segments are the text."""

from __future__ import annotations

import regex

from translator_service.domain.sentences import split_sentences
from translator_service.domain.syntax import find_prose, find_tokens
from translator_service.domain.syntax.cuts import (
    BETWEEN_BLOCKS,
    INSIDE_A_BLOCK,
    INSIDE_A_GROUP,
    find_cuts,
    find_uncuttable,
)
from translator_service.domain.syntax.spans import without
from translator_service.domain.values import Segment, Span, TextFormat

_LETTER = regex.compile(r"\p{L}")
_RANKS = (BETWEEN_BLOCKS, INSIDE_A_GROUP, INSIDE_A_BLOCK)


def plan(text: str, text_format: TextFormat, max_characters: int) -> tuple[Segment, ...]:
    """Segments of at most `max_characters`, cut between blocks where that is possible; () for no text.

    What is too long by itself is cut between the items of a list, then at sentence ends. A fence, a table,
    a heading, an ICU message and a single sentence are never cut, however long.

    Raises:
        ValueError: max_characters is less than one.
    """
    if max_characters < 1:
        raise ValueError("max_characters must be at least 1")
    if not text:
        return ()
    pieces = [Span(0, len(text))]
    if len(text) > max_characters:
        cuts = find_cuts(text, text_format)
        for rank in _RANKS:
            pieces = _cut(pieces, [at for at, of in cuts if of <= rank], max_characters)
        if any(piece.end - piece.start > max_characters for piece in pieces):
            pieces = _cut(pieces, _sentence_ends(text, text_format), max_characters)
    return tuple(Segment(ordinal, span) for ordinal, span in enumerate(_packed(pieces, max_characters)))


def _cut(pieces: list[Span], offsets: list[int], max_characters: int) -> list[Span]:
    """Cut the pieces that are too long at all the offsets inside them."""
    result: list[Span] = []
    for piece in pieces:
        inside = [at for at in offsets if piece.start < at < piece.end]
        if piece.end - piece.start <= max_characters or not inside:
            result.append(piece)
        else:
            edges = [piece.start, *sorted(inside), piece.end]
            result += [Span(a, b) for a, b in zip(edges, edges[1:])]
    return result


def _packed(pieces: list[Span], max_characters: int) -> list[Span]:
    packed: list[Span] = []
    for piece in pieces:
        if packed and piece.end - packed[-1].start <= max_characters:
            packed[-1] = Span(packed[-1].start, piece.end)
        else:
            packed.append(piece)
    return packed


def _sentence_ends(text: str, text_format: TextFormat) -> list[int]:
    tokens = find_tokens(text, text_format)
    whole = find_uncuttable(text, text_format)
    ends: list[int] = []
    for span in find_prose(text, text_format):
        if any(span.start < w.end and span.end > w.start for w in whole):
            continue
        inner = tuple(t for t in tokens if t.span.start < span.end and t.span.end > span.start)
        # Which language it is doesn't matter here: a missed or an extra end only moves a cut.
        sentences = split_sentences(
            span.of(text), "en", tuple((t.span.start - span.start, t.span.end - span.start) for t in inner)
        )
        ends += [span.start + sentence.end for sentence in sentences[:-1]]
    return ends


def has_prose(text: str, text_format: TextFormat) -> bool:
    """False when there is nothing to translate: digits, symbols, addresses, placeholders, blanks."""
    tokens = find_tokens(text, text_format)
    return any(_LETTER.search(without(text, tokens, span.start, span.end)) for span in find_prose(text, text_format))
