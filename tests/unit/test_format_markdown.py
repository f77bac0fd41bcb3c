"""Markdown in and out."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from scheduler_service.content.formats.markdown import MarkdownFormat
from scheduler_service.content.values import BrokenFrontMatter, NotUtf8, UnknownFields

FORMAT = MarkdownFormat()
PAGE = b"""---
# kept
title: "A page"   # kept too
tags: [a,  b]
description: 'It''s short'
layout: post
---

# Heading

Body.
"""


def read(data):
    return {field.name: field.text for field in FORMAT.read("page.md", data, "pt-BR").fields}


def write(data, translations):
    return FORMAT.write(data, translations, "pt-BR", "en")


def test_a_page_has_its_title_description_and_body_as_fields():
    page = FORMAT.read("docs/page.md", PAGE, "pt-BR")
    assert page.page_id == "docs/page.md"
    assert [(field.name, field.text, field.text_format, field.position) for field in page.fields] == [
        ("title", "A page", "plain", 0),
        ("description", "It's short", "plain", 1),
        ("body", "\n# Heading\n\nBody.\n", "markdown", 2),
    ]


def test_a_page_without_front_matter_is_all_body():
    assert read(b"Just *text*.\n") == {"body": "Just *text*.\n"}


@pytest.mark.parametrize("data", [b"", b"\n\n", b"---\n---\n", b"---\ntags: [a]\ntitle: ''\n---\n  \n"])
def test_a_page_without_words_has_no_fields(data):
    assert read(data) == {}


@pytest.mark.parametrize("value", [b"2024", b"true", b"null", b"[a, b]", b"{en: A}", b"!private A"])
def test_a_title_that_is_no_text_is_no_field(value):
    assert read(b"---\ntitle: " + value + b"\n---\nText\n") == {"body": "Text\n"}


def test_toml_front_matter_is_kept_out_of_the_body():
    data = b'+++\ntitle = "A page"\n+++\nText\n'
    assert read(data) == {"body": "Text\n"}
    assert write(data, {"body": "Texto\n"}) == b'+++\ntitle = "A page"\n+++\nTexto\n'


def test_only_the_changed_values_are_replaced():
    written = write(PAGE, {"title": "Uma página", "description": "É curta", "body": "\n# Título\n"})
    assert written.decode() == (
        "---\n# kept\ntitle: \"Uma página\"   # kept too\ntags: [a,  b]\ndescription: 'É curta'\nlayout: post\n---\n"
        "\n# Título\n"
    )


def test_a_plain_value_stays_plain_where_that_is_safe_and_is_quoted_where_it_is_not():
    data = b"---\ntitle: House rules\n---\nx\n"
    assert write(data, {"title": "Regras da casa"}).startswith(b"---\ntitle: Regras da casa\n---")
    assert write(data, {"title": "Regras: as da casa"}).startswith(b'---\ntitle: "Regras: as da casa"\n---')
    for word in ("No", "null", "on", "123", "2024-01-02", "- a", "# a", "@a", "a: b", " a "):
        assert write(data, {"title": word}).startswith(f'---\ntitle: "{word}"\n---'.encode())


def test_a_plain_value_that_would_read_back_as_something_else_is_quoted():
    data = b"---\n{title: Rules, tags: [a]}\n---\nx\n"
    assert write(data, {"title": "Regras, tags"}) == b'---\n{title: "Regras, tags", tags: [a]}\n---\nx\n'
    assert read(write(data, {"title": "Regras"})) == {"title": "Regras", "body": "x\n"}


def test_a_folded_value_is_replaced_and_what_follows_it_stays():
    data = b"---\ndescription: >-\n  Two\n  lines\n\n# a comment\ntags: [x]\n---\nBody\n"
    assert read(data)["description"] == "Two lines"
    assert write(data, {"description": "Duas linhas"}) == (
        b'---\ndescription: "Duas linhas"\n\n# a comment\ntags: [x]\n---\nBody\n'
    )


def test_a_body_takes_the_line_ends_and_the_mark_of_its_file():
    data = codecs.BOM_UTF8 + b"---\r\ntitle: A\r\n---\r\nOne\r\nTwo\r\n"
    assert read(data) == {"title": "A", "body": "One\r\nTwo\r\n"}
    assert write(data, {"body": "Um\nDois\n"}) == codecs.BOM_UTF8 + b"---\r\ntitle: A\r\n---\r\nUm\r\nDois\r\n"


@pytest.mark.parametrize(
    ("data", "line", "problem"),
    [
        (b"---\ntitle: A\n\n# Text\n", 1, "never closed"),
        (b"---\ntags: [a]\ntitle: \"A\n---\nText\n", None, "not valid YAML"),
        (b"---\ntags: [a]\ntitle: a: b\n---\nText\n", 3, "not valid YAML"),
        (b"---\ntags: [a\ntitle: A\n---\nText\n", 3, "not valid YAML"),
        (b"---\njust words\n---\nText\n", 2, "not a mapping"),
        (b"---\na: 1\ntitle: A\ntitle: B\n---\nText\n", 4, "title is given twice"),
        (b"---\na: &x A\ntitle: *x\n---\nText\n", 3, "alias"),
        (b"---\na: 1\ntitle: &x A\n---\nText\n", 3, "anchor or tag"),
        (b"---\na: 1\ntitle: A\x07\n---\nText\n", 3, "control character"),
    ],
)
def test_broken_front_matter_is_reported_with_its_line(data, line, problem):
    with pytest.raises(BrokenFrontMatter, match=problem) as caught:
        read(data)
    assert caught.value.path == "page.md"
    assert caught.value.remedy
    assert line is None or caught.value.line == line


def test_bytes_that_are_not_utf8_are_reported():
    with pytest.raises(NotUtf8):
        read(b"caf\xe9")


def test_a_translation_for_a_field_that_is_not_there_is_refused():
    with pytest.raises(UnknownFields) as caught:
        write(b"Text\n", {"title": "Título"})
    assert caught.value.names == ("title",)


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1).filter(str.strip)
QUOTINGS = st.sampled_from(["title: Plain words", "title: 'single'", 'title: "double"', "title: >\n  folded\n  text"])


# A carriage return before a line end would be one line end or two, as one likes.
BODIES = TEXTS.map(lambda text: text.replace("\r", " ")).filter(str.strip)


NEWLINES = st.sampled_from(["\n", "\r\n"])


@settings(deadline=None)
@given(QUOTINGS, TEXTS, BODIES | BODIES.map(lambda text: text.replace("\n", "\r\n")), NEWLINES, st.booleans())
@example("title: x", "\u2028\x85\x7f\ufeff\U0001f600\ufffe", "b", "\n", False)
@example("title: 'x'", "it's\ttab", "---\n---\n", "\r\n", True)
def test_what_is_written_is_what_is_read_back(quoting, title, body, newline, has_mark):
    head = f"---\n# c\n{quoting}\nz: [1]\n---\n".replace("\n", newline)
    data = (codecs.BOM_UTF8 if has_mark else b"") + f"{head}Body{newline}".encode()
    written = write(data, {"title": title, "body": body})
    found = read(written)
    assert found["title"] == title
    assert found["body"].replace("\r\n", "\n") == body.replace("\r\n", "\n")
    assert written.startswith(codecs.BOM_UTF8) == has_mark
    front = written.decode("utf-8-sig").split("---" + newline)[1]
    assert YAML(typ="safe", pure=True).load(front)["z"] == [1]


@settings(deadline=None)
@given(st.binary(max_size=40) | TEXTS.map(lambda text: text.encode()))
def test_without_translations_every_readable_file_stays_byte_for_byte(data):
    try:
        read(data)
    except (NotUtf8, BrokenFrontMatter) as error:
        assert error.remedy
    else:
        assert write(data, {}) == data
