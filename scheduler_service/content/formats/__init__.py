"""File formats, one file each: read a file into a page of fields, write a translated copy of it.

A format never serialises what it parsed. It finds the values by offset and replaces those alone, so comments,
order, indentation, line ends and byte order mark of the original survive byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Protocol

from scheduler_service.content.formats.dialogue import DialogueFormat
from scheduler_service.content.formats.gettext_po import GettextFormat
from scheduler_service.content.formats.json_strings import JsonStringsFormat
from scheduler_service.content.formats.markdown import MarkdownFormat
from scheduler_service.content.values import Page


class FileFormat(Protocol):
    """How one kind of file holds its texts. Without state: one object serves all files and threads."""

    name: str
    # Endings of file names, lower case; the longest that fits decides.
    suffixes: tuple[str, ...]
    # Whether a translated file may go out with some of its texts untranslated.
    allows_untranslated: bool

    def read(self, path_label: str, data: bytes, target_locale: str) -> Page:
        """Return the page of `data`, whose id and name in errors is `path_label`.

        The fields may depend on `target_locale`: it decides how many plural forms there are.

        Raises:
            ContentError: the file is broken; says in which line where that is known.
        """
        ...

    def write(
        self, data: bytes, translations: Mapping[str, str], target_locale: str, source_locale: str
    ) -> bytes:
        """Return `data` with `translations` (by field name) in place of the source texts.

        Raises:
            UnknownFields: a translation is for a field that `read` would not return.
            ContentError: the file is broken.
        """
        ...


FORMATS: tuple[FileFormat, ...] = (MarkdownFormat(), JsonStringsFormat(), GettextFormat(), DialogueFormat())


def format_for(file_name: str) -> FileFormat | None:
    """Return the format of the file named `file_name`, None for a file that holds no texts."""
    name = PurePath(file_name).name.casefold()
    fitting = [
        (len(suffix), format) for format in FORMATS for suffix in format.suffixes if name.endswith(suffix)
    ]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


def format_named(name: str) -> FileFormat:
    """Return the format called `name`.

    Raises:
        LookupError: there is none; says which there are.
    """
    for format in FORMATS:
        if format.name == name:
            return format
    raise LookupError(f"no file format is called {name!r}; there are {', '.join(f.name for f in FORMATS)}")
