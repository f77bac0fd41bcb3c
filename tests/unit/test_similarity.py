"""The measures behind the offline judge, each for what it alone sees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from translator_service.domain.similarity import chrf, content_recall, negations, numbers


def test_chrf_agrees_with_a_sum_done_by_hand():
    # One-grams: 2 of 3 both ways; two-grams: 1 of 2; three-grams: 0 of 1. Mean (2/3 + 1/2 + 0) / 3 = 7/18.
    assert chrf("abx", "abc") == pytest.approx(100 * 7 / 18)


def test_chrf_weighs_what_is_missing_more_than_what_is_added():
    sentence = "the gardener waters the roses in the evening"
    assert chrf(sentence[:20], sentence) < chrf(sentence, sentence[:20])


@given(st.text(min_size=1, max_size=60), st.text(max_size=60))
def test_chrf_is_bounded_and_full_for_equal_texts(one, other):
    assert 0 <= chrf(one, other) <= 100 + 1e-9
    assert chrf(one, one) == pytest.approx(100)


def test_content_words_are_compared_by_lemma_and_without_function_words():
    assert content_recall("gardens were growing near houses", "The garden grows by a house", "en") == 1
    assert content_recall("the and of it", "The garden grows by a house", "en") == 0


def test_a_sentence_with_one_content_word_gives_no_share():
    assert content_recall("the house", "It is a house", "en") is None


@pytest.mark.parametrize(
    ("text", "language", "count"),
    [
        ("I don't know and can't say, never", "en", 3),
        ("A note on knots", "en", 0),
        ("Não sei, nem quero; sem dúvida", "pt", 3),
        ("Nota sobre nós", "pt", 0),
        ("nicht", "de", None),
    ],
)
def test_negations_are_counted_as_words(text: str, language: str, count: int | None):
    assert negations(text, language) == count


def test_numbers_are_the_same_whatever_separates_their_digits():
    assert numbers("1,250.5 and 3") == numbers("3 e 1.250,5")
    assert numbers("at 10:30") != numbers("at 10:31")
