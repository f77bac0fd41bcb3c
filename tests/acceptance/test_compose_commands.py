"""Each service of docker-compose.yml does what the file says, run as a plain process with its environment."""

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
from urllib.request import urlopen

import psycopg
import pytest
from composition import OURS, compose, seconds

from scheduler_service.embedded.postgres import EmbeddedPostgres

BIN = Path(sys.executable).parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Host:
    """Stands in for Docker: gives the services their secrets, names and ports on this machine."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.services: dict[str, Any] = compose()["services"]
        self._folder = folder
        # Each process has the ports to itself in its container; here each gets its own.
        self._ports = {
            name: {port: free_port() for port in ("50051", "8051", "50061", "8061", "8080")} for name in OURS
        }
        self._secrets = folder / "secrets"
        self._secrets.mkdir()
        (self._secrets / "database_url").write_text(database_url + "\n")
        for name in ("translator_token", "review_secret_key"):
            (self._secrets / name).write_text(os.urandom(32).hex())
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def environment(self, name: str) -> dict[str, str]:
        """What the container of `name` would see, and nothing of this process's environment."""
        home = self._folder / name
        home.mkdir(exist_ok=True)
        told = {key: self._here(name, str(value)) for key, value in self.services[name]["environment"].items()}
        return {"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home), **told}

    def port(self, name: str, port: str) -> int:
        return self._ports[name][port]

    def _here(self, name: str, text: str) -> str:
        text = text.replace("/run/secrets", str(self._secrets))
        for other in ("scheduler", "translator"):
            text = re.sub(rf"\b{other}:(\d+)", lambda found, o=other: f"127.0.0.1:{self.port(o, found[1])}", text)
        return re.sub(
            r"\b(0\.0\.0\.0|127\.0\.0\.1):(\d+)",
            lambda found: f"{found[1]}:{self._ports[name].get(found[2], found[2])}", text,
        )  # fmt: skip

    def begin(self, name: str) -> None:
        """Start the service's very command."""
        log = (self._folder / f"{name}.log").open("wb")
        self.running[name] = subprocess.Popen(
            self.services[name]["command"], env=self.environment(name), cwd=self._folder / name,
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        log.close()

    def run(self, name: str, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the service's place, as ``docker compose run --rm`` does."""
        return subprocess.run(
            command or self.services[name]["command"], env=self.environment(name), cwd=self._folder / name,
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip

    def wait_until_healthy(self, name: str, limit_seconds: float = 60) -> None:
        """Run the service's very health check until it passes."""
        check = self.services[name]["healthcheck"]["test"]
        command = [self._here(name, word) for word in check[1:]]
        deadline = time.monotonic() + limit_seconds
        while subprocess.run(command, env=self.environment(name), capture_output=True).returncode != 0:
            assert self.running[name].poll() is None, f"{name} ended: {self.log(name)}"
            assert time.monotonic() < deadline, f"{name} did not get healthy: {self.log(name)}"
            time.sleep(0.1)

    def stop(self, name: str) -> tuple[int, float]:
        """Stop it as Docker does; return its exit code and how long it took."""
        begun = time.monotonic()
        process = self.running.pop(name)
        process.send_signal(signal.SIGTERM)
        code = process.wait(seconds(self.services[name]["stop_grace_period"]))
        return code, time.monotonic() - begun

    def log(self, name: str) -> str:
        return (self._folder / f"{name}.log").read_text(errors="replace")[-2000:]


@pytest.fixture
def host(tmp_path: Path, postgres: EmbeddedPostgres) -> Iterator[Host]:
    address = postgres.url("postgres").replace("postgresql+psycopg", "postgresql", 1)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("create database composed")
        host = Host(tmp_path, postgres.url("composed"))
        yield host
        for process in host.running.values():
            process.kill()
            process.wait()
        connection.execute("drop database composed with (force)")


def test_the_composed_services_migrate_start_get_healthy_and_stop_within_their_grace(host: Host) -> None:
    migrated = host.run("migrate")
    assert migrated.returncode == 0, migrated.stderr
    assert host.run("migrate").returncode == 0, "a second start migrates again"
    for name in ("translator", "scheduler", "worker", "review"):
        host.begin(name)
        host.wait_until_healthy(name)

    link = host.run("migrate", "draftgate", "people", "first-admin")
    assert link.returncode == 0, link.stderr
    assert re.search(r"https?://127\.0\.0\.1:\d+/\S+", link.stdout)
    with urlopen(f"http://127.0.0.1:{host.port('review', '8080')}/sign-in", timeout=10) as answer:
        assert b"<form" in answer.read()

    for name in ("review", "worker", "scheduler", "translator"):
        code, took = host.stop(name)
        assert code == 0, f"{name}: {host.log(name)}"
        assert took < seconds(host.services[name]["stop_grace_period"]) - 5, name


def test_a_translator_without_its_token_refuses_to_listen_to_other_machines(host: Host) -> None:
    told = host.environment("translator")
    del told["DRAFTGATE_TRANSLATOR_TOKEN_FILE"]
    ended = subprocess.run(
        host.services["translator"]["command"], env=told, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 2
    assert "TOKEN" in ended.stderr


def test_a_missing_secret_file_is_named(host: Host, tmp_path: Path) -> None:
    (tmp_path / "secrets" / "database_url").unlink()
    ended = host.run("migrate")
    assert ended.returncode == 2
    assert "DATABASE_URL_FILE" in ended.stderr and "database_url" in ended.stderr
