"""Everything on one machine: PostgreSQL, translator, scheduler and review site, in one data folder."""

from __future__ import annotations

import errno
import os
import secrets
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from scheduler_service.client import SchedulerClient
from scheduler_service.domain.authority import EVERY_SITE, Role
from scheduler_service.embedded.errors import StartFailed
from scheduler_service.embedded.postgres import EmbeddedPostgres
from scheduler_service.embedded.processes import Child, draftgate, free_port
from scheduler_service.operations import sign_in
from scheduler_service.store import migrating
from scheduler_service.store.engine import Database
from translator_service.client import TranslatorClient
from translator_service.foundation.grpc_plumbing import ensure_free

READY_SECONDS = 60.0
# Shorter than the default: on one machine a killed scheduler is back at once, and its items should be too.
LEASE_SECONDS = 20.0
SERVICE_NAME = "embedded"


class NotReady(Exception):
    """A service didn't become ready; `name` says which, `log_path` where it tells why."""

    def __init__(self, name: str, log_path: Path) -> None:
        super().__init__(f"the {name} did not become ready; its log is {log_path}")
        self.name = name
        self.log_path = log_path


class Interrupted(Exception):
    """It was to stop before everything had started."""


@dataclass(slots=True)
class Ports:
    """Loopback ports; the review site's is the only one that people see."""

    review: int
    translator_grpc: int = field(default_factory=free_port)
    translator_http: int = field(default_factory=free_port)
    scheduler_grpc: int = field(default_factory=free_port)
    scheduler_http: int = field(default_factory=free_port)


