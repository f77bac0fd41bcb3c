"""What the acceptance tests look at: a finished run, an opened installation, what was published from it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any

import psycopg
from deciding import list_queue, sign_in
from demo_command import connect, last_object

from scheduler_service.answers import GetItemResponse
from scheduler_service.client import SchedulerClient
from scheduler_service.content.sources.folder import FolderSource
from scheduler_service.embedded.demo import Demo
from scheduler_service.embedded.installation import Installation
from scheduler_service.embedded.processes import free_port

LOCALE = "pt-BR"
# A few short pages at most are worked on when it is waited for.
SETTLE_SECONDS = 180


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
        too_late = Timer(SETTLE_SECONDS, self.demo.stop.set)
        too_late.start()
        self.demo.follow(lambda _status: None, until_done=True)
        too_late.cancel()
        logs = self.demo.installation.data_folder / "logs"
        assert not self.demo.stop.is_set(), f"work was left after {SETTLE_SECONDS} s; see {logs}"

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


def open_installation(content: Path, data: Path) -> Iterator[Opened]:
    """Yield the installation of a data folder once all its work is done, and stop it afterwards."""
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


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file below `folder`, by path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
