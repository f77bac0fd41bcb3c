"""What the demo does at each look, with a scheduler that answers as it is told."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
from rich.console import Console

from scheduler_service.answers_content import ListPublishedResponse, ScanPagesResponse
from scheduler_service.answers_operations import GetStatusResponse, ListFieldsResponse, WorkStateCount
from scheduler_service.cli import demo as command
from scheduler_service.cli.exits import Exit, Stop
from scheduler_service.content.sources.folder import FolderSource
from scheduler_service.domain.items import WorkState
from scheduler_service.embedded import demo as demo_module
from scheduler_service.embedded.demo import Demo, is_done
from scheduler_service.errors import Reason, Refused, SchedulerUnreachable

QUIET = GetStatusResponse(1, 0, (), (), (), (), (), 0, None)
RESTARTING = Refused(Reason.DATABASE_UNAVAILABLE, "The database can't be reached. Try again in a moment")


class Scheduler:
    """Answers every call after it has raised what stands in `errors`, in their order; keeps the texts it was sent."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.sent: list[dict[str, str]] = []

    def _answer(self, value):
        if self.errors:
            raise self.errors.pop(0)
        return value

    def put_site(self, *_site, **_about):
        self._answer(None)

    def put_glossary(self, *_pair, terms):
        self._answer(None)

    def scan_pages(self, _site, _locale, pages, *, is_complete):
        self._answer(None)
        self.sent.append({page.page_id: page.fields[0].text for page in pages})
        return ScanPagesResponse(0, 0, 0, 0, 0)

    def get_status(self, _site):
        return self._answer(QUIET)

    def list_fields(self, *_site, **_paging):
        return self._answer(ListFieldsResponse((), ""))

    def list_published(self, *_site, **_paging):
        return self._answer(ListPublishedResponse((), ""))


class Installed:
    """Stands for a running installation; `each_look` is done instead of looking after services."""

    def __init__(self, data_folder: Path, scheduler: Scheduler) -> None:
        self.data_folder = data_folder
        self.stopping = Event()
        self.answering = scheduler
        self.looks = 0
        self.each_look: Callable[[], None] = lambda: None

    def keep_alive(self) -> None:
        self.looks += 1
        self.each_look()

    @contextmanager
    def scheduler(self):
        yield self.answering


@pytest.fixture
def content(tmp_path: Path) -> Path:
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "page.md").write_text("One.\n", encoding="utf-8")
    return tmp_path / "content"


@pytest.fixture
def follow(content: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that follows with a scheduler until its work is done."""
    monkeypatch.setattr(demo_module, "LOOK_SECONDS", 0.001)

    def following(scheduler: Scheduler, each_look: Callable[[int], None] = lambda _look: None) -> tuple[Demo, Installed]:
        installed = Installed(content.parent / "data", scheduler)
        installed.each_look = lambda: each_look(installed.looks)
        followed = Demo(installed, FolderSource(content, "en"), "pt-BR", "offline")
        assert followed.follow(lambda _status: None, until_done=True) is QUIET
        return followed, installed

    return following


@pytest.mark.parametrize("error", [RESTARTING, SchedulerUnreachable("UNAVAILABLE")], ids=["database", "scheduler"])
def test_what_is_just_being_restarted_is_asked_again_at_the_next_look(follow, error):
    scheduler = Scheduler(error, error, error)
    _, installed = follow(scheduler)
    assert installed.looks == 4
    assert scheduler.sent == [{"page.md": "One.\n"}]


def test_what_is_asked_at_the_end_waits_for_a_restart_too(follow):
    scheduler = Scheduler()
    followed, installed = follow(scheduler)
    looks, scheduler.errors = installed.looks, [RESTARTING, RESTARTING]
    assert followed.status() is QUIET and followed.fields() == []
    scheduler.errors = [RESTARTING]
    assert followed.export().outdated == 0
    assert installed.looks == looks + 3 + 1 + 2, "services are looked after meanwhile"


@pytest.mark.parametrize("reason", [Reason.INTERNAL, Reason.NOT_ALLOWED, Reason.INVALID_FIELD])
def test_another_refusal_ends_the_command(follow, reason):
    with pytest.raises(Refused) as caught:
        follow(Scheduler(Refused(reason, "Look into the log")))
    assert caught.value.reason is reason


def test_a_broken_file_is_left_out_until_it_is_mended_and_is_read_once(content, monkeypatch):
    scheduler = Scheduler()
    installed = Installed(content.parent / "data", scheduler)
    followed = Demo(installed, FolderSource(content, "en"), "pt-BR", "offline")
    scans, real = [], followed.source.scan
    monkeypatch.setattr(demo_module, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(FolderSource, "scan", lambda _source, locale: (scans.append(locale), real(locale))[1])
    steps = {
        2: lambda: (content / "page.md").write_text("---\ntitle: never closed\n", encoding="utf-8"),
        6: lambda: (content / "page.md").write_text("Two.\n", encoding="utf-8"),
        8: installed.stopping.set,
    }
    installed.each_look = lambda: steps.get(installed.looks, lambda: None)()
    assert followed.follow(lambda _status: None, until_done=False) is QUIET
    assert scheduler.sent == [{"page.md": "One.\n"}, {"page.md": "Two.\n"}]
    assert len(scans) == 3


def test_a_file_that_changes_while_the_folder_is_taken_in_is_taken_in_again(content, monkeypatch):
    monkeypatch.setattr(demo_module, "LOOK_SECONDS", 0.001)

    class Busy(Scheduler):
        def put_glossary(self, *pair, terms):
            if not self.sent:
                (content / "page.md").write_text("Two.\n", encoding="utf-8")

    scheduler = Busy()
    installed = Installed(content.parent / "data", scheduler)
    installed.each_look = lambda: installed.looks == 3 and installed.stopping.set()
    followed = Demo(installed, FolderSource(content, "en"), "pt-BR", "offline")
    assert followed.follow(lambda _status: None, until_done=False) is QUIET
    assert scheduler.sent == [{"page.md": "One.\n"}, {"page.md": "Two.\n"}]


def working(state: WorkState, count: int = 1) -> GetStatusResponse:
    return GetStatusResponse(1, 0, (), (WorkStateCount(state, count),), (), (), (), 0, None)


@pytest.mark.parametrize("state", WorkState)
def test_work_that_moves_by_itself_is_waited_for_and_none_that_needs_somebody(state):
    assert is_done(working(state)) == (state in {WorkState.FAILED, WorkState.PAUSED, WorkState.WAITING_UNKNOWN})
    assert is_done(working(state, 0))


@pytest.mark.parametrize("left", [WorkState.READY, WorkState.FAILED])
def test_a_run_that_is_stopped_with_work_left_tells_how_it_stands_and_ends_as_interrupted(
    content, monkeypatch, capsys, left
):
    monkeypatch.setattr(demo_module, "LOOK_SECONDS", 0.001)
    scheduler = Scheduler()
    monkeypatch.setattr(scheduler, "get_status", lambda _site: working(left))
    installed = Installed(content.parent / "data", scheduler)
    installed.each_look = lambda: installed.looks == 2 and installed.stopping.set()
    followed = Demo(installed, FolderSource(content, "en"), "pt-BR", "offline")
    ended: Stop | None = None
    try:
        command._follow(followed, Console(file=io.StringIO()), once=True, as_json=True)
    except Stop as stop:
        ended = stop
    assert json.loads(capsys.readouterr().out)["by_work_state"] == {left.value: 1}
    assert (ended.code if ended else Exit.DONE) == (Exit.INTERRUPTED if left is WorkState.READY else Exit.DONE)
