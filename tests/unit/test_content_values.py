"""The nouns of content, and what they promise to the rest."""

from __future__ import annotations

import pickle

from scheduler_service.content.values import TEXT_FORMATS, BrokenStrings, ContentError, NotUtf8, UnknownFields
from translator_service.domain.values import TextFormat


def test_the_text_formats_are_those_that_the_translator_knows():
    assert TEXT_FORMATS == {str(text_format) for text_format in TextFormat}


def test_an_error_says_where_what_and_what_to_do():
    error = BrokenStrings("strings.json", 7, "a comma is missing here", "Check commas and brackets")
    assert str(error) == "strings.json:7: a comma is missing here. Check commas and brackets."
    assert isinstance(error, ContentError)


def test_an_error_about_a_whole_file_names_no_line():
    assert str(NotUtf8("a.md", None, "it is UTF-16", "Save it as UTF-8")) == "a.md: it is UTF-16. Save it as UTF-8."


def test_an_error_keeps_its_facts_across_processes():
    error = pickle.loads(pickle.dumps(BrokenStrings("a.json", 3, "p", "r")))
    assert (error.path, error.line, error.problem, error.remedy) == ("a.json", 3, "p", "r")


def test_unknown_fields_are_listed_in_order():
    assert UnknownFields({"b", "a"}).names == ("a", "b")
