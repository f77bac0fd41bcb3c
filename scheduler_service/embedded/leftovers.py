"""What an earlier server may have left behind: an orphan, its children, its lock file."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

SHARED_MEMORY = Path("/proc/sysvipc/shm")
# A fast shutdown writes what memory holds: tens of milliseconds, seconds after a large import. PostgreSQL 18
# hangs if it is asked for one during crash recovery; an immediate one ends processes and is crash-safe.
FAST_SECONDS = 10.0
IMMEDIATE_SECONDS = 5.0
# Children of a killed postmaster notice within milliseconds, unless a statement keeps them busy.
NOTICE_SECONDS = 0.5
POLL_SECONDS = 0.005


class LockFile(NamedTuple):
    """What ``postmaster.pid`` says: the server, the shared memory that its processes hold, its state."""

    pid: int
    shared_memory_id: int | None
    status: str


def read_lock_file(cluster: Path) -> LockFile | None:
    """Return what the lock file of `cluster` says; None if there is none, or it is half written."""
    try:
        lines = (cluster / "postmaster.pid").read_text(encoding="utf-8", errors="replace").splitlines()
        memory = lines[6].split() if len(lines) > 6 else []
        return LockFile(
            abs(int(lines[0])), int(memory[1]) if len(memory) == 2 else None, lines[7].strip() if len(lines) > 7 else ""
        )
    except (OSError, ValueError, IndexError):
        return None


def clear_leftovers(cluster: Path) -> bool:
    """End what still runs on `cluster` without a supervisor; return whether there was an orphan.

    The caller holds the folder's lock, so no other supervisor lives. On return a new server can start at
    once: no process is attached to the old one's memory, and a lock file whose number now belongs to a
    stranger is gone.
    """
    lock = read_lock_file(cluster)
    if lock is None:
        return False
    import psutil  # comes with the wheel; without the wheel there is no cluster

    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(lock.pid)
        if _serves(process, cluster):
            _end(process)
            return True
    _wait_for_detachment(lock, cluster)
    if psutil.pid_exists(lock.pid) and not _attached(lock):
        # PostgreSQL would take the stranger for a live server and refuse to start.
        (cluster / "postmaster.pid").unlink(missing_ok=True)
    return False


def _serves(process, cluster: Path) -> bool:  # type: ignore[no-untyped-def]
    """Whether `process` is a postmaster of `cluster`: by the command line that we gave it."""
    import psutil

    try:
        command = process.cmdline()
        return str(cluster) in command and "postgres" in command[0] and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, IndexError):
        return False


def _end(process) -> None:  # type: ignore[no-untyped-def]
    import psutil

    steps = ((signal.SIGINT, FAST_SECONDS), (signal.SIGQUIT, IMMEDIATE_SECONDS), (signal.SIGKILL, IMMEDIATE_SECONDS))
    for number, seconds in steps:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
                return
            time.sleep(POLL_SECONDS)


def _wait_for_detachment(lock: LockFile, cluster: Path) -> None:
    """Wait until the dead server's children are gone; end those that don't notice."""
    begun = time.monotonic()
    while _attached(lock):
        waited = time.monotonic() - begun
        if waited > IMMEDIATE_SECONDS:
            return
        if waited > NOTICE_SECONDS:
            _quit_children(cluster, signal.SIGKILL if waited > IMMEDIATE_SECONDS / 2 else signal.SIGQUIT)
        time.sleep(POLL_SECONDS if waited < NOTICE_SECONDS else 0.1)


def _attached(lock: LockFile) -> bool:
    """Whether a process still holds the old server's memory; False where the kernel has no such list."""
    if lock.shared_memory_id is None:
        return False
    try:
        rows = [line.split() for line in SHARED_MEMORY.read_text(encoding="ascii").splitlines()]
    except OSError:
        return False
    name, count = rows[0].index("shmid"), rows[0].index("nattch")
    return any(int(row[name]) == lock.shared_memory_id and int(row[count]) > 0 for row in rows[1:])


def _quit_children(cluster: Path, number: int) -> None:
    import psutil

    for process in psutil.process_iter(["name"]):
        if process.info["name"] == "postgres":
            with suppress(psutil.Error):
                if Path(process.cwd()) == cluster:
                    process.send_signal(number)
