"""BCP 47 locale tags: one check and one spelling for every entrance."""

from __future__ import annotations

from babel import Locale
from babel.core import UnknownLocaleError


class LocaleError(ValueError):
    """A locale tag is malformed or unknown; `tag` is what was given."""

    def __init__(self, tag: str) -> None:
        super().__init__(f"{tag!r} is not a known locale. Use a BCP 47 tag such as en, pt-BR or zh-Hans")
        self.tag = tag


def canonical(tag: str) -> str:
    """Return `tag` in its canonical spelling (``pt_br`` becomes ``pt-BR``).

    Raises:
        LocaleError: CLDR doesn't know the locale.
    """
    try:
        locale = Locale.parse(tag.replace("_", "-"), sep="-", resolve_likely_subtags=False)
    except (UnknownLocaleError, ValueError, TypeError):
        raise LocaleError(tag) from None
    parts = (locale.language, locale.script, locale.territory, locale.variant)
    return "-".join(part for part in parts if part)


def direction(tag: str) -> str:
    """Return ``ltr`` or ``rtl``, the direction in which text of locale `tag` is written."""
    return Locale.parse(canonical(tag), sep="-").text_direction


def language(tag: str) -> str:
    """Return the language subtag: ``pt`` for ``pt-BR``."""
    return canonical(tag).split("-", 1)[0]
