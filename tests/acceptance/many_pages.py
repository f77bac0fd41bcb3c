"""A content folder with enough work in it to be stopped in the middle."""

from __future__ import annotations

from itertools import product
from pathlib import Path

PLACES = (
    "river market garden station library castle bridge school harbour forest tower museum theatre kitchen church mill "
    "palace factory hospital stadium tunnel valley village fountain"
).split()
ACTIONS = ("waits near", "remembers")
PEOPLE = ("doctor", "teacher", "baker", "child")


def write_many_pages(folder: Path) -> None:
    """Many pages, no two sentences alike: four are worked on at once, so that an interruption leaves most of them."""
    folder.mkdir(parents=True)
    for number, place in enumerate(PLACES):
        sentences = [
            f"The {person} {action} the old {place} on day {number * 100 + count}."
            for count, (action, person) in enumerate(product(ACTIONS, PEOPLE))
        ]
        paragraphs = [" ".join(sentences[at : at + 4]) for at in range(0, len(sentences), 4)]
        (folder / f"{place}.md").write_text(f"# The {place}\n\n" + "\n\n".join(paragraphs) + "\n", encoding="utf-8")
