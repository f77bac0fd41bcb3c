"""Published texts become files again, whenever the texts or the files that they translate are others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scheduler_service.content.pushing import Published
from scheduler_service.content.sources.folder import ExportSummary, FolderScan, FolderSource
from scheduler_service.content.values import ContentError

# Reading all published texts of ten thousand fields takes half a second: not at every look.
PULL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written; `outdated` published texts were left out, since their source says something else now."""

    files: ExportSummary
    outdated: int


@dataclass(slots=True)
class Exporter:
    """Writes one site in one locale into the folder `into`; `pull` returns what is published."""

    source: FolderSource
    into: Path
    target_locale: str
    pull: Callable[[], Published]
    # Moments of the caller's clock, in seconds.
    _pulled_at: float = float("-inf")
    _seen: tuple[object, ...] = ()
    _written: tuple[object, ...] = ()

    def export(self, taken_in: FolderScan) -> Exported:
        """Write every fully published file; `taken_in` is the content as the scheduler knows it.

        Raises:
            ContentError: see `FolderSource.export`.
            Refused, SchedulerUnreachable: nothing was written.
        """
        return self._export(self.pull(), taken_in)

    def export_if_changed(
        self, taken_in: FolderScan, fingerprint: tuple[object, ...], published_count: int, *, now: float,
        at_once: bool = False,
    ) -> Exported | None:
        """Do the same if a text or a file is another than at the last export, and return None if not.

        Texts are looked at once `fingerprint` (of the files) or `published_count` is another, every `PULL_SECONDS`,
        and `at_once`; `now` is in seconds of any clock. What can't be written is tried again then.

        Raises:
            Refused, SchedulerUnreachable: nothing was written.
        """
        seen = (fingerprint, published_count)
        if seen == self._seen and now - self._pulled_at < PULL_SECONDS and not at_once:
            return None
        published = self.pull()
        self._seen, self._pulled_at = seen, now
        wanted = (fingerprint, published.digest)
        if wanted == self._written or not (published.texts or self._written):
            return None
        try:
            exported = self._export(published, taken_in)
        except ContentError:
            return None
        self._written = wanted
        return exported

    def _export(self, published: Published, taken_in: FolderScan) -> Exported:
        files = self.source.export(self.into, self.target_locale, published.texts, taken_in.pages)
        return Exported(files, published.outdated)
