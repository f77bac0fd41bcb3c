"""The scheduler as a process: how it starts, what it says when it can't, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from running_translator import RunningTranslator, waiting_registry
from stocked_site import StockedSite
from working_scheduler import poll

from scheduler_service import serving
from scheduler_service.client import SchedulerClient
from scheduler_service.embedded.postgres import EmbeddedPostgres
from scheduler_service.settings import SchedulerSettings
from scheduler_service.store.engine import Database
from translator_service.foundation.grpc_plumbing import PortInUse, ensure_free

START_SECONDS = 60


class Process:
    """``draftgate …`` with an environment of its own; everything it says is in `said`."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self._log = folder / "said.log"
        inherited = {name: value for name, value in os.environ.items() if not re.match("DRAFTGATE_|DATABASE_URL", name)}
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "scheduler_service", *arguments], stdout=log, stderr=log, cwd=folder,
                env=inherited | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])} | environment)

    @property
    def said(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def ready(self) -> tuple[int, int]:
        """Wait until it serves; return its gRPC and HTTP ports."""
        poll(lambda: "scheduler ready:" in self.said or self._process.poll() is not None, START_SECONDS)
        found = re.search(r"scheduler ready: grpc (\d+) http (\d+)", self.said)
        assert found, self.said
        return int(found[1]), int(found[2])

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self, seconds: float = START_SECONDS) -> int:
        return self._process.wait(seconds)

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Any]:
    """Start a ``draftgate`` command; what still runs afterwards is killed."""
    started = []

    def begin(*arguments: str, **environment: str) -> Process:
        folder = tmp_path / str(len(started))
        folder.mkdir()
        started.append(Process(folder, *arguments, **environment))
        return started[-1]

    yield begin
    for process in started:
        process.kill()


def all_of(url: str, translator: str = "127.0.0.1:9", **settings: str) -> dict[str, str]:
    binds = {"GRPC_BIND": "127.0.0.1:0", "HTTP_BIND": "127.0.0.1:0", "TRANSLATOR_ADDRESS": translator}
    return {"DATABASE_URL": url} | {
        f"DRAFTGATE_SCHEDULER_{name}": value for name, value in (binds | settings).items()}


# How it starts -------------------------------------------------------------------------------


def test_a_port_in_use_ends_with_a_code_of_its_own_and_names_the_setting(start, database_url):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        bind = f"127.0.0.1:{taken.getsockname()[1]}"
        for setting in ("GRPC_BIND", "HTTP_BIND"):
            process = start("scheduler", "all", **all_of(database_url, **{setting: bind}))
            assert process.end() == 10
            assert bind in process.said and f"DRAFTGATE_SCHEDULER_{setting}" in process.said
            assert "Traceback" not in process.said


