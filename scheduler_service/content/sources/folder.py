"""A folder of content files as a source: scan it into pages, export published texts as a translated tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scheduler_service.content.formats import FORMATS, FileFormat, format_for
from scheduler_service.content.glossary_csv import read_glossary
from scheduler_service.content.limits import require_glossary, require_page
from scheduler_service.content.sources.locale_paths import is_other_locale, target_path
from scheduler_service.content.sources.tree import Listing, list_files, read_file, write_all
from scheduler_service.content.values import (
    ContentError,
    EmptyFolder,
    GlossaryRow,
    Page,
    SameTarget,
    UnknownFields,
    Unreadable,
    UnsafeExport,
)
from translator_service.foundation.locales import canonical

GLOSSARY_FILE = "glossary.csv"


@dataclass(frozen=True, slots=True)
class FolderScan:
    """What a folder holds: the pages of all good files, and an error for each broken one.

    `ignored_files` are of no known format, `other_locale_files` are translations that lie beside their source.
    """

    pages: tuple[Page, ...]
    errors: tuple[ContentError, ...]
    glossary: tuple[GlossaryRow, ...]
    ignored_files: int
    other_locale_files: int


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A translated file. `path` is relative to the export folder; `untranslated` counts fields it lacks."""

    page_id: str
    path: str
    untranslated: int = 0


@dataclass(frozen=True, slots=True)
class IncompletePage:
    """A page that was not written, because `missing` of its fields are not published."""

    page_id: str
    missing: int


@dataclass(frozen=True, slots=True)
class ExportSummary:
    written: tuple[ExportedFile, ...]
    incomplete: tuple[IncompletePage, ...]
    errors: tuple[ContentError, ...]


