"""The whole product at work on people's words while everything goes wrong, and all that it said meanwhile."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import chdir, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import canaries
import provoking_database
import provoking_http
import provoking_people
import provoking_rpc
import psycopg
from echoing_provider import KINDS, EchoingProvider
from provoking_http import Visitor
from silent_content import BROKEN, grow, write_content

from scheduler_service.answers_content import SourceField, SourcePage
from scheduler_service.client import SchedulerClient
from scheduler_service.content.sources.folder import FolderSource
from scheduler_service.embedded.demo import SITE_ID, Demo
from scheduler_service.embedded.installation import Installation
from scheduler_service.embedded.processes import draftgate, free_port
from scheduler_service.errors import SchedulerError
from scheduler_service.v1 import content_pb2, operations_pb2, people_pb2, review_pb2
from translator_service.v1 import translator_pb2

LOCALE = "pt-BR"
WORK_SECONDS = 180
CONTRACT = (content_pb2, review_pb2, operations_pb2, people_pb2)


@dataclass
class SilentRun:
    """What was said, by place; `provoked` names each error that was really met."""

    sinks: dict[str, bytes] = field(default_factory=dict)
    provoked: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)

    def hear(self, place: str, what: str, said: bytes) -> None:
        self.provoked.append(f"{place}: {what}")
        self.sinks[place] = self.sinks.get(place, b"") + b"\n" + said


class Provocation:
    """Runs everything once in `folder`; `run` has the outcome."""

    def __init__(self, folder: Path) -> None:
        self.run = SilentRun()
        self._folder = folder
        self._data = folder / "data"
        self._content = folder / "content"
        write_content(self._content)

    def go(self) -> SilentRun:
        # Core files would lie in the working folder, if they are allowed at all here: then they must be seen.
        resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
        with EchoingProvider() as provider, chdir(self._folder):
            settings = self._folder / "draftgate.toml"
            settings.write_text(provider.settings(), encoding="utf-8")
            self._installation = Installation(self._data, review_port=free_port(), extra_environment={
                "DRAFTGATE_CONFIG": str(settings), "DRAFTGATE_SCHEDULER_TICK_TOKEN": "a-token-for-the-tick",
                "DRAFTGATE_TRANSLATOR_OFFLINE_JOURNAL": str(self._folder / "journal")})
            demo = Demo(self._installation, FolderSource(self._content, "en"), LOCALE, "offline")
            demo.start()
            try:
                self._work(provider)
            finally:
                self._installation.stop()
        self._commands()
        self._read_logs()
        return self.run

    def _work(self, provider: EchoingProvider) -> None:
        installation = self._installation
        with installation.scheduler() as admin:
            self._until_at_rest(admin, SITE_ID)
            self._buy_from(provider, admin)
            visitor = Visitor(installation.ports.review)
            visitor.sign_in(installation.sign_in_link())
            self.run.secrets += [installation._translator_token, installation._service_token, installation._review_key(),
                                 visitor.cookies()["draftgate-session"]]
            person = admin.with_token(visitor.cookies()["draftgate-session"])
            self._decide(person, visitor)
            self._provoke_services(admin, visitor)
            self._kill(admin)
            self._until_at_rest(admin, SITE_ID)
            self._metrics()
        self._read_database()

    # What people do --------------------------------------------------------------------------

    def _buy_from(self, provider: EchoingProvider, admin: SchedulerClient) -> None:
        """Have one text translated by each kind of answer, and judged by it."""
        for kind in KINDS:
            for site_id, credential, judge in ((f"w-{kind}", kind, kind), (f"j-{kind}", "offline", kind)):
                name = site_id.replace("_", "-")
                admin.put_site(name, name=canaries.TITLE, source_locale="en", target_locales=[LOCALE],
                               credential=credential, judge_credential=judge)
                page = SourcePage("page.md", (SourceField(
                    "body", canaries.PROVIDED, label=canaries.ECHOED, note=canaries.LINE_NOTE, speaker=canaries.SPEAKER),))
                admin.scan_pages(name, LOCALE, [page], is_complete=True)
        until(lambda: self._look_after() and provider.asked == set(KINDS), WORK_SECONDS, "asking every kind of provider")
        self.run.provoked += [f"provider: {kind}" for kind in sorted(provider.asked)]
        until(lambda: self._look_after() and not self._query(
            "select item_id from item_work where work_state in ('running', 'ready')"), WORK_SECONDS, "their items")

    def _decide(self, person: SchedulerClient, visitor: Visitor) -> None:
        """Edit, approve, publish and reject, too late too, and with an override where a check forbids it."""
        items = list(person.list_items(SITE_ID).items)
        first, second, third = items[0].item_id, items[1].item_id, items[2].item_id
        item = person.get_item(first)
        chosen = item.candidate.candidate_id if item.candidate else 0
        stale = {"version": item.summary.version, "candidate_id": chosen}
        edited = person.edit(first, **stale, text=canaries.EDITED, approve=False, note=canaries.PERSON_NOTE)
        approved = person.edit(first, version=edited.version, candidate_id=edited.candidate_id, text=canaries.EDITED + " ",
                               approve=True, override_reason=canaries.OVERRIDE, note=canaries.PERSON_NOTE)
        now = person.get_item(first)
        assert now.candidate is not None
        person.publish(first, version=approved.version, text_hash=now.candidate.text_hash)
        for what, said in provoking_people.provoke(person, SITE_ID, first, second, stale):
            self.run.hear("client errors", what, said)
        again = person.get_item(second)
        person.reject(second, version=again.summary.version, candidate_id=again.candidate.candidate_id if again.candidate else 0,
                      note=canaries.PERSON_NOTE, ask_again=True)
        _status, page = visitor.get(f"/review/item/{third}")
        visitor.send_form(page, f"/review/item/{third}/reject", note=canaries.PERSON_NOTE)

    # What goes wrong -------------------------------------------------------------------------

    def _provoke_services(self, admin: SchedulerClient, visitor: Visitor) -> None:
        ports, run = self._installation.ports, self.run
        translator = f"127.0.0.1:{ports.translator_grpc}"
        for words in (canaries.TYPED, canaries.PARAGRAPH):
            ascii_words = words.encode("ascii", "ignore").decode()
            for place, address, modules, token in (
                ("scheduler's gRPC errors", admin.address, CONTRACT, self._installation._service_token),
                ("translator's gRPC errors", translator, (translator_pb2,), self._installation._translator_token),
            ):
                for what, said in provoking_rpc.provoke(address, modules, token, ascii_words):
                    run.hear(place, what, said)
        for name, port in (("review", ports.review), ("scheduler", ports.scheduler_http), ("translator", ports.translator_http)):
            for what, data in provoking_http.raw_requests(canaries.PARAGRAPH).items():
                run.hear(f"{name}'s raw HTTP answers", what, provoking_http.send_raw(port, data))
        self._break_the_database(admin.with_token(visitor.cookies()["draftgate-session"]), visitor)
        self._provoke_pages(visitor)
        database = self._installation.database
        for words in (canaries.PARAGRAPH, canaries.EDITED):
            for what, said in provoking_database.provoke(database, words):
                run.hear("database errors", what, said)
        provoking_database.end_in_mid_statement(database.url, canaries.PARAGRAPH)

    def _break_the_database(self, person: SchedulerClient, visitor: Visitor) -> None:
        """Have the scheduler's own statements fail in ways that nobody foresaw, with words in the very error."""
        item_id = next(iter(person.list_items(SITE_ID).items)).item_id
        item = person.get_item(item_id)
        with provoking_database.broken(self._installation.database.url):
            for what, said in provoking_people.meet_a_broken_database(person, item):
                self.run.hear("client errors", what, said)
            status, page = visitor.get(f"/review/item/{item_id}")
        assert status == 500, status
        self.run.hear("review's error pages", "500", page.encode())

    def _provoke_pages(self, visitor: Visitor) -> None:
        stranger = Visitor(self._installation.ports.review)
        words, typed = quote(canaries.TYPED), {"text": canaries.TYPED, "note": canaries.TYPED, "override_reason": canaries.TYPED}
        visits: dict[str, Callable[[], tuple[int, str]]] = {
            "404": lambda: visitor.get(f"/{words}?q={words}"),
            "404 of an item": lambda: visitor.get("/review/item/999999999"),
            "404 of a site": lambda: visitor.get(f"/review/{words}"),
            "404 of a stranger": lambda: stranger.get(f"/{words}"),
            "405": lambda: visitor.get("/review/item/1/approve"),
            "413": lambda: visitor.post("/review/item/1/edit", {"text": canaries.TYPED * 80_000}),
            "expired form": lambda: visitor.post("/review/item/1/edit", typed),
            "form of another site": lambda: visitor.post("/review/item/1/edit", typed, **{"Sec-Fetch-Site": "cross-site"}),
            "no session": lambda: stranger.post("/review/item/1/edit", typed),
            "bad link": lambda: stranger.send_form(
                stranger.get("/sign-in")[1], "/sign-in", token=canaries.TYPED, name=canaries.TYPED),
            "an invalid page": lambda: visitor.get(f"/review/{SITE_ID}?page_token={words}&queue={words}&q={words}%00"),
            "an invalid item": lambda: visitor.get("/review/item/99999999999999999999999"),
        }
        for what, visit in visits.items():
            status, page = visit()
            assert status >= 300, f"{what} was no error: {status}"
            self.run.hear("review's error pages", f"{what} ({status})", provoking_http.without_what_was_given_back(page).encode())
        self._installation.children["scheduler"].stop()
        _status, form = visitor.get("/sign-in")
        for what, visit in {
            "scheduler is down": lambda: visitor.get(f"/review/{SITE_ID}?q={words}"),
            "scheduler is down for a form": lambda: visitor.send_form(form, "/review/item/1/edit", **typed),
        }.items():
            status, page = visit()
            assert status == 503, f"{what}: {status}"
            self.run.hear("review's error pages", what, provoking_http.without_what_was_given_back(page).encode())
        self._look_after()

    def _kill(self, admin: SchedulerClient) -> None:
        """End every process in the middle of work, in the ways that leave traces behind."""
        database = self._installation.data_folder.joinpath("postgres")
        for target, number in (("translator", signal.SIGABRT), ("scheduler", signal.SIGSEGV), ("scheduler", signal.SIGKILL),
                               ("translator", signal.SIGKILL), ("review", signal.SIGABRT), ("postgres", signal.SIGKILL),
                               ("backend", signal.SIGKILL), ("backend", signal.SIGSEGV)):
            until(lambda: self._look_after() and admin.is_ready(), 60, "the services")
            self._ask_for_work(admin)
            with suppress(AssertionError):
                until(lambda: self._query("select call_id from calls where state = 'dispatched'"), 5, "a call")
            if target == "postgres":
                (lock,) = database.rglob("postmaster.pid")
                pid = int(lock.read_text().split()[0])
            elif target == "backend":
                found: list[tuple] = []  # type: ignore[type-arg]
                until(lambda: found.extend(self._query(
                    "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() "
                    "order by query_start desc limit 1")) or found, 30, "a session of the database")
                pid = found[0][0]
            else:
                pid = self._installation.children[target].pid or 0
            os.kill(pid, number)
            self.run.provoked.append(f"kill: {target} by {number.name}")
            time.sleep(0.2)
        until(lambda: self._look_after() and admin.is_ready(), 60, "the services")

    def _ask_for_work(self, admin: SchedulerClient) -> None:
        """Change a page, so that there is something in every process's hands."""
        grow(self._content / "page.md")
        source = FolderSource(self._content, "en")
        fields = {p.page_id: p for p in source.pages(LOCALE)}["page.md"].fields
        with suppress(SchedulerError):
            admin.scan_pages(SITE_ID, LOCALE, [SourcePage("page.md", tuple(
                SourceField(f.name, f.text, text_format=f.text_format) for f in fields))], is_complete=False)

    # What is left behind ---------------------------------------------------------------------

    def _metrics(self) -> None:
        ports = self._installation.ports
        for port in (ports.review, ports.scheduler_http, ports.translator_http):
            for page in ("metrics", "readyz", "healthz"):
                with urlopen(f"http://127.0.0.1:{port}/{page}", timeout=20) as answer:
                    self.run.sinks[f"{page} at {port}"] = answer.read()

    def _read_database(self) -> None:
        """Take what leaves the database for others, and all texts of both languages to look for."""
        self.run.sinks["outbox"] = _lines(self._query("select to_jsonb(o)::text from outbox o"))
        # A reason is a person's own word for their decision, and belongs into the audit: it alone is left out.
        self.run.sinks["audit"] = _lines(self._query("select (to_jsonb(a) - 'reason')::text from audit a"))
        self.run.sinks["workers"] = _lines(self._query("select to_jsonb(w)::text from workers w"))
        self.run.texts += [row[0] for row in self._query(
            "select source_text from items union select text from candidates union select text from segments "
            "where text is not null union select source_quote from findings union select target_quote from findings "
            "union select note from item_log union select note from glossary_terms")]

    def _commands(self) -> None:
        """Take what the commands themselves print: a second start that goes on, and content that can't be read."""
        broken = self._folder / "broken"
        broken.mkdir()
        for name, text in BROKEN.items():
            (broken / name).write_text(text, encoding="utf-8")
        (broken / "latin.md").write_bytes(f"{canaries.EDITED}é".encode("latin-1"))
        for what, content, data in (("demo, second start", self._content, self._data),
                                    ("demo on broken content", broken, self._folder / "nothing")):
            ended = subprocess.run(
                [*draftgate("demo", "--content", str(content), "--data", str(data), "--port", str(free_port()),
                            "--once", "--json")],
                capture_output=True, timeout=WORK_SECONDS, cwd=self._folder)
            self.run.sinks[f"{what}: output"] = ended.stdout + ended.stderr
            self.run.provoked.append(f"{what}: exit {ended.returncode}")

    def _read_logs(self) -> None:
        logs = [path for path in self._data.rglob("*") if path.is_file() and (path.suffix == ".log" or "log" in path.parts)]
        for path in logs:
            self.run.sinks[path.name] = path.read_bytes()
        self.run.sinks["the engine's journal"] = (self._folder / "journal").read_bytes()
        self.run.sinks["core files"] = b"".join(
            path.read_bytes() for path in self._folder.rglob("core*") if path.is_file() and path.suffix == "")

    def _look_after(self) -> bool:
        self._installation.keep_alive()
        return True

    def _until_at_rest(self, admin: SchedulerClient, site_id: str) -> None:
        def is_at_rest() -> bool:
            self._look_after()
            with suppress(SchedulerError):
                return not any(count.count for count in admin.get_status(site_id).by_work_state)
            return False

        until(is_at_rest, WORK_SECONDS, "the work")

    def _query(self, statement: str) -> list[tuple]:  # type: ignore[type-arg]
        address = self._installation.database.url.replace("postgresql+psycopg", "postgresql", 1)
        with suppress(psycopg.OperationalError), psycopg.connect(address, autocommit=True) as connection:
            return connection.execute(statement).fetchall()
        return []


def until(look: Callable[[], object], seconds: float, what: str) -> None:
    """Wait until `look` returns something true. Raises: AssertionError: it didn't within `seconds`."""
    ends_at = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < ends_at, f"{what} took longer than {seconds} s"
        time.sleep(0.05)


def _lines(rows: list[tuple]) -> bytes:  # type: ignore[type-arg]
    return "\n".join(row[0] for row in rows).encode()
