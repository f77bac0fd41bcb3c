"""Supervisor of one embedded PostgreSQL: makes its data folder, starts it, stops it, survives kills.

Layout of a data folder: ``cluster/`` (PostgreSQL's own files), ``supervisor.lock`` (held while somebody
runs it), ``socket`` (where its socket folder is), ``postgres.log``.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, NoReturn, Self
from urllib.parse import quote

from translator_service.foundation.logs import event

from .binaries import Binaries, Identity, find_binaries, server_identity
from .errors import (
    DataFolderInUse,
    DataFolderOfNewerVersion,
    DataFolderOfOlderVersion,
    NoSpace,
    StartFailed,
)
from .leftovers import FAST_SECONDS, IMMEDIATE_SECONDS, POLL_SECONDS, clear_leftovers, read_lock_file

DATABASE = "draftgate"
USER = "draftgate"
# Of the folder's layout, in cluster/draftgate.format; raise it when an older supervisor must keep off.
FORMAT = 1
PORT = 5432  # only names the socket file; nothing listens on a network
# A new cluster is 39 MiB, the database 8 MiB more, and a second WAL segment of 16 MiB follows soon.
NEW_CLUSTER_BYTES = 96 * 2**20
# One WAL segment and a margin: with less, PostgreSQL stops at its first checkpoint.
RUNNING_BYTES = 24 * 2**20
# Recovery after a crash replays at most max_wal_size (1 GiB): seconds on a disk, a minute on a bad one.
READY_SECONDS = 120.0
LOG_BYTES = 4 * 2**20  # the log is moved aside above this, once; a quiet year is far below
# With the file name it must stay under the 103 bytes that every kernel allows for a socket's path.
SOCKET_FOLDER_CHARACTERS = 70

SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    # A million items' batch claim takes twice as long with the default 128 MB.
    "shared_buffers": "256MB",
    # The inventory table is updated all the time; a minute between vacuums lets it grow.
    "autovacuum_naptime": "10s",
    # A transaction left open holds back vacuum for everybody.
    "idle_in_transaction_session_timeout": "60s",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # Nothing that a statement carries may reach the log: its errors are not logged at all (`log` stands
    # above `error`), and what is logged about a crashed process comes without the statement (terse).
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_statement": "none",
    "log_min_duration_statement": "-1",
    "log_checkpoints": "off",
    "logging_collector": "off",
    "log_destination": "stderr",
}


class EmbeddedPostgres:
    """One PostgreSQL on this machine, reachable only through a socket in a private folder.

    The folder is durable: what was committed survives a kill of the server, of the supervisor, and of
    the machine. The server runs in a session of its own, so a Ctrl-C reaches the supervisor and the
    services first; `stop` ends it. One object belongs to one thread.
    """

    def __init__(self, data_folder: Path, *, log_path: Path | None = None) -> None:
        self._folder = Path(os.path.realpath(data_folder))
        self._cluster = self._folder / "cluster"
        self._log_path = log_path or self._folder / "postgres.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: IO[str] | None = None
        self._socket_folder: Path | None = None

    @property
    def is_running(self) -> bool:
        """Whether the server that this object started is alive."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """The server's process; None when it isn't running."""
        return self._process.pid if self._process is not None and self.is_running else None

    def start(self) -> None:
        """Return once the server has answered a query and the database exists. Repeatable.

        Makes the data folder on first use (all of it, or nothing), ends a server that a killed
        supervisor left behind, and recovers after a crash. A server that died is started again.

        Raises:
            EmbeddedUnavailable, DataFolderInUse, DataFolderOfNewerVersion, DataFolderOfOlderVersion,
            NoSpace, StartFailed: see their texts; the folder is as it was.
        """
        if self.is_running:
            return
        begun = time.monotonic()
        binaries = find_binaries()
        self._check_version(binaries)
        identity = server_identity()
        try:
            self._take_lock()
            if not self._cluster.is_dir():
                self._create(binaries, identity)
            if clear_leftovers(self._cluster):
                event("postgres.orphan_ended")
            self._own_files(identity)
            self._launch(binaries, identity)
            self._wait_until_ready()
        except OSError as error:
            self.stop()
            self._refuse(error)
        except BaseException:
            self.stop()
            raise
        event("postgres.started", pid=self.pid, duration_ms=round((time.monotonic() - begun) * 1000))

    def stop(self) -> None:
        """End the server (open transactions are rolled back) and give the folder free. Repeatable."""
        if self._process is not None:
            for number, seconds in ((signal.SIGINT, FAST_SECONDS), (signal.SIGQUIT, IMMEDIATE_SECONDS)):
                if self._process.poll() is None:
                    self._process.send_signal(number)
                    with suppress(subprocess.TimeoutExpired):
                        self._process.wait(seconds)
            if self._process.poll() is None:
                self._process.kill()
            event("postgres.stopped", pid=self._process.pid, exit_code=self._process.wait())
            self._process = None
        if self._lock is not None:
            if self._socket_folder is not None:
                shutil.rmtree(self._socket_folder, ignore_errors=True)
                (self._folder / "socket").unlink(missing_ok=True)
                self._socket_folder = None
            self._lock.close()
            self._lock = None

    def url(self, database: str = DATABASE) -> str:
        """Return the SQLAlchemy URL of `database`. It stays the same over a crash and a restart.

        Raises:
            StartFailed: the server was never started.
        """
        if self._socket_folder is None:
            raise StartFailed("start", "The embedded PostgreSQL is not running", "Call start first")
        host = quote(str(self._socket_folder), safe="")
        return f"postgresql+psycopg://{USER}@/{quote(database, safe='')}?host={host}&port={PORT}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _check_version(self, binaries: Binaries) -> None:
        known = {"draftgate.format": ("Draftgate's layout", FORMAT), "PG_VERSION": ("PostgreSQL", binaries.major)}
        for name, (what, ours) in known.items():
            try:
                text = (self._cluster / name).read_text(encoding="ascii").strip()
                found = int(text)
            except FileNotFoundError:
                continue
            except PermissionError as error:
                self._refuse(error)
            except ValueError:
                raise StartFailed(
                    "start", f"{self._cluster / name} holds no version", "Restore the folder, or use another one"
                ) from None
            if found > ours:
                raise DataFolderOfNewerVersion(self._folder, what, text, str(ours))
            if found < ours:
                raise DataFolderOfOlderVersion(self._folder, what, text, str(ours))

    def _take_lock(self) -> None:
        if self._lock is not None:
            return
        if not self._folder.exists():
            self._require(NEW_CLUSTER_BYTES)
            self._folder.mkdir(mode=0o700, parents=True)
        lock = (self._folder / "supervisor.lock").open("a+", encoding="ascii")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip()
            lock.close()
            raise DataFolderInUse(self._folder, int(holder) if holder.isdigit() else None) from None
        self._lock = lock
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()

    def _create(self, binaries: Binaries, identity: Identity) -> None:
        """Make the cluster beside its place and move it there whole: a kill half-way leaves nothing."""
        for rest in self._folder.glob("cluster.new-*"):
            shutil.rmtree(rest, ignore_errors=True)
        self._require(NEW_CLUSTER_BYTES)
        fresh = Path(tempfile.mkdtemp(prefix="cluster.new-", dir=self._folder))
        try:
            os.chown(fresh, identity.owner_uid, -1)
            # Sorting by code point is the same on every machine and never needs a rebuilt index.
            locale = ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8")
            command = (binaries.initdb, "-D", fresh, "-U", USER, "--auth=trust", "--no-instructions", *locale)
            with self._open_log() as log:
                code = subprocess.run(
                    [*identity.prefix, *command],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=_environment(), start_new_session=True,
                ).returncode  # fmt: skip
            if code != 0:
                self._fail("create", code, NEW_CLUSTER_BYTES)
            _write_durably(fresh / "draftgate.format", f"{FORMAT}\n")
            fresh.rename(self._cluster)
            _sync_folder(self._folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def _own_files(self, identity: Identity) -> None:
        """Give the cluster to the user it will run as; only root can, and only when that has changed."""
        if self._cluster.stat().st_uid == identity.owner_uid or os.geteuid() != 0:
            return
        for folder, _, names in os.walk(self._cluster):
            for path in (folder, *(os.path.join(folder, name) for name in names)):
                os.chown(path, identity.owner_uid, -1, follow_symlinks=False)

    def _launch(self, binaries: Binaries, identity: Identity) -> None:
        self._socket_folder = self._private_socket_folder()
        settings = SETTINGS | {"unix_socket_directories": f'"{self._socket_folder}"'}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with self._open_log() as log:
            self._process = subprocess.Popen(
                [*identity.prefix, binaries.postgres, "-D", self._cluster, *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=_environment(), start_new_session=True,
            )  # fmt: skip

    def _private_socket_folder(self) -> Path:
        """Return a short folder of ours for the socket: the remembered one, if it still is as we made it."""
        note = self._folder / "socket"
        with suppress(OSError, ValueError):
            known = Path(note.read_text(encoding="utf-8").strip())
            state = known.lstat()
            if known.is_absolute() and state.st_mode == 0o040700 and state.st_uid == os.geteuid():
                return known
        for parent in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
            with suppress(OSError):
                folder = Path(tempfile.mkdtemp(prefix="draftgate-", dir=parent))
                if len(os.fsencode(folder)) <= SOCKET_FOLDER_CHARACTERS and '"' not in str(folder):
                    _write_durably(note, f"{folder}\n")
                    return folder
                folder.rmdir()
        raise StartFailed(
            "start", "No folder for temporary files can hold the socket", "Set TMPDIR to a short, writable folder"
        )

    def _wait_until_ready(self) -> None:
        import psycopg

        assert self._process is not None
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                self._fail("start", self._process.returncode, RUNNING_BYTES)
            lock = read_lock_file(self._cluster)
            # The lock file must name our own child: another server's answer would prove nothing.
            if lock is not None and lock.pid == self._process.pid and lock.status == "ready":
                with suppress(psycopg.OperationalError):
                    self._ensure_database()
                    return
            time.sleep(POLL_SECONDS)
        self._fail("start", None, RUNNING_BYTES)

    def _ensure_database(self) -> None:
        import psycopg

        with psycopg.connect(
            host=str(self._socket_folder), port=PORT, user=USER, dbname="postgres", autocommit=True
        ) as connection:
            if connection.execute("select from pg_database where datname = %s", (DATABASE,)).fetchone() is None:
                connection.execute("create database draftgate")

    def _open_log(self) -> IO[bytes]:
        with suppress(FileNotFoundError):
            if self._log_path.stat().st_size > LOG_BYTES:
                self._log_path.replace(self._log_path.with_name(self._log_path.name + ".1"))
        return self._log_path.open("ab", opener=lambda path, flags: os.open(path, flags, 0o600))

    def _require(self, needed_bytes: int) -> None:
        place = next(folder for folder in (self._folder, *self._folder.parents) if folder.exists())
        free_bytes = shutil.disk_usage(place).free
        if free_bytes < needed_bytes:
            raise NoSpace(self._folder, free_bytes, needed_bytes)

    def _fail(self, step: str, exit_code: int | None, needed_bytes: int) -> NoReturn:
        self._require(needed_bytes)
        ended = f"ended with code {exit_code}" if exit_code is not None else f"gave no answer in {READY_SECONDS:.0f} s"
        raise StartFailed(
            step, f"PostgreSQL {ended} at the step {step!r} of {self._folder}", f"Read {self._log_path}",
            exit_code=exit_code, log_path=self._log_path,
        )  # fmt: skip

    def _refuse(self, error: OSError) -> NoReturn:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            free_bytes = shutil.disk_usage(self._folder.parent).free if self._folder.parent.exists() else 0
            raise NoSpace(self._folder, free_bytes, NEW_CLUSTER_BYTES) from None
        reason = errno.errorcode.get(error.errno or 0, type(error).__name__)
        raise StartFailed(
            "start", f"{error.filename or self._folder} cannot be used ({reason})",
            f"Make {self._folder} a folder that you own and can write, or use another one",
        ) from None  # fmt: skip


def _environment() -> dict[str, str]:
    """What the server sees: nobody's PG* settings, and messages in English whatever the locale."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    return kept | {"LC_ALL": "C", "TZ": "UTC"}


def _write_durably(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
