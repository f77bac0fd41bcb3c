"""Which tokens open and close something together: emphasis, links, tags.

A pair must come back in order, around words; an emptied or turned pair is broken markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import regex

from translator_service.domain.values import Token, TokenKind


class Role(Enum):
    """What a token does to its neighbours. LOOSE markup (an escape, an entity) clings to both sides."""

    OPENS = "opens"
    CLOSES = "closes"
    LOOSE = "loose"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Pairing:
    """`roles` one a token; `partners` holds (opening, closing) positions in the token sequence."""

    roles: tuple[Role, ...]
    partners: tuple[tuple[int, int], ...]


_TAG = regex.compile(r"[<{\[](?P<close>/?)(?P<name>[\w.:-]+)[^<{]*?(?P<self>/?)[>}\]]", regex.DOTALL)
_SECTION = regex.compile(r"\{\{(?P<close>[/#^]?)\s*(?P<name>[\w.-]+)\s*\}\}")
_EMPHASIS = regex.compile(r"[*_~]+")


def pair(text: str, tokens: Sequence[Token]) -> Pairing:
    """Pair the tokens by nesting; one without a partner is LOOSE (markup, tags) or a VALUE."""
    roles = [Role.LOOSE if t.kind in (TokenKind.MARKUP, TokenKind.TAG) else Role.VALUE for t in tokens]
    partners: list[tuple[int, int]] = []
    open_ones: list[tuple[str, int]] = []
    for index, token in enumerate(tokens):
        key, opens, closes = _key(token, token.span.of(text))
        if not key:
            continue
        depth = next((d for d in range(len(open_ones) - 1, -1, -1) if open_ones[d][0] == key), None)
        if closes and depth is not None:
            opening = open_ones[depth][1]
            del open_ones[depth:]
            partners.append((opening, index))
            roles[opening], roles[index] = Role.OPENS, Role.CLOSES
        elif opens:
            open_ones.append((key, index))
    return Pairing(tuple(roles), tuple(sorted(partners)))


def _key(token: Token, text: str) -> tuple[str, bool, bool]:
    """(what it pairs by, may open, may close); an empty key pairs with nothing."""
    if token.kind is TokenKind.MARKUP and text in ("[", "!["):
        return "[", True, False
    if token.kind is TokenKind.LINK and text.startswith("]"):
        return "[", False, True
    if token.kind is TokenKind.MARKUP and _EMPHASIS.fullmatch(text):
        return text, True, True
    if token.kind is TokenKind.TAG:
        match = _TAG.fullmatch(text)
        if match and not match["self"]:
            return f"<{match['name'].lower()}", not match["close"], bool(match["close"])
    if token.kind is TokenKind.PLACEHOLDER:
        match = _SECTION.fullmatch(text)
        if match:
            return "{{" + match["name"], match["close"] != "/", match["close"] == "/"
    return "", False, False
