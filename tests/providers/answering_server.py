"""A loopback HTTP server that answers chat completions as a test says, and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass
class Answer:
    """What the server sends: `body` as JSON unless it is bytes. `is_cut` closes the connection half way;
    `hold_seconds` delays the answer, and ends early when the server closes."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    is_cut: bool = False
    hold_seconds: float = 0.0

    def bytes(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> str:
        return "\n".join(message["content"] for message in self.body["messages"])


def completion(text: str | None, finish: str = "stop", **message: Any) -> dict[str, Any]:
    """Return a chat completion as a provider would send it, 40 tokens in and 10 out."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
        ],
        "usage": {"prompt_tokens": 40, "completion_tokens": 10, "total_tokens": 50},
    }


class AnsweringServer:
    """Serves `answer`, a value or a function of what was received, until the block ends."""

    def __init__(self, answer: Any) -> None:
        self.received: list[Received] = []
        self._closing = threading.Event()
        outer = self

        class OneAnswer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                received = Received(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                outer.received.append(received)
                told = answer(received) if callable(answer) else answer
                outer._closing.wait(told.hold_seconds)
                raw = told.bytes()
                self.send_response(told.status)
                self.send_header("Content-Type", told.headers.pop("content-type", "application/json"))
                self.send_header("Content-Length", str(len(raw)))
                for name, value in told.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw[: len(raw) // 2] if told.is_cut else raw)
                if told.is_cut:
                    self.close_connection = True

            def log_message(self, *_arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), OneAnswer)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
