"""The runs that several acceptance tests look at: the corpora once, a small site once."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from deciding import approve, publish
from demo_command import run_demo
from opened_site import MainRun, Opened, Published, open_installation, read_files
from small_site import write_small_site

# On two quiet cores the run takes a minute and a quarter; on a busy machine it has taken more than three.
RUN_SECONDS = 900


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
    yield from open_installation(main_run.content, main_run.data)


@pytest.fixture(scope="session")
def published(finished: Opened) -> Published:
    """Approve and publish every item, as a person with every role does, and let the demo write the files."""
    for item in finished.items.values():
        publish(finished.person, item, approve(finished.person, item))
    finished.settle()
    return Published(finished, read_files(finished.demo.source.folder), read_files(finished.demo.export_folder))


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """A few short pages, all of them drafted; each page belongs to the tests of one file."""
    folder = tmp_path_factory.mktemp("small-site")
    write_small_site(folder / "content")
    yield from open_installation(folder / "content", folder / "data")
