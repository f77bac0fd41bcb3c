"""Replace stretches of a text by offset, so that everything else stays byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `replacement` in place of ``text[start:end]``; an empty stretch inserts."""

    start: int
    end: int
    replacement: str


def splice(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with `edits` done; an insertion goes before an edit that starts at the same place, and
    insertions at one place stay in their order.

    Raises:
        ValueError: two edits overlap.
    """
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < done:
            raise ValueError(f"an edit starts at {edit.start}, inside the one before it, which ends at {done}")
        pieces += text[done : edit.start], edit.replacement
        done = edit.end
    pieces.append(text[done:])
    return "".join(pieces)
