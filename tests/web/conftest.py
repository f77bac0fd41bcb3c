"""What the tests of the review site may ask for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from flask import Flask
from playwright.sync_api import Browser, sync_playwright
from running_site import SECRET, RunningSite

from review_web.app import create_app
from review_web.config import ReviewSettings
from scheduler_service.embedded.postgres import EmbeddedPostgres

# The browser of the system: Playwright's own would have to be downloaded.
CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="session")
def running(
    postgres: EmbeddedPostgres, database_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningSite]:
    """The whole product, once for all tests of this folder; each makes its own site in it."""
    address = postgres.url("postgres").replace("postgresql+psycopg", "postgresql", 1)
    with psycopg.connect(address, autocommit=True) as connection:
        template = psycopg.sql.Identifier(database_template)
        connection.execute(psycopg.sql.SQL("create database review_site template {}").format(template))
    with RunningSite(postgres.url("review_site"), tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def site_without_scheduler() -> Flask:
    """The application with nobody at the scheduler's address."""
    return create_app(ReviewSettings(scheduler_address="127.0.0.1:9", secret_key=SECRET))


@pytest.fixture(scope="session")
def application(running: RunningSite) -> Flask:
    """The application in this process, speaking with the running scheduler."""
    return create_app(ReviewSettings(scheduler_address=running.scheduler_address, secret_key=SECRET))
