"""Find and read the files of a folder, and write a whole set of files or none."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from scheduler_service.content.formats import FileFormat, format_for
from scheduler_service.content.values import ContentError, Unreadable, Unwritable

# Above what a person writes by hand, below what the services pass on in one message.
MAX_FILE_BYTES = 8 * 1024 * 1024


@dataclass(slots=True)
class Listing:
    """What lies in a folder. `files` are those that a format reads, sorted by path; `paths` all names, folders
    included, relative with slashes; `ignored` counts files that no format reads."""

    files: list[tuple[PurePosixPath, FileFormat]] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)
    ignored: int = 0
    errors: list[ContentError] = field(default_factory=list)


def list_files(folder: Path) -> Listing:
    """Return what lies in `folder` and its folders. Hidden names are passed over; folders behind links aren't entered.

    Raises:
        Unreadable: `folder` itself can't be listed.
    """
    # Not Path.is_dir, which raises below a folder that may not be entered.
    if not os.path.isdir(folder):
        problem = "is not a folder" if os.path.exists(folder) else "does not exist"
        raise Unreadable(
            str(folder), None, f"the content folder {problem}", "Give the path of a folder with content files"
        )
    listing = Listing()

    def unreadable(error: OSError) -> None:
        path = Path(os.fsdecode(error.filename))
        if path == folder:
            raise _unreadable(str(folder), error) from None
        listing.errors.append(_unreadable(path.relative_to(folder).as_posix(), error))

    for at, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = PurePosixPath(Path(at).relative_to(folder).as_posix())
        for name in sorted(folders + names):
            if not name.startswith("."):
                _add(listing, inside / name, name in folders)
    listing.files.sort(key=lambda pair: pair[0].parts)
    return listing


def _add(listing: Listing, path: PurePosixPath, is_folder: bool) -> None:
    listing.paths.add(str(path))
    found = format_for(path.name)
    if found is None:
        listing.ignored += not is_folder
    elif is_folder:
        listing.errors.append(
            Unreadable(str(path), None, f"a folder has the name of a {found.name} file", "Rename the folder")
        )
    elif not _is_utf8(str(path)):
        shown = str(path).encode("utf-8", "backslashreplace").decode()
        listing.errors.append(Unreadable(shown, None, "the file's name is not UTF-8", "Rename the file"))
    else:
        listing.files.append((path, found))


def read_file(folder: Path, path: str) -> bytes:
    """Return the bytes of the file `path` in `folder`.

    Raises:
        Unreadable: it is no regular file, too large, or the system refuses.
    """
    place = folder / path
    try:
        if place.exists() and not place.is_file():
            raise Unreadable(path, None, "it is not a regular file", "Remove or rename it")
        if place.stat().st_size > MAX_FILE_BYTES:
            raise Unreadable(
                path, None, f"it is larger than {MAX_FILE_BYTES // 1024 // 1024} MiB", "Split it into smaller files"
            )
        return place.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None


def write_all(files: Iterable[tuple[Path, bytes]]) -> None:
    """Write all `files`, or none: everything is on disk under other names before the first takes its place.

    Each file is replaced in one step, so a reader never sees half of one.

    Raises:
        Unwritable: the system refuses; what was there before is unchanged, unless it is the replacing itself
        that fails (a folder in the file's place), where files before it in the list are new already.
    """
    staged: list[_Staged] = []
    made: list[Path] = []
    try:
        for place, data in files:
            try:
                made += _make_folder(place.parent)
                # A name of its own length: the file's name plus anything could be too long for the system.
                beside = place.parent / f".draftgate-{uuid.uuid4().hex}.part"
                staged.append(_Staged(beside, place))
                _write_through(beside, data)
            except OSError as error:
                raise _unwritable(place, error) from None
        while staged:
            beside, place = staged[0]
            try:
                os.replace(beside, place)
            except OSError as error:
                raise _unwritable(place, error) from None
            staged.pop(0)
    except BaseException:
        for beside, _ in staged:
            beside.unlink(missing_ok=True)
        for folder in reversed(made):
            _remove_if_empty(folder)
        raise


class _Staged(NamedTuple):
    beside: Path
    place: Path


def _make_folder(folder: Path) -> list[Path]:
    """Make `folder` and what is missing above it; return what was made, outermost first."""
    missing = list(_missing(folder))[::-1]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def _missing(folder: Path) -> Iterator[Path]:
    while not folder.exists() and folder != folder.parent:
        yield folder
        folder = folder.parent


def _write_through(place: Path, data: bytes) -> None:
    # Not tempfile: its files are private, and a translated page must have the mode that any new file gets.
    with open(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _unreadable(path: str, error: OSError) -> Unreadable:
    return Unreadable(
        path, None, f"it can't be read ({error.strerror})", "Check that it exists and that this user may read it"
    )


def _unwritable(place: Path, error: OSError) -> Unwritable:
    return Unwritable(
        str(place), None, f"it can't be written ({error.strerror})",
        "Check free space and permissions of the export folder",
    )
