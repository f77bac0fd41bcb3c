"""The main job on content written by other people: every text ends as a draft or with a person, and says why."""

from __future__ import annotations

from collections import Counter

import pytest
from counting import expected_texts
from opened_site import LOCALE, MainRun, Opened

from scheduler_service.answers import Finding, GetItemResponse
from scheduler_service.domain.items import ItemStatus

pytestmark = pytest.mark.slow

CATALOGUE = "conf.en.po"


def quotes_something(finding: Finding, item: GetItemResponse) -> bool:
    """Say whether a finding quotes words that really stand in the source or in the translation."""
    assert item.candidate is not None
    quotes = ((finding.source_quote, item.source_text), (finding.target_quote, item.candidate.text))
    return any(quote and quote in text for quote, text in quotes)


def is_explained(item: GetItemResponse) -> bool:
    """Say whether a person is told why: a failed hard gate by its name, or a finding by its words."""
    if item.candidate is None or not item.summary.reasons:
        return False
    gates = {f"gate:{gate.gate}" for gate in item.candidate.open_gates}
    if gates:
        return gates <= set(item.summary.reasons)
    findings = [finding for judgment in item.candidate.judgments for finding in judgment.findings]
    return any(finding.reason and quotes_something(finding, item) for finding in findings)


def test_the_run_ends_by_itself_and_its_last_line_adds_up(main_run: MainRun) -> None:
    assert main_run.ended.returncode == 0, main_run.ended.stderr[-4000:]
    told = main_run.last_line
    assert set(told) == {"by_status", "by_work_state", "export"}
    assert told["by_work_state"] == {}, "something was left to do"
    assert set(told["by_status"]) <= {"draft", "needs_review"}
    expected = sum(page.counts.total() for page in expected_texts(main_run.content).values())
    assert sum(told["by_status"].values()) == expected
    assert told["export"] == str(main_run.data / "export")
    assert "Traceback" not in main_run.ended.stderr


def test_every_text_that_another_parser_counts_is_there_with_its_translation(finished: Opened) -> None:
    expected = expected_texts(finished.demo.source.folder)
    assert len(expected) == 24
    found = {page_id: Counter[str]() for page_id in expected}
    for item in finished.items.values():
        page = expected[item.summary.key.page_id]
        found[item.summary.key.page_id][page.counted_as(item.source_text)] += 1
    assert found == {page_id: page.counts for page_id, page in expected.items()}
    for item in finished.items.values():
        key = item.summary.key
        assert key.target_locale == LOCALE
        assert item.candidate is not None and item.candidate.text.strip(), f"{key} has no text"
        assert item.candidate.source_revision == item.summary.source_revision


def test_every_field_is_a_draft_or_waits_for_a_person(finished: Opened, main_run: MainRun) -> None:
    statuses = Counter(item.summary.status for item in finished.items.values())
    assert statuses.keys() <= {ItemStatus.DRAFT, ItemStatus.NEEDS_REVIEW}
    assert {status.value: count for status, count in statuses.items()} == main_run.last_line["by_status"]
    status = finished.demo.installation.scheduler().get_status("demo")
    assert (status.total, status.inactive, status.failures, status.unknown_calls) == (len(finished.items), 0, (), 0)


def test_at_least_half_of_the_catalogue_is_drafted(finished: Opened) -> None:
    strings = [item for item in finished.items.values() if item.summary.key.page_id == CATALOGUE]
    drafts = sum(item.summary.status is ItemStatus.DRAFT for item in strings)
    assert drafts * 2 >= len(strings), f"{drafts} of {len(strings)}"


def test_what_waits_for_a_person_names_its_gate_or_quotes_its_finding(finished: Opened) -> None:
    waiting = [item for item in finished.items.values() if item.summary.status is ItemStatus.NEEDS_REVIEW]
    assert [item.summary.key for item in waiting if not is_explained(item)] == []


def test_a_draft_has_passed_every_hard_gate_and_the_score(finished: Opened) -> None:
    drafts = [item for item in finished.items.values() if item.summary.status is ItemStatus.DRAFT]
    assert drafts
    for item in drafts:
        key, candidate = item.summary.key, item.candidate
        assert candidate is not None
        assert candidate.open_gates == (), key
        assert any(gate.severity == "hard" and gate.outcome == "pass" for gate in candidate.gates), key
        verdicts = [judgment.verdict for judgment in candidate.judgments]
        assert verdicts == ["pass"], f"{key}: {verdicts}"
        assert item.summary.score is not None and item.summary.score >= 8, key
        assert item.summary.is_offline_estimate, f"{key}: an estimate must say that it is one"


def test_no_text_was_bought_twice(finished: Opened) -> None:
    bought = finished.database.execute(
        "select count(*), count(distinct (item_id, source_revision, turn, segment, call_parts.kind, ordinal)) "
        "from call_parts join calls using (call_id) where state in ('stored', 'applied', 'unused')"
    ).fetchone()
    states = dict(finished.database.execute("select state, count(*) from calls group by 1").fetchall())
    assert bought is not None and bought[0] == bought[1] > 0
    assert states.keys() == {"applied"}, states
