"""How a locale is named and which way its text runs, for the `lang` and `dir` of each text."""

from __future__ import annotations

from functools import cache

from babel import Locale
from babel.core import UnknownLocaleError

from translator_service.foundation import locales


@cache
def direction(tag: str) -> str:
    """Return ``ltr`` or ``rtl``; ``auto`` for a tag that nobody knows."""
    try:
        return locales.direction(tag)
    except locales.LocaleError:
        return "auto"


@cache
def language_name(tag: str) -> str:
    """Return the English name of locale `tag`, the tag itself where CLDR has none."""
    try:
        return Locale.parse(locales.canonical(tag), sep="-").get_display_name("en") or tag
    except (locales.LocaleError, UnknownLocaleError, ValueError):
        return tag
