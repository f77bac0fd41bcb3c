"""The embedded PostgreSQL keeps its promises through kills, and says nothing of what it is given."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time
from pathlib import Path

import psutil
import psycopg
import pytest
from embedded_server import connect, poll, query, supervisor

from scheduler_service.embedded.errors import DataFolderInUse
from scheduler_service.embedded.leftovers import FAST_SECONDS
from scheduler_service.embedded.postgres import EmbeddedPostgres

# A tenth of a second on a quiet machine; what is shut out is any wait for a time limit.
AT_ONCE_SECONDS = 20


def test_a_first_start_makes_the_database_with_the_settings_that_the_product_needs(tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path / "new") as server:
        assert query(server, "select current_database()") == [("draftgate",)]
        settings = dict(query(server, "select name, setting from pg_settings"))  # type: ignore[arg-type]
        collation = query(
            server, "select pg_encoding_to_char(encoding), datlocprovider, datlocale from pg_database group by 1, 2, 3"
        )
    assert collation == [("UTF8", "b", "C.UTF-8")]
    assert settings["listen_addresses"] == ""
    assert settings["TimeZone"] == "UTC"
    assert settings["autovacuum_naptime"] == "10"
    assert settings["idle_in_transaction_session_timeout"] == "60000"
    assert settings["fsync"] == "on"
    assert int(settings["shared_buffers"]) * 8 >= 128 * 1024
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_letters_outside_ascii_are_letters_to_the_trigram_search(server: EmbeddedPostgres) -> None:
    query(server, "create extension pg_trgm")
    assert query(server, "select similarity('São João', 'são joão'), similarity('ção', 'o') < 0.9") == [(1.0, True)]


def test_stop_leaves_no_process_and_no_socket_and_gives_the_folder_free(folder: Path) -> None:
    server = EmbeddedPostgres(folder)
    server.start()
    process = psutil.Process(server.pid)
    children = process.children()
    sockets = Path((folder / "socket").read_text().strip())
    assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    server.stop()
    server.stop()
    assert not server.is_running
    assert not any(child.is_running() for child in (process, *children))
    assert not sockets.exists()
    assert not (folder / "cluster" / "postmaster.pid").exists()
    with EmbeddedPostgres(folder) as again:
        assert query(again, "select n from kept") == [(1,)]


def test_a_start_after_the_server_was_killed_answers_at_once_and_has_lost_nothing(server: EmbeddedPostgres) -> None:
    for number in (2, 3, 4):
        query(server, f"insert into kept values ({number})")
        before, url = server.pid, server.url()
        os.kill(before, signal.SIGKILL)
        begun = time.monotonic()
        server.start()
        assert query(server, "select max(n) from kept") == [(number,)]
        assert time.monotonic() - begun < AT_ONCE_SECONDS
        assert server.pid != before
        assert server.url() == url


def test_a_statement_that_runs_on_after_its_server_was_killed_does_not_block_the_next(server: EmbeddedPostgres) -> None:
    connection = connect(server)
    connection.pgconn.send_query(b"do $$ begin loop end loop; end $$")
    poll(lambda: query(server, "select 1 from pg_stat_activity where state = 'active' and query like 'do %'"))
    busy = connection.info.backend_pid
    os.kill(server.pid, signal.SIGKILL)
    server.start()
    connection.close()
    assert query(server, "select n from kept") == [(1,)]
    poll(lambda: not psutil.pid_exists(busy))


def test_a_server_that_outlived_its_killed_supervisor_is_replaced_at_once(folder: Path) -> None:
    other = supervisor(folder)
    orphan = psutil.Process(int(other.stdout.readline()))
    other.kill()
    other.wait()
    assert orphan.is_running()
    begun = time.monotonic()
    with EmbeddedPostgres(folder) as server:
        assert query(server, "select n from kept") == [(1,)]
        assert time.monotonic() - begun < AT_ONCE_SECONDS
        assert server.pid != orphan.pid
        assert not orphan.is_running() or orphan.status() == psutil.STATUS_ZOMBIE


def test_a_second_supervisor_is_refused_and_disturbs_nothing(folder: Path) -> None:
    other = supervisor(folder)
    pid = int(other.stdout.readline())
    try:
        second = EmbeddedPostgres(folder)
        with pytest.raises(DataFolderInUse) as refused:
            second.start()
        assert refused.value.pid == other.pid
        assert str(other.pid) in str(refused.value) and refused.value.remedy
        assert psutil.Process(pid).is_running()
        assert Path((folder / "socket").read_text().strip()).is_dir()
    finally:
        other.kill()
        other.wait()
    with second:
        with pytest.raises(DataFolderInUse):
            EmbeddedPostgres(folder).start()
        assert query(second, "select n from kept") == [(1,)]


def test_a_number_in_the_lock_file_that_now_belongs_to_a_stranger_does_not_stop_a_start(folder: Path) -> None:
    with EmbeddedPostgres(folder) as server:
        lines = (folder / "cluster" / "postmaster.pid").read_text().splitlines()
        os.kill(server.pid, signal.SIGKILL)
        poll(lambda: not server.is_running)
    stranger = subprocess.Popen(["sleep", "600"])
    try:
        lock = folder / "cluster" / "postmaster.pid"
        lock.write_text("\n".join([str(stranger.pid), *lines[1:]]) + "\n")
        with EmbeddedPostgres(folder) as server:
            assert query(server, "select n from kept") == [(1,)]
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_nothing_that_a_statement_carries_reaches_the_log(server: EmbeddedPostgres, folder: Path) -> None:
    canary = "a-secret-sentence-of-a-customer"
    query(server, "create table unique_texts (t text primary key check (length(t) < 500))")
    query(server, f"insert into unique_texts values ('{canary}')")
    failing = (
        f"select '{canary}'::int",
        f"select '{canary}' from nowhere",
        f"insert into unique_texts values ('{canary}')",
        f"insert into unique_texts values (repeat('{canary}', 100))",
        f"select '{canary}'::jsonb",
        f"select '{canary}\\' bad syntax",
        f"do $$ begin raise exception '{canary}'; end $$",
        f"do $$ begin raise warning '{canary}'; end $$",
        f"set statement_timeout = '20ms'; select pg_sleep(5), '{canary}'",
    )
    for statement in failing:
        with pytest.raises(psycopg.Error) if "warning" not in statement else connect(server), connect(server) as c:
            c.execute(statement)  # type: ignore[arg-type]
    with pytest.raises(psycopg.Error), connect(server) as connection:
        connection.execute("select %s::int", (canary,))
    # The worst case: PostgreSQL names the statement of a process that was killed.
    log = folder / "postgres.log"
    connection = connect(server)
    connection.pgconn.send_query(f"select pg_sleep(60), '{canary}'".encode())
    poll(lambda: query(server, "select 1 from pg_stat_activity where wait_event = 'PgSleep'"))
    os.kill(connection.info.backend_pid, signal.SIGKILL)
    poll(lambda: "terminated by signal 9" in log.read_text())
    connection.close()
    server.stop()
    assert "database system is shut down" in log.read_text()
    assert canary not in log.read_text()


def test_stopping_during_crash_recovery_does_not_hang(server: EmbeddedPostgres, folder: Path) -> None:
    for _ in range(3):
        query(server, "insert into kept select max(n) + 1 from kept")
        connection = connect(server)
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            poll(lambda: query(server, "select 1") == [])
        begun = time.monotonic()
        server.stop()
        assert time.monotonic() - begun < FAST_SECONDS
        server.start()
    assert query(server, "select count(*) from kept") == [(4,)]


def test_a_ctrl_c_in_the_terminal_does_not_reach_the_server(server: EmbeddedPostgres) -> None:
    assert os.getsid(server.pid) != os.getsid(0)
    assert os.getpgid(server.pid) != os.getpgid(0)


def test_settings_of_the_users_own_postgresql_change_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PGPORT": "1", "PGDATA": "/nowhere", "PGHOST": "nowhere", "PGUSER": "me", "LANG": "xx"}.items():
        monkeypatch.setenv(name, value)
    with EmbeddedPostgres(folder) as server:
        assert query(server, "select current_user, n from kept") == [("draftgate", 1)]
