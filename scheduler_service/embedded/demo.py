"""The main job on one machine: a folder's content in, drafts, published translations back out into files."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import Event

from scheduler_service.answers import ItemSummary
from scheduler_service.answers_operations import GetStatusResponse
from scheduler_service.content import pushing
from scheduler_service.content.sources.folder import ExportSummary, FolderScan, FolderSource
from scheduler_service.content.values import ContentError
from scheduler_service.domain.items import WorkState
from scheduler_service.embedded.installation import Installation, NotReady
from scheduler_service.errors import SchedulerUnreachable
from translator_service.client import TranslatorCallError

SITE_ID = "demo"
# How often children are looked after, and how often the status and the content folder are looked at.
LOOK_SECONDS = 0.5
# Loading the offline models takes half a second; a slow disk gets a minute.
PROBE_WITHIN = timedelta(minutes=1)
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
    stop: Event = field(default_factory=Event)
    _fingerprint: tuple[object, ...] = ()
    _published: int = -1

    @property
    def export_folder(self) -> Path:
        return self.installation.data_folder / "export"

    def start(self) -> FolderScan:
        """Check everything that can be wrong, then start all services and take the content in.

        Raises:
            BrokenContent, EmptyFolder, PairNotConfigured: before anything was written.
            EmbeddedError, DatabaseIsNewer, NotReady: see `Installation`.
        """
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
        self._take_in(scan)
        return scan

    def follow(self, show: Callable[[GetStatusResponse], None], *, until_done: bool) -> GetStatusResponse | None:
        """Keep the services alive, take in what changes, and write out what is published, until `stop` (or, with
        `until_done`, until no work is left that moves by itself). Return the last status."""
        status: GetStatusResponse | None = None
        while not self.stop.is_set():
            self.installation.keep_alive()
            # A service that is just being restarted answers at the next look.
            with suppress(SchedulerUnreachable):
                self._rescan()
                with self.installation.scheduler() as client:
                    status = client.get_status(SITE_ID)
                show(status)
                self._export_if_new(status)
                if until_done and is_done(status):
                    break
            self.stop.wait(LOOK_SECONDS)
        return status

    def fields(self) -> list[ItemSummary]:
        """Return what became of every field, in page order."""
        with self.installation.scheduler() as client:
            return list(pushing.list_fields(client, SITE_ID, self.target_locale))

    def export(self) -> ExportSummary:
        """Write every fully published file into the export folder.

        Raises:
            ContentError: see `FolderSource.export`.
        """
        with self.installation.scheduler() as client:
            published = pushing.pull(client, SITE_ID, self.target_locale)
        return self.source.export(self.export_folder, self.target_locale, published)

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
        with self.installation.scheduler() as client:
            client.put_site(
                SITE_ID, name=self.source.folder.resolve().name, source_locale=self.source.source_locale,
                target_locales=[self.target_locale], credential=self.credential,
            )
            client.put_glossary(SITE_ID, self.target_locale, terms=pushing.glossary_terms(scan.glossary))
            pushing.push(client, SITE_ID, self.target_locale, scan.pages)
        self._fingerprint = self._look_at_folder()

    def _rescan(self) -> None:
        """Take the folder in again when a file of it changed; a broken file leaves everything as it is."""
        if self._look_at_folder() == self._fingerprint:
            return
        with suppress(ContentError):
            scan = self.source.scan(self.target_locale)
            if not scan.errors:
                self._take_in(scan)

    def _look_at_folder(self) -> tuple[object, ...]:
        found = []
        for path in sorted(self.source.folder.rglob("*")):
            with suppress(OSError):
                facts = path.stat()
                found.append((str(path), facts.st_mtime_ns, facts.st_size))
        return tuple(found)

    def _export_if_new(self, status: GetStatusResponse) -> None:
        published = sum(count.count for count in status.by_status if count.status == "published")
        if published and published != self._published:
            with suppress(ContentError):
                self.export()
        self._published = published


def is_done(status: GetStatusResponse) -> bool:
    """Return whether no work is left that moves by itself."""
    return all(count.work_state in STANDING or not count.count for count in status.by_work_state)


def moved(status: GetStatusResponse) -> tuple[int, int]:
    """Return how many items have left their workers, and of how many."""
    return status.total - sum(count.count for count in status.by_work_state), status.total
