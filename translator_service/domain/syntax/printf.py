"""C and Python percent placeholders: `%s`, `%1$d`, `%(name)s`, `%@`, `%%`."""

from __future__ import annotations

import regex

from translator_service.domain.syntax import html, plain
from translator_service.domain.syntax.spans import settle
from translator_service.domain.values import Span, Token, TokenKind

# The space flag is hardly ever meant ("100% done"): it counts only where no word goes on after it.
PLACEHOLDER = regex.compile(
    r"%(?:(?P<percent>%)"
    r"|(?:(?P<number>\d+)\$|\((?P<name>[^()\n%]+)\))?"
    r"(?P<flags>[-+#0']*|[-+#0']* [-+#0']*(?=[\d.*]*(?:hh|h|ll|l|L|q|j|z|t)?[a-zA-Z@](?!\w)))"
    r"(?P<width>\*(?:\d+\$)?|\d+)?(?:\.(?P<precision>\*(?:\d+\$)?|\d+)?)?"
    r"(?P<length>hh|h|ll|l|L|q|j|z|t)?(?P<type>[diouxXeEfFgGaAcspnr@]))"
)


def find_placeholders(text: str) -> list[regex.Match[str]]:
    return list(PLACEHOLDER.finditer(text))


def find_tokens(text: str) -> tuple[Token, ...]:
    """Placeholders, and the tags that strings of a program may carry."""
    own = [Token(Span(m.start(), m.end()), TokenKind.PLACEHOLDER) for m in PLACEHOLDER.finditer(text)]
    return settle(own, html.find_tags(text), plain.find_common_tokens(text))


find_prose = plain.find_prose
find_blocks = plain.find_blocks
