"""The small engine's known slips, put right by rules that look at source and answer. Nothing here knows a
language: each rule restores what the source shows (its edges, its capitals) or drops what it can't hold."""

from __future__ import annotations

import regex

_BRACKETED_END = regex.compile(r"\s*\([^()]*\)?[.\s]*$")
_LOOSE_DASH_END = regex.compile(r"\s+[-–—]+$")
_END_SIGNS = regex.compile(r"[.!?,;:]+$")
_TWICE = regex.compile(r"\b(\p{L}+) \1\b", regex.IGNORECASE)


def mended(source: str, answer: str) -> str:
    """Return the answer to the one sentence `source`, both without blanks at the edges."""
    text = _without_invented_end(source, answer)
    if not _TWICE.search(source):
        text = _TWICE.sub(r"\1", text)
    return with_capital_of(source, text)


def _without_invented_end(source: str, answer: str) -> str:
    """Short strings get an ending that isn't there: " (a)", " -", a full stop or an exclamation mark."""
    text = answer
    if "(" not in source:
        text = _BRACKETED_END.sub("", text) or text
    text = _LOOSE_DASH_END.sub("", text)
    if source.endswith("…") and text.endswith("..."):
        text = text[:-3] + "…"
    if source[-1:].isalnum():
        text = _END_SIGNS.sub("", text) or text
    sign = _END_SIGNS.search(source)
    if sign and sign[0] in (",", ";", ":"):
        return _END_SIGNS.sub("", text) + sign[0]
    if sign and not text.endswith(tuple(".!?,;:…")):
        return text + sign[0]
    return text


def with_capital_of(source: str, text: str) -> str:
    """Give `text` the kind of first letter that `source` has, when both begin with a letter."""
    first = text[:1]
    if source[:1].isupper() and first.islower():
        return first.upper() + text[1:]
    if source[:1].islower() and first.isupper() and text[1:2].islower():
        return first.lower() + text[1:]
    return text