class FolderSource:
    """The content files under `folder`, written in `source_locale`.

    A page's id is its file's path in the folder, with slashes. ``glossary.csv`` at the top is the glossary.
    The folder is only ever read.

    Raises:
        LocaleError: `source_locale` is unknown.
    """

    def __init__(self, folder: Path, source_locale: str) -> None:
        self.folder = folder
        self.source_locale = canonical(source_locale)

    def scan(self, target_locale: str) -> FolderScan:
        """Read every file, and return what is good and what is broken: also what is more than the scheduler takes
        (`TooLarge`), and two files whose translations would have one name (`SameTarget`).

        Raises:
            Unreadable: the folder itself.
            EmptyFolder: no content file is in it, good or broken.
        """
        target_locale = canonical(target_locale)
        listing = list_files(self.folder)
        pages: list[Page] = []
        files = self._own(listing)
        errors = [*listing.errors, *self._same_targets(files, target_locale)]
        for path, format in files:
            try:
                page = format.read(str(path), read_file(self.folder, str(path)), target_locale)
                require_page(page)
                pages.append(page)
            except ContentError as error:
                errors.append(error)
        glossary: tuple[GlossaryRow, ...] = ()
        try:
            glossary = self._glossary(listing)
        except ContentError as error:
            errors.append(error)
        if not pages and not errors:
            endings = ", ".join(suffix for format in FORMATS for suffix in format.suffixes)
            raise EmptyFolder(
                str(self.folder), None, "the folder has no content files", f"Put files in it that end in {endings}"
            )
        return FolderScan(
            tuple(pages),
            tuple(errors),
            glossary,
            ignored_files=listing.ignored - (GLOSSARY_FILE in listing.paths),
            other_locale_files=len(listing.files) - len(files),
        )

    def fingerprint(self) -> tuple[tuple[str, int, int, int], ...]:
        """Return what is another value as soon as `scan` may find something else; reads no file.

        Raises:
            Unreadable: the folder itself.
        """
        listing = list_files(self.folder)
        paths = [str(path) for path, _format in self._own(listing)] + [error.path for error in listing.errors]
        return tuple(_facts(self.folder, path) for path in [*paths, GLOSSARY_FILE])

    def pages(self, target_locale: str) -> Iterator[Page]:
        """Yield all pages; every file is read before the first is given out.

        Raises:
            ContentError: the first broken file. `scan` tells about all of them, and gives the good ones.
        """
        scan = self.scan(target_locale)
        if scan.errors:
            raise scan.errors[0]
        yield from scan.pages

    def glossary(self) -> tuple[GlossaryRow, ...]:
        """Return the terms of ``glossary.csv``; none without the file.

        Raises:
            Unreadable, NotUtf8, BrokenGlossary
        """
        return self._glossary(list_files(self.folder))

    def export(
        self, into: Path, target_locale: str, published: Mapping[str, Mapping[str, str]],
        translated_from: Sequence[Page] | None = None,
    ) -> ExportSummary:
        """Write the translated tree into the folder `into`: same structure, names as `locale_paths` says.

        `published` holds texts by page id and field name; texts of fields that are gone are left alone. A file
        is written once all its fields are published; a gettext catalogue once any is, with the rest
        untranslated. Nothing is written before all files have been made and stored beside their places. A
        file of an earlier export stays when its page is incomplete now.

        `translated_from` are the pages that `published` translates: a field that says something else by now
        counts as not published.

        Raises:
            UnsafeExport: a file would land in the source folder.
            SameTarget: two files would land in one place.
            Unreadable, EmptyFolder: as `scan`.
            Unwritable: nothing was changed; see `write_all`.
        """
        target_locale = canonical(target_locale)
        scan = self.scan(target_locale)
        for error in scan.errors:
            if isinstance(error, SameTarget):
                raise error
        sources = scan.pages if translated_from is None else translated_from
        translated = {(page.page_id, field.name): field.text for page in sources for field in page.fields}
        written: list[tuple[ExportedFile, Page]] = []
        incomplete: list[IncompletePage] = []
        texts: dict[str, dict[str, str]] = {}
        for page in scan.pages:
            format = _format(page)
            given = published.get(page.page_id, {})
            texts[page.page_id] = {
                field.name: given[field.name] for field in page.fields
                if field.name in given and translated.get((page.page_id, field.name)) == field.text
            }
            missing = len(page.fields) - len(texts[page.page_id])
            if missing and not (format.allows_untranslated and texts[page.page_id]):
                incomplete.append(IncompletePage(page.page_id, missing))
                continue
            path = self._target_path(PurePosixPath(page.page_id), format, target_locale)
            written.append((ExportedFile(page.page_id, str(path), missing), page))
        files = tuple(file for file, _page in written)
        self._refuse_source(into, files)
        write_all(
            (into / file.path, self._translated(page, texts[page.page_id], target_locale)) for file, page in written
        )
        return ExportSummary(files, tuple(incomplete), scan.errors)

    def _translated(self, page: Page, texts: Mapping[str, str], target_locale: str) -> bytes:
        data, format = read_file(self.folder, page.page_id), _format(page)
        try:
            if format.read(page.page_id, data, target_locale) == page:
                return format.write(data, texts, target_locale, self.source_locale)
        except (UnknownFields, ContentError):
            pass
        raise Unreadable(page.page_id, None, "the file changed during the export", "Export again")

    def _own(self, listing: Listing) -> list[tuple[PurePosixPath, FileFormat]]:
        """Return the files that are written in the source locale."""
        return [
            (path, format)
            for path, format in listing.files
            if not is_other_locale(path, _suffix(path, format), self.source_locale, listing.paths)
        ]

    def _glossary(self, listing: Listing) -> tuple[GlossaryRow, ...]:
        if GLOSSARY_FILE not in listing.paths:
            return ()
        rows = read_glossary(GLOSSARY_FILE, read_file(self.folder, GLOSSARY_FILE))
        require_glossary(GLOSSARY_FILE, rows)
        return rows

    def _target_path(self, path: PurePosixPath, format: FileFormat, target_locale: str) -> PurePosixPath:
        return target_path(path, _suffix(path, format), self.source_locale, target_locale)

    def _same_targets(self, files: list[tuple[PurePosixPath, FileFormat]], target_locale: str) -> Iterator[SameTarget]:
        first: dict[PurePosixPath, PurePosixPath] = {}
        for path, format in files:
            target = self._target_path(path, format, target_locale)
            if first.setdefault(target, path) != path:
                yield SameTarget(
                    str(path), None, f"its translation would be {target}, and so would that of {first[target]}",
                    "Rename or remove one of the two",
                )

    def _refuse_source(self, into: Path, files: Iterable[ExportedFile]) -> None:
        source = self.folder.resolve()
        for place in (into, *(into / file.path for file in files)):
            if place.resolve().is_relative_to(source):
                raise UnsafeExport(
                    str(place), None, "the export would write into the source folder",
                    "Export into a folder outside of it",
                )


def _facts(folder: Path, path: str) -> tuple[str, int, int, int]:
    try:
        found = (folder / path).stat()
    except OSError:  # it is gone again, or never was there
        return path, 0, 0, 0
    # The time of change tells of new rights, and of an older file moved here, too.
    return path, found.st_mtime_ns, found.st_ctime_ns, found.st_size


def _format(page: Page) -> FileFormat:
    format = format_for(page.page_id)
    assert format, "a page was read by a format"
    return format


def _suffix(path: PurePosixPath, format: FileFormat) -> str:
    return max((suffix for suffix in format.suffixes if path.name.casefold().endswith(suffix)), key=len)
