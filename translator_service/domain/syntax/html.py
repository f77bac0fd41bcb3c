"""HTML inside texts: our own tokenizer by offsets, because no parser gives the bytes back unchanged."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from translator_service.domain.syntax import plain
from translator_service.domain.syntax.spans import settle, trimmed, without
from translator_service.domain.values import Span, Token, TokenKind

TAG = regex.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<![A-Za-z][^>]*>|<\?.*?\?>"
    r"|<(?P<close>/?)(?P<name>[A-Za-z0-9][\w:.-]*)"
    r"(?P<attributes>(?:=[^\s>]*)?(?:\s+[^\s\"'>/=<]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?)*)"
    r"\s*(?P<self>/?)>",
    regex.DOTALL,
)
ENTITY = regex.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
VERBATIM = regex.compile(
    r"<(script|style|pre|code|textarea|svg|math)\b[^>]*>.*?</\1\s*>", regex.DOTALL | regex.IGNORECASE
)
ATTRIBUTE = regex.compile(
    r"(?P<name>[^\s\"'<>/=]+)(?:\s*=\s*(?P<value>\"(?P<quoted>[^\"]*)\"|'(?P<quoted>[^']*)'|[^\s\"'=<>`]+))?"
)
# Attributes that people read; their values may and should be translated.
HUMAN_ATTRIBUTES = frozenset({"title", "alt", "aria-label", "aria-description", "placeholder", "label", "summary"})
_LETTER = regex.compile(r"\p{L}")
# Elements that end a sentence; all others may stand inside one.
BLOCK_NAMES = frozenset(
    "address article aside blockquote body br button caption center col colgroup dd details dialog div dl dt "
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main "
    "menu meta nav ol optgroup option p pre script section select style summary table tbody td tfoot th thead "
    "title tr ul video audio canvas template svg math textarea".split()
)

# Elements without content and end tag.
VOID_NAMES = frozenset("area base br col embed hr img input link meta param source track wbr".split())


def find_tags(text: str) -> list[Token]:
    """Comments and tags of any name; whole elements where the content is code."""
    if "<" not in text:
        return []
    tokens = [Token(Span(m.start(), m.end()), TokenKind.CODE) for m in VERBATIM.finditer(text)]
    tokens += [Token(Span(m.start(), m.end()), TokenKind.TAG) for m in TAG.finditer(text)]
    return list(settle(tokens))


def find_tokens(text: str) -> tuple[Token, ...]:
    entities = [Token(Span(m.start(), m.end()), TokenKind.MARKUP) for m in ENTITY.finditer(text)]
    return settle(find_tags(text), entities, plain.find_common_tokens(text))


def find_prose(text: str) -> tuple[Span, ...]:
    """The stretches between block elements, inline tags inside as tokens; and the attributes that people
    read of tags that stand in no such stretch."""
    tokens = find_tokens(text)
    stretches: list[Span] = []
    at = 0
    for token in tokens:
        if is_block_token(text, token):
            stretches.append(trimmed(text, at, token.span.start))
            at = token.span.end
    stretches.append(trimmed(text, at, len(text)))
    prose = [s for s in stretches if _LETTER.search(without(text, tokens, s.start, s.end))]
    return tuple(sorted(prose + find_attribute_prose(text, tokens, prose), key=lambda span: span.start))


def find_attribute_prose(text: str, tokens: Sequence[Token], prose: Sequence[Span]) -> list[Span]:
    """Values with letters of `HUMAN_ATTRIBUTES`, of the tags outside the given stretches."""
    found: list[Span] = []
    for token in tokens:
        if token.kind is not TokenKind.TAG or any(s.start <= token.span.start < s.end for s in prose):
            continue
        for match in ATTRIBUTE.finditer(text, token.span.start + 1, token.span.end - 1):
            if match["name"].lower() in HUMAN_ATTRIBUTES and match["quoted"] and _LETTER.search(match["quoted"]):
                found.append(trimmed(text, *match.span("quoted")))
    return found


def is_block_token(text: str, token: Token) -> bool:
    if token.kind not in (TokenKind.TAG, TokenKind.CODE):
        return False
    match = TAG.match(text, token.span.start)
    return match is not None and (match["name"] or "").lower() in BLOCK_NAMES


def find_blocks(text: str) -> tuple[Span, ...]:
    """Cut behind the closing tag of each outermost block element."""
    spans: list[Span] = []
    at, depth = 0, 0
    for token in find_tags(text):
        if not is_block_token(text, token):
            continue
        match = TAG.match(text, token.span.start)
        if match is None or match["self"] or match["name"].lower() in VOID_NAMES:
            continue
        if token.kind is TokenKind.TAG:
            depth = max(0, depth - 1) if match["close"] else depth + 1
        if depth == 0:
            spans.append(Span(at, token.span.end))
            at = token.span.end
    if at < len(text):
        spans.append(Span(at, len(text)))
    return tuple(spans)
