"""Plural forms of locales."""

from __future__ import annotations

import gettext
import subprocess

import pytest
from babel import Locale
from babel.localedata import locale_identifiers

from scheduler_service.content.formats.plurals import CATEGORIES, cardinal_forms, gettext_plurals, ordinal_forms


@pytest.mark.parametrize(
    ("locale", "names"),
    [
        ("en", ["one", "other"]),
        ("pt-BR", ["one", "many", "other"]),
        ("ja", ["other"]),
        ("pl", ["one", "few", "many", "other"]),
        ("ar", ["zero", "one", "two", "few", "many", "other"]),
    ],
)
def test_cardinal_forms_are_the_categories_of_cldr(locale, names):
    assert [form.name for form in cardinal_forms(locale)] == names


def test_ordinal_forms_are_other_ones_than_cardinal_forms():
    assert [form.name for form in ordinal_forms("en")] == ["one", "two", "few", "other"]
    assert [form.name for form in ordinal_forms("pt-BR")] == ["other"]


def test_every_category_of_every_locale_is_met_by_a_sample_unless_only_fractions_take_it():
    without = {
        (locale, form.name)
        for locale in ("en", "fr", "pt-BR", "ru", "ar", "cy", "br", "ga", "lt", "gd", "mt", "sl")
        for form in cardinal_forms(locale)
        if not form.numbers
    }
    # CLDR's own sample line for these two categories has fractions only.
    assert without == {("ru", "other"), ("lt", "many")}


def test_one_means_other_numbers_than_one_in_some_locales():
    only = {locale: cardinal_forms(locale)[0].is_only_one for locale in ("en", "de", "pt-BR", "ru")}
    assert only == {"en": True, "de": True, "pt-BR": False, "ru": False}


def test_a_form_tells_translators_some_of_its_numbers():
    few = cardinal_forms("pl")[1]
    assert few.note == "plural form few, for numbers such as 2, 3, 4"


@pytest.mark.parametrize(("locale", "count"), [("pt-BR", 3), ("ja", 1), ("ru", 3), ("ar", 6), ("en-GB", 2)])
def test_gettext_has_as_many_forms_as_its_header_says(locale, count):
    plurals = gettext_plurals(locale)
    assert len(plurals.forms) == count
    assert plurals.header.startswith(f"nplurals={count}; plural=")
    assert [form.name for form in plurals.forms] == [str(index) for index in range(count)]


def test_a_language_that_babel_does_not_list_gets_the_rule_of_cldr():
    # Tajik takes "one" for 0 too; Babel's own fallback would say n != 1.
    header = gettext_plurals("tg").header
    form_of = gettext.c2py(header.rstrip(";").split("; plural=")[1])
    rule = Locale.parse("tg").plural_form
    assert [form_of(number) for number in range(4)] == [0, 0, 1, 1]
    assert [rule(number) for number in range(4)] == ["one", "one", "other", "other"]


def test_msgfmt_accepts_the_plural_forms_of_every_language(tmp_path):
    languages = sorted({Locale.parse(name).language for name in locale_identifiers()})
    headers = {gettext_plurals(language).header: language for language in languages}
    catalogues = []
    for header, language in headers.items():
        count = len(gettext_plurals(language).forms)
        forms = "".join(f'msgstr[{index}] "x%d"\n' for index in range(count))
        path = tmp_path / f"{language}.po"
        path.write_text(
            'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
            f'"Plural-Forms: {header}\\n"\n\n#, c-format\nmsgid "%d day"\nmsgid_plural "%d days"\n{forms}'
        )
        catalogues.append((language, path))
    refused = [
        language
        for language, path in catalogues
        if subprocess.run(["msgfmt", "--check", "-o", "/dev/null", path], capture_output=True).returncode
    ]
    assert len(catalogues) > 10
    assert refused == []


def test_the_categories_stand_in_the_order_of_cldr():
    assert CATEGORIES == ("zero", "one", "two", "few", "many", "other")
