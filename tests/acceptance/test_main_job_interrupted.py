"""Ctrl-C in the terminal stops everything, and a second start goes on where the first one stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import psutil
import psycopg
import pytest
from demo_command import begun, connect, database_of, last_object, poll, run_demo
from many_pages import PLACES, write_many_pages

from scheduler_service.cli.exits import Exit

pytestmark = pytest.mark.slow

START_SECONDS = 120
# A service drains for 25 s at most; nothing here runs longer than a second.
STOP_SECONDS = 60


def stored_parts(connection: psycopg.Connection) -> Counter[tuple[object, ...]]:  # type: ignore[type-arg]
    """Return every part whose answer is stored, with how often it was bought."""
    rows = connection.execute(
        "select item_id, source_revision, turn, segment, call_parts.kind, ordinal "
        "from call_parts join calls using (call_id) where state in ('stored', 'applied', 'unused')"
    )
    return Counter(tuple(row) for row in rows)


def family(process: subprocess.Popen[str]) -> list[psutil.Process]:
    root = psutil.Process(process.pid)
    return [root, *root.children(recursive=True)]


def is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def mentions(folder: Path) -> list[int]:
    """Return the processes whose command line or environment names `folder`."""
    found = []
    for process in psutil.process_iter():
        try:
            words = [*process.cmdline(), *process.environ().values()]
        except (psutil.Error, OSError):
            continue
        if any(str(folder) in word for word in words) and process.pid != os.getpid():
            found.append(process.pid)
    return found


def connected(data: Path, process: subprocess.Popen[str]) -> psycopg.Connection | None:  # type: ignore[type-arg]
    assert process.poll() is None, process.communicate()[1]
    try:
        connection = connect(data)
        connection.execute("select from call_parts")
        return connection
    except (OSError, psycopg.Error):
        return None


def test_ctrl_c_leaves_no_process_and_a_second_start_buys_nothing_again(tmp_path: Path) -> None:
    content, data, journal = tmp_path / "site" / "content", tmp_path / "data", tmp_path / "journal"
    write_many_pages(content)
    with begun(content, data, DRAFTGATE_TRANSLATOR_OFFLINE_JOURNAL=str(journal)) as process:
        connection = poll(lambda: connected(data, process), START_SECONDS, "starting")
        poll(lambda: stored_parts(connection).total() >= 3, START_SECONDS, "the first answers")
        everybody = family(process)
        assert len(everybody) >= 5, "PostgreSQL, translator, scheduler and review site below the demo"
        connection.close()

        os.killpg(process.pid, signal.SIGINT)
        asked_at = time.monotonic()
        _, told = process.communicate(timeout=STOP_SECONDS)
        took = time.monotonic() - asked_at
        assert process.returncode in (Exit.DONE, Exit.INTERRUPTED), told
        assert "Traceback" not in told and "crashed" not in told
        assert [p.pid for p in everybody if is_alive(p)] == []
        assert mentions(data) == []
        assert not (data / "postgres" / "socket").exists()
        assert took < 30, f"stopping took {took:.0f} s"

    with database_of(data) as connection:
        stored = stored_parts(connection)
        (left,) = connection.execute(
            "select count(*) from items where status in ('missing', 'stale')").fetchone() or (0,)
    assert stored.total() >= 3
    assert left, "everything was done before the interruption: it proves nothing"

    again = run_demo(content, data, "--once", "--json", DRAFTGATE_TRANSLATOR_OFFLINE_JOURNAL=str(journal))
    assert again.returncode == Exit.DONE, again.stderr
    summary = last_object(again.stdout)
    assert summary["by_work_state"] == {} and sum(summary["by_status"].values()) == len(PLACES)
    assert mentions(data) == []
    with database_of(data) as connection:
        bought = stored_parts(connection)
        states = dict(connection.execute("select state, count(*) from calls group by 1").fetchall())
        segments = connection.execute("select count(*), count(text) from segments where needs_call").fetchone()
        attempts = connection.execute("select max(attempt_count), count(last_error_code) from items").fetchone()
    assert stored <= bought
    assert set(bought.values()) == {1}, "a part was bought twice"
    assert "unknown" not in states, states
    assert segments is not None and segments[0] == segments[1] > 0
    # The engine's own record: no segment was begun again, not even one whose answer was lost.
    begun_segments = Counter(line.split()[1] for line in journal.read_text(encoding="ascii").splitlines())
    assert len(begun_segments) == segments[0]
    assert set(begun_segments.values()) == {1}
    assert attempts == (1, 0), "an interruption is nobody's failed attempt"
