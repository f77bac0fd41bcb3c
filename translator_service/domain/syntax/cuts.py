"""Where a long text may be cut: offsets with a rank, the lower the better.

A cut stands at a line start or behind an element, so what follows reads the same alone as in its place:
never inside a fence or a table, never before an indented line.
"""

from __future__ import annotations

import regex

from translator_service.domain.syntax import html, markdown, plain
from translator_service.domain.syntax.spans import lines_of
from translator_service.domain.values import Span, TextFormat

BETWEEN_BLOCKS = 1
# Behind a heading, or inside an admonition or an element: the parts belong together.
INSIDE_A_GROUP = 2
# Before a list item, a line of a paragraph, a nested element.
INSIDE_A_BLOCK = 3

Cut = tuple[int, int]

_DIRECTIVE = regex.compile(r"(?P<marker>/{3,}|:{3,})[ \t]*(?P<name>\S*)")


def find_cuts(text: str, text_format: TextFormat) -> tuple[Cut, ...]:
    """(offset, rank) of every place for a cut, sorted; neither the start nor the end of the text."""
    finder = _FINDERS.get(text_format, _plain_cuts)
    return tuple(sorted((at, rank) for at, rank in finder(text).items() if 0 < at < len(text)))


def find_uncuttable(text: str, text_format: TextFormat) -> tuple[Span, ...]:
    """Stretches with prose that must not be cut at sentence ends either: tables, headings, whole messages,
    and what an indented block follows, which would read as part of the rest."""
    if text_format is TextFormat.ICU:
        return (Span(0, len(text)),)
    if text_format is not TextFormat.MARKDOWN:
        return ()
    outline = markdown.read(text).outline
    whole = [b.span for b in outline if b.label.startswith("table") or regex.fullmatch(r"h[1-6]", b.label)]
    whole += [
        b.span for b, after in zip(outline, outline[1:]) if text[after.span.start : after.span.start + 1].isspace()
    ]
    return tuple(whole)


def _plain_cuts(text: str) -> dict[int, int]:
    cuts = {line.end: INSIDE_A_BLOCK for line in lines_of(text)}
    cuts.update({block.end: BETWEEN_BLOCKS for block in plain.find_blocks(text)})
    return cuts


def _html_cuts(text: str) -> dict[int, int]:
    cuts: dict[int, int] = {}
    for token in html.find_tags(text):
        if html.is_block_token(text, token) and text.startswith("</", token.span.start):
            cuts[token.span.end] = INSIDE_A_BLOCK
    cuts.update({block.end: BETWEEN_BLOCKS for block in html.find_blocks(text)})
    return cuts


def _markdown_cuts(text: str) -> dict[int, int]:
    cuts: dict[int, int] = {}
    groups: list[str] = []
    elements = 0
    follows_heading = False
    table_end = 0
    for block in markdown.read(text).outline:
        start = block.span.start
        if block.depth:
            if start >= table_end and text[start : start + 1].strip():
                cuts.setdefault(start, INSIDE_A_BLOCK)
            continue
        directive = _DIRECTIVE.match(block.label)
        is_closing = bool(directive) and not directive["name"]
        is_grouped = bool(groups) or elements > 0 or follows_heading
        cuts[start] = INSIDE_A_GROUP if is_grouped else BETWEEN_BLOCKS
        if directive:
            _track(groups, directive["marker"], is_closing)
        elif block.label == "html block":
            elements = max(0, elements + _balance(block.span.of(text)))
        follows_heading = bool(regex.fullmatch(r"h[1-6]", block.label))
        if block.label.startswith("table"):
            table_end = block.span.end
    return cuts


def _track(groups: list[str], marker: str, is_closing: bool) -> None:
    if not is_closing:
        groups.append(marker)
    elif marker in groups:
        del groups[len(groups) - 1 - groups[::-1].index(marker) :]


def _balance(text: str) -> int:
    """Elements that the text opens, less those that it closes."""
    balance = 0
    for token in html.find_tags(text):
        match = html.TAG.match(text, token.span.start)
        if match and match["name"] and not match["self"] and token.span.of(text) == match[0]:
            if match["name"].lower() not in html.VOID_NAMES:
                balance += -1 if match["close"] else 1
    return balance


_FINDERS = {
    TextFormat.MARKDOWN: _markdown_cuts,
    TextFormat.HTML: _html_cuts,
    TextFormat.ICU: lambda text: {},
}
