"""Masks: what comes back is what went in, or the caller is told that it isn't."""

from __future__ import annotations

import pytest
from generated_texts import formats, texts
from hypothesis import given, settings

from translator_service.domain.masking import LLM_STYLE, SMALL_ENGINE_STYLES, MaskLost, mask, unmask
from translator_service.domain.pairing import pair
from translator_service.domain.syntax import find_prose, find_tokens
from translator_service.domain.values import Span, TextFormat, Token, TokenKind

STYLES = (*SMALL_ENGINE_STYLES, LLM_STYLE)
Z = SMALL_ENGINE_STYLES[0]
M = TextFormat.MARKDOWN


def masked(text, text_format=M, style=Z):
    return mask(text, find_tokens(text, text_format), style)


@settings(max_examples=150, deadline=None)
@given(texts, formats)
def test_unmasking_an_unchanged_text_gives_it_back_in_every_format_and_style(text, text_format):
    tokens = find_tokens(text, text_format)
    for style in STYLES:
        held = mask(text, tokens, style)
        assert unmask(held.text, held) == text


@settings(max_examples=60, deadline=None)
@given(texts, formats)
def test_unmasking_any_stretch_of_prose_gives_it_back(text, text_format):
    tokens = find_tokens(text, text_format)
    for span in find_prose(text, text_format):
        inner = [
            Token(Span(t.span.start - span.start, t.span.end - span.start), t.kind)
            for t in tokens
            if span.start <= t.span.start and t.span.end <= span.end
        ]
        held = mask(span.of(text), inner, Z)
        assert unmask(held.text, held) == span.of(text)


def test_the_corpora_come_back_from_every_style(shared_folder):
    pages = sorted((shared_folder / "corpora/fastapi-docs/en").rglob("*.md"))
    assert len(pages) == 23
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for style in STYLES:
            held = masked(text, M, style)
            assert held.masks, page.name
            assert unmask(held.text, held) == text, (page.name, style.name)


def test_no_token_text_is_left_for_the_engine_to_see():
    held = masked("Call `run()` at https://a.example/x or mail me@b.example now.")
    assert held.text == "Call Z1Z at Z2Z or mail Z3Z now."


def test_neighbours_share_one_mark():
    held = masked("Eat 🍔🍔 and [`x`](y.md) again")
    assert held.text == "Eat Z1Z and Z2Z again"
    assert [m.replacement for m in held.masks] == ["🍔🍔", "[`x`](y.md)"]


def test_tokens_and_blanks_at_the_edges_are_taken_off_for_a_small_engine():
    held = masked("  **Stop** the `server` \n")
    assert (held.prefix, held.suffix) == ("  **", " `server` \n")
    assert unmask("Pare Z1Z o", held) == "  **Pare** o `server` \n"


def test_a_language_model_keeps_edge_placeholders_so_that_it_can_move_them():
    held = masked("{count} messages from {sender}", TextFormat.BRACE, LLM_STYLE)
    assert held.text == "<m1/> messages from <m2/>"
    assert unmask("<m2/>さんから<m1/>件", held) == "{sender}さんから{count}件"


def test_numbers_whose_marks_stand_in_the_text_are_not_used():
    held = masked("Press Z1Z, then `x` twice")
    assert held.text == "Press Z1Z, then Z2Z twice"
    assert unmask("Aperte Z1Z, depois Z2Z duas vezes", held) == "Aperte Z1Z, depois `x` duas vezes"


def test_a_mark_gets_no_blank_before_a_full_stop_or_comma():
    assert masked("We use `a`, not `b`. Really").text == "We use Z1Z, not Z2Z. Really"


