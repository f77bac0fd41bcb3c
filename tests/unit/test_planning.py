"""Plans: segments that are the text when joined, cut where nothing is torn."""

from __future__ import annotations

import pytest
from generated_texts import formats, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from translator_service.domain.planning import has_prose, plan
from translator_service.domain.syntax import find_prose
from translator_service.domain.values import TextFormat

M = TextFormat.MARKDOWN


def segments(text, size, text_format=M):
    return [segment.span.of(text) for segment in plan(text, text_format, size)]


@settings(max_examples=150, deadline=None)
@given(texts, formats, st.integers(1, 60))
def test_joined_the_segments_are_the_text(text, text_format, size):
    found = plan(text, text_format, size)
    assert "".join(segment.span.of(text) for segment in found) == text
    assert [segment.ordinal for segment in found] == list(range(len(found)))


@pytest.mark.parametrize("size", [300, 1000, 2000, 6000])
def test_the_pages_are_whole_and_every_segment_finds_the_prose_of_the_page(shared_folder, size):
    pages = sorted((shared_folder / "corpora/fastapi-docs/en").rglob("*.md"))
    assert len(pages) == 23
    for page in pages:
        text = page.read_text(encoding="utf-8")
        pieces = segments(text, size)
        assert "".join(pieces) == text
        alone = "".join(span.of(piece) for piece in pieces for span in find_prose(piece, M))
        together = "".join(span.of(text) for span in find_prose(text, M))
        assert "".join(alone.split()) == "".join(together.split()), page.name


def test_a_short_text_is_one_segment_and_an_empty_one_none():
    assert segments("Hello\n", 100) == ["Hello\n"]
    assert segments("", 100) == []


def test_blocks_are_not_cut_while_they_fit():
    text = "".join(f"Paragraph {n} has some words.\n\n" for n in range(10))
    found = segments(text, 70)
    assert all(len(piece) <= 70 and piece.endswith(".\n\n") for piece in found)


def test_a_fence_and_a_table_are_never_cut():
    fence = "```py\n" + "x = 1\n\n" * 50 + "```\n"
    table = "| a | b |\n|---|---|\n" + "| some words here. And more | y |\n" * 20
    found = segments("Intro words.\n\n" + fence + "\n" + table, 60)
    assert any(fence in piece for piece in found)
    assert any(table in piece for piece in found)


def test_a_heading_goes_with_what_it_heads():
    text = "First words here.\n\n## A heading\n\nIts text is here.\n"
    assert segments(text, 40) == ["First words here.\n\n", "## A heading\n\nIts text is here.\n"]


def test_an_admonition_that_fits_stays_in_one_segment():
    text = "Some words before it.\n\n/// tip\n\nThe tip itself.\n\n///\n\nSome words after it.\n"
    assert "/// tip\n\nThe tip itself.\n\n///\n\n" in segments(text, 40)


def test_a_long_list_is_cut_between_its_items():
    text = "".join(f"- item {n} with a few words\n" for n in range(9))
    found = segments(text, 80)
    assert len(found) > 1
    assert all(piece.startswith("- item") for piece in found)


def test_an_over_long_paragraph_is_cut_at_sentence_ends():
    text = "One sentence is here. Another one is there. `a. B` is code. The last one ends.\n"
    found = segments(text, 30)
    assert len(found) == 4
    assert all(piece.rstrip().endswith(".") for piece in found)


def test_an_icu_message_is_never_cut():
    text = "{n, plural, one {One file. It is old.} other {# files. They are old.}}"
    assert segments(text, 10, TextFormat.ICU) == [text]


def test_a_size_below_one_is_refused():
    with pytest.raises(ValueError, match="max_characters"):
        plan("x", M, 0)


@pytest.mark.parametrize(
    ("text", "text_format", "expected"),
    [
        ("Hello", TextFormat.PLAIN, True),
        ("404", TextFormat.PLAIN, False),
        ("https://a.example/page", TextFormat.PLAIN, False),
        ("  \n", TextFormat.PLAIN, False),
        ("✓ → 💬", TextFormat.PLAIN, False),
        ("%(name)s: %d", TextFormat.PYTHON_FORMAT, False),
        ("{name}", TextFormat.BRACE, False),
        ("{n} files", TextFormat.BRACE, True),
        ("```\ncode words\n```\n", M, False),
        ("`x`", M, False),
        ("- `x` is it", M, True),
        ("<br><img src='a'>", TextFormat.HTML, False),
        ("{n, plural, one {#} other {#}}", TextFormat.ICU, False),
        ("{n, plural, one {# day} other {#}}", TextFormat.ICU, True),
        ("你好", TextFormat.PLAIN, True),
    ],
)
def test_only_text_with_words_has_prose(text, text_format, expected):
    assert has_prose(text, text_format) is expected
