"""Edits by offset, and bytes to text and back."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_service.content.formats.encoding import decode, encode, line_of, newline_of, with_line_ends_of
from scheduler_service.content.formats.splicing import Edit, splice
from scheduler_service.content.values import NotUtf8


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5), st.text(max_size=5)), max_size=6))
def test_a_splice_changes_the_given_stretches_and_nothing_else(parts):
    before = after = ""
    edits = []
    for kept, old, new in parts:
        before, after = before + kept, after + kept
        edits.append(Edit(len(before), len(before) + len(old), new))
        before, after = before + old, after + new
    assert splice(before, edits[::-1] if all(old for _, old, _ in parts) else edits) == after


def test_overlapping_edits_are_refused():
    with pytest.raises(ValueError, match="inside the one before"):
        splice("abcdef", [Edit(0, 3, "x"), Edit(2, 4, "y")])


def test_insertions_at_one_place_stay_in_order_and_before_what_starts_there():
    assert splice("abc", [Edit(1, 2, "B"), Edit(1, 1, "z"), Edit(1, 1, "y")]) == "azyBc"


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@settings(deadline=None)
@given(TEXTS.map(lambda text: text.lstrip("\ufeff")), st.booleans())
def test_decoding_and_encoding_give_the_same_bytes(text, has_mark):
    data = (codecs.BOM_UTF8 if has_mark else b"") + text.encode()
    assert encode(decode("a.md", data), data) == data


def test_a_byte_that_is_not_utf8_is_reported_with_its_line():
    with pytest.raises(NotUtf8) as caught:
        decode("pages/a.md", b"one\ntwo\ncaf\xe9\n")
    assert (caught.value.path, caught.value.line) == ("pages/a.md", 3)
    assert "UTF-8" in caught.value.remedy


def test_utf16_is_recognised_as_such():
    with pytest.raises(NotUtf8, match="UTF-16"):
        decode("a.md", "Hello".encode("utf-16"))


def test_a_nul_character_is_reported_with_its_line():
    with pytest.raises(NotUtf8) as caught:
        decode("a.md", b"one\ntw\0o")
    assert caught.value.line == 2


def test_lines_count_from_one():
    assert [line_of("a\nb\nc", offset) for offset in (0, 1, 2, 4)] == [1, 1, 2, 3]


@pytest.mark.parametrize(
    ("original", "text", "expected"),
    [
        ("a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"),
        ("a\nb\n", "x\r\ny\r\n", "x\ny\n"),
        ("a\nb\r\n", "x\r\ny\n", "x\r\ny\n"),
        ("a\r\n", "x\r\ny\n", "x\r\ny\r\n"),
    ],
)
def test_a_translation_takes_the_line_ends_of_a_consistent_file(original, text, expected):
    assert with_line_ends_of(text, original) == expected


def test_the_line_end_of_a_file_is_that_of_most_of_its_lines():
    assert (newline_of("a\r\nb\r\nc\n"), newline_of("a\nb\nc\r\n"), newline_of("")) == ("\r\n", "\n", "\n")
