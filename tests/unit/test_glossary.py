"""Glossary: where terms stand, with which form, and when a candidate has it."""

from __future__ import annotations

import csv

import pytest

from translator_service.domain.glossary import count_met, find_terms, is_met, merge_tokens, term_tokens
from translator_service.domain.syntax import find_tokens
from translator_service.domain.values import Glossary, Term, TextFormat, TokenKind


def glossary(*terms):
    return Glossary("1", terms)


def found(text, *terms, locale="en"):
    return [(m.term.source, m.span.of(text)) for m in find_terms(text, glossary(*terms), locale)]


def test_the_longest_term_wins_and_matches_do_not_overlap():
    terms = (Term("path", "caminho"), Term("path operation", "operação"), Term("path operation function", "função"))
    text = "A path operation function and a path operation on a path"
    assert [s for s, _ in found(text, *terms)] == ["path operation function", "path operation", "path"]


@pytest.mark.parametrize(
    ("text", "term", "locale", "expected"),
    [
        ("Two lanterns burn", Term("lantern", "x"), "en", ["lanterns"]),
        ("The Library opens", Term("library", "x"), "en", ["Library"]),
        ("The library opens", Term("Library", "x", case_sensitive=True), "en", []),
        ("Ask us about US law", Term("US", "EUA"), "en", ["US"]),
        ("Fast I/O and I, O", Term("I/O", "E/S"), "en", ["I/O"]),
        ("Write C++ or C here", Term("C++", "C++"), "en", ["C++"]),
        ("A log-in and a log in", Term("log in", "x"), "en", ["log-in", "log in"]),
        ("The log. In fact", Term("log in", "x"), "en", []),
        ("Catalog of logs", Term("log", "x"), "en", ["logs"]),
        ("Die Häuser dort", Term("Haus", "x"), "de", ["Häuser"]),
        ("创建工作区", Term("工作区", "workspace"), "zh-Hans", ["工作区"]),
        ("palavras do glossário", Term("palavra", "word"), "pt-BR", ["palavras"]),
    ],
)
def test_a_term_is_found_by_its_words_inflected_within_the_case_rule(text, term, locale, expected):
    assert [words for _, words in found(text, term, locale=locale)] == expected


def test_a_big_glossary_is_looked_up_in_one_walk_of_the_text():
    import time

    terms = glossary(*(Term(f"thing{n} word", "x") for n in range(5000)), Term("library", "biblioteca"))
    text = "The library has many a thing word. " * 500
    find_terms("warm up", terms, "en")
    start = time.process_time()
    assert len(find_terms(text, terms, "en")) == 500
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("a type hint", "anotação de tipo"),
        ("Type hints help", "Anotação de tipo"),
        ("TYPE HINT", "ANOTAÇÃO DE TIPO"),
    ],
)
def test_a_term_token_carries_the_target_form_with_the_capitals_of_the_source(text, target):
    (token,) = term_tokens(text, glossary(Term("type hint", "anotação de tipo")), "en")
    assert (token.kind, token.target) == (TokenKind.TERM, target)


def test_a_term_that_stays_has_no_target_and_keeps_its_own_spelling():
    terms = glossary(Term("framework", "framework"), Term("Slate", "Slate", do_not_translate=True))
    assert [t.target for t in term_tokens("Slate is a framework", terms, "en")] == [None, None]


def test_syntax_wins_where_a_term_overlaps_it():
    text = "The `library` of a library at https://library.example"
    syntax = find_tokens(text, TextFormat.MARKDOWN)
    terms = term_tokens(text, glossary(Term("library", "biblioteca")), "en")
    merged = merge_tokens(syntax, terms)
    assert [t.span.of(text) for t in merged] == ["`library`", "library", "https://library.example"]
    assert [t.kind for t in merged].count(TokenKind.TERM) == 1


@pytest.mark.parametrize(
    ("term", "candidate", "locale", "expected"),
    [
        (Term("lantern", "фонарь"), "Мы шли с двумя фонарями.", "ru", True),
        (Term("lantern", "фонарь"), "Мы шли с двумя лампами.", "ru", False),
        (Term("type hints", "anotações de tipo"), "Uma anotação de tipo", "pt-BR", True),
        (Term("library", "biblioteca"), "As bibliotecas", "pt-BR", True),
        (Term("library", "biblioteca"), "As livrarias", "pt-BR", False),
        (Term("end", "Ende"), "Am Ende", "de", True),
        (Term("end", "Ende"), "Zum Schluss", "de", False),
        (Term("bug", "erro", accepted_forms=("defeito",)), "Os defeitos", "pt-BR", True),
        (Term("workspace", "工作区"), "创建工作区", "zh-Hans", True),
        (Term("workspace", "工作区"), "创建工作空间", "zh-Hans", False),
        (Term("Slate", "Slate", do_not_translate=True), "Slates Menü", "de", True),
        (Term("Slate", "Slate", do_not_translate=True), "Slaterator", "de", False),
    ],
)
def test_a_required_form_is_met_inflected_or_accepted_but_not_by_another_word(term, candidate, locale, expected):
    assert is_met(term, candidate, locale) is expected


def test_forms_that_overlap_count_once():
    term = Term("type", "tipo", accepted_forms=("tipo de dado",))
    assert count_met(term, "o tipo de dado e o tipo", "pt-BR") == 2


def test_human_pages_meet_most_of_their_own_glossary(shared_folder):
    """Their translators agreed on these terms; more alarms than this would be ours, not theirs."""
    folder = shared_folder / "corpora/fastapi-docs"
    with open(folder / "glossary.csv", encoding="utf-8") as file:
        terms = [Term(row["source"], row["target"]) for row in csv.DictReader(file)]
    asked = met = 0
    for page in sorted((folder / "en").rglob("*.md")):
        source = page.read_text(encoding="utf-8")
        candidate = (folder / "pt" / page.relative_to(folder / "en")).read_text(encoding="utf-8")
        for term in {m.term for m in find_terms(source, glossary(*terms), "en")}:
            asked += 1
            met += is_met(term, candidate, "pt-BR")
    assert asked > 80
    assert met / asked > 0.85
