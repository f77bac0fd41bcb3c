"""Tags of HTML and its like: the same ones, closed in order, and none that a browser would run."""

from __future__ import annotations

import regex

from translator_service.domain.gates.rules import Rule, compare, in_candidate
from translator_service.domain.glossary import language_of
from translator_service.domain.syntax import find_tokens, html
from translator_service.domain.values import (
    GateContext,
    GateResult,
    GateSeverity,
    Span,
    TextFormat,
    Token,
    TokenKind,
)

TAGS = Rule("tags", is_structural=True)
UNSAFE_MARKUP = Rule("unsafe_markup")
TAG_SPACING = Rule("tag_spacing", GateSeverity.FLAG)

# Bounded, and never across another tag: a page of half tags must not take minutes.
_RUNS = regex.compile(
    r"<\s*/?(?:script|iframe|object|embed|base|meta|form)\b[^<>]{0,500}>?"
    r"|<[a-z][^<>]{0,500}?\son[a-z]+\s*=[^<>]{0,500}>|\bjavascript\s*:|\bdata:text/html",
    regex.IGNORECASE,
)
# Elements whose end tag HTML lets authors leave out, and those that have none.
_UNCLOSED = frozenset(
    "area base br col embed hr img input link meta source track wbr li p dt dd tr td th option thead tbody tfoot".split()
)
_NO_BLANKS = frozenset({"ja", "zh", "th", "lo", "km", "my", "yue"})


def tags(source: str, candidate: str, context: GateContext) -> GateResult:
    """The same tags with the same attributes, and each closed where the source closes it."""
    sides = [_tags(text, context.text_format) for text in (source, candidate)]
    result = compare(TAGS, [(k, t.span) for k, t in sides[0]], [(k, t.span) for k, t in sides[1]], "tags")
    if not result.explanation and not _is_nested(source, sides[0]):
        return result
    if not result.explanation and sides[1] and not _is_nested(candidate, sides[1]):
        return TAGS.failed("tags are closed in another order", in_candidate(sides[1][0][1].span))
    return result


def _tags(text: str, text_format: TextFormat) -> list[tuple[str, Token]]:
    """Tags by name and attributes, also those around code, as (key, token)."""
    return [
        (_tag_key(token.span.of(text), text_format), token)
        for token in find_tokens(text, text_format)
        if token.kind is TokenKind.TAG
    ]


def _tag_key(tag: str, text_format: TextFormat) -> str:
    match = html.TAG.fullmatch(tag)
    if match is None or not match["name"] or match["close"]:
        return "".join(tag.split()) if match and match["close"] else tag
    attributes = []
    for found in html.ATTRIBUTE.finditer(match["attributes"]):
        name = found["name"].lower()
        value = (found["value"] or "").strip("\"'")
        attributes.append(f"{name}=…" if name in html.HUMAN_ATTRIBUTES else f"{name}={value}")
    return " ".join([f"<{match['name']}", *sorted(attributes)]) + ">"


def _is_nested(text: str, tags: list[tuple[str, Token]]) -> bool:
    """Whether closing tags follow their opening ones, innermost first."""
    stack: list[str] = []
    for _, token in tags:
        match = html.TAG.fullmatch(token.span.of(text))
        if match is None or not match["name"] or match["self"] or match["name"].lower() in _UNCLOSED:
            continue
        if not match["close"]:
            stack.append(match["name"])
        elif not stack or stack.pop() != match["name"]:
            return False
    return not stack


def unsafe_markup(source: str, candidate: str, context: GateContext) -> GateResult:
    """Nothing that a browser would run, unless the source has the very same."""
    known = {m[0].casefold() for m in _RUNS.finditer(source)}
    new = [Span(*m.span()) for m in _RUNS.finditer(candidate) if m[0].casefold() not in known]
    return (
        UNSAFE_MARKUP.failed("markup that a browser would run came in", in_candidate(*new))
        if new
        else UNSAFE_MARKUP.passed()
    )


def tag_spacing(source: str, candidate: str, context: GateContext) -> GateResult:
    """Words stay apart from inline tags where the source sets a blank between them."""
    want, have = _tags(source, context.text_format), _tags(candidate, context.text_format)
    if not want or language_of(context.target_locale) in _NO_BLANKS:
        return TAG_SPACING.not_applicable()
    glued = {key for key, token in want if _is_glued(source, token.span)}
    places = [t.span for key, t in have if key not in glued and _is_glued(candidate, t.span)]
    places = [
        span for span in places if any(key == _tag_key(span.of(candidate), context.text_format) for key, _ in want)
    ]
    if places:
        return TAG_SPACING.failed("a word touches a tag that stands apart in the source", in_candidate(*places))
    return TAG_SPACING.passed()


def _is_glued(text: str, tag: Span) -> bool:
    """Whether a word touches the outer side of the tag."""
    is_closing = text.startswith("</", tag.start)
    near = text[tag.end : tag.end + 1] if is_closing else text[tag.start - 1 : tag.start] if tag.start else ""
    return near.isalnum()


GATES = (tags, unsafe_markup, tag_spacing)
