"""The main job as real processes, and kills with no warning at moments that are looked up in the ledger."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import psycopg

from scheduler_service.client import SchedulerClient
from scheduler_service.content.sources.folder import FolderSource
from scheduler_service.embedded.demo import SITE_ID, Demo
from scheduler_service.embedded.installation import Installation
from scheduler_service.embedded.processes import free_port
from scheduler_service.errors import SchedulerUnreachable

LOCALE = "pt-BR"
# A kill waits this long for the moment it is meant for: calls come every few milliseconds while there is work.
MOMENT_SECONDS = 20
# The run itself takes half a minute on two quiet cores; restarts and lapsing leases come on top.
RUN_SECONDS = 600
DATABASE = "postgres"

T = TypeVar("T")


@dataclass
class Kill:
    """One process ended by SIGKILL. `in_flight` are the calls of which it is proven that it cut them off."""

    target: str
    at: float
    in_flight: frozenset[str] = frozenset()


@dataclass
class Run:
    """A main job in a data folder of its own. `journal` is what the engine itself wrote down."""

    demo: Demo
    journal: Path
    kills: list[Kill] = field(default_factory=list)
    seconds: float = 0.0
    # When the scheduler was last killed, by the database's clock; at first, long ago.
    _scheduler_died_at: Any = "-infinity"

    @property
    def installation(self) -> Installation:
        return self.demo.installation

    def query(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query, asked again while the database is being restarted."""
        address = self.installation.database.url.replace("postgresql+psycopg", "postgresql", 1)

        def ask() -> tuple[list[tuple[Any, ...]]] | None:
            try:
                with psycopg.connect(address, autocommit=True, connect_timeout=5) as connection:
                    return (connection.execute(statement, values).fetchall(),)
            except psycopg.OperationalError:
                self.installation.keep_alive()
                return None

        # In a tuple, because no rows are an answer too.
        return until(ask, 60, "the database")[0]

    def until_done(self, targets: Sequence[str] = (), *, seed: int = 0) -> None:
        """Keep everything alive until nothing is left to do, and kill `targets` one after the other meanwhile; what
        is joined by ``+`` dies together."""
        begun = time.monotonic()
        chance = random.Random(seed)
        left = list(targets)
        next_at = begun + chance.uniform(0.5, 2.0)
        while True:
            assert time.monotonic() - begun < RUN_SECONDS, "the run did not come to its end"
            self.installation.keep_alive()
            if left and time.monotonic() > next_at and self._is_whole():
                # Most are meant for a call in flight; the others come when they come.
                self.kill(left.pop(0), in_mid_call=chance.random() < 0.8)
                next_at = time.monotonic() + chance.uniform(0.2, 1.5)
            elif self._nothing_is_left():
                break
            time.sleep(0.05)
        assert not left, f"the work was done before {left} could be killed: more content is needed"
        self.seconds = time.monotonic() - begun

    def kill(self, targets: str, *, in_mid_call: bool) -> None:
        """End `targets` by SIGKILL, if asked for as soon as a call is in flight, and note what that cut off."""
        before = frozenset(until(self._dispatched, MOMENT_SECONDS, "a call in flight") if in_mid_call else self._dispatched())
        together = targets.split("+")
        for pid in [self._pid(target) for target in together]:
            os.kill(pid, signal.SIGKILL)
        until(lambda: all(map(self._is_gone, together)), 10, f"the end of the {targets}")
        for target in together:
            kill = Kill(target, time.monotonic())
            self.kills.append(kill)
            if target == "scheduler":
                # Only the scheduler writes the ledger: what is open after its death was in its hands.
                kill.in_flight = before & frozenset(self._dispatched())
                self._scheduler_died_at = self.query("select clock_timestamp()")[0][0]
            elif target == "translator" and before:
                kill.in_flight = frozenset(self._lost(before))

    def _is_whole(self) -> bool:
        """Whether scheduler and translator both answer, so that there is something to cut off."""
        installation = self.installation
        if any(installation.children[name].pid is None for name in ("scheduler", "translator")):
            return False
        with installation.translator() as translator, installation.scheduler() as scheduler:
            return translator.is_ready() and scheduler.is_ready()

    def _nothing_is_left(self) -> bool:
        with suppress(SchedulerUnreachable), self.installation.scheduler() as client:
            return _has_no_work(client)
        return False

    def _dispatched(self) -> list[str]:
        """Return the calls that the living scheduler has sent; what a killed one left behind waits for its lease."""
        return [str(row[0]) for row in self.query(
            "select call_id from calls where state = 'dispatched' and dispatched_at > %s::timestamptz",
            self._scheduler_died_at)]

    def _lost(self, before: frozenset[str]) -> list[str]:
        """Return which of `before` the scheduler has found to be lost; none if all were answered in time after all."""
        statement = ("select call_id::text, state in ('unknown', 'written_off') from calls where call_id = any(%s::uuid[]) "
                     "and state <> 'dispatched'")
        rows = until(
            lambda: len(found := self.query(statement, list(before))) == len(before) and found, 10, "the calls' ends")
        return [call_id for call_id, is_lost in rows if is_lost]

    def _pid(self, target: str) -> int:
        if target == DATABASE:
            (file,) = self.installation.data_folder.joinpath("postgres").rglob("postmaster.pid")
            return int(file.read_text().split()[0])
        pid = self.installation.children[target].pid
        assert pid is not None, f"the {target} is down already"
        return pid

    def _is_gone(self, target: str) -> bool:
        if target == DATABASE:
            return not self.installation._postgres.is_running
        return self.installation.children[target].pid is None


@contextmanager
def running(folder: Path, content: Path) -> Iterator[Run]:
    """Start the main job on `content` with its data in `folder`; stopped with the block."""
    journal = folder / "journal"
    installation = Installation(folder / "data", review_port=free_port(), extra_environment={
        "DRAFTGATE_TRANSLATOR_OFFLINE_JOURNAL": str(journal)})
    demo = Demo(installation, FolderSource(content, "en"), LOCALE, "offline")
    demo.start()
    try:
        yield Run(demo, journal)
    finally:
        installation.stop()


def until(look: Callable[[], T], seconds: float, what: str) -> T:
    """Return the first true value of `look`.

    Raises:
        AssertionError: there was none within `seconds`.
    """
    ends_at = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < ends_at, f"{what} did not come within {seconds} s"
        time.sleep(0.002)
    return found


def _has_no_work(client: SchedulerClient) -> bool:
    return not any(count.count for count in client.get_status(SITE_ID).by_work_state)
