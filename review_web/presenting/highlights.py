"""Marks inside a text: where a check or a finding points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a text (code points) that note `number` is about; `tone` is blocking, warning or finding."""

    start: int
    end: int
    number: int
    tone: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text under the same marks. `starts` are the numbers of those that begin here."""

    text: str
    marks: tuple[Mark, ...] = ()
    starts: tuple[int, ...] = ()

    @property
    def tone(self) -> str:
        """The most serious tone of its marks, empty for none."""
        tones = {mark.tone for mark in self.marks}
        return next((tone for tone in ("blocking", "warning", "finding") if tone in tones), "")


def pieces(text: str, marks: Iterable[Mark]) -> tuple[Piece, ...]:
    """Cut `text` where marks begin and end; the pieces joined are `text`.

    Marks may overlap. A mark outside the text is cut to it, an empty one is left out.
    """
    fitting = [
        Mark(max(mark.start, 0), min(mark.end, len(text)), mark.number, mark.tone)
        for mark in marks
        if max(mark.start, 0) < min(mark.end, len(text))
    ]
    cuts = sorted({0, len(text), *(mark.start for mark in fitting), *(mark.end for mark in fitting)})
    begun: set[int] = set()
    result = []
    for start, end in zip(cuts, cuts[1:], strict=False):
        here = tuple(mark for mark in fitting if mark.start <= start and end <= mark.end)
        fresh = tuple(dict.fromkeys(mark.number for mark in here if mark.number not in begun))
        begun.update(fresh)
        result.append(Piece(text[start:end], here, fresh))
    return tuple(result)


def clipped(marks: Sequence[Mark], start: int, end: int) -> list[Mark]:
    """Return the marks that touch ``start:end``, with offsets counted from `start`."""
    return [
        Mark(max(mark.start - start, 0), min(mark.end, end) - start, mark.number, mark.tone)
        for mark in marks
        if mark.start < end and mark.end > start
    ]
