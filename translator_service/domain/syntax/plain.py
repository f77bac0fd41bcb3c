"""Plain text, and what must survive in every dialect: addresses of the web and of people, emoji."""

from __future__ import annotations

import regex

from translator_service.domain.syntax.spans import lines_of, settle, trimmed
from translator_service.domain.values import Span, Token, TokenKind

# A closing bracket or a full stop at the end belongs to the sentence, not to the address; and `](` is where a
# Markdown link with an address for its label goes on.
_URL = regex.compile(
    r"(?:\b(?:https?|ftp|file|wss?)://|\bmailto:|\bwww\.(?=[\w-]+\.))"
    r"(?:(?!\]\()[^\s<>\"'`\u00ab\u00bb\u201c\u201d\u3000-\u303f])+"
)
_URL_TAIL = ".,;:!?*_~'\"\u2026"
_EMAIL = regex.compile(r"(?<![\w.+%-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)*\.\p{L}{2,}(?![\w-])")
# Keycaps and flags are sequences; a bare digit, `#` or `*` is an Emoji by property but is text here,
# and so are the symbols that show as text by default unless a variation selector asks for a picture.
_EMOJI_ONE = (
    r"(?:\p{Regional_Indicator}{2}|[0-9#*]\ufe0f?\u20e3"
    r"|(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\U0001F000-\U0001FAFF])"
    r"(?:\p{Emoji_Modifier}|\ufe0f|[\U000E0020-\U000E007F])*)"
)
_EMOJI = regex.compile(rf"{_EMOJI_ONE}(?:\u200d{_EMOJI_ONE}|\u200d\p{{Extended_Pictographic}}\ufe0f?)*")
_BLANK_LINES = regex.compile(r"\r?\n(?:[ \t]*\r?\n)+")


def find_common_tokens(text: str) -> list[Token]:
    """URLs, e-mail addresses and emoji, unsettled."""
    tokens = [Token(_url_span(text, m.start(), m.end()), TokenKind.LINK) for m in _URL.finditer(text)]
    tokens += [Token(Span(m.start(), m.end()), TokenKind.LINK) for m in _EMAIL.finditer(text)]
    tokens += [Token(Span(m.start(), m.end()), TokenKind.EMOJI) for m in _EMOJI.finditer(text)]
    return tokens


def _url_span(text: str, start: int, end: int) -> Span:
    while end > start:
        last = text[end - 1]
        if last in _URL_TAIL:
            end -= 1
        elif last in ")]}" and text.count(last, start, end) > text.count("([{"[")]}".index(last)], start, end):
            end -= 1
        else:
            break
    return Span(start, end)


def find_tokens(text: str) -> tuple[Token, ...]:
    return settle(find_common_tokens(text))


def find_prose(text: str) -> tuple[Span, ...]:
    """Each line, without the white space at its edges."""
    spans = (trimmed(text, line.start, line.end) for line in lines_of(text))
    return tuple(span for span in spans if span.end > span.start)


def find_blocks(text: str) -> tuple[Span, ...]:
    """Paragraphs, each with the blank lines that follow it."""
    spans: list[Span] = []
    at = 0
    for match in _BLANK_LINES.finditer(text):
        if text[at : match.start()].strip() or at:
            spans.append(Span(at, match.end()))
            at = match.end()
    if at < len(text):
        spans.append(Span(at, len(text)))
    return tuple(spans)
