"""Supervisor of one embedded PostgreSQL: starts it, stops it, and picks up after kills."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from translator_service.foundation.logs import event

from .binaries import Binaries, Identity, find_binaries, server_identity
from .data_folder import NEW_CLUSTER_BYTES, USER, DataFolder
from .errors import EmbeddedError, NoSpace, StartFailed
from .leftovers import FAST_SECONDS, IMMEDIATE_SECONDS, POLL_SECONDS, clear_leftovers, read_lock_file

DATABASE = "draftgate"
PORT = 5432  # only names the socket file; nothing listens on a network
# One WAL segment and a margin: with less, PostgreSQL stops at its first checkpoint.
RUNNING_BYTES = 24 * 2**20
# Recovery after a crash replays at most max_wal_size (1 GiB): seconds, on a bad disk a minute.
READY_SECONDS = 120.0

# A core file of a crashed server would hold every text that was in its memory.
WITHOUT_CORE_FILE = ("/bin/sh", "-c", 'ulimit -c 0; exec "$@"', "sh")

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

    What was committed survives a kill of the server, of its supervisor, and of the machine. The server
    has a session of its own, so a Ctrl-C reaches the supervisor and the services and not the database
    under them; `stop` ends it. One object belongs to one thread.
    """

    def __init__(self, data_folder: Path, *, log_path: Path | None = None) -> None:
        self._folder = DataFolder(data_folder, log_path)
        self._process: subprocess.Popen[bytes] | None = None
        self._socket_folder: Path | None = None

    @property
    def is_running(self) -> bool:
        """Whether the server that this object started is alive."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """The server's process; None when it isn't running."""
        return self._process.pid if self._process is not None and self.is_running else None

    def check(self) -> None:
        """Return if `start` has what it needs: a folder of this version (or none yet), and disk. Only reads.

        Raises:
            EmbeddedUnavailable, DataFolderOfNewerVersion, DataFolderOfOlderVersion, NoSpace, StartFailed.
        """
        try:
            self._folder.check_version(find_binaries())
            self._folder.require(RUNNING_BYTES if self._folder.cluster.exists() else NEW_CLUSTER_BYTES)
        except OSError as error:
            raise self._refusal(error) from None

    def start(self) -> None:
        """Return once the server has answered a query and the database exists. Repeatable.

        Makes the data folder on first use (whole, or not at all), ends a server that a killed
        supervisor left behind, and recovers after a crash. A server that died, or is just dying, is
        started again.

        Raises:
            EmbeddedUnavailable, DataFolderInUse, DataFolderOfNewerVersion, DataFolderOfOlderVersion,
            NoSpace, StartFailed: each says what to do; the data is as it was.
        """
        begun = time.monotonic()
        binaries = find_binaries()
        try:
            if self._process is not None and self._answers():
                return
            self._folder.check_version(binaries)
            identity = server_identity()
            self._folder.lock()
            self._folder.create_cluster(binaries, identity, _environment())
            # Twice, because an orphan can be too young to have shown itself the first time.
            for _ in range(2):
                if clear_leftovers(self._folder.cluster):
                    event("postgres.orphan_ended")
                self._folder.give_to(identity)
                process = self._launch(binaries, identity)
                if self._answers():
                    break
            else:
                raise self._folder.failure("start", process.returncode, RUNNING_BYTES)
        except OSError as error:
            self.stop()
            raise self._refusal(error) from None
        except BaseException:
            self.stop()
            raise
        event("postgres.started", pid=self.pid, duration_ms=round((time.monotonic() - begun) * 1000))

    def stop(self) -> None:
        """End the server, rolling back open transactions, and give the folder free. Repeatable."""
        if self._process is not None:
            # While it recovers there is nothing to write, and a fast shutdown would hang.
            orders = ((signal.SIGINT, FAST_SECONDS), (signal.SIGQUIT, IMMEDIATE_SECONDS), (signal.SIGKILL, None))
            for number, seconds in orders if self._serves() else orders[1:]:
                if self._process.poll() is None:
                    self._process.send_signal(number)
                    with suppress(subprocess.TimeoutExpired):
                        self._process.wait(seconds)
            event("postgres.stopped", pid=self._process.pid, exit_code=self._process.returncode)
            self._process = None
        if self._socket_folder is not None:
            self._folder.drop_socket_folder(self._socket_folder)
            self._socket_folder = None
        self._folder.unlock()

    def url(self, database: str = DATABASE) -> str:
        """Return the SQLAlchemy URL of `database`; a restart after a crash doesn't change it.

        Raises:
            StartFailed: it was not started.
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

    def _launch(self, binaries: Binaries, identity: Identity) -> subprocess.Popen[bytes]:
        self._socket_folder = self._folder.socket_folder()
        settings = SETTINGS | {"unix_socket_directories": f'"{self._socket_folder}"'}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with self._folder.open_log() as log:
            self._process = subprocess.Popen(
                [*WITHOUT_CORE_FILE, *identity.prefix, binaries.postgres, "-D", self._folder.cluster, *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=_environment(), start_new_session=True,
            )  # fmt: skip
        return self._process

    def _answers(self) -> bool:
        """Wait until our own child answers a query (True) or has ended (False)."""
        assert self._process is not None
        deadline = time.monotonic() + READY_SECONDS
        while self._process.poll() is None:
            lock = read_lock_file(self._folder.cluster)
            # The lock file must name our own child: another server's answer would prove nothing.
            if lock is not None and lock.pid == self._process.pid and lock.status == "ready" and self._serves():
                return True
            if time.monotonic() > deadline:
                raise self._folder.failure("start", None, RUNNING_BYTES)
            time.sleep(POLL_SECONDS)
        return False

    def _serves(self) -> bool:
        """Whether a query is answered now; makes the database if it isn't there yet."""
        import psycopg

        host, exists = str(self._socket_folder), "select from pg_database where datname = %s"
        with suppress(psycopg.OperationalError), psycopg.connect(
            host=host, port=PORT, user=USER, dbname="postgres", autocommit=True, connect_timeout=5
        ) as connection:
            if connection.execute(exists, (DATABASE,)).fetchone() is None:
                connection.execute("create database draftgate")
            return True
        return False

    def _refusal(self, error: OSError) -> EmbeddedError:
        folder = self._folder.path
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return NoSpace(folder, self._folder.free_bytes(), NEW_CLUSTER_BYTES)
        reason = errno.errorcode.get(error.errno or 0, type(error).__name__)
        return StartFailed(
            "start", f"{error.filename or folder} cannot be used ({reason})",
            f"Make {folder} a folder that you own and can write, or use another one",
        )  # fmt: skip


def _environment() -> dict[str, str]:
    """What the server sees: nobody's PG* settings, and messages in English whatever the locale."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    return kept | {"LC_ALL": "C", "TZ": "UTC"}
