"""The folder that holds one PostgreSQL: whose it is, which version wrote it, how it comes to be whole.

Inside: ``cluster/`` (PostgreSQL's own files), ``supervisor.lock`` (held while somebody runs it),
``socket`` (where its socket folder is), ``postgres.log``.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

from .binaries import Binaries, Identity
from .errors import (
    DataFolderInUse,
    DataFolderOfNewerVersion,
    DataFolderOfOlderVersion,
    NoSpace,
    StartFailed,
)

USER = "draftgate"
# Of the folder's layout, in cluster/draftgate.format; raise it when an older supervisor must keep off.
FORMAT = 1
# A new cluster is 39 MiB, the database 8 MiB more, and a second WAL segment of 16 MiB follows soon.
NEW_CLUSTER_BYTES = 96 * 2**20
LOG_BYTES = 4 * 2**20  # the log is moved aside above this, once; a quiet year is far below
# With the file's name it must stay under the 103 bytes that every kernel allows for a socket's path.
SOCKET_FOLDER_BYTES = 70
# Sorting by code point is the same on every machine and never asks for a rebuilt index.
LOCALE = ("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
# pg_trgm asks the C library what a letter is, and under plain C an é is none. First one that exists.
LETTERS = ("C.UTF-8", "en_US.UTF-8", "C")


class DataFolder:
    """One data folder; whoever changes anything in it holds its lock."""

    def __init__(self, path: Path, log_path: Path | None) -> None:
        self.path = Path(os.path.realpath(path))
        self.cluster = self.path / "cluster"
        self.log_path = log_path or self.path / "postgres.log"
        self._lock: IO[str] | None = None

    def check_version(self, binaries: Binaries) -> None:
        """Return if `binaries` can read what is there, or nothing is; only reads.

        Raises:
            DataFolderOfNewerVersion, DataFolderOfOlderVersion, StartFailed.
        """
        known = {"draftgate.format": ("Draftgate's layout", FORMAT), "PG_VERSION": ("PostgreSQL", binaries.major)}
        for name, (what, ours) in known.items():
            try:
                text = (self.cluster / name).read_text(encoding="ascii").strip()
                found = int(text)
            except FileNotFoundError:
                if not self.cluster.exists():
                    continue
                raise self._incomplete(name) from None
            except ValueError:
                raise self._incomplete(name) from None
            if found > ours:
                raise DataFolderOfNewerVersion(self.path, what, text, str(ours))
            if found < ours:
                raise DataFolderOfOlderVersion(self.path, what, text, str(ours))

    def lock(self) -> None:
        """Take the folder, making it if it isn't there; nothing happens if it is taken by this object.

        The lock goes with the process, also by ``kill -9``, and programs that it starts don't inherit it.

        Raises:
            DataFolderInUse, NoSpace.
        """
        if self._lock is not None:
            return
        if not self.path.exists():
            self.require(NEW_CLUSTER_BYTES)
            self.path.mkdir(mode=0o700, parents=True)
        lock = (self.path / "supervisor.lock").open("a+", encoding="ascii")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip()
            lock.close()
            raise DataFolderInUse(self.path, int(holder) if holder.isdigit() else None) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        self._lock = lock

    def unlock(self) -> None:
        """Give the folder free. Repeatable."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def create_cluster(self, binaries: Binaries, identity: Identity, environment: dict[str, str]) -> None:
        """Make the cluster unless it is there: beside its place, moved whole, so a kill leaves no half.

        Raises:
            NoSpace, StartFailed.
        """
        for rest in self.path.glob("cluster.new-*"):
            shutil.rmtree(rest, ignore_errors=True)
        if self.cluster.exists():
            return
        self.require(NEW_CLUSTER_BYTES)
        fresh = Path(tempfile.mkdtemp(prefix="cluster.new-", dir=self.path))
        try:
            if fresh.stat().st_uid != identity.owner_uid:
                os.chown(fresh, identity.owner_uid, -1)
            command = (binaries.initdb, "-D", fresh, "-U", USER, "--auth=trust", "--no-instructions", *LOCALE)
            for letters in LETTERS:
                with self.open_log() as log:
                    code = subprocess.run(
                        [*identity.prefix, *command, f"--lc-ctype={letters}"],
                        stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True,
                    ).returncode  # fmt: skip
                if code == 0:
                    break
            else:
                raise self.failure("create", code, NEW_CLUSTER_BYTES)
            _write_durably(fresh / "draftgate.format", f"{FORMAT}\n")
            fresh.rename(self.cluster)
            _sync(self.path)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def give_to(self, identity: Identity) -> None:
        """Give the cluster to the user it will run as; only root can, and only when that has changed."""
        if self.cluster.stat().st_uid == identity.owner_uid or os.geteuid() != 0:
            return
        for folder, _, names in os.walk(self.cluster):
            for path in (folder, *(os.path.join(folder, name) for name in names)):
                os.chown(path, identity.owner_uid, -1, follow_symlinks=False)

    def socket_folder(self) -> Path:
        """Return a short private folder for the socket: the last one if it still is as it was made.

        A data folder can be too deep for a socket's path; and services that outlived a supervisor find
        the next server at the same address.
        """
        note = self.path / "socket"
        with suppress(OSError, ValueError):
            known = Path(note.read_text(encoding="utf-8").strip())
            state = known.lstat()
            if known.is_absolute() and state.st_mode == 0o040700 and state.st_uid == os.geteuid():
                return known
        for parent in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
            with suppress(OSError):
                folder = Path(tempfile.mkdtemp(prefix="draftgate-", dir=parent))
                if len(os.fsencode(folder)) <= SOCKET_FOLDER_BYTES and '"' not in str(folder):
                    _write_durably(note, f"{folder}\n")
                    return folder
                folder.rmdir()
        raise StartFailed(
            "start", "No folder for temporary files can hold the socket", "Set TMPDIR to a short, writable folder"
        )

    def drop_socket_folder(self, folder: Path) -> None:
        """Remove what `socket_folder` made. Repeatable."""
        shutil.rmtree(folder, ignore_errors=True)
        (self.path / "socket").unlink(missing_ok=True)

    def open_log(self) -> IO[bytes]:
        """Open PostgreSQL's log for appending; a large one is moved aside first."""
        with suppress(FileNotFoundError):
            if self.log_path.stat().st_size > LOG_BYTES:
                self.log_path.replace(self.log_path.with_name(self.log_path.name + ".1"))
        return open(self.log_path, "ab", opener=lambda path, flags: os.open(path, flags, 0o600))

    def free_bytes(self) -> int:
        """Return the free disk where the folder is, or will be."""
        return shutil.disk_usage(next(place for place in (self.path, *self.path.parents) if place.exists())).free

    def require(self, needed_bytes: int) -> None:
        """Raise `NoSpace` unless there are `needed_bytes` of free disk."""
        free_bytes = self.free_bytes()
        if free_bytes < needed_bytes:
            raise NoSpace(self.path, free_bytes, needed_bytes)

    def failure(self, step: str, exit_code: int | None, needed_bytes: int) -> StartFailed:
        """Return why a program of PostgreSQL failed at `step`; raises `NoSpace` if the disk explains it."""
        self.require(needed_bytes)
        ended = f"ended with code {exit_code}" if exit_code is not None else "gave no answer in time"
        return StartFailed(
            step, f"PostgreSQL {ended} at the step {step!r} of {self.path}", f"Read {self.log_path}",
            exit_code=exit_code, log_path=self.log_path,
        )  # fmt: skip

    def _incomplete(self, name: str) -> StartFailed:
        return StartFailed(
            "start", f"{self.cluster / name} holds no version", "Restore the folder, or use another data folder"
        )


def _write_durably(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