class Installation:
    """One embedded installation. `start_translator` comes first and needs no data folder; `start` the rest.

    Used from one thread: children end with the thread that started them. `stopping` may be set from anywhere: then
    what is just starting ends with `Interrupted`.
    """

    def __init__(
        self, data_folder: Path, *, review_port: int, extra_environment: dict[str, str] | None = None,
        stopping: Event | None = None,
    ) -> None:
        ensure_free(f"127.0.0.1:{review_port}", "--port")
        self.data_folder = data_folder
        self.stopping = stopping or Event()
        self.ports = Ports(review_port)
        self.review_url = f"http://127.0.0.1:{review_port}"
        self._environment = {**os.environ, **(extra_environment or {})}
        self._translator_token = secrets.token_urlsafe(32)
        self._postgres = EmbeddedPostgres(data_folder / "postgres", log_path=data_folder / "logs" / "postgres.log")
        self.children: dict[str, Child] = {}
        self._database: Database | None = None
        self._service_token = ""

    @property
    def database(self) -> Database:
        assert self._database is not None, "start() first"
        return self._database

    def scheduler(self) -> SchedulerClient:
        """Return a client with every right on this installation."""
        return SchedulerClient(f"127.0.0.1:{self.ports.scheduler_grpc}", self._service_token)

    def translator(self) -> TranslatorClient:
        return TranslatorClient(f"127.0.0.1:{self.ports.translator_grpc}", self._translator_token)

    def make_folder(self) -> Path | None:
        """Make the data folder; return the outermost folder that was made for it, None if it was there already.

        Raises:
            EmbeddedError: it can't be used, is of another version, or its disk is too full; nothing was written.
        """
        self._postgres.check()
        missing = [place for place in (self.data_folder, *self.data_folder.parents) if not place.exists()]
        try:
            (self.data_folder / "logs").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            for place in missing:
                with suppress(OSError):
                    place.rmdir()
            raise StartFailed(
                "folder", f"{error.filename} cannot be made ({errno.errorcode.get(error.errno or 0, 'OSError')})",
                "Name a data folder that you may write, on a disk with room",
            ) from None
        return missing[-1] if missing else None

    def start_translator(self, log_folder: Path) -> None:
        """Start the translator, which needs no database, and wait until it serves.

        Raises:
            NotReady, Interrupted
        """
        child = self._child("translator", draftgate("translator", "serve"), {
            "DRAFTGATE_TRANSLATOR_GRPC_BIND": f"127.0.0.1:{self.ports.translator_grpc}",
            "DRAFTGATE_TRANSLATOR_HTTP_BIND": f"127.0.0.1:{self.ports.translator_http}",
            "DRAFTGATE_TRANSLATOR_TOKEN": self._translator_token,
        }, log_folder)
        with self.translator() as client:
            self._wait("translator", child, log_folder, client.is_ready)

    def start(self) -> None:
        """Start PostgreSQL, bring it to the schema, then start scheduler and review site and wait for them.

        Raises:
            EmbeddedError, DatabaseIsNewer, NotReady, Interrupted
        """
        logs = self.data_folder / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        self._postgres.start()
        url = self._postgres.url()
        migrating.upgrade(url)
        self._database = Database(url, pool_size=4)
        self._service_token = sign_in.issue_service_token(
            self._database, SERVICE_NAME, [(EVERY_SITE, role) for role in (Role.ADMIN, Role.OPERATOR, Role.SERVICE)])
        scheduler = self._child("scheduler", draftgate("scheduler", "all"), {
            "DRAFTGATE_SCHEDULER_DATABASE_URL": url,
            "DRAFTGATE_SCHEDULER_GRPC_BIND": f"127.0.0.1:{self.ports.scheduler_grpc}",
            "DRAFTGATE_SCHEDULER_HTTP_BIND": f"127.0.0.1:{self.ports.scheduler_http}",
            "DRAFTGATE_SCHEDULER_TRANSLATOR_ADDRESS": f"127.0.0.1:{self.ports.translator_grpc}",
            "DRAFTGATE_SCHEDULER_TRANSLATOR_TOKEN": self._translator_token,
            "DRAFTGATE_SCHEDULER_REVIEW_URL": self.review_url,
            "DRAFTGATE_SCHEDULER_LEASE_SECONDS": str(LEASE_SECONDS),
        }, logs)
        with self.scheduler() as client:
            self._wait("scheduler", scheduler, logs, client.is_ready)
        review = self._child("review", draftgate("review", "serve"), {
            "DRAFTGATE_REVIEW_BIND": f"127.0.0.1:{self.ports.review}",
            "DRAFTGATE_REVIEW_BASE_URL": self.review_url,
            "DRAFTGATE_REVIEW_SCHEDULER_ADDRESS": f"127.0.0.1:{self.ports.scheduler_grpc}",
            "DRAFTGATE_REVIEW_SECRET_KEY": self._review_key(),
        }, logs)
        self._wait("review", review, logs, lambda: _answers(self.ports.review))

    def keep_alive(self) -> None:
        """Start again what has died; call it about twice a second.

        Raises:
            EmbeddedError: the database can't go on. A disk is called full while a little is left: without any, each
                item would use up its attempts, and nobody would be told why.
        """
        self._postgres.check()
        if not self._postgres.is_running:
            self._postgres.start()
        for child in self.children.values():
            child.keep_alive()

    def stop(self) -> None:
        """Stop everything, the database last. Repeatable."""
        for name in ("review", "scheduler", "translator"):
            if name in self.children:
                self.children[name].stop()
        if self._database is not None:
            self._database.close()
        self._postgres.stop()

    def sign_in_link(self) -> str:
        """Return a fresh one-time link for the first admin, or for the admin there is."""
        first = sign_in.first_admin_link(self.database)
        token = first or sign_in.admin_link(self.database)
        return sign_in.link_url(self.review_url, token, is_first=first is not None)

    def _child(self, name: str, command: list[str], environment: dict[str, str], logs: Path) -> Child:
        child = Child(name, command, self._environment | environment, logs / f"{name}.log")
        self.children[name] = child
        child.start()
        return child

    def _wait(self, name: str, child: Child, logs: Path, is_ready) -> None:  # type: ignore[no-untyped-def]
        deadline = time.monotonic() + READY_SECONDS
        while not self.stopping.is_set():
            if is_ready():
                return
            if child.exit_code() is not None or time.monotonic() > deadline:
                raise NotReady(name, logs / f"{name}.log")
            time.sleep(0.05)
        raise Interrupted

    def _review_key(self) -> str:
        """The key that signs the review site's cookies; kept, so that a restart signs nobody out."""
        path = self.data_folder / "review_secret_key"
        if not path.exists():
            path.touch(mode=0o600)
            path.write_text(secrets.token_urlsafe(48), encoding="utf-8")
        return path.read_text(encoding="utf-8")


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False
