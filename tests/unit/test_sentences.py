"""Sentences: joined they are the text, and doubt doesn't split."""

from __future__ import annotations

import pytest
from generated_texts import texts
from hypothesis import given, settings
from hypothesis import strategies as st

from translator_service.domain.sentences import split_sentences


def split(text, locale="en", whole=()):
    return [span.of(text) for span in split_sentences(text, locale, whole)]


@settings(max_examples=200, deadline=None)
@given(
    st.text(alphabet="aB1 .!?…\n\r\t\u2028\x85é😀。\"'()", max_size=40) | texts,
    st.sampled_from(["en", "pt-BR", "de", "xx"]),
)
def test_joined_the_sentences_are_the_text_and_none_is_empty(text, locale):
    spans = split_sentences(text, locale)
    assert "".join(span.of(text) for span in spans) == text
    assert all(span.end > span.start for span in spans)


@pytest.mark.parametrize(
    ("locale", "text", "expected"),
    [
        ("en", "Dr. Smith saw Fig. 3 at 5 p.m. yesterday. It was 3.5 km.", 2),
        ("en", "He met J. R. Smith. Then he left.", 2),
        ("en", "Use e.g. This or that.", 1),
        ("en", "1. Open the menu. 2. Go on.", 2),
        ("en", "Really? he asked. Yes!", 2),
        ("en", "For most (or all?) Python types. Next", 2),
        ("en", "(See above.) Then go.", 2),
        ("en", "We read files, data etc. Then we stop.", 2),
        ("pt-BR", "O Sr. Silva trouxe, p. ex., maçãs. E a Dra. Ana? Sim!", 3),
        ("de", "Das ist z. B. gut. Herr Dr. Müller kam am 3. Mai. Ende.", 3),
        ("en", "It came on day 3. May was over.", 2),
        ("zh-Hans", "你好。今天很好！是吗？", 3),
        ("ja", "これは本です。「あれは？」そう。", 3),
        ("ar", "مرحبا؟ كيف حالك.", 2),
        ("hi", "यह है। वह है।", 2),
    ],
)
def test_abbreviations_numbers_and_scripts(locale, text, expected):
    assert len(split(text, locale)) == expected


def test_a_picture_behind_the_stop_stays_with_its_sentence():
    assert split("You pay. 💸 The cook 👨‍🍳 works. Done") == ["You pay. 💸 ", "The cook 👨‍🍳 works. ", "Done"]


def test_a_blank_line_ends_a_sentence_and_a_wrapped_line_does_not():
    assert split("a title\n\nA text that\nis wrapped") == ["a title\n\n", "A text that\nis wrapped"]


def test_no_sentence_ends_inside_code():
    text = "Use `a. B` now. Next"
    assert split(text, whole=((4, 10),)) == ["Use `a. B` now. ", "Next"]


def test_blanks_alone_are_one_piece_and_nothing_is_none():
    assert split("  \n ") == ["  \n "]
    assert split("") == []
