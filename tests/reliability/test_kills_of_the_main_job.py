"""SIGKILL of every process while the main job runs on other people's content: the same texts, nothing bought again."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from disturbing import DATABASE, Run, running

pytestmark = pytest.mark.slow

# A catalogue of short strings and pages of several segments: half a minute's work on two quiet cores.
PAGES = (
    "environment-variables.md", "benchmarks.md", "features.md", "history-design-future.md", "tutorial/middleware.md",
    "tutorial/first-steps.md", "tutorial/path-params.md", "tutorial/handling-errors.md",
)
CATALOGUE = "conf.en.po"
# Alternating, with the database in the middle of it; and at last a scheduler that comes back before its database does.
TARGETS = [*["scheduler", "translator"] * 3, DATABASE, *["scheduler", "translator"] * 2, f"{DATABASE}+scheduler"]
SEED = 20_260_806
PART = "p.item_id, p.source_revision, p.turn, p.segment, p.kind, p.ordinal"


@dataclass(frozen=True)
class Begun:
    """One line of the engine's own journal: a generation that it began."""

    call_id: str
    source_hash: str
    at: datetime


@pytest.fixture(scope="module")
def content(shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("content")
    for page in PAGES:
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(shared_folder / "corpora/fastapi-docs/en" / page, folder / page)
    shutil.copyfile(shared_folder / "corpora/django-po" / CATALOGUE, folder / CATALOGUE)
    return folder


@pytest.fixture(scope="module")
def undisturbed(content: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], tuple[str, str]]:
    """How each field ended in a run that nobody disturbed: its status and the hash of its text."""
    with running(tmp_path_factory.mktemp("undisturbed"), content) as run:
        run.until_done()
        return texts(run)


@pytest.fixture(scope="module")
def disturbed(content: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """A run whose processes were killed, at rest."""
    with running(tmp_path_factory.mktemp("disturbed"), content) as run:
        run.until_done(TARGETS, seed=SEED)
        yield run


def texts(run: Run) -> dict[tuple[str, str], tuple[str, str]]:
    rows = run.query("select page_id, field_name, status, text_hash from items left join candidates using (candidate_id)")
    return {(page_id, field_name): (status, text_hash) for page_id, field_name, status, text_hash in rows}


def journal(run: Run) -> list[Begun]:
    lines = [line.split() for line in run.journal.read_text().splitlines()]
    return [Begun(call_id, source_hash, datetime.fromisoformat(at)) for call_id, source_hash, at in lines]


def test_ten_kills_and_more_of_the_database_and_at_least_five_with_a_call_in_flight(disturbed: Run):
    assert Counter(kill.target for kill in disturbed.kills) == {"scheduler": 6, "translator": 5, DATABASE: 2}
    in_flight = Counter(kill.target for kill in disturbed.kills[:11] if kill.in_flight)
    print(f"kills with a call in flight: {dict(in_flight)}; the run took {disturbed.seconds:.0f} s")
    assert in_flight.total() >= 5 and in_flight["scheduler"] and in_flight["translator"], in_flight


def test_the_final_texts_are_those_of_an_undisturbed_run(disturbed: Run, undisturbed):
    assert len(undisturbed) > 370
    assert texts(disturbed) == undisturbed


def test_no_item_failed_and_none_is_lost(disturbed: Run):
    statuses = Counter(status for status, _hash in texts(disturbed).values())
    fields = sum(len(page.fields) for page in disturbed.demo.source.pages("pt-BR"))
    assert statuses.keys() == {"draft", "needs_review"} and statuses.total() == fields
    ended = disturbed.query("select count(*) from item_log where to_status in ('needs_credential', 'rejected')")
    assert ended == [(0,)]
    assert disturbed.query("select count(*) from items where lease_until is not null or worker_id is not null") == [(0,)]


def test_nobody_used_more_attempts_than_there_are(disturbed: Run):
    ((most, claims),) = disturbed.query("select max(attempt_count), max(claim_seq) from items")
    assert most <= 4
    assert claims > 1, "no claim was ever taken over: the kills hit nothing"


def test_the_ledger_is_at_rest_with_nothing_open_and_nothing_held(disturbed: Run):
    states = Counter(dict(disturbed.query("select state, count(*) from calls group by state")))
    assert states.keys() <= {"applied", "refused", "written_off"}, states
    assert disturbed.query("select count(*) from call_parts where is_open") == [(0,)]
    assert disturbed.query("select coalesce(sum(held_micros), 0), coalesce(sum(spent_micros), 0) from budgets") == [(0, 0)]
    lost = {call_id for kill in disturbed.kills if kill.target == "translator" for call_id in kill.in_flight}
    written_off = {str(row[0]) for row in disturbed.query("select call_id from calls where state = 'written_off'")}
    assert lost <= written_off, "what died with the translator is booked as such"


def test_every_part_ends_with_exactly_one_applied_call(disturbed: Run):
    parts = disturbed.query(
        f"select {PART}, count(*) filter (where c.state = 'applied') from call_parts p join calls c using (call_id) "
        "group by 1, 2, 3, 4, 5, 6")
    assert parts and [part for part in parts if part[-1] != 1] == []
    ((segments,),) = disturbed.query("select count(*) from segments where needs_call and text is not null")
    assert segments == sum(part[4] == "generate" for part in parts)


def test_by_the_engines_own_count_nothing_was_generated_again_once_its_answer_was_stored(disturbed: Run):
    begun = journal(disturbed)
    assert max(Counter(line.call_id for line in begun).values()) == 1, "a call was run twice"
    rows = disturbed.query(
        f"select c.call_id::text, ({PART})::text, c.state, c.ended_at, i.source_text, s.span_start, s.span_end "
        "from call_parts p join calls c using (call_id) join items i using (item_id) "
        "join segments s on (s.item_id, s.source_revision, s.turn, s.ordinal) = "
        "(p.item_id, p.source_revision, p.turn, p.segment) where p.kind = 'generate'")
    by_call = {row[0]: row for row in rows}
    stored_at = {part: ended_at for _call, part, state, ended_at, *_rest in rows if state in ("stored", "applied")}
    generations = defaultdict[str, list[Begun]](list)
    for line in begun:
        call_id, part, _state, _ended, source_text, start, end = by_call[line.call_id]
        assert line.source_hash == hashlib.sha256(source_text[start:end].encode()).hexdigest(), "another text than its part's"
        generations[part].append(line)
    again = {part: lines for part, lines in generations.items() if any(line.at > stored_at[part] for line in lines)}
    assert again == {}
    assert generations.keys() == stored_at.keys(), "each stored answer was generated"
    # Its answer never arrived: only then is a text generated a second time, once for each kill at most.
    repeated = sum(len(lines) - 1 for lines in generations.values())
    in_flight = sum(len(kill.in_flight) for kill in disturbed.kills)
    print(f"{len(begun)} generations begun, {repeated} of them again; {in_flight} calls were cut off for sure")
    assert repeated <= in_flight + 4 * len(disturbed.kills)


def test_every_process_said_in_its_log_that_it_came_back(disturbed: Run):
    logs = disturbed.installation.data_folder / "logs"
    assert (logs / "scheduler.log").read_text().count('"event": "scheduler.started"') == 7
    assert (logs / "translator.log").read_text().count('"event": "translator.started"') == 6
    assert (logs / "postgres.log").read_text().count("database system was not properly shut down") == 2
    assert "process.crashed" not in (logs / "scheduler.log").read_text()
