"""The markup's skeleton: blocks of Markdown, tags, the blanks and line ends around and inside a text."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from translator_service.domain.gates.rules import Rule, compare, in_candidate, in_source
from translator_service.domain.syntax import find_tokens, html, markdown
from translator_service.domain.values import (
    Evidence,
    GateContext,
    GateResult,
    GateSeverity,
    Span,
    TextFormat,
    Token,
    TokenKind,
)

MARKUP_SKELETON = Rule("markup_skeleton", is_structural=True)
TAGS = Rule("tags", is_structural=True)
TAG_SPACING = Rule("tag_spacing", GateSeverity.FLAG)
EDGE_WHITESPACE = Rule("edge_whitespace", is_structural=True)
UNSAFE_MARKUP = Rule("unsafe_markup")
NEWLINE_STYLE = Rule("newline_style", is_structural=True)

# Attributes that people read; their values may and should be translated.
_HUMAN_ATTRIBUTES = frozenset({"title", "alt", "aria-label", "aria-description", "placeholder", "label", "summary"})
_ATTRIBUTE = regex.compile(r"(?P<name>[^\s\"'>/=]+)(?:\s*=\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?")
_RUNS = regex.compile(
    r"<\s*/?(?:script|iframe|object|embed|base|meta|form)\b[^>]*>?|<[^>]+\son[a-z]+\s*=[^>]*>|\bjavascript\s*:|\bdata:text/html",
    regex.IGNORECASE,
)
# Elements whose end tag HTML lets authors leave out, and those that have none.
_UNCLOSED = frozenset(
    "area base br col embed hr img input link meta source track wbr li p dt dd tr td th option thead tbody tfoot".split()
)
_NO_BLANKS = frozenset({"ja", "zh", "th", "lo", "km", "my", "yue"})


def markup_skeleton(source: str, candidate: str, context: GateContext) -> GateResult:
    """The same blocks in the same order: headings with levels, lists, fences, tables, quotes, admonitions."""
    if context.text_format is not TextFormat.MARKDOWN:
        return MARKUP_SKELETON.not_applicable()
    want, have = markdown.read(source).outline, markdown.read(candidate).outline
    found = _first_difference(want, have)
    if found is None:
        return MARKUP_SKELETON.passed()
    first, second = found
    expected = _described(source, want, first)
    actual = _described(candidate, have, second)
    evidence = Evidence(
        want[first].span if first < len(want) else None, have[second].span if second < len(have) else None
    )
    return MARKUP_SKELETON.failed(f"the blocks differ: the source has {expected}, the translation {actual}", [evidence])


def _first_difference(want: Sequence[markdown.Block], have: Sequence[markdown.Block]) -> tuple[int, int] | None:
    for position in range(max(len(want), len(have))):
        if position >= len(want) or position >= len(have):
            return position, position
        first, second = want[position], have[position]
        # Translators name an admonition where the source leaves that to the site.
        if second.label not in (first.label, first.label + markdown.TITLED) or first.depth != second.depth:
            return position, position
    return None


def _described(text: str, outline: Sequence[markdown.Block], position: int) -> str:
    if position >= len(outline):
        return "nothing more"
    line = text.count("\n", 0, outline[position].span.start) + 1
    return f"{outline[position].label} (line {line})"


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
    for found in _ATTRIBUTE.finditer(match["attributes"]):
        name = found["name"].lower()
        value = (found["value"] or "").strip("\"'")
        attributes.append(f"{name}=…" if name in _HUMAN_ATTRIBUTES else f"{name}={value}")
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
    return UNSAFE_MARKUP.failed("markup that a browser would run came in", in_candidate(*new)) if new else UNSAFE_MARKUP.passed()


def tag_spacing(source: str, candidate: str, context: GateContext) -> GateResult:
    """Words stay apart from inline tags where the source sets a blank between them."""
    language = context.target_locale.replace("_", "-").split("-")[0].lower()
    want, have = _tags(source, context.text_format), _tags(candidate, context.text_format)
    if not want or language in _NO_BLANKS:
        return TAG_SPACING.not_applicable()
    glued = {key for key, token in want if _is_glued(source, token.span)}
    places = [t.span for key, t in have if key not in glued and _is_glued(candidate, t.span)]
    places = [span for span in places if any(key == _tag_key(span.of(candidate), context.text_format) for key, _ in want)]
    if places:
        return TAG_SPACING.failed("a word touches a tag that stands apart in the source", in_candidate(*places))
    return TAG_SPACING.passed()


def _is_glued(text: str, tag: Span) -> bool:
    """Whether a word touches the outer side of the tag."""
    is_closing = text.startswith("</", tag.start)
    near = text[tag.end : tag.end + 1] if is_closing else text[tag.start - 1 : tag.start] if tag.start else ""
    return near.isalnum()


def edge_whitespace(source: str, candidate: str, context: GateContext) -> GateResult:
    """The blanks and line ends before and after the text are the source's."""
    if not source.strip() or not candidate.strip():
        return EDGE_WHITESPACE.not_applicable()
    faults: list[str] = []
    evidence: list[Evidence] = []
    for name, want, have in (
        ("before", _leading(source), _leading(candidate)),
        ("after", _trailing(source), _trailing(candidate)),
    ):
        if want.of(source).replace("\r\n", "\n") != have.of(candidate).replace("\r\n", "\n"):
            faults.append(f"{name} the text the source has {_named(want.of(source))}, not {_named(have.of(candidate))}")
            evidence.append(Evidence(want, have))
    return EDGE_WHITESPACE.failed("; ".join(faults), evidence) if faults else EDGE_WHITESPACE.passed()


def _leading(text: str) -> Span:
    return Span(0, len(text) - len(text.lstrip()))


def _trailing(text: str) -> Span:
    return Span(len(text.rstrip()), len(text))


def _named(blanks: str) -> str:
    if not blanks:
        return "no blank"
    lines, others = blanks.count("\n"), len(blanks.replace("\r\n", "\n")) - blanks.count("\n")
    parts = [f"{lines} line end{'s' * (lines != 1)}"] * bool(lines) + [f"{others} blank{'s' * (others != 1)}"] * bool(others)
    return " and ".join(parts)


def newline_style(source: str, candidate: str, context: GateContext) -> GateResult:
    """Line ends are written as in the source: `\\r\\n` or `\\n`."""
    if "\n" not in source or "\n" not in candidate:
        return NEWLINE_STYLE.not_applicable()
    styles = [("\r\n" in text, bool(regex.search(r"(?<!\r)\n", text))) for text in (source, candidate)]
    if styles[0][0] and styles[0][1] or styles[0] == styles[1]:
        return NEWLINE_STYLE.passed()
    return NEWLINE_STYLE.failed("line ends are written in another way than in the source", in_source(_trailing(source)))


GATES = (markup_skeleton, tags, unsafe_markup, tag_spacing, edge_whitespace, newline_style)
