"""What changed between two texts, word by word."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import regex
from rapidfuzz.distance import Indel

# The alignment keeps a bit for each pair of tokens: 20,000 each are 50 MB for a moment. Longer texts are
# compared line by line.
MOST_TOKENS = 20_000
# Words left standing on both sides of a change before the rest of an unchanged stretch is folded away.
CONTEXT_TOKENS = 24
_WORDS = regex.compile(r"(?wV1)\b")
_LINES = regex.compile(r"(?<=\n)", regex.V1)


class Kind(StrEnum):
    EQUAL = "equal"
    DELETED = "deleted"
    INSERTED = "inserted"
    FOLDED = "folded"


@dataclass(frozen=True, slots=True)
class Change:
    """One stretch. A FOLDED one is equal, and too long to be worth reading."""

    kind: Kind
    text: str

    @property
    def words(self) -> int:
        return len(self.text.split())


def word_diff(old: str, new: str) -> tuple[Change, ...]:
    """Return how `old` becomes `new`.

    Equal and deleted stretches joined give `old`, equal and inserted ones `new`; no two neighbours are
    of one kind, and a deletion stands before the insertion that replaces it. Words follow Unicode's
    boundaries, so Han text is compared by character.
    """
    before, after = _tokens(_WORDS, old), _tokens(_WORDS, new)
    if max(len(before), len(after)) > MOST_TOKENS:
        before, after = _tokens(_LINES, old), _tokens(_LINES, new)
    return tuple(_joined(_raw(before, after)))


def has_change(changes: Iterable[Change]) -> bool:
    return any(change.kind in {Kind.DELETED, Kind.INSERTED} for change in changes)


def folded(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """Return `changes` with the middle of long unchanged stretches folded."""
    result: list[Change] = []
    for index, change in enumerate(changes):
        tokens = _tokens(_WORDS, change.text) if change.kind is Kind.EQUAL else []
        head = CONTEXT_TOKENS if index > 0 else 0
        tail = CONTEXT_TOKENS if index < len(changes) - 1 else 0
        if len(tokens) <= head + tail + CONTEXT_TOKENS:
            result.append(change)
            continue
        parts = (
            Change(Kind.EQUAL, "".join(tokens[:head])),
            Change(Kind.FOLDED, "".join(tokens[head : len(tokens) - tail])),
            Change(Kind.EQUAL, "".join(tokens[len(tokens) - tail :])),
        )
        result.extend(part for part in parts if part.text)
    return tuple(result)


def _tokens(boundaries: regex.Pattern[str], text: str) -> list[str]:
    return [token for token in boundaries.split(text) if token]


def _raw(before: list[str], after: list[str]) -> Iterable[tuple[str, str, bool]]:
    """Yield (deleted, inserted, is_equal) stretches; for equal ones both are the same."""
    if max(len(before), len(after)) > MOST_TOKENS:  # even by line: nobody reads such a comparison
        yield "".join(before), "".join(after), before == after
        return
    for step in Indel.opcodes(before, after):
        deleted = "".join(before[step.src_start : step.src_end])
        inserted = "".join(after[step.dest_start : step.dest_end])
        yield deleted, inserted, step.tag == "equal"


def _joined(stretches: Iterable[tuple[str, str, bool]]) -> Iterable[Change]:
    """Merge neighbours; a blank between two changes joins them, since words alternating read badly."""
    deleted = inserted = blank = ""
    equal = ""
    for gone, come, is_equal in stretches:
        if is_equal and (deleted or inserted) and gone.isspace() and "\n" not in gone:
            blank += gone
            continue
        if not is_equal:
            if equal:
                yield Change(Kind.EQUAL, equal)
                equal = ""
            deleted, inserted, blank = deleted + blank + gone, inserted + blank + come, ""
            continue
        deleted, inserted, shared = _without_shared_end(deleted, inserted)
        yield from _replaced(deleted, inserted)
        deleted = inserted = ""
        equal, blank = equal + shared + blank + gone, ""
    deleted, inserted, shared = _without_shared_end(deleted, inserted)
    yield from _replaced(deleted, inserted)
    if equal + shared + blank:
        yield Change(Kind.EQUAL, equal + shared + blank)


def _without_shared_end(deleted: str, inserted: str) -> tuple[str, str, str]:
    """Take the blanks that both end with out of a replacement: only words are worth marking."""
    length = 0
    while length < min(len(deleted), len(inserted)):
        last = deleted[-1 - length]
        if last != inserted[-1 - length] or not last.isspace():
            break
        length += 1
    return deleted[: len(deleted) - length], inserted[: len(inserted) - length], deleted[len(deleted) - length :]


def _replaced(deleted: str, inserted: str) -> Iterable[Change]:
    if deleted:
        yield Change(Kind.DELETED, deleted)
    if inserted:
        yield Change(Kind.INSERTED, inserted)
