"""Masking: what must survive becomes a mark that an engine leaves alone, and comes back afterwards.

Pure text work; which marks an engine keeps is measured, not guessed (see `SMALL_ENGINE_STYLES`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from translator_service.domain.pairing import Pairing, Role, pair
from translator_service.domain.values import Token, TokenKind


@dataclass(frozen=True, slots=True)
class TokenStyle:
    """How marks look; `template` holds `{n}`.

    `is_for_small_engines`: the engine knows words only, so a mark stands alone between blanks, neighbours
    share one mark, and tokens at the edges are taken off the text altogether.
    """

    name: str
    template: str
    is_for_small_engines: bool

    def mark(self, number: int) -> str:
        return self.template.replace("{n}", str(number))

    @property
    def pattern(self) -> str:
        before, after = (regex.escape(part) for part in self.template.split("{n}"))
        if self.is_for_small_engines:
            return rf"(?<![\p{{L}}\p{{N}}]){before}\d+{after}(?![\p{{L}}\p{{N}}])"
        return rf"{before}\d+{after}"


# In the order in which a small engine kept them on short strings; the next one is tried when a mark was lost.
SMALL_ENGINE_STYLES = (
    TokenStyle("z", "Z{n}Z", True),
    TokenStyle("nn", "NN{n}", True),
    TokenStyle("v", "V{n}", True),
    TokenStyle("digits", "900{n}", True),
)
LLM_STYLE = TokenStyle("tag", "<m{n}/>", False)

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
# A blank before one of these changes what a small engine makes of the sentence, so none is put there.
_ENDS_CLAUSE = ".,;:!?"
_CLOSING_SIGNS = _ENDS_CLAUSE + ")]}…"
_OPENING_SIGNS = "([{“«¿¡"


class MaskLost(Exception):
    """The candidate doesn't hold the marks as it must. `missing` and `doubled` count marks (one that was
    made up is doubled), `misplaced` counts pairs that were turned round or emptied."""

    def __init__(self, missing: int, doubled: int, misplaced: int = 0) -> None:
        super().__init__(f"{missing} missing, {doubled} doubled, {misplaced} misplaced")
        self.missing = missing
        self.doubled = doubled
        self.misplaced = misplaced


@dataclass(frozen=True, slots=True)
class Mask:
    """One mark and what comes back for it.

    `left` and `right` are the word or sign that touched it in the source, "" where a blank or the edge
    did; padded: a blank was put in between; clings: whatever word stands there is touched again.
    """

    mark: str
    replacement: str
    left: str = ""
    right: str = ""
    is_padded_left: bool = False
    is_padded_right: bool = False
    clings_left: bool = False
    clings_right: bool = False


@dataclass(frozen=True, slots=True)
class Masked:
    """A masked text. `prefix` and `suffix` were taken off the edges; `unmask` puts them back.

    `pairs` holds positions in `masks` of what opens and closes together, -1 and len(masks) for the edges,
    and whether words stood between them.
    """

    text: str
    prefix: str
    suffix: str
    masks: tuple[Mask, ...]
    style: TokenStyle
    pairs: tuple[tuple[int, int, bool], ...] = ()


def mask(text: str, tokens: Sequence[Token], style: TokenStyle) -> Masked:
    """Replace the tokens (sorted, not overlapping) by marks of this style, with numbers whose marks occur
    nowhere in the text.

    `unmask` of the masked text gives the text back, except that a token with a `target` becomes that.
    """
    pairing = pair(text, tokens)
    groups = _grouped(text, tokens, style)
    start, end = _core(text, tokens, groups, style)
    inner = [g for g in groups if tokens[g[0]].span.start >= start and tokens[g[-1]].span.end <= end]
    pieces: list[str] = []
    masks: list[Mask] = []
    at = start
    for position, (group, number) in enumerate(zip(inner, _free_numbers(text, style, len(inner)))):
        first, last = tokens[group[0]].span.start, tokens[group[-1]].span.end
        following = tokens[inner[position + 1][0]].span.start if position + 1 < len(inner) else end
        replacement = _restored(text, first, last, [tokens[i] for i in group])
        roles = (pairing.roles[group[0]], pairing.roles[group[-1]])
        held = _mask(style, number, replacement, roles, text[at:first], text[last:following])
        pieces += [text[at:first], " " * held.is_padded_left, held.mark, " " * held.is_padded_right]
        masks.append(held)
        at = last
    pieces.append(text[at:end])
    prefix, suffix = _restored(text, 0, start, tokens), _restored(text, end, len(text), tokens)
    return Masked("".join(pieces), prefix, suffix, tuple(masks), style, _pairs(text, tokens, pairing, inner))


def unmask(candidate: str, masked: Masked) -> str:
    """Put the tokens back, each exactly once, in whatever order the candidate has them.

    Raises:
        MaskLost: a mark is missing, doubled or made up, or a pair is turned round or emptied.
    """
    by_mark = {held.mark: held for held in masked.masks}
    pattern = regex.compile(masked.style.pattern)
    found = list(pattern.finditer(candidate)) if masked.masks else []
    _require_each_once(by_mark, Counter(m[0] for m in found), pattern, masked.text)
    found = [match for match in found if match[0] in by_mark]
    _require_pairs(candidate, masked, {match[0]: match for match in found})
    pieces: list[str] = []
    at = 0
    for match in found:
        held = by_mark[match[0]]
        start, end = _without_padding(candidate, match, held, at)
        pieces += [candidate[at:start], held.replacement]
        at = end
    pieces.append(candidate[at:])
    return masked.prefix + "".join(pieces) + masked.suffix


def _require_each_once(
    by_mark: dict[str, Mask], counts: Counter[str], pattern: regex.Pattern[str], masked_text: str
) -> None:
    missing = sum(1 for mark in by_mark if mark not in counts)
    doubled = sum(count - 1 for mark, count in counts.items() if mark in by_mark)
    if counts.keys() - by_mark.keys():
        known = Counter(m[0] for m in pattern.finditer(masked_text))
        doubled += sum(max(0, count - known[mark]) for mark, count in counts.items() if mark not in by_mark)
    if missing or doubled:
        raise MaskLost(missing, doubled)


def _require_pairs(candidate: str, masked: Masked, places: dict[str, regex.Match[str]]) -> None:
    misplaced = 0
    spans: list[tuple[int, int]] = []
    for opening, closing, holds_words in masked.pairs:
        start = places[masked.masks[opening].mark].end() if opening >= 0 else 0
        end = places[masked.masks[closing].mark].start() if closing < len(masked.masks) else len(candidate)
        between = candidate[start:end] if start <= end else ""
        for held in masked.masks:
            between = between.replace(held.mark, " ")
        crosses = any(a < start < b < end or start < a < end < b for a, b in spans)
        misplaced += start > end or crosses or (holds_words and not _WORD.search(between))
        spans.append((start, end))
    if misplaced:
        raise MaskLost(0, 0, misplaced)


def _pairs(
    text: str, tokens: Sequence[Token], pairing: Pairing, inner: list[list[int]]
) -> tuple[tuple[int, int, bool], ...]:
    place = {index: position for position, group in enumerate(inner) for index in group}
    first = inner[0][0] if inner else 0
    pairs: list[tuple[int, int, bool]] = []
    for opening, closing in pairing.partners:
        before = place.get(opening, -1 if opening < first else len(inner))
        after = place.get(closing, -1 if closing < first else len(inner))
        if before == after or (before == -1 and after == len(inner)):
            continue
        between = _plain(text, tokens[opening].span.end, tokens[closing].span.start, tokens)
        pairs.append((before, after, bool(_WORD.search(between))))
    return tuple(pairs)


def _mask(style: TokenStyle, number: int, replacement: str, roles: tuple[Role, Role], before: str, after: str) -> Mask:
    if not style.is_for_small_engines:
        return Mask(style.mark(number), replacement)
    left, right = _neighbour(before, is_left=True), _neighbour(after, is_left=False)
    return Mask(
        style.mark(number), replacement, left, right,
        is_padded_left=bool(left),
        is_padded_right=bool(right) and right not in _ENDS_CLAUSE,
        clings_left=roles[0] in (Role.CLOSES, Role.LOOSE),
        clings_right=roles[1] in (Role.OPENS, Role.LOOSE),
    )  # fmt: skip


def _neighbour(between: str, is_left: bool) -> str:
    """The word or sign next to a mark, "" for a blank, the edge or another mark."""
    edge = between[-1:] if is_left else between[:1]
    if not edge or edge.isspace():
        return ""
    if not _WORD.match(edge):
        return edge
    return list(_WORD.finditer(between))[-1 if is_left else 0][0]


def _without_padding(candidate: str, match: regex.Match[str], held: Mask, at: int) -> tuple[int, int]:
    """The match, widened by the blanks that don't belong to the text."""
    start, end = match.span()
    if held.is_padded_left and start > at and candidate[start - 1] == " ":
        word = regex.search(r"[\p{L}\p{M}\p{N}]*$", candidate, pos=max(at, start - 100), endpos=start - 1)
        near = candidate[start - 2] if start - 2 >= at else ""
        if _was_padded(word[0] if word else "", near, held.left, held.clings_left, _OPENING_SIGNS):
            start -= 1
    if held.right and candidate[end : end + 1] == " ":
        word = regex.match(r"[\p{L}\p{M}\p{N}]*", candidate, pos=end + 1)
        near = candidate[end + 1 : end + 2]
        if _was_padded(word[0] if word else "", near, held.right, held.clings_right, _CLOSING_SIGNS):
            end += 1
    return start, end


