"""Two texts set side by side, paragraph beside paragraph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from review_web.presenting.highlights import Mark, Piece, clipped, pieces

_PARAGRAPH_BREAK = regex.compile(r"\n(?:[ \t]*\n)+")  # ends with a line break


@dataclass(frozen=True, slots=True)
class Pair:
    """Paragraphs that stand beside each other."""

    source: tuple[Piece, ...]
    target: tuple[Piece, ...]


def paired(
    source: str, target: str, source_marks: Sequence[Mark], target_marks: Sequence[Mark], *, together: bool = False
) -> tuple[Pair, ...]:
    """Return the two texts by paragraph when both have equally many, else, or with `together`, as one pair.

    The blank lines between paragraphs belong to the one before, less the last line break: where it was,
    a cell ends.
    """
    left, right = _spans(source), _spans(target)
    if together or len(left) != len(right):
        left, right = [(0, len(source))], [(0, len(target))]
    begun: tuple[set[int], set[int]] = (set(), set())
    pairs = []
    last = len(left) - 1
    for index, ((left_start, left_end), (right_start, right_end)) in enumerate(zip(left, right, strict=True)):
        if index < last:
            left_end, right_end = left_end - 1, right_end - 1
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
