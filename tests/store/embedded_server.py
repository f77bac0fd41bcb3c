"""What the tests of the embedded PostgreSQL share: asking it, waiting, and a supervisor to kill."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg

from scheduler_service.embedded.postgres import EmbeddedPostgres

ROOT = Path(__file__).resolve().parents[2]


def connect(server: EmbeddedPostgres, **options: object) -> psycopg.Connection:
    address = server.url().replace("postgresql+psycopg", "postgresql", 1)
    return psycopg.connect(address, autocommit=True, **options)  # type: ignore[arg-type]


def query(server: EmbeddedPostgres, statement: str) -> list[tuple[object, ...]]:
    with connect(server) as connection:
        cursor = connection.execute(statement)  # type: ignore[arg-type]
        return cursor.fetchall() if cursor.description else []


def poll(condition: Callable[[], object], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition never held"
        time.sleep(0.005)


def supervisor(folder: Path) -> subprocess.Popen[str]:
    """Another process that supervises `folder`; it prints the server's number once it is up."""
    program = (
        "import sys, time; from pathlib import Path\n"
        "from scheduler_service.embedded.postgres import EmbeddedPostgres\n"
        "server = EmbeddedPostgres(Path(sys.argv[1])); server.start(); print(server.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )


def footprint(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything under `folder`: mode, time of change and content."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode, path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b""
        )
        for path in sorted(folder.rglob("*"))
    }  # fmt: skip
