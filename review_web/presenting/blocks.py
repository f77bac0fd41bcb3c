"""Two texts set side by side, paragraph beside paragraph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from review_web.presenting.highlights import Mark, Piece, clipped, pieces

_PARAGRAPH_BREAK = regex.compile(r"\n(?:[ \t]*\n)+")


@dataclass(frozen=True, slots=True)
class Pair:
    """Paragraphs that stand beside each other."""

    source: tuple[Piece, ...]
    target: tuple[Piece, ...]


def paired(source: str, target: str, source_marks: Sequence[Mark], target_marks: Sequence[Mark]) -> tuple[Pair, ...]:
    """Return the two texts by paragraph when both have equally many, else as one pair.

    Nothing is lost: the blank lines between paragraphs belong to the one before.
    """
    left, right = _spans(source), _spans(target)
    if len(left) != len(right):
        left, right = [(0, len(source))], [(0, len(target))]
    begun: tuple[set[int], set[int]] = (set(), set())
    pairs = []
    for (left_start, left_end), (right_start, right_end) in zip(left, right, strict=True):
        pairs.append(
            Pair(
                _once(pieces(source[left_start:left_end], clipped(source_marks, left_start, left_end)), begun[0]),
                _once(pieces(target[right_start:right_end], clipped(target_marks, right_start, right_end)), begun[1]),
            )
        )
    return tuple(pairs)


def _spans(text: str) -> list[tuple[int, int]]:
    cuts = [0, *(match.end() for match in _PARAGRAPH_BREAK.finditer(text) if match.end() < len(text)), len(text)]
    return list(zip(cuts, cuts[1:], strict=False)) or [(0, 0)]


def _once(found: tuple[Piece, ...], begun: set[int]) -> tuple[Piece, ...]:
    """Leave the beginning of a mark to the first paragraph that it touches: its address is used once a page."""
    result = []
    for piece in found:
        starts = tuple(number for number in piece.starts if number not in begun)
        begun.update(starts)
        result.append(Piece(piece.text, piece.marks, starts))
    return tuple(result)
