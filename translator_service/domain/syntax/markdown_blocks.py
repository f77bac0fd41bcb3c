"""Blocks of Markdown: CommonMark and tables, plus the lines that site generators add to them.

Everything here is by line; what stands inside a line is `markdown_inline`'s business.
"""

from __future__ import annotations

from collections.abc import Callable

import regex
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference
from markdown_it.token import Token as BlockToken

# `/// tip | Title` (PyMdown), `::: tip Title`, `:::note[Title]` (VitePress, Docusaurus, MyST).
_FENCED = regex.compile(
    r"(?:/{3,}(?:[ \t]*[\w-]+(?:[ \t]*\|[ \t]*(?P<title>.*?))?)?"
    r"|:{3,}(?:[ \t]*\{?[\w.-]+\}?(?:\[(?P<title>.*)\]|[ \t]+(?P<title>[^{\s].*?))?(?:[ \t]*\{[^{}]*\})?)?)[ \t]*"
)
# `!!! note "Title"`, `??? note`, `=== "Tab"` (Material for MkDocs): the body is indented by four.
_INDENTED = regex.compile(r"(?:!!!|\?\?\?\+?|===[!+]?)(?:[ \t]+[\w-]+)*(?:[ \t]+\"(?P<title>.*)\")?[ \t]*")
# Includes, templates, shortcodes, tables of contents, attribute lists that stand alone.
_ALONE = regex.compile(
    r"(?:\{[*!%].*[*!%]\}|\{\{[<%].*[>%]\}\}|\[\[?_?(?:TOC|toc)_?\]?\]|\{:?[ \t]*[.#][^{}]*\})[ \t]*"
)
_FRONT_MATTER = regex.compile(r"(?:\ufeff)?(---|\+\+\+)[ \t]*\n(?:.*?\n)?\1[ \t]*(?:\n|\Z)", regex.DOTALL)
_INDENT = 4


def front_matter_end(text: str) -> int:
    """Where the front matter at the top ends, 0 without one."""
    match = (
        _FRONT_MATTER.match(text.replace("\r\n", " \n")) if text[:4].lstrip("\ufeff")[:3] in ("---", "+++") else None
    )
    return match.end() if match else 0


def parse_blocks(text: str) -> tuple[list[BlockToken], dict]:
    """The block tokens with their line maps, inline content unparsed, and the link definitions.

    Line ends are made `\\n` without changing any offset, so maps and offsets are of the text as given.
    """
    tokens: list[BlockToken] = []
    env: dict = {}
    PARSER.block.parse(same_length(text), PARSER, env, tokens)
    return tokens, env


def same_length(text: str) -> str:
    """The text with `\\n` for every line end, a blank for a byte-order mark, and every offset as it was."""
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    return text.replace("\r\n", " \n").replace("\r", "\n").replace("\0", "\ufffd")


def _line(state: StateBlock, line: int) -> tuple[int, str]:
    start = state.bMarks[line] + state.tShift[line]
    return start, state.src[start : state.eMarks[line]]


def _push(state: StateBlock, name: str, match: regex.Match[str], line: int, end_line: int, nesting: int) -> None:
    token = state.push(name, "", nesting)
    token.map = [line, end_line]
    token.block = True
    start = state.bMarks[line] + state.tShift[line]
    title = match.capturesdict().get("title") or []
    token.meta = {"start": start, "end": state.eMarks[line]}
    if title and title[0].strip():
        title_start = start + match.start("title")
        token.meta["title"] = (title_start, start + match.end("title"))
    token.markup = match[0]


def _directive(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """A line that is a directive by itself. It may interrupt a paragraph."""
    if state.is_code_block(line):
        return False
    _, content = _line(state, line)
    if content[:1] not in ("/", ":", "{", "["):
        return False
    match = _FENCED.fullmatch(content) or _ALONE.fullmatch(content)
    if match is None:
        return False
    if not silent:
        _push(state, "directive", match, line, line + 1, 0)
        state.line = line + 1
    return True


def _container(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """A directive whose body is the indented lines below it."""
    if state.is_code_block(line):
        return False
    _, content = _line(state, line)
    if content[:3] not in ("!!!", "???", "==="):
        return False
    match = _INDENTED.fullmatch(content)
    if match is None or len(match[0].strip()) == 3:
        return False
    if silent:
        return True
    indent = state.blkIndent + _INDENT
    stop = line + 1
    while stop < end_line and (state.isEmpty(stop) or state.sCount[stop] >= indent):
        stop += 1
    while stop > line + 1 and state.isEmpty(stop - 1):
        stop -= 1
    _push(state, "container_open", match, line, stop, 1)
    kept = (state.parentType, state.lineMax, state.blkIndent)
    state.parentType, state.lineMax, state.blkIndent = "container", stop, indent
    state.md.block.tokenize(state, line + 1, stop)
    state.parentType, state.lineMax, state.blkIndent = kept
    state.push("container_close", "", -1).block = True
    state.line = stop
    return True


def _definition(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """A link definition; a footnote `[^1]: text` is prose, not one."""
    if _line(state, line)[1].startswith("[^"):
        return False
    return reference(state, line, end_line, silent)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": 40}).enable(["table", "strikethrough"])
    rules: tuple[tuple[str, Callable], ...] = (("container", _container), ("directive", _directive))
    for name, rule in rules:
        parser.block.ruler.before("table", name, rule, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.block.ruler.at("reference", _definition, {"alt": []})
    return parser


PARSER = _parser()
