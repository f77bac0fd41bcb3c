"""What a person reads of a text: the words without code, addresses and markup, offsets kept."""

from __future__ import annotations

from functools import lru_cache

import regex

from translator_service.domain.syntax import find_prose, find_tokens
from translator_service.domain.values import Span, TextFormat, TokenKind

# Stands for what is no word: nothing matches across it, unlike across a blank.
_OBJECT = "\ufffc"
_LETTER = regex.compile(r"\p{L}")
# Scripts whose one sign says what takes several letters elsewhere.
_DENSE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")


# Source and candidate, asked by several gates in a row.
@lru_cache(maxsize=16)
def readable(text: str, text_format: TextFormat) -> str:
    """The text, same length, with an object sign for each character of code, links, placeholders and tags,
    and blanks for other markup."""
    pieces: list[str] = []
    at = 0
    for token in find_tokens(text, text_format):
        sign = " " if token.kind in (TokenKind.MARKUP, TokenKind.EMOJI) else _OBJECT
        pieces += [text[at : token.span.start], sign * (token.span.end - token.span.start)]
        at = token.span.end
    pieces.append(text[at:])
    return "".join(pieces)


@lru_cache(maxsize=16)
def passages(text: str, text_format: TextFormat) -> tuple[tuple[Span, str], ...]:
    """Each stretch of prose as (where, its words), where words are left."""
    words = readable(text, text_format)
    spans = find_prose(text, text_format)
    return tuple(
        (span, " ".join(span.of(words).replace(_OBJECT, " ").split()))
        for span in spans
        if _LETTER.search(words, span.start, span.end)
    )


def weight(text: str) -> float:
    """How much a text says, in letters of an alphabet; a sign of a dense script counts three."""
    letters = len(_LETTER.findall(text))
    return letters + 2 * len(_DENSE.findall(text))
