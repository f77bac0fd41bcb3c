"""How texts are shown: nothing lost, nothing invented, quick enough."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import review_web
from review_web.account.forms import link_token, own_path
from review_web.presenting import ages, words
from review_web.presenting.blocks import paired
from review_web.presenting.charts import stacked
from review_web.presenting.diff import Kind, folded, has_change, word_diff
from review_web.presenting.direction import direction, language_name
from review_web.presenting.highlights import Mark, pieces
from review_web.presenting.notes import notes_about
from scheduler_service.answers import Finding, Gate, GateEvidence, ItemStatus, Judgment, Queue, TextSpan, WorkState
from translator_service.domain.gates import GATES

# Words, blanks and punctuation of several scripts, so that boundaries of all kinds meet.
texts = st.text(st.sampled_from("ab cd\n\t.,-{}[]é日本語مرحبا👍🏽\u0301"), max_size=60) | st.text(max_size=40)


class TestDiff:
    @given(texts, texts)
    def test_what_is_equal_or_deleted_is_the_old_text_and_what_is_equal_or_inserted_the_new(self, old, new):
        changes = word_diff(old, new)
        assert "".join(c.text for c in changes if c.kind is not Kind.INSERTED) == old
        assert "".join(c.text for c in changes if c.kind is not Kind.DELETED) == new
        assert all(change.text for change in changes)
        assert all(one.kind is not two.kind for one, two in zip(changes, changes[1:], strict=False))
        assert has_change(changes) is (old != new)

    @given(texts, texts)
    def test_folding_hides_unchanged_words_only(self, old, new):
        whole, short = word_diff(old * 9, new + old * 9), None
        short = folded(whole)
        assert "".join(c.text for c in short) == "".join(c.text for c in whole)
        kept = [c for c in short if c.kind in {Kind.DELETED, Kind.INSERTED}]
        assert kept == [c for c in whole if c.kind in {Kind.DELETED, Kind.INSERTED}]

    def test_a_changed_word_is_shown_as_that_word_and_not_as_letters(self):
        changes = word_diff("The gate opens at seven.", "The gate closes at seven.")
        assert [(c.kind, c.text) for c in changes] == [
            (Kind.EQUAL, "The gate "),
            (Kind.DELETED, "opens"),
            (Kind.INSERTED, "closes"),
            (Kind.EQUAL, " at seven."),
        ]

    def test_neighbouring_changes_read_as_one(self):
        changes = word_diff("call the night guard now", "call the evening warden now")
        assert [c.text for c in changes] == ["call the ", "night guard", "evening warden", " now"]
        changes = word_diff("Rinse well the sails", "Wash the sails")
        assert [c.text for c in changes] == ["Rinse well", "Wash", " the sails"], "a shared blank is no change"

    def test_a_clause_without_blanks_is_compared_by_character(self):
        changes = word_diff("港口今天开放", "港口明天开放")
        assert (Kind.EQUAL, "天开放") in [(c.kind, c.text) for c in changes]

    def test_ten_thousand_words_take_less_than_the_bar(self):
        old = " ".join(f"word{number % 700}" for number in range(10_000))
        new = " ".join(f"word{number % 700}" + ("x" if number % 9 == 0 else "") for number in range(10_000))
        word_diff("warm", "up")
        best = min(_seconds(lambda: word_diff(old, new)) for _ in range(3))
        assert best < 0.6, "the bar is 0.15 s on a quiet machine; four times that leaves room for a busy one"

    def test_a_text_of_any_length_is_compared_within_bounds(self):
        old = "line of words\n" * 60_000
        assert has_change(word_diff(old, "first\n" + old))


def _seconds(act) -> float:
    started_at = time.perf_counter()
    act()
    return time.perf_counter() - started_at


class TestHighlights:
    @given(texts, st.lists(st.tuples(st.integers(-3, 70), st.integers(-3, 70)), max_size=6))
    def test_marks_never_change_the_text(self, text, spans):
        marks = [Mark(start, end, number, "finding") for number, (start, end) in enumerate(spans, 1)]
        found = pieces(text, marks)
        assert "".join(piece.text for piece in found) == text
        begun = [number for piece in found for number in piece.starts]
        assert len(begun) == len(set(begun)), "the address of a mark is on the page once"
        visible = {m.number for m in marks if max(m.start, 0) < min(m.end, len(text))}
        assert set(begun) == visible

    def test_overlapping_marks_show_the_more_serious_tone(self):
        found = pieces("abcdef", [Mark(0, 4, 1, "finding"), Mark(2, 6, 2, "blocking")])
        assert [(p.text, p.tone) for p in found] == [("ab", "finding"), ("cd", "blocking"), ("ef", "blocking")]

    @given(texts, texts, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=4), st.booleans())
    def test_paragraphs_side_by_side_lose_no_word(self, source, target, spans, together):
        marks = [Mark(start, end, number, "warning") for number, (start, end) in enumerate(spans, 1)]
        pairs = paired(source, target, marks, marks, together=together)
        for side, text in (("source", source), ("target", target)):
            shown = "".join(piece.text for pair in pairs for piece in getattr(pair, side))
            assert shown.split() == text.split() and (len(pairs) > 1 or shown == text)
        assert len(pairs) == 1 or not together

    def test_paragraphs_pair_up_when_both_texts_have_equally_many(self):
        assert len(paired("a\n\nb\n\nc", "x\n \ny\n\n\nz", (), ())) == 3
        assert len(paired("a\n\nb", "x", (), ())) == 1


class TestNotes:
    source, target = "You have {count} messages", "Você tem mensagens"
    gates = (
        Gate("markup_skeleton", "pass", "hard", True, "", ()),
        Gate("numbers", "fail", "flag", False, "look", (GateEvidence(None, TextSpan(0, 4)),)),
        Gate("placeholder_set", "fail", "hard", True, "missing", (GateEvidence(TextSpan(9, 16), None),)),
    )
    finding = Finding("accuracy", "major", "messages", "mensagens", "why", "", None, TextSpan(9, 18))
    judgment = Judgment(1, 1, 1, "fail", 4.0, {}, (), "v", True, 1, 0, (finding,), "offline", None)

    def test_what_forbids_approval_comes_first_and_numbers_agree_with_the_marks(self):
        found = notes_about(self.gates, self.judgment, self.source, self.target)
        assert [(n.number, n.tone, n.kind) for n in found.notes] == [
            (1, "blocking", "placeholder_set"),
            (2, "warning", "numbers"),
            (3, "finding", "accuracy"),
        ]
        assert [(m.number, self.source[m.start : m.end]) for m in found.source_marks] == [(1, "{count}")]
        assert {(m.number, self.target[m.start : m.end]) for m in found.target_marks} == {(2, "Você"), (3, "mensagens")}
        assert [gate.gate for gate in found.quiet] == ["markup_skeleton"]
        assert [(q.text, q.is_source) for q in found.notes[2].quotes] == [("messages", True), ("mensagens", False)]
        assert found.notes[2].is_offline_estimate

    def test_a_span_outside_its_text_is_dropped_instead_of_breaking_the_page(self):
        gate = Gate("numbers", "fail", "flag", False, "", (GateEvidence(TextSpan(90, 99), TextSpan(3, 3)),))
        found = notes_about((gate,), None, self.source, self.target)
        assert found.notes[0].quotes == () and not found.source_marks and not found.target_marks


class TestWords:
    def test_every_state_queue_and_reason_has_words_of_its_own(self):
        assert set(words.STATUS) == set(words.STATUS_MEANING) == set(ItemStatus)
        assert set(words.WORK_STATE) == set(WorkState)
        assert set(words.QUEUE) == set(words.QUEUE_EMPTY) == set(Queue)
        assert len({name for name, _ in words.STATUS.values()}) == len(ItemStatus)

    def test_every_built_in_gate_has_a_name_for_people(self):
        assert {gate.__name__ for gate in GATES} <= set(words.GATE)

    def test_reasons_read_as_sentences_and_unknown_ones_stay_readable(self):
        assert words.reason("gate:placeholder_set") == "Placeholders check failed"
        assert words.reason("dimension:accuracy") == "Accuracy is below its bar"
        assert words.reason("house_rule") == "House rule"
        assert words.reason_tone("gate:x") == "blocking" and words.reason_tone("engine_cannot_vary") == ""

    def test_ages_are_in_their_largest_unit(self):
        now = datetime(2026, 11, 30, tzinfo=UTC)
        spans = [timedelta(seconds=5), timedelta(minutes=3), timedelta(hours=26), timedelta(days=400)]
        assert [ages.age(now - span, now) for span in spans] == ["now", "3 min", "1 d", "1 y"]
        assert ages.age(None, now) == ""

    @pytest.mark.parametrize(("tag", "way"), [("ar", "rtl"), ("he", "rtl"), ("pt-BR", "ltr"), ("??", "auto")])
    def test_each_text_runs_its_own_way(self, tag, way):
        assert direction(tag) == way

    def test_languages_have_names(self):
        assert language_name("pt-BR") == "Portuguese (Brazil)" and language_name("??") == "??"


class TestForms:
    @pytest.mark.parametrize("path", ["/", "/review/a?queue=approved", "/review/item/3"])
    def test_an_own_address_is_taken(self, path):
        assert own_path(path) == path

    @pytest.mark.parametrize(
        "path",
        ["", None, "review", "//x.org", "/\\x.org", "https://x.org", "///x.org", "/a\nb", "\\\\x.org", "/\t/x.org"],
    )
    def test_any_other_is_not(self, path):
        assert own_path(path) == ""

    def test_a_whole_link_is_as_good_as_its_token(self):
        assert link_token(" http://127.0.0.1:8080/sign-in?first=1&token=dgl_x-y ") == "dgl_x-y"
        assert link_token("dgl_x-y") == "dgl_x-y"


def test_a_bar_is_as_long_as_its_parts():
    parts = stacked([("draft", 3), ("missing", 0), ("approved", 1)], 4)
    assert [(p.name, p.start, p.width) for p in parts] == [("draft", 0.0, 75.0), ("approved", 75.0, 25.0)]
    assert stacked([("draft", 0)], 0) == ()


STYLES = (Path(review_web.__file__).parent / "static" / "base.css").read_text(encoding="utf-8")
COLOURS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", STYLES)
}
# What is written on what; 4.5 is WCAG 2.2 AA for text, 3 for the edges of controls and for icons.
TEXT = [
    (ink, ground, 4.5)
    for ink, grounds in {
        "ink": ("ground", "panel", "raised", "accent-ground", "blocking-ground", "warning-ground", "finding-ground"),
        "soft-ink": (
            "ground", "panel", "raised", "accent-ground", "finding-ground", "warning-ground", "blocking-ground",
        ),
        "accent": ("ground", "panel", "raised", "accent-ground"),
        "blocking": ("panel", "raised", "blocking-ground"),
        "warning": ("panel", "raised", "warning-ground"),
        "finding": ("panel", "raised", "finding-ground"),
        "added": ("added-ground",),
        "removed": ("removed-ground",),
        "on-accent": ("accent",),
    }.items()
    for ground in grounds
] + [("control-line", "panel", 3.0), ("control-line", "raised", 3.0)]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground", "least"), TEXT)
def test_every_colour_can_be_read_on_what_it_is_written(ink, ground, least, scheme):
    lights = sorted((_light(COLOURS[name][scheme]) for name in (ink, ground)), reverse=True)
    assert (lights[0] + 0.05) / (lights[1] + 0.05) >= least


def _light(colour: str) -> float:
    """Relative luminance. Source: WCAG 2.2."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
