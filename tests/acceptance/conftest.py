"""The runs that several acceptance tests look at: the corpora once, a small site once."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest
from deciding import approve, list_queue, publish, sign_in
from demo_command import connect, last_object, run_demo
from small_site import write_small_site

from scheduler_service.answers import GetItemResponse
from scheduler_service.client import SchedulerClient
from scheduler_service.content.sources.folder import FolderSource
from scheduler_service.embedded.demo import Demo
from scheduler_service.embedded.installation import Installation
from scheduler_service.embedded.processes import free_port

LOCALE = "pt-BR"
# On two quiet cores the run takes a minute and a half; on a busy machine it has taken more than three.
RUN_SECONDS = 900


@dataclass(frozen=True, slots=True)
class MainRun:
    """One ``draftgate demo --once --json`` on other people's content, as a newcomer starts it."""

    content: Path
    data: Path
    ended: subprocess.CompletedProcess[str]
    seconds: float

    @property
    def last_line(self) -> dict[str, Any]:
        return last_object(self.ended.stdout)


@dataclass(slots=True)
class Opened:
    """An installation that runs in this test session, with the first admin signed in."""

    demo: Demo
    person: SchedulerClient
    database: psycopg.Connection[Any]
    # How every item was when it was opened, before any decision.
    items: dict[int, GetItemResponse] = field(default_factory=dict)

    def settle(self) -> None:
        """Let the demo look at its folder once, and wait until no work is left."""
        self.demo.follow(lambda _status: None, until_done=True)

    def item(self, page_id: str, field_name: str = "body") -> GetItemResponse:
        """Return one item as it is now."""
        (item_id,) = (i for i, item in self.items.items()
                      if (item.summary.key.page_id, item.summary.key.field_name) == (page_id, field_name))
        return self.person.get_item(item_id)


@dataclass(frozen=True, slots=True)
class Published:
    """The corpora after everything was approved and published: the sources, and what was exported of them."""

    opened: Opened
    sources: dict[str, bytes]
    exported: dict[str, bytes]


@pytest.fixture(scope="session")
def main_run(shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> MainRun:
    folder = tmp_path_factory.mktemp("main-job")
    corpora = shared_folder / "corpora"
    content = folder / "content"
    shutil.copytree(corpora / "fastapi-docs" / "en", content)
    shutil.copy(corpora / "fastapi-docs" / "glossary.csv", content)
    shutil.copy(corpora / "django-po" / "conf.en.po", content)
    began = time.monotonic()
    ended = run_demo(content, folder / "data", "--once", "--json", limit_seconds=RUN_SECONDS)
    return MainRun(content, folder / "data", ended, time.monotonic() - began)


@pytest.fixture(scope="session")
def finished(main_run: MainRun) -> Iterator[Opened]:
    """The main run's data folder, opened again after it has ended."""
    assert main_run.ended.returncode == 0, main_run.ended.stderr[-4000:]
    yield from _open(main_run.content, main_run.data)


@pytest.fixture(scope="session")
def published(finished: Opened) -> Published:
    """Approve and publish every item, as a person with every role does, and let the demo write the files."""
    for item in finished.items.values():
        publish(finished.person, item, approve(finished.person, item))
    finished.settle()
    return Published(
        finished, _files(finished.demo.source.folder), _files(finished.demo.export_folder)
    )


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """A few short pages, all of them drafted; each page belongs to the tests of one file."""
    folder = tmp_path_factory.mktemp("small-site")
    write_small_site(folder / "content")
    yield from _open(folder / "content", folder / "data")


def _open(content: Path, data: Path) -> Iterator[Opened]:
    demo = Demo(Installation(data, review_port=free_port()), FolderSource(content, "en"), LOCALE, "offline")
    try:
        demo.start()
        opened = Opened(demo, sign_in(demo.installation), connect(data))
        opened.settle()
        opened.items = {row.item_id: opened.person.get_item(row.item_id) for row in list_queue(opened.person)}
        yield opened
        opened.database.close()
        opened.person.close()
    finally:
        demo.installation.stop()


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
