"""A database comes to this release's schema, from a checkout and from a wheel, once and again, alone and at once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from scheduler_service.embedded.postgres import EmbeddedPostgres
from scheduler_service.store import migrating
from scheduler_service.store.engine import Database, StoreUnavailable
from scheduler_service.store.migrating import DatabaseIsNewer, DatabaseIsOlder, head, require_current, upgrade

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("pyproject.toml", "README.md", "LICENSE", "scheduler_service", "translator_service", "review_web", "migrations",
         "examples")


@pytest.fixture
def empty_url(postgres: EmbeddedPostgres) -> Iterator[str]:
    """A database without any schema."""
    address = postgres.url("postgres").replace("postgresql+psycopg", "postgresql", 1)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("create database unmigrated")
        yield postgres.url("unmigrated")
        connection.execute("drop database unmigrated with (force)")


@pytest.fixture
def empty(empty_url: str) -> Iterator[Database]:
    database = Database(empty_url, pool_size=1)
    yield database
    database.close()


def tables(database: Database) -> dict[str, int]:
    """Return every table with its number of columns."""
    return dict(tuple(row) for row in database.read(lambda connection: list(connection.execute(text(
        "select table_name, count(*) from information_schema.columns where table_schema = 'public' group by 1")))))


def test_upgrading_makes_the_schema_and_upgrading_again_changes_nothing(empty, empty_url):
    assert upgrade(empty_url) == head()
    made = tables(empty)
    assert {"items", "calls", "audit", "approvals", "publications", "tasks", "runs", "outbox"} <= set(made)
    assert upgrade(empty_url) == head()
    assert tables(empty) == made
    require_current(empty)


def test_upgrading_from_several_places_at_once_migrates_once(empty, empty_url):
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(upgrade, [empty_url] * 3)) == [head()] * 3
    assert empty.read(lambda connection: connection.execute(
        text("select count(*) from alembic_version")).scalar_one()) == 1


def test_a_database_of_a_later_release_is_refused_and_left_as_it_is(empty, empty_url):
    upgrade(empty_url)
    empty.transact(lambda connection: connection.execute(
        text("update alembic_version set version_num = '9999'")) and None)
    made = tables(empty)
    for ask in (lambda: upgrade(empty_url), lambda: require_current(empty)):
        with pytest.raises(DatabaseIsNewer) as refused:
            ask()
        assert refused.value.found == "9999"
    assert tables(empty) == made
    # The lock is free again.
    empty.transact(lambda connection: connection.execute(
        text("update alembic_version set version_num = :head"), {"head": head()}) and None)
    assert upgrade(empty_url) == head()


def test_a_database_without_a_schema_is_told_from_one_of_this_release(empty):
    with pytest.raises(DatabaseIsOlder) as refused:
        require_current(empty)
    assert refused.value.found == ""


def test_a_migration_that_fails_leaves_nothing_behind(empty, empty_url):
    # In the way of the schema's own table, somewhere in its middle.
    empty.transact(lambda connection: connection.execute(text("create table publications (n int)")) and None)
    with pytest.raises(Exception, match="42P07"):
        upgrade(empty_url)
    assert set(tables(empty)) <= {"publications", "alembic_version"}
    empty.transact(lambda connection: connection.execute(text("drop table publications")) and None)
    assert upgrade(empty_url) == head()


def test_a_database_that_cant_be_reached_is_said_to_be_so():
    with pytest.raises(StoreUnavailable):
        upgrade("postgresql+psycopg://nobody@127.0.0.1:9/none")


def test_every_revision_follows_another_and_opens_with_why():
    scripts = list(migrating.ScriptDirectory.from_config(migrating._config()).walk_revisions())
    assert [script.down_revision for script in scripts] == [script.revision for script in scripts[1:]] + [None]
    assert all("Why" in (script.doc + (script.module.__doc__ or "")) for script in scripts)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree, built beside it: building in place would leave its traces."""
    tree = tmp_path_factory.mktemp("tree")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, tree / part)
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
         "--wheel-dir", str(tree / "wheels"), str(tree)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    [made] = (tree / "wheels").glob("draftgate-*.whl")
    return made


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel's content and nothing else of ours."""
    folder = tmp_path_factory.mktemp("installed")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(folder), str(wheel)],
        capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


def run_installed(installed: Path, code: str, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=installed, capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(installed), **environment})
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_an_installed_wheel_finds_its_migrations_and_runs_them(installed, empty, empty_url):
    code = ("import json, sys; from scheduler_service.store import migrating; "
            "print(json.dumps([str(migrating.migrations_folder()), migrating.upgrade(sys.argv[1])]))")
    folder, revision = json.loads(run_installed(installed, code, empty_url))
    assert folder == str(installed / "scheduler_service" / "migrations")
    assert revision == head()
    assert "items" in tables(empty)
    require_current(empty)


def test_the_command_of_an_installed_wheel_upgrades_a_database_and_says_so(installed, empty, empty_url):
    code = "import sys; sys.argv[0] = 'draftgate'; from scheduler_service.cli import main; main(sys.argv[1:])"
    said = run_installed(installed, code, "database", "upgrade", DATABASE_URL=empty_url)
    assert said.strip() == f"database is at schema {head()}"
    require_current(empty)


def test_the_wheel_carries_templates_statics_and_the_example_and_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "scheduler_service/migrations/versions/0001_schema.sql" in names
    assert any(name.startswith("review_web/templates/") for name in names)
    assert any(name.startswith("review_web/static/") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/"))]


def test_an_installed_wheel_finds_its_example_site(installed):
    code = "from scheduler_service.cli.demo import example_site; print(example_site())"
    folder = Path(run_installed(installed, code).strip())
    assert folder.is_relative_to(installed) and len(list(folder.rglob("*.md"))) >= 12
