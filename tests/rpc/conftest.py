"""What the tests over gRPC may ask for."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from desk import Desk, opened
from running_scheduler import RunningScheduler
from running_translator import RunningTranslator

from scheduler_service.embedded.postgres import EmbeddedPostgres


@pytest.fixture
def scheduler(database_url: str) -> Iterator[RunningScheduler]:
    """A scheduler on an empty database of this test alone; no translator answers it."""
    with RunningScheduler(database_url) as running:
        yield running


@pytest.fixture(scope="session")
def translator() -> Iterator[RunningTranslator]:
    """A translator with the installed providers: its gates are the product's own."""
    with RunningTranslator() as running:
        yield running


@pytest.fixture
def checking_scheduler(database_url: str, translator: RunningTranslator) -> Iterator[RunningScheduler]:
    """A scheduler whose gates run in a real translator."""
    with RunningScheduler(database_url, translator.address) as running:
        yield running


@pytest.fixture
def desk(checking_scheduler: RunningScheduler) -> Iterator[Desk]:
    with opened(checking_scheduler) as desk:
        yield desk


@pytest.fixture(scope="module")
def shared_scheduler(
    postgres: EmbeddedPostgres, database_template: str, request: pytest.FixtureRequest
) -> Iterator[RunningScheduler]:
    """A scheduler for all tests of a module: for questions whose answers change nothing."""
    name = request.module.__name__
    address = postgres.url("postgres").replace("postgresql+psycopg", "postgresql", 1)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(psycopg.sql.SQL("create database {} template {}").format(
            psycopg.sql.Identifier(name), psycopg.sql.Identifier(database_template)))
    with RunningScheduler(postgres.url(name)) as running:
        yield running
