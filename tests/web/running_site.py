"""The real thing for browser tests: database, translator with the offline engine, scheduler and site, each
as its own process, started by its own command."""

from __future__ import annotations

import itertools
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.error import URLError
from urllib.request import urlopen

from scheduler_service.answers import ItemSummary
from scheduler_service.answers_content import SourceField, SourcePage
from scheduler_service.client import SchedulerClient
from scheduler_service.domain.authority import EVERY_SITE, NOBODY, Role
from scheduler_service.operations import sign_in
from scheduler_service.store.engine import Database

# Starting loads two neural models and simplemma's tables on a machine that others use too.
START_SECONDS = 90
WORK_SECONDS = 120
SECRET = "only-for-tests-0123456789-abcdefghij"
LOCALE = "pt-BR"

BODY = """# Welcome to the harbour

The harbour is open every day. Bring a warm jacket, because the wind is strong.

- Leave your car at the mill.
- Read the table at the gate.
"""
# Three short fields, so that a site is ready within a second or two: two drafts, and one whose translation is
# longer than its button.
PAGES = (
    SourcePage(
        "pages/welcome.md",
        (
            SourceField("title", "Welcome to the harbour", label="Title"),
            SourceField("lead", "Good morning", label="Lead", position=1),
        ),
    ),
    SourcePage("strings/app.json", (SourceField("closed", "The mill is closed", max_length=8, note="A button"),)),
)
# What a reviewer meets on a real page: several blocks, a placeholder.
LONG_PAGE = SourcePage(
    "pages/guide.md",
    (
        SourceField("body", BODY, label="Body", text_format="markdown"),
        SourceField("hello", "The boat of {name} is ready.", text_format="brace", position=1, speaker="Mila"),
    ),
)


def poll(look: Callable[[], object], seconds: float, what: str) -> None:
    """Wait until `look` returns something true.

    Raises:
        AssertionError: it didn't within `seconds`.
    """
    ends_at = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < ends_at, f"{what} took longer than {seconds} s"
        time.sleep(0.05)


@dataclass(frozen=True, slots=True)
class ReadySite:
    """One site in the running installation whose fields have all been worked on."""

    site_id: str
    items: dict[str, ItemSummary]

    def item_id(self, field_name: str) -> int:
        return self.items[field_name].item_id


class RunningSite:
    """Everything on free ports, until the block ends; logs are in `folder`."""

    def __init__(self, database_url: str, folder: Path) -> None:
        self._database_url = database_url
        self.folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self._numbers = itertools.count(1)
        self.scheduler_address = f"127.0.0.1:{_free_port()}"
        self.url = f"http://127.0.0.1:{_free_port()}"

    def __enter__(self) -> Self:
        database = Database(self._database_url)
        translator = f"127.0.0.1:{_free_port()}"
        self._run("translator", "serve", "--grpc-bind", translator, "--http-bind", "127.0.0.1:0")
        self._run(
            "scheduler", "all", "--grpc-bind", self.scheduler_address, "--http-bind", "127.0.0.1:0",
            "--translator-address", translator,
        )
        self._run(
            "review", "serve", "--bind", self.url.removeprefix("http://"), "--base-url", self.url,
            "--scheduler-address", self.scheduler_address, "--threads", "4",
        )
        self.first_link = sign_in.first_admin_link(database)
        token = sign_in.issue_service_token(database, "tests", [(EVERY_SITE, Role.ADMIN)])
        self.admin = SchedulerClient(self.scheduler_address, token)
        poll(self._is_up, START_SECONDS, "starting")
        database.close()
        return self

    def __exit__(self, *_raised: object) -> None:
        self.admin.close()
        for process in reversed(self._processes):
            process.terminate()
        for process in reversed(self._processes):
            process.wait(timeout=60)

    def scanned(self, pages: tuple[SourcePage, ...] = PAGES) -> ReadySite:
        """Make a site of `pages` and wait until the machine has nothing left to do on it."""
        site_id = f"harbour-{next(self._numbers)}"
        self.admin.put_site(
            site_id, name=f"Harbour {site_id}", source_locale="en", target_locales=[LOCALE], credential="offline"
        )
        self.admin.scan_pages(site_id, LOCALE, pages, is_complete=True)
        poll(lambda: not self.admin.get_status(site_id).by_work_state, WORK_SECONDS, "translating")
        return ReadySite(site_id, {row.key.field_name: row for row in self.admin.list_items(site_id).items})

    def invited(self, name: str, *grants: tuple[str, str]) -> str:
        """Return the one-time link token of a person with roles, given as (site, role)."""
        unique = f"{name} {next(self._numbers)}"
        database = Database(self._database_url)
        token, _expires_at = sign_in.invite(database, NOBODY, unique, [(site, Role(role)) for site, role in grants])
        database.close()
        return token

    def session(self, link_token: str) -> str:
        """Exchange a link and return the session's token."""
        return self.admin.with_token(None).sign_in(link_token).session_token

    def _run(self, service: str, *arguments: str) -> None:
        command = [str(Path(sys.executable).with_name("draftgate")), service, *arguments]
        environment = {
            name: value for name, value in os.environ.items() if not re.match("DRAFTGATE_|DATABASE_URL", name)
        }
        environment |= {"DATABASE_URL": self._database_url, "DRAFTGATE_REVIEW_SECRET_KEY": SECRET}
        log = (self.folder / f"{service}.log").open("wb")
        self._processes.append(
            subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=self.folder)
        )

    def _is_up(self) -> bool:
        for process in self._processes:
            assert process.poll() is None, f"{process.args} ended with {process.returncode}; see {self.folder}"
        try:
            with urlopen(f"{self.url}/readyz", timeout=5) as answer:
                return answer.status == 200
        except (URLError, OSError):
            return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
