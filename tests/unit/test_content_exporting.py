"""When published texts are written into files again."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_service.content.pushing import Published
from scheduler_service.content.sources.folder import FolderSource
from scheduler_service.embedded.exporting import PULL_SECONDS, Exporter


class Site:
    """One page on the disk, and what the scheduler has published of it."""

    def __init__(self, folder: Path) -> None:
        self.source = FolderSource(folder / "content", "en")
        self.exported_file = folder / "out" / "page.md"
        self.published = Published({"page.md": {"body": "Um.\n"}}, digest="1")
        self.pulls = 0
        self.exporter = Exporter(self.source, folder / "out", "pt-BR", self._pull)
        self.write("One.\n")

    def _pull(self) -> Published:
        self.pulls += 1
        return self.published

    def write(self, text: str) -> None:
        self.source.folder.mkdir(exist_ok=True)
        (self.source.folder / "page.md").write_text(text, encoding="utf-8")
        self.taken_in = self.source.scan("pt-BR")

    def look(self, now: float, *, count: int = 1, at_once: bool = False) -> bool:
        """Look as the demo does, return whether anything was written."""
        return self.exporter.export_if_changed(
            self.taken_in, self.source.fingerprint(), count, now=now, at_once=at_once) is not None

    @property
    def exported(self) -> str:
        return self.exported_file.read_text(encoding="utf-8")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_while_nothing_changes_texts_are_looked_at_every_few_seconds_and_written_once(site):
    assert site.look(0.0)
    assert not any(site.look(PULL_SECONDS * 0.1 * tenth) for tenth in range(1, 10))
    assert site.pulls == 1
    assert not site.look(PULL_SECONDS)
    assert site.pulls == 2


def test_another_text_in_the_place_of_a_published_one_is_exported_though_their_number_is_the_same(site):
    site.look(0.0)
    site.published = Published({"page.md": {"body": "Uma.\n"}}, digest="2")
    assert not site.look(0.5)
    assert site.look(PULL_SECONDS)
    assert site.exported == "Uma.\n"


def test_a_changed_number_is_looked_at_at_once_and_so_is_the_last_look(site):
    site.look(0.0)
    site.published = Published({"page.md": {"body": "Uma.\n"}}, digest="2")
    assert site.look(0.5, count=2)
    site.published = Published({"page.md": {"body": "Um só.\n"}}, digest="3")
    assert site.look(1.0, count=2, at_once=True)
    assert site.exported == "Um só.\n"


def test_what_surrounds_the_texts_of_a_file_is_exported_when_it_changes(site):
    site.look(0.0)
    site.write("---\nlayout: wide\n---\nOne.\n")
    assert site.look(0.5)
    assert site.exported == "---\nlayout: wide\n---\nUm.\n"


def test_a_file_that_the_scheduler_was_not_told_yet_keeps_its_earlier_export(site):
    site.look(0.0)
    taken_in = site.taken_in
    site.write("Two.\n")
    site.taken_in = taken_in
    assert site.look(0.5)
    assert site.exported == "Um.\n"


def test_nothing_is_written_before_anything_is_published(site):
    site.published = Published(outdated=1, digest="0")
    (site.source.folder / "empty.json").write_text("{}", encoding="utf-8")
    assert not site.look(0.0, count=0)
    assert not site.exporter.into.exists()


def test_what_could_not_be_written_is_tried_again(site):
    site.exporter.into.write_text("in the way", encoding="utf-8")
    assert not site.look(0.0)
    site.exporter.into.unlink()
    assert not site.look(0.5)
    assert site.look(PULL_SECONDS)
    assert site.exported == "Um.\n"
