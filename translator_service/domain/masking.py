"""Masking: what must survive becomes a mark that an engine leaves alone, and comes back afterwards.

Pure text work; which style an engine keeps is measured, not guessed (see `SMALL_ENGINE_STYLES`).
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from translator_service.domain.values import Token, TokenKind


@dataclass(frozen=True, slots=True)
class TokenStyle:
    """How marks look. `template` holds `{n}`. `is_spaced`: a mark must stand alone as a word, so blanks
    are put around it, neighbours are merged and marks at the edges are taken off."""

    name: str
    template: str
    is_spaced: bool

    def mark(self, number: int) -> str:
        return self.template.replace("{n}", str(number))

    @property
    def pattern(self) -> str:
        before, after = self.template.split("{n}")
        inner = rf"{regex.escape(before)}\d+{regex.escape(after)}"
        return rf"(?<![\p{{L}}\p{{N}}]){inner}(?![\p{{L}}\p{{N}}])" if self.is_spaced else inner


# In the order in which a small engine kept them; the next one is tried when one was lost.
SMALL_ENGINE_STYLES = (
    TokenStyle("z", "Z{n}Z", True),
    TokenStyle("nn", "NN{n}", True),
    TokenStyle("v", "V{n}", True),
    TokenStyle("digits", "900{n}", True),
)
LLM_STYLE = TokenStyle("tag", "<m{n}/>", False)


class MaskLost(Exception):
    """The candidate doesn't hold each mark exactly once; `missing` and `doubled` count marks."""

    def __init__(self, missing: int, doubled: int) -> None:
        super().__init__(f"{missing} missing, {doubled} doubled")
        self.missing = missing
        self.doubled = doubled


@dataclass(frozen=True, slots=True)
class Mask:
    """One mark: what was there, what comes back, and the words it touched in the source ("" for a blank)."""

    mark: str
    replacement: str
    is_glue: bool
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Masked:
    """A masked text. `prefix` and `suffix` were taken off the edges and are put back by `unmask`."""

    text: str
    prefix: str
    suffix: str
    masks: tuple[Mask, ...]
    style: TokenStyle


def mask(text: str, tokens: tuple[Token, ...], style: TokenStyle) -> Masked:
    """Replace the tokens by marks of this style, numbered so that no mark occurs in the text itself."""
    groups = _merged(text, tokens) if style.is_spaced else [[token] for token in tokens]
    start, end = _core(text, groups, style)
    prefix = _replaced(text, 0, start, tokens)
    suffix = _replaced(text, end, len(text), tokens)
    groups = [g for g in groups if g[0].span.start >= start and g[-1].span.end <= end]
    numbers = _free_numbers(text, style, len(groups))
    pieces: list[str] = []
    masks: list[Mask] = []
    at = start
    for group, number in zip(groups, numbers):
        first, last = group[0].span.start, group[-1].span.end
        before = text[at:first]
        pieces.append(before)
        left = _word_before(text, first, start) if style.is_spaced else ""
        right = _word_after(text, last, end) if style.is_spaced else ""
        mark = style.mark(number)
        pieces.append((" " if left else "") + mark + (" " if right else ""))
        is_glue = any(token.kind in (TokenKind.MARKUP, TokenKind.TAG) for token in group)
        masks.append(Mask(mark, _replaced(text, first, last, group), is_glue, left, right))
        at = last
    pieces.append(text[at:end])
    return Masked("".join(pieces), prefix, suffix, tuple(masks), style)


def unmask(candidate: str, masked: Masked) -> str:
    """Put the tokens back, each exactly once.

    Raises:
        MaskLost: a mark is missing, doubled, or was made up.
    """
    by_mark = {m.mark: m for m in masked.masks}
    found = list(regex.finditer(masked.style.pattern, candidate)) if masked.masks else []
    counts: dict[str, int] = {}
    for match in found:
        counts[match[0]] = counts.get(match[0], 0) + 1
    own = {m[0] for m in regex.finditer(masked.style.pattern, masked.text)}
    missing = sum(1 for mark in by_mark if mark not in counts)
    doubled = sum(n - 1 for mark, n in counts.items() if mark in by_mark)
    doubled += sum(n for mark, n in counts.items() if mark not in own)
    if missing or doubled:
        raise MaskLost(missing, doubled)
    pieces: list[str] = []
    at = 0
    for match in found:
        held = by_mark.get(match[0])
        if held is None:
            continue
        start, end = match.span()
        if held.left and start > at and candidate[start - 1] == " " and _joins(candidate[:start - 1], held.left, held, True):
            start -= 1
        if held.right and candidate[end : end + 1] == " " and _joins(candidate[end + 1 :], held.right, held, False):
            end += 1
        pieces.append(candidate[at:start])
        pieces.append(held.replacement)
        at = end
    pieces.append(candidate[at:])
    return masked.prefix + "".join(pieces) + masked.suffix


def _joins(rest: str, neighbour: str, held: Mask, is_left: bool) -> bool:
    """Whether the blank between mark and neighbour was put there by `mask`."""
    if not rest:
        return False
    near = rest[-1] if is_left else rest[0]
    if neighbour[0].isalnum():
        if held.is_glue:
            return not near.isspace()
        word = regex.search(r"\w+$" if is_left else r"^\w+", rest)
        return word is not None and word[0] == neighbour
    return not near.isalnum() and not near.isspace()


def _merged(text: str, tokens: tuple[Token, ...]) -> list[list[Token]]:
    groups: list[list[Token]] = []
    for token in tokens:
        if groups:
            between = text[groups[-1][-1].span.end : token.span.start]
            touches = not between
            blank = not between.strip() and "\n" not in between
            terms = TokenKind.TERM in (token.kind, groups[-1][-1].kind)
            if touches or (blank and not terms):
                groups[-1].append(token)
                continue
        groups.append([token])
    return groups


def _core(text: str, groups: list[list[Token]], style: TokenStyle) -> tuple[int, int]:
    start, end = 0, len(text)
    moved = True
    spans = [(g[0].span.start, g[-1].span.end) for g in groups] if style.is_spaced else []
    while moved:
        moved = False
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if spans and spans[0][0] == start and spans[0][1] <= end:
            start = spans.pop(0)[1]
            moved = True
        if spans and spans[-1][1] == end and spans[-1][0] >= start:
            end = spans.pop()[0]
            moved = True
    return start, max(start, end)


def _replaced(text: str, start: int, end: int, tokens: tuple[Token, ...] | list[Token]) -> str:
    pieces: list[str] = []
    at = start
    for token in tokens:
        if token.span.start < start or token.span.end > end:
            continue
        pieces.append(text[at : token.span.start])
        pieces.append(token.span.of(text) if token.target is None else token.target)
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


def _word_before(text: str, at: int, start: int) -> str:
    if at <= start or text[at - 1].isspace():
        return ""
    word = regex.search(r"\w+$", text[start:at])
    return word[0] if word else text[at - 1]


def _word_after(text: str, at: int, end: int) -> str:
    if at >= end or text[at].isspace():
        return ""
    word = regex.match(r"\w+", text[at:end])
    return word[0] if word else text[at]
