"""Counts the texts of content files without the product's readers: what must come out of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import polib

# CLDR gives Portuguese the forms one, many (whole millions) and other.
# Source: Unicode CLDR 48, plurals.xml, cardinal rules of pt.
FORMS_OF_PORTUGUESE = 3


@dataclass(frozen=True, slots=True)
class PageTexts:
    """The source texts of one file with how often each must be translated.

    `same` maps a text to the one that it is counted as: a plural form may be made from the singular or the plural.
    """

    counts: Counter[str]
    same: dict[str, str]

    def counted_as(self, text: str) -> str:
        return self.same.get(text, text)


def expected_texts(folder: Path) -> dict[str, PageTexts]:
    """Return what the Markdown and gettext files of `folder` hold, by path."""
    pages = {path.relative_to(folder).as_posix(): _markdown(path) for path in folder.rglob("*.md")}
    return pages | {path.relative_to(folder).as_posix(): _catalogue(path) for path in folder.rglob("*.po")}


def _markdown(path: Path) -> PageTexts:
    text = path.read_text(encoding="utf-8")
    assert not text.startswith(("---", "+++")), f"{path} has front matter, which this count doesn't read"
    return PageTexts(Counter([text]), {})


def _catalogue(path: Path) -> PageTexts:
    counts: Counter[str] = Counter()
    same: dict[str, str] = {}
    for entry in polib.pofile(str(path)):
        if entry.obsolete:
            continue
        if entry.msgid_plural:
            same[entry.msgid] = entry.msgid_plural
            counts[entry.msgid_plural] += FORMS_OF_PORTUGUESE
        else:
            counts[entry.msgid] += 1
    return PageTexts(counts, same)
