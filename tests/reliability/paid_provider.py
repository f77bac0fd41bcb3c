"""A provider that charges: a process of its own that speaks chat completions and keeps its own books.

It charges when it has done the work, not when its answer arrives, and shares no code with the product.
``python paid_provider.py FOLDER`` serves; `PaidProvider` starts that, scripts it and reads its books.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

WRITER, JUDGE = "writer", "judge"
TOKENS_IN, TOKENS_OUT = 40, 10
START_SECONDS = 20
# What it can translate; any other text comes back in capitals.
PHRASES = {
    "The gate is open.": "O portão está aberto.",
    "The lamp is lit.": "A lâmpada está acesa.",
    "The well is deep.": "O poço é fundo.",
}
# Held answers wait this long at most, so that a failing test leaves no thread behind.
HOLD_SECONDS = 60
_SCHEMA = """
create table if not exists script (number integer primary key, model text, action text);
create table if not exists charges (number integer primary key, call_id text, model text, prompt_hash text);
create table if not exists state (name text primary key);
"""


@dataclass(frozen=True)
class Charge:
    """One piece of work that the provider did and will put on its bill."""

    call_id: str
    model: str
    prompt_hash: str


class PaidProvider:
    """Runs the provider until the block ends. Actions for `script`: see the functions below."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._books = folder / "books.sqlite"
        self._process: subprocess.Popen[bytes] | None = None
        self.base_url = ""

    def __enter__(self) -> Self:
        with closing(_open(self._books)) as books:
            books.executescript(_SCHEMA)
        self._process = subprocess.Popen([sys.executable, __file__, str(self._folder)])
        ends_at = time.monotonic() + START_SECONDS
        while not (self._folder / "port").exists():
            assert self._process.poll() is None and time.monotonic() < ends_at, "the provider did not start"
            time.sleep(0.02)
        self.base_url = f"http://127.0.0.1:{(self._folder / 'port').read_text()}/v1"
        return self

    def __exit__(self, *_raised: object) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def script(self, model: str, *actions: dict[str, Any]) -> None:
        """Do `actions` with the next requests to `model`, one each; afterwards it just answers."""
        with closing(_open(self._books)) as books, books:
            books.executemany("insert into script (model, action) values (?, ?)",
                              [(model, json.dumps(action)) for action in actions])

    def release(self) -> None:
        """Let every held answer go."""
        with closing(_open(self._books)) as books, books:
            books.execute("insert or ignore into state values ('released')")

    def charges(self, model: str | None = None) -> list[Charge]:
        """Return what it will put on the bill, oldest first."""
        with closing(_open(self._books)) as books:
            rows = books.execute("select call_id, model, prompt_hash from charges order by number").fetchall()
        return [Charge(*row) for row in rows if model in (None, row[1])]

    def forget(self) -> None:
        """Begin with empty books."""
        with closing(_open(self._books)) as books, books:
            for table in ("script", "charges", "state"):
                books.execute(f"delete from {table}")


def refuse(status: int, code: str, **headers: str) -> dict[str, Any]:
    """Answer with an error and do no work."""
    return {"do": "refuse", "status": status, "code": code, "headers": headers}


def work_then_fail(status: int) -> dict[str, Any]:
    """Do the work, and have something in between answer with an error."""
    return {"do": "work_then_fail", "status": status}


CUT = {"do": "cut"}  # do the work, answer half of it, hang up
HOLD = {"do": "hold"}  # do the work, answer when released
EMPTY = {"do": "empty"}  # do the work, answer with no text


def _open(path: Path) -> sqlite3.Connection:
    books = sqlite3.connect(path, timeout=20)
    # A charge that was made is there after a kill.
    books.execute("pragma journal_mode = wal")
    books.execute("pragma synchronous = full")
    return books


class _Desk(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    books_path: Path
    lock = threading.Lock()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        action = self._next(body["model"])
        if action["do"] == "refuse":
            error = {"error": {"message": "no", "type": action["code"], "code": action["code"]}}
            return self._send(action["status"], error, action["headers"])
        self._charge(body)
        if action["do"] == "work_then_fail":
            return self._send(action["status"], {"error": {"message": "a proxy gave up"}}, {})
        if action["do"] == "hold":
            self._wait_for_release()
        text = "" if action["do"] == "empty" else _answer(body)
        self._send(200, _completion(text), {}, is_cut=action["do"] == "cut")

    def _next(self, model: str) -> dict[str, Any]:
        with self.lock, closing(_open(self.books_path)) as books, books:
            row = books.execute(
                "select number, action from script where model = ? order by number limit 1", (model,)).fetchone()
            if row is None:
                return {"do": "answer"}
            books.execute("delete from script where number = ?", (row[0],))
            return json.loads(row[1])

    def _charge(self, body: dict[str, Any]) -> None:
        prompt = json.dumps(body["messages"])
        with closing(_open(self.books_path)) as books, books:
            books.execute(
                "insert into charges (call_id, model, prompt_hash) values (?, ?, ?)",
                (self.headers.get("Idempotency-Key", ""), body["model"], hashlib.sha256(prompt.encode()).hexdigest()))

    def _wait_for_release(self) -> None:
        ends_at = time.monotonic() + HOLD_SECONDS
        while time.monotonic() < ends_at:
            with closing(_open(self.books_path)) as books:
                if books.execute("select 1 from state where name = 'released'").fetchone():
                    return
            time.sleep(0.02)

    def _send(self, status: int, value: dict[str, Any], headers: dict[str, str], *, is_cut: bool = False) -> None:
        raw = json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", "Content-Length": str(len(raw)), **headers}.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(raw[: len(raw) // 2] if is_cut else raw)
        if is_cut:
            self.close_connection = True

    def log_message(self, *_arguments: object) -> None:
        pass


def _answer(body: dict[str, Any]) -> str:
    if body["model"] == JUDGE:
        return json.dumps({"findings": []})
    asked = body["messages"][-1]["content"].rpartition("TEXT TO TRANSLATE")[2]
    for source, translation in PHRASES.items():
        if source in asked:
            return translation
    lines = [line for line in asked.split("\n") if line.strip() and not line.startswith("==")]
    return "\n".join(lines[1:] or lines).upper()


def _completion(text: str) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "served-model",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT, "total_tokens": TOKENS_IN + TOKENS_OUT},
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    _Desk.books_path = folder / "books.sqlite"
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Desk)
    server.daemon_threads = True
    (folder / "port.new").write_text(str(server.server_address[1]))
    (folder / "port.new").rename(folder / "port")
    server.serve_forever(0.05)
