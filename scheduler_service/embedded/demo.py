"""The main job on one machine: a folder's content in, drafts, published translations back out into files."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import TypeVar

from scheduler_service.answers import ItemSummary
from scheduler_service.answers_operations import GetStatusResponse
from scheduler_service.content import pushing
from scheduler_service.content.sources.folder import FolderScan, FolderSource
from scheduler_service.content.values import ContentError
from scheduler_service.domain.items import ItemStatus, WorkState
from scheduler_service.embedded.exporting import Exported, Exporter
from scheduler_service.embedded.installation import Installation, NotReady
from scheduler_service.errors import Reason, Refused, SchedulerError, SchedulerUnreachable
from translator_service.client import TranslatorCallError

Value = TypeVar("Value")

SITE_ID = "demo"
# How often children are looked after, and how often the status and the content folder are looked at.
LOOK_SECONDS = 0.5
# Loading the offline models takes half a second; a slow disk gets a minute.
PROBE_WITHIN = timedelta(minutes=1)
# What is still asked at the end waits this long for a service or a database that is just being restarted.
PATIENCE_SECONDS = 30.0
# A site's name is a heading.
NAME_MOST_CHARACTERS = 200
# Work in these states doesn't move by itself: somebody must look.
STANDING = frozenset({WorkState.FAILED, WorkState.PAUSED, WorkState.WAITING_UNKNOWN})


class BrokenContent(Exception):
    """Files that can't be used, all of them named; nothing was changed."""

    def __init__(self, errors: Sequence[ContentError]) -> None:
        super().__init__(f"{len(errors)} files can't be used")
        self.errors = tuple(errors)


class PairNotConfigured(Exception):
    """The engine can't translate this pair; `remedy` says what to configure."""

    def __init__(self, remedy: str) -> None:
        super().__init__(remedy)
        self.remedy = remedy


