"""The frame of a text: blocks of Markdown, emphasis, the blanks and line ends around and inside it."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from translator_service.domain.gates.readings import readable
from translator_service.domain.gates.rules import Rule, in_candidate, in_source
from translator_service.domain.syntax import markdown
from translator_service.domain.values import (
    Evidence,
    GateContext,
    GateResult,
    GateSeverity,
    Span,
    TextFormat,
)

MARKUP_SKELETON = Rule("markup_skeleton", is_structural=True)
EMPHASIS = Rule("emphasis", GateSeverity.FLAG)
EDGE_WHITESPACE = Rule("edge_whitespace", is_structural=True)
NEWLINE_STYLE = Rule("newline_style", is_structural=True)

_VISIBLE_MARKS = regex.compile(r"\*{2,}|~~")


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


def emphasis(source: str, candidate: str, context: GateContext) -> GateResult:
    """No stars or tildes that a reader would see because they enclose nothing."""
    if context.text_format is not TextFormat.MARKDOWN:
        return EMPHASIS.not_applicable()
    want, have = (
        [Span(*m.span()) for m in _VISIBLE_MARKS.finditer(readable(text, context.text_format))]
        for text in (source, candidate)
    )
    if len(have) <= len(want):
        return EMPHASIS.passed()
    return EMPHASIS.failed("emphasis is broken: its marks show", in_candidate(*have))


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
    parts = [f"{lines} line end{'s' * (lines != 1)}"] * bool(lines) + [f"{others} blank{'s' * (others != 1)}"] * bool(
        others
    )
    return " and ".join(parts)


def newline_style(source: str, candidate: str, context: GateContext) -> GateResult:
    """Line ends are written as in the source: `\\r\\n` or `\\n`."""
    if "\n" not in source or "\n" not in candidate:
        return NEWLINE_STYLE.not_applicable()
    styles = [("\r\n" in text, bool(regex.search(r"(?<!\r)\n", text))) for text in (source, candidate)]
    if styles[0][0] and styles[0][1] or styles[0] == styles[1]:
        return NEWLINE_STYLE.passed()
    return NEWLINE_STYLE.failed("line ends are written in another way than in the source", in_source(_trailing(source)))


GATES = (markup_skeleton, emphasis, edge_whitespace, newline_style)
