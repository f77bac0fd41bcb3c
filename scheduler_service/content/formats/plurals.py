"""Which plural forms a locale has: CLDR categories for strings files, numbered forms for gettext."""

from __future__ import annotations

import gettext
from dataclasses import dataclass
from functools import lru_cache

from babel import Locale
from babel.messages.plurals import DEFAULT_PLURAL, PLURALS, get_plural
from babel.plural import PluralRule, to_gettext

from translator_service.foundation.locales import canonical

# CLDR's own order, https://unicode.org/reports/tr35/tr35-numbers.html#Language_Plural_Rules
CATEGORIES = ("zero", "one", "two", "few", "many", "other")

# Every category of CLDR's rules is met somewhere here, save those that only fractions take: cycles are at
# most 100 long, and "many" of French or Portuguese needs a million.
_SAMPLES = (*range(201), 1_000, 1_000_000)

# Numbers shown to a translator for a form: enough to recognise it, not a table.
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class PluralForm:
    """One form of a locale. `numbers` are some that take it (empty: fractions only)."""

    name: str
    numbers: tuple[int, ...]
    is_only_one: bool

    @property
    def note(self) -> str:
        """A line for translators."""
        shown = ", ".join(str(number) for number in self.numbers[:_SHOWN])
        return f"plural form {self.name}, for numbers such as {shown}" if shown else f"plural form {self.name}"


@dataclass(frozen=True, slots=True)
class GettextPlurals:
    """The forms of ``msgstr[0]``… in order, and the value of the header ``Plural-Forms``."""

    forms: tuple[PluralForm, ...]
    header: str


@lru_cache(maxsize=256)
def cardinal_forms(locale: str) -> tuple[PluralForm, ...]:
    """Return the forms that counting takes in `locale`, named by CLDR category, in CLDR's order."""
    return _forms(_parsed(locale).plural_form)


@lru_cache(maxsize=256)
def ordinal_forms(locale: str) -> tuple[PluralForm, ...]:
    """Return the forms that ranking (1st, 2nd …) takes in `locale`, as `cardinal_forms` does."""
    return _forms(_parsed(locale).ordinal_form)


@lru_cache(maxsize=256)
def gettext_plurals(locale: str) -> GettextPlurals:
    """Return the gettext forms of `locale`.

    Babel's table, and for a language that it lacks CLDR's rule; without either, gettext's usual two forms.
    """
    parsed = _parsed(locale)
    plural = get_plural(parsed)
    header = f"nplurals={plural.num_plurals}; plural={plural.plural_expr};"
    rule = parsed.plural_form
    is_listed = str(parsed) in PLURALS or parsed.language in PLURALS
    if not is_listed and tuple(plural) == DEFAULT_PLURAL and rule.tags:
        header = to_gettext(rule).rstrip(";") + ";"
    count_part, expression_part = header.rstrip(";").split(";", 1)
    count = int(count_part.split("=", 1)[1])
    form_of = gettext.c2py(expression_part.split("=", 1)[1])
    numbers: list[list[int]] = [[] for _ in range(count)]
    for number in _SAMPLES:
        numbers[form_of(number)].append(number)
    forms = tuple(PluralForm(str(index), tuple(taken), taken == [1]) for index, taken in enumerate(numbers))
    return GettextPlurals(forms, header)


def _parsed(locale: str) -> Locale:
    return Locale.parse(canonical(locale), sep="-")


def _forms(rule: PluralRule) -> tuple[PluralForm, ...]:
    numbers: dict[str, list[int]] = {name: [] for name in CATEGORIES if name == "other" or name in rule.tags}
    for number in _SAMPLES:
        numbers[rule(number)].append(number)
    return tuple(PluralForm(name, tuple(taken), taken == [1]) for name, taken in numbers.items())
