"""Sentences of a text by offsets; joined they always equal the text.

Our own rule: the libraries at hand either lose offsets, or crash on rare blanks and print the text while
they do. A missed end costs nothing, a false one costs an engine its context, so doubt joins.
"""

from __future__ import annotations

from collections.abc import Sequence

import regex

from translator_service.domain.abbreviations import ORDINAL_LANGUAGES, abbreviations
from translator_service.domain.values import Span

# A stop with its closing quotes and brackets; pictures behind it still belong to the sentence.
_END = regex.compile(
    r"(?:(?P<stop>[.!?…‥؟۔।॥።။]+)(?P<closing>[\"'”’»›)\]}*_~“]*)"
    r"(?=\s|\p{So}|\p{Emoji_Presentation}|$)"
    r"|(?P<wide>[。！？｡]+[」』）】〉》”’\"')]*))"
    r"(?:\s*(?:\p{Emoji_Presentation}|\p{So})[\p{Emoji_Modifier}\ufe0f\u200d\p{So}\p{Emoji_Presentation}]*)*"
    r"\s*"
    r"|\n[ \t\r]*\n\s*"
)
_NEXT = regex.compile(r"[\"'“‘«‹„(\[*_~¿¡—–-]*(?P<sign>.)", regex.DOTALL)
_WORD_BEFORE = regex.compile(r"[\p{L}\p{M}\p{N}.-]*$")
_SMALL = regex.compile(r"\p{Ll}")
_INITIAL = regex.compile(r"(?:^|\.)\p{Lu}$")


def split_sentences(text: str, locale: str, whole: Sequence[tuple[int, int]] = ()) -> tuple[Span, ...]:
    """The sentences, each with the blanks that follow it; empty for an empty text.

    No sentence ends inside one of the stretches `whole`, (start, end) of code or an address: its full
    stops are none.
    """
    language = locale.replace("_", "-").split("-")[0].lower()
    spans: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if end >= len(text) or not text[start : match.start()].strip() or not match[0]:
            continue
        if any(begin < end < stop for begin, stop in whole) or any(
            begin <= match.start() < stop for begin, stop in whole
        ):
            continue
        if match["stop"] and not _ends_here(text, start, match, language):
            continue
        spans.append(Span(start, end))
        start = end
    if start < len(text):
        spans.append(Span(start, len(text)))
    return tuple(spans)


def _ends_here(text: str, start: int, match: regex.Match[str], language: str) -> bool:
    following = _NEXT.match(text, match.end())
    if following and _SMALL.match(following["sign"]):
        return False
    if ")" in match["closing"] and "(" not in text[start : start + 3]:
        return False
    if match["stop"] != "." or match["closing"]:
        return True
    word = _WORD_BEFORE.search(text, start, match.start())[0].strip("-").lstrip(".")
    if not word:
        return True
    if word.isdigit():
        is_numbering = not text[start : match.start() - len(word)].strip()
        return not is_numbering and not (language in ORDINAL_LANGUAGES and len(word) <= 2)
    return word.casefold() not in abbreviations(language) and not _INITIAL.search(word)
