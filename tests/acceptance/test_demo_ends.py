"""How ``draftgate demo`` ends: what its last lines and its exit code say, and what it leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from demo_command import DRAFTGATE, demo_words, environment, last_object, poll, run_demo, snapshot
from refusals import GOOD_PAGE, assert_refused

from scheduler_service.cli.exits import Exit
from scheduler_service.embedded.processes import free_port

START_SECONDS = 120


@pytest.fixture
def content(tmp_path: Path) -> Path:
    folder = tmp_path / "site" / "content"
    folder.mkdir(parents=True)
    (folder / "good.md").write_text(GOOD_PAGE, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("content_at", "data_at"),
    [("site", "site/.draftgate"), ("site", "site"), ("site/content", "site"), ("site", "link")],
    ids=["data in content", "the same", "content in data", "behind a link"],
)
def test_a_data_folder_in_the_content_or_around_it_is_refused_before_anything_starts(
    tmp_path: Path, content: Path, content_at: str, data_at: str
) -> None:
    (tmp_path / "link").symlink_to(content)
    before = snapshot(tmp_path)
    ended = run_demo(tmp_path / content_at, tmp_path / data_at, "--once", "--json")
    assert_refused(ended, Exit.USAGE, "--data", "outside of the content", ".draftgate")
    assert snapshot(tmp_path) == before


def test_the_default_data_folder_is_refused_where_it_would_be_in_the_content(content: Path) -> None:
    ended = subprocess.run(
        [DRAFTGATE, "demo", "--content", ".", "--once", "--port", str(free_port())], cwd=content, env=environment(),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert_refused(ended, Exit.USAGE, "--data", str(content / ".draftgate"), str(content.parent / ".draftgate"))
    assert os.listdir(content) == ["good.md"]


def test_what_the_scheduler_would_refuse_is_told_with_its_file_before_anything_starts(
    tmp_path: Path, content: Path
) -> None:
    (content / "book.md").write_text("A long story. " * 40_000, encoding="utf-8")
    (content / "a.po").write_text('msgid "Yes"\nmsgstr ""\n', encoding="utf-8")
    (content / "a.pot").write_text('msgid "Yes"\nmsgstr ""\n', encoding="utf-8")
    ended = run_demo(content, tmp_path / "data", "--once", "--json")
    assert_refused(ended, Exit.BAD_CONTENT, "book.md: ", "500,000", "Split it", "a.pot: ", "a.po,", "Rename")
    assert not (tmp_path / "data").exists()


@pytest.mark.slow
def test_the_last_line_is_told_though_the_export_fails_and_the_code_says_so(tmp_path: Path, content: Path) -> None:
    data = tmp_path / "data"
    # Without a text to translate, a file is exported as it is: no person has to publish anything.
    (content / "empty.json").write_text("{}", encoding="utf-8")
    data.mkdir()
    (data / "export").write_text("in the way", encoding="utf-8")
    ended = run_demo(content, data, "--once", "--json")
    assert ended.returncode == Exit.ERROR, ended.stderr
    assert ended.stdout, ended.stderr
    assert sum(last_object(ended.stdout)["by_status"].values()) == 2
    told = ended.stderr.splitlines()[-1]
    assert told.startswith("draftgate: ") and str(data / "export") in told and "can't be written" in told
    assert "Traceback" not in ended.stderr

    (data / "export").unlink()
    again = run_demo(content, data, "--once", "--json")
    assert again.returncode == Exit.DONE, again.stderr
    assert last_object(again.stdout)["by_status"] == last_object(ended.stdout)["by_status"]
    assert f"1 finished file in {data / 'export'}" in again.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_before_everything_had_started_it_says_so_and_leaves_nothing(
    tmp_path: Path, content: Path, number: signal.Signals
) -> None:
    data = tmp_path / "data"
    process = subprocess.Popen(
        demo_words(content, data, "--once", "--json"), cwd=content.parent, env=environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        poll(lambda: (data / "logs").exists(), START_SECONDS, "starting")
        os.killpg(process.pid, number)
        shown, told = process.communicate(timeout=START_SECONDS)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    assert process.returncode == Exit.INTERRUPTED, told
    assert "before everything had started" in told and "Traceback" not in told
    assert shown == "" and not data.exists()
