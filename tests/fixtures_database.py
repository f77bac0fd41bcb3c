"""A real PostgreSQL for every test that wants one, and an empty, migrated database a test."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import psycopg
import pytest

from scheduler_service.embedded.postgres import EmbeddedPostgres

_numbers = itertools.count(1)


def _run(postgres: EmbeddedPostgres, statement: psycopg.sql.Composable) -> None:
    """Execute one statement of administration, outside any transaction."""
    address = postgres.url("postgres").replace("postgresql+psycopg", "postgresql", 1)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(statement)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPostgres]:
    """One server for the whole session. It doesn't wait for the disk: tests don't outlive the machine."""
    with EmbeddedPostgres(tmp_path_factory.mktemp("postgres") / "data") as server:
        _run(server, psycopg.sql.SQL("alter system set fsync = off"))
        _run(server, psycopg.sql.SQL("select pg_reload_conf()"))
        yield server


@pytest.fixture(scope="session")
def database_template(postgres: EmbeddedPostgres) -> str:
    """The name of a database with the newest schema and no rows; nobody connects to it."""
    from scheduler_service.store.migrating import upgrade

    _run(postgres, psycopg.sql.SQL("create database template_migrated"))
    upgrade(postgres.url("template_migrated"))
    return "template_migrated"


@pytest.fixture
def database_url(postgres: EmbeddedPostgres, database_template: str) -> Iterator[str]:
    """The SQLAlchemy URL of a migrated, empty database of this test alone."""
    name = psycopg.sql.Identifier(f"test_{next(_numbers)}")
    template = psycopg.sql.Identifier(database_template)
    _run(postgres, psycopg.sql.SQL("create database {} template {}").format(name, template))
    yield postgres.url(name.as_string().strip('"'))
    _run(postgres, psycopg.sql.SQL("drop database {} with (force)").format(name))
