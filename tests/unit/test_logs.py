"""Logs can say what happened, to what and where, and nothing of what anybody wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from uuid import UUID

import pytest

from translator_service.foundation import logs

SECRET = "The heron swallowed my grandmother's silver thimble"
PREAMBLE = f"""
import asyncio, faulthandler, logging, os, resource, signal, sys, threading, warnings
from translator_service.foundation import logs
SECRET = {SECRET!r}
logs.configure("unit")
"""


class Colour(Enum):
    RED = "red"


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Run `code` in a process of its own whose logs are configured."""
    return subprocess.run([sys.executable, "-c", PREAMBLE + code], capture_output=True, text=True, timeout=60)


def lines(code: str) -> list[dict[str, object]]:
    """Return the lines that `code` logged, after making sure that none of its output holds the secret."""
    ended = run(code)
    assert not leaked(ended.stdout + ended.stderr), "the secret got out"
    return [json.loads(line) for line in ended.stderr.splitlines()]


def leaked(text: str) -> bool:
    return any(SECRET[at : at + 12] in text for at in range(len(SECRET) - 11))


def test_a_field_outside_the_closed_list_is_refused_by_name():
    with pytest.raises(ValueError, match="source_text"):
        logs.event("item.done", source_text="x")


@pytest.mark.parametrize(
    "value",
    [SECRET, "two words", "line\nbreak", "吾輩は猫である名前はまだ無い", "Überraschung", "a" * 201, "it's", "{name}", "<b>"],
)
def test_free_text_in_an_allowed_field_is_replaced_by_its_length(value):
    assert logs._safe(value) == f"[{len(value)} characters withheld]"


@pytest.mark.parametrize("value", [[SECRET], {"text": SECRET}, ValueError(SECRET), SECRET.encode(), (SECRET,)])
def test_what_is_no_identifier_number_or_moment_shows_only_its_type(value):
    assert logs._safe(value) == type(value).__name__


@pytest.mark.parametrize(
    ("value", "shown"),
    [(7, 7), (0.5, 0.5), (True, True), (None, None), ("pages/welcome.md", "pages/welcome.md"), (Colour.RED, "red"),
     ("Worker.Timeout", "Worker.Timeout"), (Decimal("8.25"), 8.25), ("", ""),
     (UUID(int=5), "00000000-0000-0000-0000-000000000005"), (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00")],
)
def test_ids_codes_numbers_and_moments_pass(value, shown):
    assert logs._safe(value) == shown


def test_a_line_is_one_json_object_with_its_event_and_fields():
    (line,) = lines('logs.event("item.attempt", item=7, code="Worker.Timeout", page=SECRET)')
    assert line.pop("at").endswith("+00:00")
    assert line == {"level": "info", "service": "unit", "event": "item.attempt", "item": 7, "code": "Worker.Timeout",
                    "page": f"[{len(SECRET)} characters withheld]"}


def test_a_librarys_record_is_reduced_to_where_it_came_from():
    found = lines("""
log = logging.getLogger("sqlalchemy.engine")
log.error("insert failed: %s", SECRET)
log.warning(SECRET, extra={"draftgate_fields": {"page": SECRET}})
try:
    raise ValueError(SECRET) from KeyError(SECRET)
except ValueError:
    log.exception(SECRET)
log.error("%d", SECRET)
""")
    assert [line["event"] for line in found] == ["library.log"] * 4
    assert {line["logger"] for line in found} == {"sqlalchemy.engine"}
    assert all(set(line) <= {"at", "level", "service", "event", "logger", "line", "exception", "where"} for line in found)
    assert found[2]["exception"] == "ValueError"


def test_a_librarys_chatter_below_warning_is_not_written_at_all():
    assert lines('logging.getLogger("httpx").info(SECRET); logging.getLogger("openai").debug(SECRET)') == []


def test_a_failure_tells_class_and_places_and_nothing_of_the_error():
    (line,) = lines("""
def inner():
    error = ValueError(SECRET)
    error.add_note(SECRET)
    raise error from RuntimeError(SECRET)
try:
    inner()
except ValueError as error:
    logs.failure("item.crashed", error, item=3, sqlstate="23505", detail=SECRET)
""")
    assert (line["event"], line["exception"], line["item"], line["sqlstate"]) == ("item.crashed", "ValueError", 3, "23505")
    assert line["where"].startswith("<string>:") and "detail" not in line


CRASHES = {
    "main": 'raise ValueError(SECRET)',
    "thread": 't = threading.Thread(target=lambda: {}[SECRET]); t.start(); t.join()',
    "destructor": 'C = type("C", (), {"__del__": lambda self: {}[SECRET]}); c = C(); del c',
    "task": 'async def main():\n    asyncio.ensure_future(fail())\n    await asyncio.sleep(0.01)\n'
            'async def fail():\n    raise ValueError(SECRET)\nasyncio.run(main())',
    "warning": 'warnings.warn(SECRET)',
}


@pytest.mark.parametrize("how", CRASHES)
def test_no_way_of_crashing_says_what_was_being_worked_on(how):
    (line,) = lines(CRASHES[how])
    assert line["event"] in ("process.crashed", "thread.crashed", "process.unraisable", "library.log")
    assert how == "warning" or line["exception"] in ("ValueError", "KeyError")


def test_a_fatal_signal_leaves_code_places_and_no_core_file():
    ended = run("text = SECRET\nprint(resource.getrlimit(resource.RLIMIT_CORE)[0], flush=True)\n"
                "os.kill(os.getpid(), signal.SIGABRT)")
    assert ended.returncode == -6 and ended.stdout == "0\n"
    assert "Fatal Python error: Aborted" in ended.stderr and not leaked(ended.stderr)


def test_the_search_of_these_tests_does_find_what_it_looks_for():
    assert leaked(run('sys.stderr.write("x" + SECRET[10:30])').stderr)
