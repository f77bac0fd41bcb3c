"""Links, code and anchors: where a text points to, and what it quotes, byte for byte."""

from __future__ import annotations

from collections import Counter

import regex

from translator_service.domain.gates.rules import (
    Parts,
    Rule,
    compare,
    in_candidate,
    in_source,
    quoted,
)
from translator_service.domain.syntax import find_tokens, markdown
from translator_service.domain.values import (
    Evidence,
    GateContext,
    GateResult,
    Span,
    TextFormat,
    TokenKind,
)

LINK_TARGETS = Rule("link_targets", is_structural=True)
CODE_VERBATIM = Rule("code_verbatim", is_structural=True)
ANCHORS = Rule("anchors", is_structural=True)
FRONT_MATTER = Rule("front_matter", is_structural=True)

_DESTINATION = regex.compile(r"\]\(\s*(?P<target><[^>\n]*>|[^\s)]*(?:\([^\s()]*\)[^\s)]*)*)")
_ATTRIBUTES = regex.compile(r"\{:?[ \t]*(?P<inner>[#.][^{}]*?)[ \t]*\}[ \t]*$", regex.MULTILINE)
_ID = regex.compile(r"#(?P<id>[\w:.-]+)")
_IN_PAGE = regex.compile(r"\]\(#(?P<id>[^)\s]+)\)|href=[\"']#(?P<id>[^\"']+)[\"']")
_HTML_ID = regex.compile(r"\b(?:id|name)=[\"']?(?P<id>[^\"'\s>]+)")


def link_targets(source: str, candidate: str, context: GateContext) -> GateResult:
    """The same addresses the same number of times; titles and texts of links are free."""
    sides = [_links(text, context.text_format) for text in (source, candidate)]
    return compare(LINK_TARGETS, sides[0], sides[1], "link targets")


def _links(text: str, text_format: TextFormat) -> Parts:
    parts: Parts = []
    for token in find_tokens(text, text_format):
        if token.kind is TokenKind.LINK:
            words = token.span.of(text)
            match = _DESTINATION.match(words) if words.startswith("](") else None
            parts.append((f"]({match['target'].strip('<>')})" if match else words, token.span))
    return parts


def code_verbatim(source: str, candidate: str, context: GateContext) -> GateResult:
    """Code blocks and code spans exactly as they are, the blocks in their order too."""
    sides = [_code(text, context.text_format) for text in (source, candidate)]
    result = compare(CODE_VERBATIM, sides[0], sides[1], "code")
    if result.explanation:
        return _or_repeated(result, sides[0], sides[1])
    blocks = [[part for part in side if "\n" in part[0]] for side in sides]
    for want, have in zip(*blocks):
        if want[0] != have[0]:
            return CODE_VERBATIM.failed("code blocks stand in another order", [Evidence(want[1], have[1])])
    return result


def _or_repeated(result: GateResult, source: Parts, candidate: Parts) -> GateResult:
    """A code span said once more than in the source is a matter of style, and of doubt."""
    want, have = Counter(key for key, _ in source), Counter(key for key, _ in candidate)
    extra = have - want
    if want - have or any(key not in want or "\n" in key for key in extra):
        return result
    return CODE_VERBATIM.unsure(f"code repeated: {quoted(extra)}", result.evidence)


def _code(text: str, text_format: TextFormat) -> Parts:
    return [
        (t.span.of(text).replace("\r\n", "\n"), t.span)
        for t in find_tokens(text, text_format)
        if t.kind is TokenKind.CODE
    ]


def anchors(source: str, candidate: str, context: GateContext) -> GateResult:
    """Headings keep their anchors, and every link into the page still finds its place.

    A heading's own anchor comes from its words, so a translated heading that is linked to needs the
    source's anchor written out.
    """
    if context.text_format is not TextFormat.MARKDOWN:
        return ANCHORS.not_applicable()
    want, have = _headings(source), _headings(candidate)
    links = _in_page_links(candidate)
    if not links and not any(anchor for _, anchor, _ in want):
        return ANCHORS.not_applicable()
    for (_, expected, place), (_, actual, found) in zip(want, have):
        if expected and expected != actual:
            return ANCHORS.failed(f"a heading's anchor changed: {expected}", [Evidence(place, found)])
    known, reachable = _ids(source, want), _ids(candidate, have)
    lost = {name: span for name, span in links.items() if name in known and name not in reachable}
    if lost:
        return ANCHORS.failed(
            f"links into the page lead nowhere: {quoted('#' + name for name in lost)}", in_candidate(*lost.values())
        )
    return ANCHORS.passed()


def _headings(text: str) -> list[tuple[str, str, Span]]:
    """(words, attribute list, span) of each heading."""
    found: list[tuple[str, str, Span]] = []
    for block in markdown.read(text).outline:
        if regex.fullmatch(r"h[1-6]", block.label):
            line = block.span.of(text).strip()
            match = _ATTRIBUTES.search(line)
            words = line[: match.start()] if match else line
            found.append((words.strip("# \t\n=-"), " ".join(match["inner"].split()) if match else "", block.span))
    return found


def _ids(text: str, headings: list[tuple[str, str, Span]]) -> set[str]:
    ids = {m["id"] for m in _HTML_ID.finditer(text)}
    for words, attributes, _ in headings:
        explicit = _ID.search(attributes)
        ids.add(explicit["id"] if explicit else _slug(words))
    return ids


def _slug(words: str) -> str:
    """What site generators make of a heading: small letters, hyphens for blanks, no other signs."""
    return regex.sub(r"[\s]+", "-", regex.sub(r"[^\w\s-]", "", words.lower()).strip())


def _in_page_links(text: str) -> dict[str, Span]:
    return {m["id"]: Span(m.start(), m.end()) for m in _IN_PAGE.finditer(text)}


def front_matter(source: str, candidate: str, context: GateContext) -> GateResult:
    """The same keys, everything but human text unchanged, and still readable as YAML."""
    if context.text_format is not TextFormat.MARKDOWN:
        return FRONT_MATTER.not_applicable()
    end = markdown.front_matter_end(source)
    if not end:
        return FRONT_MATTER.not_applicable()
    have_end = markdown.front_matter_end(candidate)
    frames = [
        [t.span.of(text) for t in find_tokens(text, TextFormat.MARKDOWN) if t.span.end <= stop]
        for text, stop in ((source, end), (candidate, have_end))
    ]
    if not have_end or frames[0] != frames[1]:
        return FRONT_MATTER.failed(
            "the front matter has other keys, quotes or settings",
            in_source(Span(0, end)) + in_candidate(Span(0, have_end)),
        )
    return FRONT_MATTER.passed()


GATES = (link_targets, code_verbatim, anchors, front_matter)
