"""A data folder that can't be used: of a newer release, somewhere unwritable, on a disk that is full."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from demo_command import begun, database_of, last_object, poll, run_demo, snapshot
from many_pages import PLACES, write_many_pages
from opened_site import Opened
from refusals import AS_ANYBODY, GOOD_PAGE, assert_refused

from scheduler_service.cli.exits import Exit
from scheduler_service.embedded.postgres import EmbeddedPostgres
from scheduler_service.store import migrating

MIB = 2**20
# The whole state of a database that a newer release may have made: what must be there afterwards as before.
_STATE = """
select (select string_agg(version_num, ',') from alembic_version),
       (select string_agg(table_name || '.' || column_name, ',' order by table_name, column_name)
        from information_schema.columns where table_schema = 'public'),
       (select count(*) from items), (select count(*) from service_tokens), (select count(*) from audit)
"""


@pytest.fixture
def content(tmp_path: Path) -> Path:
    folder = tmp_path / "site" / "content"
    folder.mkdir(parents=True)
    (folder / "good.md").write_text(GOOD_PAGE, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a database of this release, not running. Tests work on copies."""
    data = tmp_path_factory.mktemp("used") / "data"
    with EmbeddedPostgres(data / "postgres") as server:
        migrating.upgrade(server.url())
    return data


@pytest.fixture
def data(used: Path, tmp_path: Path) -> Path:
    shutil.copytree(used, tmp_path / "data", symlinks=True)
    return tmp_path / "data"


def test_a_folder_with_a_newer_layout_is_left_alone(content: Path, data: Path) -> None:
    (data / "postgres" / "cluster" / "draftgate.format").write_text("2\n", encoding="ascii")
    before = snapshot(data)
    ended = run_demo(content, data, "--once")
    assert_refused(ended, Exit.DATA_IS_NEWER, str(data), "2", "another data folder")
    assert snapshot(data) == before


def test_a_folder_of_a_newer_postgresql_is_left_alone(content: Path, data: Path) -> None:
    (data / "postgres" / "cluster" / "PG_VERSION").write_text("99\n", encoding="ascii")
    before = snapshot(data)
    ended = run_demo(content, data, "--once")
    assert_refused(ended, Exit.DATA_IS_NEWER, str(data), "PostgreSQL 99", "another data folder")
    assert snapshot(data) == before


@pytest.mark.slow
def test_a_database_with_a_newer_schema_keeps_its_schema_and_its_rows(content: Path, data: Path) -> None:
    with database_of(data) as connection:
        connection.execute("update alembic_version set version_num = '9999'")
        connection.execute("alter table items add column of_the_future text")
        before = connection.execute(_STATE).fetchall()
    ended = run_demo(content, data, "--once")
    assert_refused(ended, Exit.DATA_IS_NEWER, "9999", "Install that release or a later one")
    with database_of(data) as connection:
        assert connection.execute(_STATE).fetchall() == before


def test_a_used_folder_keeps_its_data_when_the_pair_cannot_be_done(content: Path, data: Path) -> None:
    before = snapshot(data)
    ended = run_demo(content, data, "--once", "--target", "fr")
    assert_refused(ended, Exit.PAIR_NOT_CONFIGURED, "en → fr")
    # The translator had to be asked, and writes its log like on any other day.
    assert snapshot(data, without=("logs",)) == before


@pytest.mark.slow
def test_a_folder_in_use_is_refused_and_its_user_goes_on(content: Path, small: Opened) -> None:
    status = small.demo.installation.scheduler().get_status("demo")
    ended = run_demo(content, small.demo.installation.data_folder, "--once")
    assert_refused(ended, Exit.DATA_FOLDER, "in use", f"process {os.getpid()}", "Stop that process")
    assert replace(small.demo.installation.scheduler().get_status("demo"), at=None, workers=()) == replace(
        status, at=None, workers=()
    )


def test_a_data_folder_below_a_file_is_refused(content: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    data = tmp_path / "file" / "data"
    ended = run_demo(content, data, "--once")
    assert_refused(ended, Exit.DATA_FOLDER, str(data), "own and can write")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "no folder"


def test_a_data_folder_where_one_may_not_write_is_refused(content: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    ended = run_demo(content, closed / "data", "--once", before=AS_ANYBODY)
    assert_refused(ended, Exit.DATA_FOLDER, str(closed / "data"), "may write")
    assert list(closed.iterdir()) == []


@contextmanager
def small_disk(at: Path, size: int) -> Iterator[Path]:
    """A disk of `size` bytes at the folder `at`."""
    at.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(at)], capture_output=True, text=True
    )
    if mounted.returncode != 0:
        if os.environ.get("CI"):
            pytest.fail(f"CI must be able to mount a small disk: {mounted.stderr}")
        pytest.skip("mounting a small disk needs root")
    try:
        yield at
    finally:
        # Lazily: what a failed test left running must not hide why it failed.
        subprocess.run(["umount", "--lazy", str(at)], check=True)


def fill(disk: Path, but: int = 0) -> Path:
    """Fill the disk and leave `but` bytes; return the file that does it."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        left = shutil.disk_usage(disk).free - but
        # Whoever else writes to it meanwhile only makes it full sooner.
        with suppress(OSError):
            while left > 0:
                left -= file.write(bytes(min(left, MIB)))
    return filler


@pytest.mark.parametrize("free", [0, 40 * MIB], ids=["none at all", "too little"])
def test_a_new_data_folder_on_a_full_disk_is_not_begun(content: Path, tmp_path: Path, free: int) -> None:
    with small_disk(tmp_path / "disk", 64 * MIB) as disk:
        filler = fill(disk, but=free)
        ended = run_demo(content, disk / "deep" / "data", "--once")
        assert_refused(ended, Exit.NO_SPACE, str(disk / "deep" / "data"), "MiB", "Free some space")
        assert list(disk.iterdir()) == [filler]


@pytest.mark.slow
def test_a_used_data_folder_on_a_full_disk_is_left_alone(content: Path, used: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 128 * MIB) as disk:
        data = disk / "data"
        shutil.copytree(used, data, symlinks=True)
        before = snapshot(data)
        fill(disk)
        ended = run_demo(content, data, "--once")
        assert_refused(ended, Exit.NO_SPACE, str(data), "Free some space")
        assert snapshot(data) == before


@pytest.mark.slow
def test_a_disk_that_fills_up_stops_the_run_and_with_room_it_goes_on(tmp_path: Path, used: Path) -> None:
    content = tmp_path / "site" / "content"
    write_many_pages(content)
    with small_disk(tmp_path / "disk", 320 * MIB) as disk:
        data = disk / "data"
        shutil.copytree(used, data, symlinks=True)
        with begun(content, data, "--once") as process:
            log = data / "logs" / "scheduler.log"
            poll(lambda: log.exists() and "item.attempt" in log.read_text("utf-8"), 120, "the first item")
            filler = fill(disk)
            _, told = process.communicate(timeout=120)
        assert process.returncode == Exit.NO_SPACE, told
        assert "Free some space" in told and str(data) in told and "Traceback" not in told
        filler.unlink()
        again = run_demo(content, data, "--once", "--json")
        assert again.returncode == Exit.DONE, again.stderr
        summary = last_object(again.stdout)
        assert summary["by_work_state"] == {}, "a full disk is nobody's failed attempt"
        assert sum(summary["by_status"].values()) == len(PLACES)
