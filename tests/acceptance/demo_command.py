"""``draftgate demo`` as a process of its own: how it is run, what it leaves on the disk, how to look inside."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import psycopg

from scheduler_service.embedded.postgres import EmbeddedPostgres
from scheduler_service.embedded.processes import free_port

DRAFTGATE = Path(sys.executable).with_name("draftgate")
T = TypeVar("T")


def poll(look: Callable[[], T], seconds: float, what: str) -> T:
    """Return the first true value of `look`.

    Raises:
        AssertionError: there was none within `seconds`.
    """
    ends_at = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < ends_at, f"{what} took longer than {seconds} s"
        time.sleep(0.05)
    return found


def environment(**further: str) -> dict[str, str]:
    """Return this process's environment without any setting of Draftgate's, and `further`."""
    bare = {name: value for name, value in os.environ.items() if not re.match("DRAFTGATE_|DATABASE_URL", name)}
    return bare | further


def demo_words(content: Path, data: Path, *options: str) -> list[str]:
    """Return the command line of a demo on `content`, on a free port unless `options` name one."""
    port = () if "--port" in options else ("--port", str(free_port()))
    return [str(DRAFTGATE), "demo", "--content", str(content), "--data", str(data), *port, *options]


def run_demo(
    content: Path, data: Path, *options: str, limit_seconds: float = 300, before: Sequence[str] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a demo to its end, in a working folder without settings. `before` is a command that runs it, `variables`
    are added to its environment."""
    return subprocess.run(
        [*before, *demo_words(content, data, *options)], cwd=content.parent, env=environment(**variables),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit_seconds,
    )  # fmt: skip


@contextmanager
def begun(content: Path, data: Path, *options: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """Start a demo as a terminal does, as the leader of a process group; ended with the block if it still runs."""
    process = subprocess.Popen(
        demo_words(content, data, *options), cwd=content.parent, env=environment(**variables),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        # Killed at once, it would leave its database running, as it should.
        process.terminate()
        try:
            process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def last_object(output: str) -> dict[str, Any]:
    """Return the JSON object that is the last line of `output`."""
    return json.loads(output.rstrip("\n").rsplit("\n", 1)[-1])


def snapshot(folder: Path, *, without: tuple[str, ...] = ()) -> dict[str, tuple[object, ...]]:
    """Return everything about the files of `folder` that a program could change; empty if there is no folder.

    `without` names folders at its top that are left out.
    """
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted([folder, *folder.rglob("*")] if folder.exists() else []):
        name = path.relative_to(folder)
        if name.parts[:1] and name.parts[0] in without:
            continue
        state = path.lstat()
        content = ""
        if path.is_symlink():
            content = os.readlink(path)
        elif path.is_file():
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        # A folder's own time changes when something beside `without` comes and goes; its names are compared.
        times = () if path.is_dir() else (state.st_mtime_ns, state.st_size)
        found[str(name)] = (oct(state.st_mode), state.st_uid, *times, content)
    return found


def connect(data: Path) -> psycopg.Connection[Any]:
    """Return a connection to the database of the demo that runs on the data folder `data`.

    Raises:
        FileNotFoundError, psycopg.OperationalError: it isn't up.
    """
    host = (data / "postgres" / "socket").read_text(encoding="utf-8").strip()
    return psycopg.connect(host=host, port=5432, user="draftgate", dbname="draftgate", autocommit=True)


@contextmanager
def database_of(data: Path) -> Iterator[psycopg.Connection[Any]]:
    """Start the database of a data folder that nobody runs, for as long as the block lasts."""
    with EmbeddedPostgres(data / "postgres"), connect(data) as connection:
        yield connection
