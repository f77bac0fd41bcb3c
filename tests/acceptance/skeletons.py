"""What must not change in a translated Markdown page, read line by line with rules of its own.

Deliberately no Markdown parser: the product has one, and a second reading should not share its mistakes.
"""

from __future__ import annotations

import re

_FENCE = re.compile(r"(\s*)(`{3,}|~{3,})(.*)\Z")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*(\{[^{}]*\})?[ \t]*\Z")
_ADMONITION = re.compile(r"(\s*)(/{3,}|!{3}|\?{3}\+?)[ \t]*([\w-]*)[ \t]*(\||\"|\Z)")
_INCLUDE = re.compile(r"\s*\{\*.*\*\}\s*\Z")
_RULE = re.compile(r"\s{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_DELIMITER_ROW = re.compile(r"\s*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\s*\Z")
_ROW = re.compile(r"\s*\|.*\|\s*\Z")
_ITEM = re.compile(r"(\s*)([-*+]|\d+[.)])([ \t]+)")
_QUOTE = re.compile(r"(\s*(?:>[ \t]?)+)")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)
_TARGET = re.compile(r"(!?)\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^()\s]*(?:\([^()]*\)[^()\s]*)*)")
_ATTRIBUTES = re.compile(r"\{[ \t]*[.:#][^{}]*\}")
_ADDRESS = re.compile(r"<?\b(?:https?|mailto):[^\s<>)\]\"']+")
_CELL = re.compile(r"(?<!\\)\|")
# A reader sees these values, so they may be translated; the attribute itself must stay.
_SPOKEN = re.compile(r"\b(title|alt|aria-label)=(\"[^\"]*\"|'[^']*')")


def skeleton(text: str) -> str:
    """Return one line for each block of `text` with what may not change in it, and code verbatim.

    Headings give level and attributes, admonitions their mark and kind, tables their cells and delimiters, list
    items their marker and indentation. Inline code, link targets, addresses and HTML tags are listed for each
    block, sorted: a translated sentence may order them otherwise, but not move them elsewhere. Prose, the
    titles of admonitions and spoken attributes (title, alt) are left out, and where its lines break.
    """
    lines: list[str] = []
    prose: list[str] = []
    kind = ""
    fence = ""
    item_indent = -1
    is_after_blank = True

    def close() -> None:
        nonlocal kind
        if prose:
            lines.append(f"{kind} {_inline(' '.join(prose))}".rstrip())
        prose.clear()
        kind = ""

    for line in text.replace("\r\n", "\n").split("\n"):
        if fence:
            lines.append(f"code|{line}")
            stripped = line.strip()
            if stripped.startswith(fence) and not stripped.strip(fence[0]):
                fence = ""
            continue
        if not line.strip():
            close()
            is_after_blank = True
            continue
        indent = len(line) - len(line.lstrip())
        if indent <= item_indent and is_after_blank and not _ITEM.match(line):
            item_indent = -1
        if found := _FENCE.match(line):
            close()
            fence = found[2]
            lines.append(f"code|{line}")
        elif is_after_blank and indent >= 4 and item_indent < 0:
            close()
            lines.append(f"code|{line}")
            continue
        elif found := _HEADING.match(line):
            close()
            lines.append(f"heading {found[1]} {found[3] or ''} {_inline(found[2])}".rstrip())
        elif _INCLUDE.match(line) or _RULE.match(line) or _DELIMITER_ROW.match(line) and "-" in line:
            close()
            lines.append(f"verbatim {line}")
        elif found := _ADMONITION.match(line):
            close()
            lines.append(f"admonition {found[1]}{found[2]} {found[3]} {found[4]}".rstrip())
        elif _ROW.match(line) or "|" in line and kind == "row":
            close()
            kind = "row"
            cells = _CELL.split(_CODE.sub("`", line))
            lines.append(f"row of {len(cells)} {_inline(line)}".rstrip())
        elif found := _ITEM.match(line):
            close()
            item_indent = len(found[1])
            kind = f"item {found[1]!r}{found[2]}"
            prose.append(line[found.end() :])
        elif found := _QUOTE.match(line):
            if not kind.startswith("quote"):
                close()
            kind = f"quote {found[1].strip()}"
            prose.append(line[found.end() :])
        else:
            kind = kind or f"text at {indent}"
            prose.append(line.strip())
        is_after_blank = False
    close()
    return "\n".join(lines) + "\n"


def prose_words(text: str) -> list[str]:
    """Return the words of three letters and more outside of code, tags, targets and includes."""
    bare = re.sub(r"^\s*(`{3,}|~{3,}).*?^\s*\1\s*$", " ", text, flags=re.MULTILINE | re.DOTALL)
    for pattern in (_CODE, _TAG, _TARGET, _ADDRESS, _ATTRIBUTES, re.compile(r"\{\*.*?\*\}")):
        bare = pattern.sub(" ", bare)
    return re.findall(r"[^\W\d_]{3,}", bare.casefold())


def _inline(prose: str) -> str:
    """Return what stands in `prose` and may not change, sorted."""
    found: list[str] = []

    def take(label: str, pattern: re.Pattern[str], text: str, group: int = 0) -> str:
        def keep(match: re.Match[str]) -> str:
            found.append(f"{label}{match[group]}")
            # A link's label is prose with marks of its own; only the target goes.
            return match[0][: match.start(2) - match.start()] if label == "->" else " "

        return pattern.sub(keep, text)

    prose = take("", _CODE, prose)
    prose = take("->", _TARGET, prose, 2)
    prose = _SPOKEN.sub(r"\1=…", prose)
    prose = take("", _TAG, prose)
    prose = take("", _ATTRIBUTES, prose)
    take("", _ADDRESS, prose)
    return " ".join(sorted(found))
