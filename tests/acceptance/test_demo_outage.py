"""The demo on a small site while its database is killed, and while texts and files change after publishing."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from deciding import approve, publish
from demo_command import poll, run_demo
from opened_site import LOCALE, Opened, open_installation

from scheduler_service.answers_operations import GetStatusResponse
from scheduler_service.cli.exits import Exit
from scheduler_service.embedded.demo import SITE_ID
from scheduler_service.errors import Reason, Refused

pytestmark = pytest.mark.slow

FIRST, SECOND = "The boats come home in the evening.", "The baker opens the shop in the morning."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outage")
    (folder / "content").mkdir()
    (folder / "content" / "page.md").write_text(FIRST + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def opened(folder: Path) -> Iterator[Opened]:
    yield from open_installation(folder / "content", folder / "data")


def refuses(opened: Opened) -> bool:
    """Return whether the scheduler says right now that its database can't be reached."""
    try:
        with opened.demo.installation.scheduler() as client:
            client.get_status(SITE_ID)
    except Refused as refused:
        return refused.reason is Reason.DATABASE_UNAVAILABLE
    return False


def test_a_database_that_is_killed_while_the_demo_follows_is_back_and_new_content_gets_done(opened: Opened) -> None:
    postgres = opened.demo.installation._postgres
    killed: list[int] = []

    def kill_once(_status: GetStatusResponse) -> None:
        if killed:
            return
        assert postgres.pid is not None
        killed.append(postgres.pid)
        os.kill(postgres.pid, signal.SIGKILL)
        # Only when the scheduler has noticed, its next answer to the demo is the refusal.
        poll(lambda: refuses(opened), 60, "the refusal")
        (opened.demo.source.folder / "new.md").write_text(SECOND + "\n", encoding="utf-8")

    def pages() -> set[str]:
        return {item.key.page_id for item in opened.demo.fields()}

    assert pages() == {"page.md"}
    status = opened.demo.follow(kill_once, until_done=True)
    assert killed and postgres.is_running and postgres.pid != killed[0]
    assert pages() == {"page.md", "new.md"}
    assert status is not None and {count.status for count in status.by_status} <= {"draft", "needs_review"}


def test_texts_and_files_that_change_after_publishing_are_exported_or_left_out(opened: Opened, folder: Path) -> None:
    source, exported = folder / "content" / "page.md", folder / "data" / "export" / "page.md"
    item = opened.item("page.md")
    publish(opened.person, item, approve(opened.person, item))
    opened.settle()
    assert item.candidate is not None and exported.read_text(encoding="utf-8") == item.candidate.text

    source.write_text("---\nlayout: wide\n---\n" + FIRST + "\n", encoding="utf-8")
    opened.settle()
    before = exported.read_bytes()
    assert before.decode() == "---\nlayout: wide\n---\n" + item.candidate.text

    source.write_text("---\nlayout: wide\n---\n" + SECOND + " " + FIRST + "\n", encoding="utf-8")
    opened.settle()
    (served,) = opened.demo.installation.scheduler().read_page(SITE_ID, "page.md", LOCALE)
    assert served.text == item.candidate.text and not served.is_current
    assert exported.read_bytes() == before, "the old translation was written beside the new wording"
    result = opened.demo.export()
    assert (result.outdated, result.files.written) == (1, ())
    assert exported.read_bytes() == before


def test_the_command_tells_how_many_texts_were_left_out(opened: Opened, folder: Path) -> None:
    opened.database.close()
    opened.demo.installation.stop()
    ended = run_demo(folder / "content", folder / "data", "--once")
    assert ended.returncode == Exit.DONE, ended.stderr
    assert "0 finished files in" in ended.stderr and "their source has changed: 1" in ended.stderr
    with pytest.raises(psycopg.Error):
        opened.database.execute("select")
