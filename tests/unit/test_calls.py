"""Holding calls: joined, found, forgotten in order, and never run twice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from translator_service.calls import CallRefused, Calls
from translator_service.domain.outcomes import CallFate, Generation


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def _run(story: Callable[[], Awaitable[Any]]) -> Any:
    return asyncio.run(story())


async def _answer(text: str = "done") -> Generation:
    return Generation(text=text)


def test_two_who_ask_at_once_share_one_run():
    async def story():
        calls, runs = Calls(), []

        async def start() -> Generation:
            runs.append(1)
            await asyncio.sleep(0)
            return Generation(text="once")

        answers = await asyncio.gather(*(calls.run("a", "request", "", start) for _ in range(5)))
        return answers, runs

    answers, runs = _run(story)
    assert [answer.text for answer in answers] == ["once"] * 5
    assert runs == [1]


def test_a_cancelled_caller_does_not_cancel_the_call():
    async def story():
        calls, release = Calls(), asyncio.Event()

        async def start() -> Generation:
            await release.wait()
            return Generation(text="kept")

        caller = asyncio.ensure_future(calls.run("a", "request", "", start))
        await asyncio.sleep(0)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        running = calls.resolve("a", "").fate
        release.set()
        await asyncio.sleep(0.01)
        return running, calls.resolve("a", "")

    running, resolved = _run(story)
    assert running is CallFate.RUNNING
    assert resolved.fate is CallFate.DONE
    assert resolved.generated == Generation(text="kept")


def test_an_answer_that_is_no_longer_held_is_neither_run_again_nor_called_never_sent():
    async def story():
        clock = Clock()
        calls = Calls(clock=clock, hold_for=timedelta(minutes=5))
        await calls.run("old", "request", "", _answer)
        clock.seconds = 301
        await calls.run("new", "request", "", _answer)
        fate = calls.resolve("old", calls.boot_id).fate
        with pytest.raises(CallRefused) as refused:
            await calls.run("old", "request", "", _answer)
        return fate, refused.value.reason

    assert _run(story) == (CallFate.NOT_KNOWN_HERE, CallRefused.FORGOTTEN)


def test_the_hold_is_bounded_by_count_and_the_oldest_go_first():
    async def story():
        calls = Calls(held_most=3)
        for number in range(6):
            await calls.run(str(number), "request", "", _answer)
        return [calls.resolve(str(number), "").fate for number in range(6)]

    fates = _run(story)
    assert fates[-3:] == [CallFate.DONE] * 3
    assert fates[0] is CallFate.NOT_KNOWN_HERE


def test_a_running_call_is_held_however_old_it_is():
    async def story():
        clock, release = Clock(), asyncio.Event()
        calls = Calls(clock=clock, hold_for=timedelta(seconds=1), held_most=1)

        async def start() -> Generation:
            await release.wait()
            return Generation(text="late")

        caller = asyncio.ensure_future(calls.run("slow", "request", "", start))
        await asyncio.sleep(0)
        clock.seconds = 100
        await calls.run("quick", "request", "", _answer)
        fate = calls.resolve("slow", "").fate
        release.set()
        return fate, (await caller).text

    assert _run(story) == (CallFate.RUNNING, "late")


def test_too_many_running_calls_are_refused_before_anything_is_sent():
    async def story():
        calls, release, begun = Calls(running_most=1), asyncio.Event(), []

        async def start() -> Generation:
            begun.append(1)
            await release.wait()
            return Generation()

        first = asyncio.ensure_future(calls.run("a", "request", "", start))
        await asyncio.sleep(0)
        with pytest.raises(CallRefused) as refused:
            await calls.run("b", "request", "", start)
        release.set()
        await first
        return refused.value.reason, begun

    assert _run(story) == (CallRefused.TOO_MANY, [1])


def test_a_draining_process_lets_running_calls_end_and_admits_no_other():
    async def story():
        calls, begun = Calls(), asyncio.Event()

        async def start() -> Generation:
            begun.set()
            await asyncio.sleep(0.02)
            return Generation(text="ended")

        first = asyncio.ensure_future(calls.run("a", "request", "", start))
        await begun.wait()
        await calls.drain(timedelta(seconds=5))
        with pytest.raises(CallRefused) as refused:
            await calls.run("b", "request", "", start)
        again = await calls.run("a", "request", "", start)
        return (await first).text, refused.value.reason, again.text

    assert _run(story) == ("ended", CallRefused.DRAINING, "ended")


def test_never_sent_is_proven_by_the_named_process_only_and_holds():
    async def story():
        calls = Calls(boot_id="this")
        fates = [calls.resolve("x", boot_id).fate for boot_id in ("", "other", "this", "")]
        with pytest.raises(CallRefused) as refused:
            await calls.run("x", "request", "this", _answer)
        return fates, refused.value.reason

    fates, reason = _run(story)
    assert fates == [
        CallFate.NOT_KNOWN_HERE,
        CallFate.NOT_KNOWN_HERE,
        CallFate.NEVER_SENT,
        CallFate.NEVER_SENT,
    ]
    assert reason == CallRefused.RESOLVED
