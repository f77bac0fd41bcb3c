"""Game dialogue in and out."""

from __future__ import annotations

import codecs
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_service.content.formats.dialogue import DialogueFormat
from scheduler_service.content.values import BrokenDialogue, Field, UnknownFields

FORMAT = DialogueFormat()
ROWS = (
    '{"id": "a", "speaker": "Eva", "text": "{b}Hi{/b}", "note": "shy", "max_length": 20, "pose": "left"}\r\n'
    '\r\n{ "text":"Go" ,"id":"b", "speaker": null, "max_length": null}\r\n{"id": "c", "text": ""}'
).encode()


def write(data, translations):
    return FORMAT.write(data, translations, "pt-BR", "en")


def test_a_row_is_a_field_with_its_speaker_note_and_limit():
    assert FORMAT.read("x.dialogue.jsonl", ROWS, "pt-BR").fields == (
        Field("a", "{b}Hi{/b}", "renpy", "shy", 20, "Eva", 0),
        Field("b", "Go", "renpy", position=1),
    )


def test_only_the_texts_are_replaced():
    assert write(ROWS, {"b": "V\u00e1 \"j\u00e1\""}) == ROWS.replace(b'"Go"', '"V\u00e1 \\"j\u00e1\\""'.encode())
    assert write(ROWS, {}) == ROWS


@pytest.mark.parametrize(
    ("rows", "line", "problem"),
    [
        ('{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}', 2, "line 1 already"),
        ('\n{"id": "a", "text": "x"', 2, "comma"),
        ('["a"]', 1, "JSON object"),
        ('{"text": "x"}', 1, "needs an id"),
        ('{"id": 3, "text": "x"}', 1, "needs an id"),
        ('{"id": "a"}', 1, "needs a text"),
        ('{"id": "a", "text": 4}', 1, "needs a text"),
        ('{"id": "a", "text": "x", "max_length": 0}', 1, "max_length"),
        ('{"id": "a", "text": "x", "max_length": "9"}', 1, "max_length"),
    ],
)
def test_a_broken_row_is_reported_with_its_line(rows, line, problem):
    with pytest.raises(BrokenDialogue, match=problem) as caught:
        FORMAT.read("x.dialogue.jsonl", rows.encode(), "pt-BR")
    assert (caught.value.path, caught.value.line) == ("x.dialogue.jsonl", line)
    assert caught.value.remedy


def test_a_translation_for_a_row_that_is_not_there_is_refused():
    with pytest.raises(UnknownFields):
        write(ROWS, {"z": "x"})


# Ids and texts alike: an id has at most 200 characters.
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=200).filter(str.strip)


@settings(deadline=None)
@given(st.dictionaries(TEXTS, st.tuples(TEXTS, TEXTS, TEXTS)), st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_is_what_is_read_back(rows, is_ascii, newline):
    lines = [
        json.dumps({"id": row_id, "speaker": speaker, "text": old, "n": [1]}, ensure_ascii=is_ascii)
        for row_id, (speaker, old, _) in rows.items()
    ]
    original = codecs.BOM_UTF8 + newline.join(lines).encode()
    assert write(original, {}) == original
    written = write(original, {row_id: new for row_id, (_, _, new) in rows.items()})
    found = FORMAT.read("x.dialogue.jsonl", written, "pt-BR").fields
    assert [(field.name, field.speaker, field.text) for field in found] == [
        (row_id, speaker, new) for row_id, (speaker, _, new) in rows.items()
    ]
    assert [json.loads(line)["n"] for line in written.decode("utf-8-sig").split("\n") if line] == [[1]] * len(rows)