def test_when_one_port_is_taken_the_other_is_free_again(database_url):
    with socket.socket() as taken, socket.socket() as free:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        free.bind(("127.0.0.1", 0))
        grpc_bind = f"127.0.0.1:{free.getsockname()[1]}"
        free.close()
        settings = SchedulerSettings(
            database_url=database_url, grpc_bind=grpc_bind, http_bind=f"127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(PortInUse) as error:
            serving.start(settings, serves_grpc=True)
        assert "HTTP_BIND" in error.value.setting
        ensure_free(grpc_bind, "grpc_bind")


@pytest.mark.parametrize("command", [("scheduler", "all"), ("scheduler", "serve"), ("scheduler", "work"),
                                     ("scheduler", "tick"), ("database", "upgrade"), ("people", "first-admin")])
def test_a_database_that_doesnt_answer_ends_with_a_code_of_its_own_and_the_remedy(start, command: tuple[str, ...]):
    url = "postgresql://canary-user:canary-password@127.0.0.1:9/none"
    process = start(*command, **(all_of(url) if command[0] == "scheduler" else {"DATABASE_URL": url}))
    assert process.end() == 8
    assert "database can't be reached" in process.said and "DATABASE_URL" in process.said
    assert "canary" not in process.said and "Traceback" not in process.said


@pytest.fixture
def empty_url(postgres: EmbeddedPostgres) -> Iterator[str]:
    address = postgres.url("postgres").replace("postgresql+psycopg", "postgresql", 1)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("create database without_schema")
        yield postgres.url("without_schema")
        connection.execute("drop database without_schema with (force)")


def test_a_database_without_schema_says_which_command_makes_it(start, empty_url):
    process = start("scheduler", "serve", **all_of(empty_url))
    assert process.end() == 22
    assert "draftgate database upgrade" in process.said
    assert start("database", "upgrade", DATABASE_URL=empty_url).end() == 0
    start("scheduler", "serve", **all_of(empty_url)).ready()


def test_a_database_of_a_later_release_is_left_alone(start, database_url):
    database = Database(database_url, pool_size=1)
    StockedSite(database).change("update alembic_version set version_num = '9999'")
    for command in (("scheduler", "serve"), ("database", "upgrade")):
        process = start(*command, **(all_of(database_url) if command[0] == "scheduler" else {"DATABASE_URL": database_url}))
        assert process.end() == 14 and "9999" in process.said
    database.close()


def test_a_missing_or_wrong_setting_ends_with_its_name(start, database_url):
    process = start("scheduler", "all")
    assert process.end() == 2 and "DRAFTGATE_SCHEDULER_DATABASE_URL" in process.said
    process = start("scheduler", "all", **all_of(database_url, CONCURRENCY="many"))
    assert process.end() == 2 and "DRAFTGATE_SCHEDULER_CONCURRENCY" in process.said


# How it ends ---------------------------------------------------------------------------------


@pytest.fixture
def site(database_url: str) -> Iterator[StockedSite]:
    database = Database(database_url, pool_size=2, seed=1)
    yield StockedSite(database)
    database.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_asked_to_end_it_finishes_what_is_in_hand_and_takes_nothing_new(start, site, database_url, number):
    registry, provider = waiting_registry()
    with RunningTranslator(registry) as translator:
        site.scan({"title": "One", "body": "Two", "note": "Three"})
        process = start("scheduler", "all", **all_of(database_url, translator.address, CONCURRENCY="1", DRAIN_SECONDS="20"))
        grpc_port, _ = process.ready()
        poll(lambda: provider.begun)
        process.signal(number)
        # It is still at work, and others are still answered.
        poll(lambda: site.one("select count(*) from items where lease_until is not null") == 1)
        with SchedulerClient(f"127.0.0.1:{grpc_port}") as client:
            assert client.is_ready()
        provider.released.set()
        assert process.end() == 0
    rows = site.all("select status, attempt_count, lease_until from items order by status, item_id")
    assert sorted((row.status in {"draft", "needs_review"}, row.lease_until) for row in rows) == [
        (False, None), (False, None), (True, None)]
    assert {row.attempt_count for row in rows if row.status == "missing"} == {0}
    assert [row.stopped_at is not None for row in site.all("select stopped_at from workers")] == [True]
    assert site.one("select count(*) from calls where state in ('reserved', 'dispatched', 'unknown')") == 0
    assert "Traceback" not in process.said and '"drained"' in process.said


def test_a_call_that_hangs_doesnt_keep_the_process_from_ending(start, site, database_url):
    registry, provider = waiting_registry()
    with RunningTranslator(registry) as translator:
        site.scan({"title": "One"})
        process = start("scheduler", "work", **all_of(database_url, translator.address, DRAIN_SECONDS="0"))
        poll(lambda: provider.begun)
        process.signal(signal.SIGTERM)
        assert process.end(30) == 0
        assert '"abandoned"' in process.said
        # The call is on record as sent: whoever claims the item next asks what became of it.
        assert [row.state for row in site.all("select state from calls")] == ["dispatched"]
        assert site.one("select count(*) from items where lease_until is not null") == 1
        provider.released.set()


def test_a_worker_that_cant_go_on_ends_the_process_instead_of_idling(database_url, monkeypatch):
    class Broken:
        def __init__(self, *_arguments: Any) -> None:
            pass

        def run(self, _stop: Any) -> None:
            raise RuntimeError("broken")

    monkeypatch.setattr(serving, "Worker", Broken)
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    settings = SchedulerSettings(database_url=database_url, grpc_bind="127.0.0.1:0", http_bind="127.0.0.1:0")
    began = time.monotonic()
    try:
        with pytest.raises(RuntimeError, match="broken"):
            serving.run(settings, serves=True, works=True)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert time.monotonic() - began < 30


def test_a_command_prints_the_first_link_once_and_then_says_whom_to_ask(start, site, database_url):
    process = start("people", "first-admin", DATABASE_URL=database_url)
    assert process.end() == 0
    link = re.search(r"http://127\.0\.0\.1:8080/sign-in\?\S*token=(dgl_\S+)", process.said)
    assert link
    server = start("scheduler", "serve", **all_of(database_url))
    with SchedulerClient(f"127.0.0.1:{server.ready()[0]}") as client:
        assert client.sign_in(link[1], "Root").person.name == "Root"
    again = start("people", "first-admin", DATABASE_URL=database_url)
    assert again.end() == 4 and "Ask them" in again.said
    token = start("people", "token", "pusher", "--role", "service", "--site", "harbour", DATABASE_URL=database_url)
    assert token.end() == 0 and token.said.startswith("dgt_")
    nowhere = start("people", "token", "pusher", "--role", "service", "--site", "nowhere", DATABASE_URL=database_url)
    assert nowhere.end() == 2 and "roles" in nowhere.said
