"""The nouns of content: pages, fields, glossary rows, and what can be wrong with a file.

    ContentError           a file or folder can't be used; says where, what and what to do
    ├── NotUtf8            bytes that are not UTF-8 text
    ├── Unreadable         missing, not a file, no permission, too large
    ├── Unwritable         an export can't be written
    ├── EmptyFolder        nothing to translate in it
    ├── TooLarge           a field, note or file with more than the scheduler takes
    ├── UnsafeExport       an export would touch its own source
    ├── SameTarget         two files whose translations would have one name
    ├── BrokenFrontMatter  Markdown
    ├── BrokenStrings      JSON
    ├── BrokenCatalogue    gettext PO
    ├── BrokenDialogue     dialogue JSONL
    └── BrokenGlossary     glossary.csv
    UnknownFields          a translation for a field that the file doesn't have
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# The translator's names for what a text is made of, as plain strings: the scheduler passes them on and
# never parses such a text itself. A test holds the two lists together.
TEXT_FORMATS = frozenset(
    {"plain", "markdown", "html", "icu", "printf", "python-format", "brace", "i18next", "renpy"}
)


@dataclass(frozen=True, slots=True)
class Field:
    """One translatable text of a page.

    `name` is unique in its page and stable while the text around it changes. `note` and `speaker` are
    context for translators, never translated. `max_length` counts characters, None for no limit.
    `position` orders the fields of a page, from 0. `label` is what people call the field: its name, unless the
    name says nothing.
    """

    name: str
    text: str
    text_format: str = "plain"
    note: str = ""
    max_length: int | None = None
    speaker: str = ""
    position: int = 0
    label: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """All translatable texts of one file, in its order. No fields: nothing in it needs translating."""

    page_id: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class GlossaryRow:
    """One agreed term. With `do_not_translate`, `target` equals `source`. `line` is where it stands, from 1."""

    source: str
    target: str
    do_not_translate: bool = False
    accepted_forms: tuple[str, ...] = ()
    forbidden_forms: tuple[str, ...] = ()
    case_sensitive: bool = False
    part_of_speech: str = ""
    sense: str = ""
    note: str = ""
    line: int = 0


class ContentError(Exception):
    """A file or folder can't be used as it is; nothing was changed.

    `path` is as the caller knows it, `line` counts from 1 (None: the whole file), `problem` and `remedy` are
    sentences for the person at the terminal. They may name keys of the file, so they don't belong in logs.
    """

    def __init__(self, path: str, line: int | None, problem: str, remedy: str) -> None:
        super().__init__(path, line, problem, remedy)
        self.path = path
        self.line = line
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.problem}. {self.remedy}."


class NotUtf8(ContentError):
    pass


class Unreadable(ContentError):
    pass


class Unwritable(ContentError):
    pass


class EmptyFolder(ContentError):
    pass


class TooLarge(ContentError):
    pass


class UnsafeExport(ContentError):
    pass


class SameTarget(ContentError):
    pass


class BrokenFrontMatter(ContentError):
    pass


class BrokenStrings(ContentError):
    pass


class BrokenCatalogue(ContentError):
    pass


class BrokenDialogue(ContentError):
    pass


class BrokenGlossary(ContentError):
    pass


class UnknownFields(LookupError):
    """Translations were given for `names`, which the file doesn't have for this target locale."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(sorted(names))
        super().__init__(f"the file has no field {', '.join(self.names)}")
