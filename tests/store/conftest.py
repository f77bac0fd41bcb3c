"""Data folders of the embedded PostgreSQL, made once and copied per test; and a stocked site in a database."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from embedded_server import query
from stocked_site import StockedSite

from scheduler_service.embedded.postgres import EmbeddedPostgres
from scheduler_service.store.engine import Database


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


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """An empty database with the newest schema, for this test alone; its random pauses are seeded."""
    database = Database(database_url, seed=1)
    yield database
    database.close()


@pytest.fixture
def site(database: Database) -> StockedSite:
    """A site without items."""
    return StockedSite(database)
