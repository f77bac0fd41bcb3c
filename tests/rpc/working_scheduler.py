"""A worker beside a running scheduler, in this process, until the block ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Self

from running_scheduler import RunningScheduler

from scheduler_service.store.engine import Database
from scheduler_service.working.translating import Translating
from scheduler_service.working.worker import Worker, WorkerTerms
from translator_service.client import TranslatorClient


class Working:
    """Works on what is due with the translator at `address`."""

    def __init__(self, scheduler: RunningScheduler, address: str) -> None:
        self._database = Database(str(scheduler.database.url), seed=1)
        self._client = TranslatorClient(address)
        terms = WorkerTerms(concurrency=2, poll=timedelta(milliseconds=50), drain=timedelta(seconds=5))
        self._worker = Worker(self._database, Translating(self._client), terms, seed=1)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._worker.run, args=(self._stop,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_raised: object) -> None:
        self._stop.set()
        self._thread.join(30)
        self._client.close()
        self._database.close()


def poll(look: Callable[[], object], seconds: float = 60) -> None:
    """Wait until `look` returns something true."""
    ends_at = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < ends_at, f"not within {seconds} s"
        time.sleep(0.02)
