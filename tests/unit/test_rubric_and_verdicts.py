"""The score is a density, the verdict is code's, and no mean offsets a failed gate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from translator_service.domain.rubric import RUBRIC, count_words, score
from translator_service.domain.values import (
    Dimension,
    Finding,
    FindingSeverity,
    GateOutcome,
    GateResult,
    GateSeverity,
    Span,
    VerdictOutcome,
)
from translator_service.domain.verdicts import decide, verify

ALL = tuple(Dimension)


def _finding(severity: FindingSeverity, dimension: Dimension = Dimension.ACCURACY) -> Finding:
    return Finding(dimension, severity, "source", "target", "reason")


def _verdict(findings: list[Finding], words: int, assessed: tuple[Dimension, ...] = ALL):
    return decide((), findings, score(findings, words, assessed))


def test_a_text_without_findings_has_the_highest_score():
    scores = score((), 3, ALL)
    assert scores is not None and scores.overall == 10
    assert set(scores.dimensions) == set(ALL)


@pytest.mark.parametrize("words", [1, 3, 10, 25])
def test_one_minor_finding_does_not_sink_a_short_text_but_two_or_a_major_do(words: int):
    offline = (Dimension.ACCURACY, Dimension.TERMINOLOGY)
    minor, major = _finding(FindingSeverity.MINOR), _finding(FindingSeverity.MAJOR)
    assert _verdict([minor], words, offline).outcome is VerdictOutcome.PASS
    assert _verdict([minor, minor], words, offline).outcome is VerdictOutcome.FAIL
    assert _verdict([major], words, offline).outcome is VerdictOutcome.FAIL


def test_one_weak_sentence_does_not_fail_a_long_page_and_many_do():
    major = _finding(FindingSeverity.MAJOR)
    assert _verdict([major], 800).outcome is VerdictOutcome.PASS
    assert _verdict([major] * 9, 800).outcome is VerdictOutcome.FAIL


def test_one_major_finding_per_hundred_words_is_the_most_that_passes():
    major = _finding(FindingSeverity.MAJOR)
    assert _verdict([major] * 5, 500).outcome is VerdictOutcome.PASS
    assert _verdict([major] * 6, 500).reasons == ("dimension:accuracy",)


def test_a_critical_finding_fails_however_long_the_text_is():
    verdict = _verdict([_finding(FindingSeverity.CRITICAL, Dimension.LOCALE)], 100_000)
    assert verdict.outcome is VerdictOutcome.FAIL
    assert verdict.reasons == ("critical:locale",)
    assert verdict.score is not None and verdict.score > 9


def test_a_neutral_finding_costs_nothing():
    assert _verdict([_finding(FindingSeverity.NEUTRAL)] * 50, 3).score == 10


def test_a_finding_in_a_dimension_nobody_assessed_still_counts():
    style = _finding(FindingSeverity.MAJOR, Dimension.STYLE)
    assert _verdict([style], 10, (Dimension.ACCURACY,)).outcome is VerdictOutcome.FAIL


@given(st.lists(st.sampled_from(list(FindingSeverity)), max_size=12), st.integers(0, 3000), st.integers(1, 3000))
def test_a_score_is_bounded_and_never_worse_for_a_longer_text(severities, words, more):
    findings = [_finding(severity) for severity in severities]
    short, long = score(findings, words, ALL), score(findings, words + more, ALL)
    assert short is not None and long is not None
    assert 0 <= short.overall <= long.overall <= 10


@given(st.lists(st.sampled_from(list(FindingSeverity)), max_size=12), st.sampled_from(list(FindingSeverity)))
def test_another_finding_never_raises_a_score(severities, another):
    findings = [_finding(severity) for severity in severities]
    before, after = score(findings, 60, ALL), score([*findings, _finding(another)], 60, ALL)
    assert before is not None and after is not None
    assert after.overall <= before.overall


def test_a_failed_hard_gate_is_score_zero_whatever_else_is_good():
    gates = (
        GateResult("placeholder_set", GateOutcome.FAIL, GateSeverity.HARD),
        GateResult("numbers", GateOutcome.FAIL, GateSeverity.FLAG),
    )
    verdict = decide(gates, (), score((), 100, ALL))
    assert verdict.outcome is VerdictOutcome.FAIL
    assert verdict.score == 0
    assert verdict.reasons == ("gate:placeholder_set",)


def test_flags_and_doubts_alone_do_not_fail():
    gates = (
        GateResult("numbers", GateOutcome.FAIL, GateSeverity.FLAG),
        GateResult("language", GateOutcome.UNSURE, GateSeverity.HARD),
        GateResult("icu", GateOutcome.NOT_APPLICABLE, GateSeverity.HARD),
    )
    assert decide(gates, (), score((), 100, ALL)).outcome is VerdictOutcome.PASS


def test_unscored_is_never_a_pass():
    verdict = decide((), (), score((), 100, ()), notes=("sentences_not_aligned",))
    assert verdict.outcome is VerdictOutcome.UNSCORED
    assert verdict.score is None
    assert verdict.reasons == ("unscored", "sentences_not_aligned")


def test_the_pass_score_can_be_raised():
    findings = [_finding(FindingSeverity.MINOR)]
    scores = score(findings, 30, ALL)
    assert decide((), findings, scores, pass_score=8).outcome is VerdictOutcome.PASS
    assert decide((), findings, scores, pass_score=9.9).reasons == ("score",)


def test_every_dimension_and_severity_has_its_number():
    assert set(RUBRIC.weights) == set(RUBRIC.thresholds) == set(Dimension)
    assert set(RUBRIC.points) == set(FindingSeverity)


@pytest.mark.parametrize(
    ("text", "words"),
    [("", 0), ("...", 0), ("one two-three don't", 3), ("漢字かな", 2), ("Привет, мир", 2), ("v2 API", 2)],
)
def test_words_are_counted_in_any_script(text: str, words: int):
    assert count_words(text) == words


SOURCE, CANDIDATE = "Do not open the door. Open it.", "Não abra a porta. Abra."


def _quoting(source_quote: str, target_quote: str, **more: object) -> Finding:
    return Finding(Dimension.ACCURACY, FindingSeverity.MINOR, source_quote, target_quote, "r", **more)


def test_a_quote_that_exists_gets_its_span():
    (found,) = verify([_quoting("the door", "a porta")], SOURCE, CANDIDATE).findings
    assert found.source_span is not None and found.source_span.of(SOURCE) == "the door"
    assert found.candidate_span is not None and found.candidate_span.of(CANDIDATE) == "a porta"


@pytest.mark.parametrize(
    "finding",
    [
        _quoting("the door", "a janela"),
        _quoting("the window", ""),
        _quoting("", ""),
        _quoting("the door", "a porta", fix="a porta"),
    ],
)
def test_what_can_not_be_verified_is_dropped_and_counted(finding: Finding):
    verified = verify([finding], SOURCE, CANDIDATE)
    assert verified.findings == ()
    assert verified.dropped == 1
    assert not verified.is_trustworthy


def test_a_source_quote_is_a_courtesy_beside_a_verified_target_quote():
    (found,) = verify([_quoting("the gate", "a porta")], SOURCE, CANDIDATE).findings
    assert found.source_quote == "" and found.source_span is None


def test_the_same_error_twice_counts_once_with_its_worse_severity():
    twice = [_quoting("", "Abra"), Finding(Dimension.ACCURACY, FindingSeverity.MAJOR, "", "Abra", "r")]
    (found,) = verify(twice, SOURCE, CANDIDATE).findings
    assert found.severity is FindingSeverity.MAJOR


def test_the_same_words_at_two_places_are_two_errors():
    text = "um erro e um erro"
    places = [_quoting("", "erro", candidate_span=Span(3, 7)), _quoting("", "erro", candidate_span=Span(13, 17))]
    assert len(verify(places, "x", text).findings) == 2


def test_a_judge_that_makes_up_more_than_a_third_is_not_trusted():
    real = [_quoting("", word) for word in ("abra", "porta")]
    assert verify([*real, _quoting("", "janela")], SOURCE, CANDIDATE).is_trustworthy
    assert not verify([*real, *[_quoting("", f"janela {n}") for n in range(2)]], SOURCE, CANDIDATE).is_trustworthy
