"""Odd folders, foreign versions, full disks and unwelcome users: the embedded PostgreSQL copes or says why."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from embedded_server import ROOT, footprint, poll, query, supervisor

from scheduler_service.embedded import binaries
from scheduler_service.embedded.errors import (
    DataFolderOfNewerVersion,
    DataFolderOfOlderVersion,
    EmbeddedUnavailable,
    StartFailed,
)
from scheduler_service.embedded.postgres import EmbeddedPostgres

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root needs it, and only root can prepare it")


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
