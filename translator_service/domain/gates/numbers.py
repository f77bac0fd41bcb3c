"""Numbers: the same quantities, written the target's way. A flag: texts spell numbers out, and convert them."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache

import regex

from translator_service.domain.gates.readings import readable
from translator_service.domain.gates.rules import Parts, Rule, compare
from translator_service.domain.values import GateContext, GateResult, GateSeverity, Span

NUMBERS = Rule("numbers", GateSeverity.FLAG)

# Blanks that group digits: no-break, narrow no-break, thin; an ordinary one parts two numbers.
_NUMBER = regex.compile(r"(?<![\p{L}\p{N}_])\p{Nd}+(?:[.,'’\u00a0\u202f\u2009\u066b\u066c]\p{Nd}+)*(?![\p{N}_])")
# Up to here a language may prefer the word ("two").
_SPELLED_OUT = 12


def numbers(source: str, candidate: str, context: GateContext) -> GateResult:
    """The numbers of the source, each read with its locale's signs for decimals and groups."""
    want = _numbers(readable(source, context.text_format), context.source_locale)
    have = _numbers(readable(candidate, context.text_format), context.target_locale)
    missing = Counter(key for key, _ in want) - Counter(key for key, _ in have)
    extra = Counter(key for key, _ in have) - Counter(key for key, _ in want)
    spelled = {
        key
        for key in (missing | extra)
        if key.isdigit() and int(key) <= _SPELLED_OUT and not (missing[key] and extra[key])
    }
    return compare(
        NUMBERS,
        [part for part in want if part[0] not in spelled],
        [part for part in have if part[0] not in spelled],
        "numbers",
    )


def _numbers(text: str, locale: str) -> Parts:
    decimal, group = _signs(locale)
    parts: Parts = []
    for match in _NUMBER.finditer(text):
        parts.append((_canonical(match[0], decimal, group), Span(match.start(), match.end())))
    return parts


def _canonical(written: str, decimal: str, group: str) -> str:
    """The value with `.` for decimals and no groups; what is no number of the locale stays as written."""
    digits = "".join(str(unicodedata.digit(sign)) if sign.isdigit() else sign for sign in written)
    for sign in "\u00a0\u202f\u2009\u066c’":
        digits = digits.replace(sign, group)
    digits = digits.replace("\u066b", decimal)
    separators = {sign for sign in digits if not sign.isdigit()}
    if not separators:
        return digits.lstrip("0") or "0"
    if regex.fullmatch(rf"\d{{1,3}}(?:{regex.escape(group)}\d{{3}})+(?:{regex.escape(decimal)}\d+)?", digits):
        return digits.replace(group, "").replace(decimal, ".")
    if separators == {decimal} and digits.count(decimal) == 1:
        return digits.replace(decimal, ".")
    return digits


@lru_cache(maxsize=256)
def _signs(locale: str) -> tuple[str, str]:
    """The locale's (decimal, group) signs; a blank that groups is a no-break one. Source: CLDR through Babel."""
    from babel import Locale, UnknownLocaleError

    try:
        symbols = Locale.parse(locale.replace("-", "_")).number_symbols
    except (ValueError, UnknownLocaleError):
        return ".", ","
    found = symbols.get("latn", symbols)
    group = found.get("group", ",")
    return found.get("decimal", "."), "\u00a0" if group.isspace() or group in "’'" else group


GATES = (numbers,)
