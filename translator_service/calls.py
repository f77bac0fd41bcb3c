"""A paid call as a task of its own: admitted under its id, held for a while, resolved by anyone who asks.

The task is not tied to the RPC that asked for it: when that RPC is cancelled or its client dies, the call
runs on and its answer waits here. This memory may be lost with the process; `boot_id` tells processes apart.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from translator_service.domain.outcomes import CallFate, Generation, Judgment, Resolution
from translator_service.errors import TranslatorError

Answer = Generation | Judgment

# A scheduler asks within its lease of minutes; an hour also covers one that was restarted by hand.
HOLD_FOR = timedelta(hours=1)
# Some kB each: about 100 MB at the very worst.
HELD_MOST = 5_000
# Ids only, so that "never sent" and "not known any more" stay apart long after the answers are gone.
REMEMBERED_MOST = 200_000
RUNNING_MOST = 256


class CallRefused(TranslatorError):
    """A call was not run now: `reason` is one of the constants below. Nothing was ever sent under its id, but
    for FORGOTTEN (it ran, its outcome isn't known any more) and OTHER_REQUEST (the id is another call's)."""

    RESOLVED = "resolved_as_never_sent"
    OTHER_REQUEST = "id_used_for_another_request"
    FORGOTTEN = "answer_no_longer_held"
    OTHER_PROCESS = "meant_for_another_process"
    TOO_MANY = "too_many_running"
    DRAINING = "draining"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class _Held:
    task: asyncio.Task[Answer]
    request: object
    admitted_at: float


class Calls:
    """Admits, holds and resolves calls. Belongs to one event loop; `clock` gives monotonic seconds."""

    def __init__(
        self,
        *,
        boot_id: str = "",
        clock: Callable[[], float] = time.monotonic,
        hold_for: timedelta = HOLD_FOR,
        held_most: int = HELD_MOST,
        running_most: int = RUNNING_MOST,
    ) -> None:
        self.boot_id = boot_id or uuid4().hex
        self._clock = clock
        self._hold_seconds = hold_for.total_seconds()
        self._held_most = held_most
        self._running_most = running_most
        self._held: OrderedDict[str, _Held] = OrderedDict()
        # Ids that were run here and are no longer held, and ids that must never be run.
        self._past: OrderedDict[str, None] = OrderedDict()
        self._never: OrderedDict[str, None] = OrderedDict()
        # Set once ids had to be forgotten: from then on an unknown id proves nothing.
        self._has_forgotten = False
        self._is_draining = False

    async def run(
        self, call_id: str, request: object, boot_id: str, start: Callable[[], Awaitable[Answer]]
    ) -> Answer:
        """Return the answer of call `call_id`: of its first run if it was admitted before, else of `start`.

        Cancelling this coroutine doesn't cancel the call.

        Raises:
            CallRefused: nothing was run now; see its reasons.
        """
        held = self._held.get(call_id)
        if held is None:
            held = self._admit(call_id, request, boot_id, start)
        elif held.request != request:
            raise CallRefused(CallRefused.OTHER_REQUEST)
        return await asyncio.shield(held.task)

    def _admit(
        self, call_id: str, request: object, boot_id: str, start: Callable[[], Awaitable[Answer]]
    ) -> _Held:
        if boot_id and boot_id != self.boot_id:
            raise CallRefused(CallRefused.OTHER_PROCESS)
        if call_id in self._never:
            raise CallRefused(CallRefused.RESOLVED)
        if call_id in self._past:
            raise CallRefused(CallRefused.FORGOTTEN)
        if self._is_draining:
            raise CallRefused(CallRefused.DRAINING)
        self._forget_old()
        if self.running() >= self._running_most:
            raise CallRefused(CallRefused.TOO_MANY)
        task = asyncio.ensure_future(start())
        # An answer that nobody waits for any more may be an error; it is logged where it happened.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        held = _Held(task, request, self._clock())
        self._held[call_id] = held
        return held

    def resolve(self, call_id: str, boot_id: str) -> Resolution:
        """Return what became of a call. Answering NEVER_SENT refuses that id from then on.

        `boot_id` is the process that the call named; only for itself can a process prove that a call
        never came.
        """
        held = self._held.get(call_id)
        if held is not None:
            if not held.task.done():
                return Resolution(CallFate.RUNNING, self.boot_id)
            if not held.task.cancelled() and held.task.exception() is None:
                answer = held.task.result()
                return Resolution(
                    CallFate.DONE,
                    self.boot_id,
                    generated=answer if isinstance(answer, Generation) else None,
                    judged=answer if isinstance(answer, Judgment) else None,
                )
            return Resolution(CallFate.NOT_KNOWN_HERE, self.boot_id)
        is_provable = boot_id == self.boot_id and call_id not in self._past and not self._has_forgotten
        if call_id in self._never or is_provable:
            self._remember(self._never, call_id)
            return Resolution(CallFate.NEVER_SENT, self.boot_id)
        return Resolution(CallFate.NOT_KNOWN_HERE, self.boot_id)

    def running(self) -> int:
        return sum(not held.task.done() for held in self._held.values())

    async def drain(self, timeout: timedelta) -> None:
        """Admit nothing more and wait for what runs, `timeout` at most."""
        self._is_draining = True
        running = [held.task for held in self._held.values() if not held.task.done()]
        if running:
            await asyncio.wait(running, timeout=timeout.total_seconds())

    def _forget_old(self) -> None:
        oldest = self._clock() - self._hold_seconds
        for call_id, held in list(self._held.items()):
            if held.admitted_at > oldest and len(self._held) < self._held_most:
                break
            if held.task.done():
                del self._held[call_id]
                self._remember(self._past, call_id)

    def _remember(self, ids: OrderedDict[str, None], call_id: str) -> None:
        ids[call_id] = None
        if len(ids) > REMEMBERED_MOST:
            ids.popitem(last=False)
            self._has_forgotten = True