@pytest.mark.parametrize(
    ("source", "answer", "result"),
    [
        ("The (`x`) here", "O ( Z1Z ) aqui", "O (`x`) aqui"),
        ("Some **bold** text", "Texto Z1Z negrito Z2Z forte", "Texto **negrito** forte"),
        ("All `dict`s are new", "Todos os Z1Z s são", "Todos os `dict`s são"),
        ("All `dict`s are new", "Os Z1Z são novos", "Os `dict` são novos"),
        ("See [the page](p.md) now", "Veja Z1Z a página Z2Z agora", "Veja [a página](p.md) agora"),
        ("Of **Py**'s kind (new)", "Do tipo Z1Z Py Z2Z (novo)", "Do tipo **Py** (novo)"),
    ],
)
def test_padding_goes_and_the_blanks_of_the_language_stay(source, answer, result):
    assert unmask(answer, masked(source)) == result


def test_a_blank_that_the_engine_sets_before_a_comma_goes():
    assert unmask("Usamos Z1Z , não isso", masked("We use `a`, not this")) == "Usamos `a`, não isso"


def test_a_token_with_a_target_comes_back_as_that():
    tokens = (Token(Span(4, 11), TokenKind.TERM, "biblioteca"),)
    held = mask("Any library helps", tokens, Z)
    assert unmask("Qualquer Z1Z ajuda", held) == "Qualquer biblioteca ajuda"


def test_two_terms_apart_keep_their_own_marks():
    tokens = (Token(Span(4, 8), TokenKind.TERM, "um"), Token(Span(9, 13), TokenKind.TERM, "dois"))
    assert mask("The term word ends", tokens, Z).text == "The Z1Z Z2Z ends"


@pytest.mark.parametrize(
    ("answer", "missing", "doubled", "misplaced"),
    [
        ("nada", 2, 0, 0),
        ("Z1Z Z1Z e Z2Z", 0, 1, 0),
        ("Z1Z e Z2Z e Z9Z", 0, 1, 0),
        ("Z1Ze Z2Z", 1, 0, 0),
    ],
)
def test_a_lost_doubled_or_invented_mark_is_an_error_that_counts(answer, missing, doubled, misplaced):
    with pytest.raises(MaskLost) as caught:
        unmask(answer, masked("Take `a` and then `b` home"))
    assert (caught.value.missing, caught.value.doubled, caught.value.misplaced) == (missing, doubled, misplaced)


@pytest.mark.parametrize(
    "answer",
    [
        "Leia Z2Z a página Z1Z agora",  # turned round
        "Leia a página Z1Z Z2Z agora",  # emptied
        "Leia Z1Z – Z2Z a página agora",  # no word inside
    ],
)
def test_a_pair_that_is_turned_round_or_emptied_is_lost(answer):
    with pytest.raises(MaskLost) as caught:
        unmask(answer, masked("Read [the page](p.md) now"))
    assert caught.value.misplaced == 1


def test_a_pair_whose_opening_was_taken_off_the_edge_must_still_hold_words():
    held = masked("**Vision**: an image is large")
    assert unmask("Visão Z1Z: uma imagem é grande", held) == "**Visão**: uma imagem é grande"
    with pytest.raises(MaskLost):
        unmask("Z1Z: uma imagem é grande", held)


def test_crossing_pairs_are_lost():
    held = masked("so <b>one</b> and <i>two</i> go", TextFormat.HTML, LLM_STYLE)
    with pytest.raises(MaskLost):
        unmask("so <m1/>um <m3/>e<m2/> dois<m4/> vai", held)


def test_pairs_are_found_by_nesting_and_what_is_open_stays_alone():
    text = "Use [the *new* page](p.md) and **this** <b>open"
    tokens = find_tokens(text, M)
    found = [text[tokens[a].span.start : tokens[b].span.end] for a, b in pair(text, tokens).partners]
    assert found == ["[the *new* page](p.md)", "*new*", "**this**"]


def test_styles_of_the_ladder_differ_and_none_takes_a_longer_number_for_its_own():
    assert len({style.mark(7) for style in STYLES}) == len(STYLES)
    for style in STYLES:
        held = masked("Take `a` home", M, style)
        with pytest.raises(MaskLost):
            unmask(f"Leve {style.mark(11)} para casa", held)
