"""A provider that repeats what it was sent in every kind of answer: errors, pages, headers, broken bodies."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

STATUSES = (400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 524)
ANSWERS = ("html", "list", "cut", "text", "no_choices", "refusal", "filtered", "too_long", "tools", "empty", "names",
           "redirect", "no_usage", "silence")
# What each is called in a credential's name and in the provider's path.
KINDS = (*(f"s{status}" for status in STATUSES), *ANSWERS)


class EchoingProvider:
    """Serves ``/<kind>/v1/chat/completions`` until the block ends; `asked` are the kinds that were reached."""

    def __init__(self) -> None:
        self.asked: set[str] = set()
        outer = self

        class Echo(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                said = "\n".join(message["content"] for message in body["messages"])
                kind = self.path.split("/")[1]
                outer.asked.add(kind)
                self.close_connection = True
                if kind == "silence":
                    return
                status, headers, answer = _answer(kind, said)
                raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status, " ".join(said.split())[-60:])
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw[: len(raw) // 2] if kind == "cut" else raw)

            def log_message(self, *_arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
        self._server.daemon_threads = True

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def settings(self) -> str:
        """Return the translator's settings: one credential for each kind."""
        return "".join(
            f'[translator.credentials.{kind}]\nprovider = "openai"\nmodel = "writer"\njudge_model = "judge"\n'
            f'base_url = "{self.address}/{kind}/v1"\ninput_price_per_million = 1\noutput_price_per_million = 1\n'
            for kind in KINDS)

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_raised: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _answer(kind: str, said: str) -> tuple[int, dict[str, str], Any]:
    line = " ".join(said.split())[-200:]
    if kind.startswith("s") and kind[1:].isdecimal():
        error = {"message": said, "type": line, "code": line, "param": said}
        return int(kind[1:]), {"X-Request-Id": line}, {"error": error, "detail": said}
    finish = {"filtered": "content_filter", "too_long": "length", "tools": "tool_calls"}.get(kind, "stop")
    message = {"role": "assistant", "content": "" if kind == "empty" else said}
    if kind == "refusal":
        message |= {"content": "", "refusal": said}
    answers: dict[str, tuple[int, dict[str, str], Any]] = {
        "html": (200, {"Content-Type": "text/html"}, f"<h1>{said}</h1>".encode()),
        "list": (200, {}, [said]),
        "text": (200, {}, said.encode()),
        "no_choices": (200, {}, {"choices": [], "error": {"message": said}}),
        "redirect": (302, {"Location": f"/elsewhere?q={line.replace(' ', '+')}"}, b""),
    }
    whole = {
        "id": line if kind == "names" else "chatcmpl-1", "object": "chat.completion", "created": 1,
        "model": line if kind == "names" else "served", "system_fingerprint": line,
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
    } | ({} if kind == "no_usage" else {"usage": {"prompt_tokens": 40, "completion_tokens": 10, "total_tokens": 50}})
    return answers.get(kind, (200, {"X-Request-Id": line} if kind == "names" else {}, whole))
