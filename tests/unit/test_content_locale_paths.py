"""Locales in file paths."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from scheduler_service.content.sources.locale_paths import is_other_locale, target_path


@pytest.mark.parametrize(
    ("path", "suffix", "expected"),
    [
        ("en/guide/index.md", ".md", "pt-BR/guide/index.md"),
        ("guide/index.md", ".md", "guide/index.md"),
        ("index.en.md", ".md", "index.pt-BR.md"),
        ("en.json", ".json", "pt-BR.json"),
        ("app.EN.json", ".json", "app.pt-BR.json"),
        ("conf.en.po", ".po", "conf.pt_BR.po"),
        ("en/site.po", ".po", "pt-BR/site.po"),
        ("locale/en/LC_MESSAGES/site.po", ".po", "locale/pt_BR/LC_MESSAGES/site.po"),
        ("site.pot", ".pot", "site.po"),
        ("intro.en.dialogue.jsonl", ".dialogue.jsonl", "intro.pt-BR.dialogue.jsonl"),
        ("when-en.md", ".md", "when-en.md"),
        ("green/pen.md", ".md", "green/pen.md"),
    ],
)
def test_what_names_the_source_locale_names_the_target(path, suffix, expected):
    assert str(target_path(PurePosixPath(path), suffix, "en", "pt-BR")) == expected


def test_a_source_locale_with_a_region_is_found_in_both_spellings():
    assert str(target_path(PurePosixPath("en_GB/a.en-gb.md"), ".md", "en-GB", "de")) == "de/a.de.md"


@pytest.mark.parametrize(
    ("path", "others", "expected"),
    [
        ("pt/index.md", {"en", "pt"}, True),
        ("docs/pt-br/index.md", {"docs/en", "docs/pt-br"}, True),
        ("pt/index.md", {"pt"}, False),
        ("en/index.md", {"en", "pt"}, False),
        ("src/index.md", {"en", "src"}, False),
        ("guides/index.md", {"en"}, False),
        ("conf.pt_BR.po", {"conf.en.po"}, True),
        ("conf.pt_BR.po", {"other.en.po"}, False),
        ("pt.json", {"en.json"}, True),
        ("en.json", {"pt.json"}, False),
    ],
)
def test_a_translation_beside_its_source_is_no_content(path, others, expected):
    suffix = PurePosixPath(path).suffix
    assert is_other_locale(PurePosixPath(path), suffix, "en", others | {path}) is expected