def _was_padded(word: str, near: str, neighbour: str, clings: bool, signs: str) -> bool:
    """Whether the blank next to a mark should go, given what stands behind it now. A value touches a word
    only if it is the very one it touched before ("`dict`s"): another word may have moved there."""
    if not near or near.isspace():
        return False
    if clings:
        return True
    return word == neighbour if word else near == neighbour or near in signs


def _grouped(text: str, tokens: Sequence[Token], style: TokenStyle) -> list[list[int]]:
    """Positions of tokens that share a mark. A term keeps its own unless it touches: it may change place."""
    groups: list[list[int]] = []
    for index, token in enumerate(tokens):
        if groups and style.is_for_small_engines:
            previous = tokens[groups[-1][-1]]
            between = text[previous.span.end : token.span.start]
            is_blank = between.isspace() and "\n" not in between
            if not between or (is_blank and TokenKind.TERM not in (token.kind, previous.kind)):
                groups[-1].append(index)
                continue
        groups.append([index])
    return groups


def _core(text: str, tokens: Sequence[Token], groups: list[list[int]], style: TokenStyle) -> tuple[int, int]:
    """What is left between the blanks, and for small engines the tokens, at the edges."""
    start, end = 0, len(text)
    spans = [(tokens[g[0]].span.start, tokens[g[-1]].span.end) for g in groups] if style.is_for_small_engines else []
    while True:
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if spans and spans[0][0] == start:
            start = spans.pop(0)[1]
        elif spans and spans[-1][1] == end:
            end = spans.pop()[0]
        else:
            return start, max(start, end)


def _plain(text: str, start: int, end: int, tokens: Sequence[Token]) -> str:
    return _restored(text, start, end, [Token(t.span, t.kind, " ") for t in tokens])


def _restored(text: str, start: int, end: int, tokens: Sequence[Token]) -> str:
    pieces: list[str] = []
    at = start
    for token in tokens:
        if token.span.start >= start and token.span.end <= end:
            pieces += [text[at : token.span.start], token.span.of(text) if token.target is None else token.target]
            at = token.span.end
    pieces.append(text[at:end])
    return "".join(pieces)


def _free_numbers(text: str, style: TokenStyle, count: int) -> list[int]:
    numbers: list[int] = []
    number = 0
    while len(numbers) < count:
        number += 1
        if style.mark(number) not in text:
            numbers.append(number)
    return numbers