@dataclass(slots=True)
class Demo:
    """One content folder on one installation, in one locale pair."""

    installation: Installation
    source: FolderSource
    target_locale: str
    credential: str
    # The content as the scheduler knows it, and how the folder looked when it was last read.
    _taken_in: FolderScan | None = None
    _fingerprint: tuple[object, ...] = ()
    _exporter: Exporter = field(init=False)

    def __post_init__(self) -> None:
        self._exporter = Exporter(self.source, self.export_folder, self.target_locale, self._pull)

    @property
    def stop(self) -> Event:
        """Once it is set, `start` and `follow` end as soon as they can."""
        return self.installation.stopping

    @property
    def export_folder(self) -> Path:
        return self.installation.data_folder / "export"

    def start(self) -> FolderScan:
        """Check everything that can be wrong, then start all services and take the content in.

        Raises:
            BrokenContent, EmptyFolder, PairNotConfigured: before anything was written.
            EmbeddedError, DatabaseIsNewer, NotReady, Interrupted: see `Installation`.
        """
        fingerprint = self.source.fingerprint()
        scan = self.source.scan(self.target_locale)
        if scan.errors:
            raise BrokenContent(scan.errors)
        made = self.installation.make_folder()
        try:
            self.installation.start_translator(self.installation.data_folder / "logs")
            self._require_pair()
            self.installation.start()
        except BaseException as error:
            self.installation.stop()
            # A service that doesn't come up has said why in a log there.
            if made is not None and not isinstance(error, NotReady):
                shutil.rmtree(made, ignore_errors=True)
            raise
        self._patiently(lambda: self._take_in(scan))
        self._fingerprint = fingerprint
        return scan

    def follow(self, show: Callable[[GetStatusResponse], None], *, until_done: bool) -> GetStatusResponse | None:
        """Keep the services alive, take in what changes, and write out what is published, until `stop` (or, with
        `until_done`, until no work is left that moves by itself). Return the last status."""
        status: GetStatusResponse | None = None
        while not self.stop.is_set():
            self.installation.keep_alive()
            with _asked_again():
                self._rescan()
                status = self._status()
                show(status)
                is_last = until_done and is_done(status)
                self._export_if_changed(status, at_once=is_last)
                if is_last:
                    break
            self.stop.wait(LOOK_SECONDS)
        return status

    def fields(self) -> list[ItemSummary]:
        """Return what became of every field, in page order."""
        def ask() -> list[ItemSummary]:
            with self.installation.scheduler() as client:
                return list(pushing.list_fields(client, SITE_ID, self.target_locale))

        return self._patiently(ask)

    def status(self) -> GetStatusResponse:
        return self._patiently(self._status)

    def export(self) -> Exported:
        """Write every fully published file into the export folder.

        Raises:
            ContentError: see `FolderSource.export`.
            SchedulerError: nothing was written.
        """
        taken_in = self._taken_in
        assert taken_in is not None, "start() first"
        return self._patiently(lambda: self._exporter.export(taken_in))

    def _patiently(self, ask: Callable[[], Value]) -> Value:
        """Return what `ask` returns, asking again while the scheduler or its database are being restarted."""
        ends_at = time.monotonic() + PATIENCE_SECONDS
        while True:
            self.installation.keep_alive()
            try:
                return ask()
            except SchedulerError as error:
                if not _passes(error) or time.monotonic() > ends_at:
                    raise
            time.sleep(LOOK_SECONDS)

    def _status(self) -> GetStatusResponse:
        with self.installation.scheduler() as client:
            return client.get_status(SITE_ID)

    def _pull(self) -> pushing.Published:
        with self.installation.scheduler() as client:
            return pushing.pull(client, SITE_ID, self.target_locale)

    def _require_pair(self) -> None:
        with self.installation.translator() as translator:
            try:
                probe = translator.probe(
                    self.credential, source_locale=self.source.source_locale, target_locale=self.target_locale,
                    deadline=PROBE_WITHIN,
                )
            except TranslatorCallError as error:
                raise PairNotConfigured(error.remedy or "Look into the translator's log") from None
        if probe.ending is not None:
            raise PairNotConfigured(probe.ending.remedy or probe.ending.code.value)

    def _take_in(self, scan: FolderScan) -> None:
        name = self.source.folder.resolve().name.encode("utf-8", "replace").decode()
        with self.installation.scheduler() as client:
            client.put_site(
                SITE_ID, name=name[:NAME_MOST_CHARACTERS], source_locale=self.source.source_locale,
                target_locales=[self.target_locale], credential=self.credential,
            )
            client.put_glossary(SITE_ID, self.target_locale, terms=pushing.glossary_terms(scan.glossary))
            pushing.push(client, SITE_ID, self.target_locale, scan.pages)
        self._taken_in = scan

    def _rescan(self) -> None:
        """Take the folder in again when a file of it changed; a broken file leaves everything as it is."""
        with suppress(ContentError):
            # Before the files: one that changes while they are read makes a difference at the next look.
            fingerprint = self.source.fingerprint()
            if fingerprint == self._fingerprint:
                return
            scan: FolderScan | None = None
            with suppress(ContentError):
                scan = self.source.scan(self.target_locale)
            if scan is not None and not scan.errors:
                self._take_in(scan)
            self._fingerprint = fingerprint

    def _export_if_changed(self, status: GetStatusResponse, *, at_once: bool) -> None:
        if self._taken_in is not None:
            published = sum(count.count for count in status.by_status if count.status is ItemStatus.PUBLISHED)
            self._exporter.export_if_changed(
                self._taken_in, self._fingerprint, published, now=time.monotonic(), at_once=at_once)


def _passes(error: SchedulerError) -> bool:
    """Return whether it says that the scheduler or its database is just being restarted."""
    is_database = isinstance(error, Refused) and error.reason is Reason.DATABASE_UNAVAILABLE
    return is_database or isinstance(error, SchedulerUnreachable)


@contextmanager
def _asked_again() -> Iterator[None]:
    """Leave what isn't answered just now to the next look."""
    try:
        yield
    except SchedulerError as error:
        if not _passes(error):
            raise


def is_done(status: GetStatusResponse) -> bool:
    """Return whether no work is left that moves by itself."""
    return all(count.work_state in STANDING or not count.count for count in status.by_work_state)


def moved(status: GetStatusResponse) -> tuple[int, int]:
    """Return how many items have left their workers, and of how many."""
    return status.total - sum(count.count for count in status.by_work_state), status.total
