"""Nothing that anybody wrote, and no translation of it, gets into a log, a metric, an error or an event."""

from __future__ import annotations

import json
from pathlib import Path

import canaries
import pytest
from canaries import PEOPLES_WORDS, Search
from echoing_provider import KINDS
from silent_run import Provocation, SilentRun

pytestmark = pytest.mark.slow

LOGS = ("scheduler.log", "translator.log", "review.log", "postgres.log")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> SilentRun:
    """Everything at once: work, decisions, and every error that can be forced; then all that was said."""
    return Provocation(tmp_path_factory.mktemp("silence")).go()


@pytest.fixture(scope="module")
def search(run: SilentRun) -> Search:
    return Search([*PEOPLES_WORDS.values(), *run.texts])


def test_the_errors_were_really_met(run: SilentRun):
    kinds = {what.partition(":")[0] for what in run.provoked}
    assert kinds >= {
        "scheduler's gRPC errors", "translator's gRPC errors", "review's raw HTTP answers", "scheduler's raw HTTP answers",
        "translator's raw HTTP answers", "review's error pages", "database errors", "client errors", "kill", "provider",
    }
    assert len(set(run.provoked)) > 300
    assert sum(what.startswith("provider") for what in run.provoked) == len(KINDS)
    assert len({what for what in run.provoked if what.startswith("database errors")}) >= 18
    assert {what for what in run.provoked if what.startswith("demo")} == {
        "demo, second start: exit 0", "demo on broken content: exit 11"}


def test_every_process_did_say_something(run: SilentRun):
    for name in LOGS:
        assert run.sinks[name].strip(), f"{name} is empty: nothing was proved about it"
    assert b'"event": "item.attempt"' in run.sinks["scheduler.log"]
    assert b'"event": "rpc.refused_by_store"' in run.sinks["scheduler.log"], "no surprise ever reached a server"
    assert b"Fatal Python error: Aborted" in run.sinks["translator.log"]
    assert b"terminated by signal" in run.sinks["postgres.log"]
    assert b"translation.published" in run.sinks["outbox"] and b'"edit"' in run.sinks["audit"]
    assert b"draftgate_items" in b"".join(text for name, text in run.sinks.items() if name.startswith("metrics"))
    assert run.sinks["the engine's journal"].count(b"\n") > 10
    assert run.sinks["core files"] == b"", "a core file holds every text that was in memory"


def test_the_words_that_are_looked_for_are_the_ones_that_went_through(run: SilentRun, search: Search):
    stored = "\n".join(run.texts)
    for name in ("TITLE", "PARAGRAPH", "SECOND_PARAGRAPH", "STRING", "MESSAGE", "LINE", "EDITED", "PERSON_NOTE", "TERM_NOTE",
                 "PROVIDED"):
        assert PEOPLES_WORDS[name] in stored, name
    assert len(search) > 2_000
    translated = [text for text in run.texts if "trombone esmeralda" in text.casefold()]
    assert translated, "the translations are looked for too"


@pytest.mark.parametrize("encode", [
    str.encode, lambda text: json.dumps({"a": text}).encode(), lambda text: text[7:31].encode(),
    lambda text: text.replace(" ", "\n").encode(), lambda text: text.replace(" ", "%20").encode(),
])
def test_the_search_finds_words_in_whatever_they_are_wrapped(search: Search, encode):
    assert search.find(b'{"event": "x"} ' + encode(canaries.EDITED) + b" tail")
    assert search.find(b'{"event": "item.attempt", "item": 7, "page": "page.md", "field": "body"}') == []


def test_nobodys_words_are_anywhere(run: SilentRun, search: Search):
    found = {place: hits for place, text in sorted(run.sinks.items()) if (hits := search.find(text))}
    assert found == {}


def test_no_secret_is_anywhere(run: SilentRun):
    assert len(run.secrets) >= 4 and all(len(secret) > 20 for secret in run.secrets)
    leaks = [place for place, text in run.sinks.items() for secret in run.secrets if secret.encode() in text]
    assert leaks == []


def test_every_line_of_a_service_is_an_event_or_a_fatal_trace(run: SilentRun):
    for name in ("scheduler.log", "translator.log", "review.log"):
        for line in run.sinks[name].decode().splitlines():
            is_json = line.startswith("{")
            assert not is_json or {"at", "level", "service", "event"} <= json.loads(line).keys(), line
            assert is_json or _is_trace(line), f"{name}: {line}"


def _is_trace(line: str) -> bool:
    """Say whether a line is what the interpreter or gRPC's core writes by itself when it dies or starts."""
    begins = ("Fatal Python error", "Current thread", "Thread 0x", "  File ", "  <no Python", "Extension modules",
              "  ...", "Stack (most recent", "scheduler ready", "translator ready", "draftgate: ")
    return not line.strip() or line.startswith(begins)


def test_the_folder_of_this_test_keeps_no_words_by_accident(tmp_path: Path):
    """The search itself: a log with one canary in it is found, and named."""
    log = tmp_path / "planted.log"
    log.write_text(json.dumps({"event": "x", "reason": canaries.PERSON_NOTE}), encoding="utf-8")
    assert Search([canaries.PERSON_NOTE]).find(log.read_bytes())
