"""The glossary table."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_service.content.glossary_csv import read_glossary
from scheduler_service.content.values import BrokenGlossary, GlossaryRow, NotUtf8


def read(text):
    return read_glossary("glossary.csv", text.encode())


def test_a_table_with_a_header_may_name_its_columns_in_any_order():
    assert read("target,source,note,accepted_forms,case sensitive\ncasa,house,home,casas|lares,yes\n") == (
        GlossaryRow("house", "casa", accepted_forms=("casas", "lares"), case_sensitive=True, note="home", line=2),
    )


def test_a_table_without_a_header_has_two_to_five_columns():
    assert read("house,casa\n\ncat,gato,the animal,gatos,bichano|felino\n") == (
        GlossaryRow("house", "casa", line=1),
        GlossaryRow(
            "cat", "gato", accepted_forms=("gatos",), forbidden_forms=("bichano", "felino"), note="the animal", line=3
        ),
    )


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_commas_semicolons_and_tabs_separate(separator):
    assert [row.target for row in read(f"source{separator}target\nhouse{separator}casa\n")] == ["casa"]


@pytest.mark.parametrize("row", ["API,API", "API,API,x", "API,,do not translate", "API,API,Do not translate: a name"])
def test_a_term_with_an_equal_target_or_that_note_is_not_translated(row):
    (term,) = read(row)
    assert (term.source, term.target, term.do_not_translate) == ("API", "API", True)


def test_a_note_about_one_rendering_is_no_order_to_keep_the_term():
    (term,) = read('house,casa,"do not translate as ""lar"""')
    assert not term.do_not_translate


def test_one_term_may_have_several_senses():
    assert len(read("source,target,sense\nbook,livro,thing\nbook,reservar,verb\n")) == 2


def test_an_empty_table_has_no_terms():
    assert read("") == read("\n\n") == read("source,target\n") == ()


@pytest.mark.parametrize(
    ("table", "line", "problem"),
    [
        ("source,target\nhouse\n", 2, "1 columns instead of 2"),
        ("a,b\nc,d,e,f,g,h\n", 2, "6 columns instead of 2 to 5"),
        ("a,b\n,d\n", 2, "source is empty"),
        ("a,b\nc,\n", 2, "target is empty"),
        ("a,b\nc,d\nA,e\n", 3, "line 1 already"),
        ("source,target,colour\na,b,c\n", 1, "'colour' is unknown"),
        ("source,target,target\na,b,c\n", 1, "'target' is unknown or there twice"),
        ("source,target,case_sensitive\na,b,maybe\n", 2, "yes or no"),
        ('a,"b\nc",d\ne,"f" g\n', 3, "quotes"),
        ("a,b,do not translate\n", 1, "beside another target"),
    ],
)
def test_a_wrong_row_is_reported_with_its_line(table, line, problem):
    with pytest.raises(BrokenGlossary, match=problem) as caught:
        read(table)
    assert (caught.value.path, caught.value.line) == ("glossary.csv", line)
    assert caught.value.remedy


def test_a_table_that_is_not_utf8_is_reported():
    with pytest.raises(NotUtf8):
        read_glossary("glossary.csv", "café,café".encode("latin-1"))


WORDS = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), min_size=1, max_size=10).map(
    str.strip
)


@settings(deadline=None)
@given(st.dictionaries(WORDS.filter(bool), WORDS.filter(bool), max_size=6))
def test_what_a_csv_writer_writes_is_read(terms):
    terms = {source: target for source, target in terms.items() if source.casefold() == source}
    table = io.StringIO()
    csv.writer(table).writerows([("source", "target"), *terms.items()])
    assert {row.source: row.target for row in read(table.getvalue())} == terms
