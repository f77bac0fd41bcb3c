"""The geometry of charts; templates draw them as SVG without any style of their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """One stretch of a bar, in percent of its width."""

    name: str
    count: int
    start: float
    width: float


def stacked(counts: Iterable[tuple[str, int]], total: int) -> tuple[Part, ...]:
    """Return the parts of a bar that stands for `total`; those without a count are left out."""
    parts: list[Part] = []
    start = 0.0
    for name, count in counts:
        if count <= 0 or total <= 0:
            continue
        width = 100 * count / total
        parts.append(Part(name, count, round(start, 3), round(width, 3)))
        start += width
    return tuple(parts)
