"""Child processes of an embedded installation: started, watched, restarted when they die, stopped in order."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from translator_service.foundation import logs

# A child that keeps dying is started again after 0.5 s, 1 s, 2 s … at most 10 s.
PAUSE_FIRST_SECONDS = 0.5
PAUSE_MOST_SECONDS = 10.0
# Longer than any service drains: the translator lets a paid call end, which takes 135 s at most.
STOP_SECONDS = 150.0
# Runs first in a child and becomes the service. No preexec_fn: with one, Python forks, gRPC's fork handlers run in
# the child, and now and then they abort it. 1 is PR_SET_PDEATHSIG; the parent may be gone before it is set.
_LAUNCHER = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGTERM)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""


class Child:
    """One service as a process of its own, writing its log to `log_path`.

    It has a session of its own (Ctrl-C in the terminal doesn't reach it) and, on Linux, is ended by the kernel
    when the process that started it dies. Used from one thread.
    """

    def __init__(
        self, name: str, command: Sequence[str], environment: Mapping[str, str], log_path: Path
    ) -> None:
        self.name = name
        self._command = list(command)
        self._environment = dict(environment)
        self._log_path = log_path
        self._process: subprocess.Popen[bytes] | None = None
        self._failures = 0
        self._not_before = 0.0
        self._started_at = 0.0

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self) -> None:
        """Start the process."""
        with self._log_path.open("ab") as log:
            self._process = subprocess.Popen(
                _ending_with_parent(self._command), env=self._environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True,
            )
        self._started_at = time.monotonic()

    def exit_code(self) -> int | None:
        """Return how the process ended, None while it runs or before it was started."""
        return self._process.poll() if self._process is not None else None

    def keep_alive(self) -> bool:
        """Start the process again if it has died; return whether it had to be."""
        if self._process is None or self._process.poll() is None:
            return False
        now = time.monotonic()
        if now < self._not_before:
            return False
        # One that ran for a while starts with a clean slate.
        self._failures = 1 if now - self._started_at > 30 else self._failures + 1
        pause = min(PAUSE_FIRST_SECONDS * 2 ** (self._failures - 1), PAUSE_MOST_SECONDS)
        logs.event("child.restarted", reason=self.name, exit_code=self._process.returncode, restart=self._failures)
        self._not_before = now + pause
        self.start()
        return True

    def stop(self) -> None:
        """Ask the process to end, and end it if it doesn't. Repeatable."""
        if self._process is None or self._process.poll() is not None:
            return
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def draftgate(*arguments: str) -> list[str]:
    """Return the command line of a ``draftgate`` command of this very installation."""
    return [sys.executable, "-m", "scheduler_service", *arguments]


def free_port() -> int:
    """Return a loopback port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _ending_with_parent(command: list[str]) -> list[str]:
    """Return a command that does `command`, and that the kernel ends when this thread's process dies (on Linux)."""
    if sys.platform != "linux":
        return command
    return [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid()), *command]
