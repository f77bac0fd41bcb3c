"""Guess what a string of a strings file or catalogue is made of, from its placeholders.

A wrong guess costs protection, so a doubtful placeholder counts as one; the translator has the parsers.
"""

from __future__ import annotations

import re
from collections import Counter

_ICU = re.compile(
    r"\{\s*[\w.]+\s*,\s*(?:plural|select|selectordinal|number|date|time|spellout|ordinal|duration)\s*[,}]"
)
_I18NEXT = re.compile(r"\{\{-?\s*[\w.]+[^{}]*\}\}|\$t\(")
_PYTHON = re.compile(r"%\(\w+\)[-+ #0]*\d*(?:\.\d+)?[diouxXeEfFgGcrsa]")
# After a digit ("50%off", "100%s") a conversion counts only where no word goes on; elsewhere "%ds" is %d
# and an s. The blank flag is left out: "100% sure" is far more frequent than "% d".
_PRINTF = re.compile(
    r"(?<![\d%])%(?:\d+\$)?[-+#0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|L|q|j|z|t)?[diouxXeEfFgGcsp@]"
    r"|(?<=\d)%(?:\d+\$)?[diouxXeEfFgGcsp@](?![A-Za-z])"
)
_BRACE = re.compile(r"\{[\w.\[\]]*(?:![rsa])?(?::[^{}]*)?\}")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>|&(?:#\d+|#x[0-9A-Fa-f]+|[A-Za-z]\w+);")


def text_format_of(text: str, *, is_icu: bool = False) -> str:
    """Return the text format of `text`. `is_icu`: braces are known to be ICU's (an ARB file)."""
    if _ICU.search(text) or (is_icu and "{" in text):
        return "icu"
    if _I18NEXT.search(text):
        return "i18next"
    if _PYTHON.search(text):
        return "python-format"
    if _BRACE.search(text):
        return "brace"
    if _PRINTF.search(text):
        return "printf"
    return "html" if _TAG.search(text) else "plain"


def has_placeholders_of(text: str, other: str) -> bool:
    """Say whether every placeholder of `other` is in `text` too, as often."""
    return not _placeholders(other) - _placeholders(text)


def _placeholders(text: str) -> Counter[str]:
    return Counter(
        found.group() for pattern in (_I18NEXT, _PYTHON, _BRACE, _PRINTF) for found in pattern.finditer(text)
    )
