"""Requests that a web server must refuse, and a reviewer's browser reduced to cookies and forms."""

from __future__ import annotations

import http.client
import re
import socket
from contextlib import suppress
from html import unescape
from http.cookies import SimpleCookie
from urllib.parse import quote, urlencode, urlsplit

SECONDS = 20
# Stands for the status of an answer that didn't arrive.
HUNG_UP = 599
_INPUT = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
# What somebody typed is given back to them on the page that could not take it, and to nobody else.
_GIVEN_BACK = re.compile(r'<textarea[^>]*>.*?</textarea>|<input [^>]*>', re.DOTALL)


def raw_requests(words: str) -> dict[str, bytes]:
    """Return byte sequences that are no proper requests, with people's words in every part."""
    plain, quoted = words.encode(), quote(words).encode()
    host = b"Host: localhost\r\n"
    return {
        "no request at all": plain + b"\r\n\r\n",
        "bad method": quoted + b" / HTTP/1.1\r\n" + host + b"\r\n",
        "bad version": b"GET /" + quoted + b" HTTP/9.9\r\n" + host + b"\r\n",
        "bad header": b"GET / HTTP/1.1\r\n" + host + plain + b"\r\n\r\n",
        "blank in a header's name": b"GET / HTTP/1.1\r\n" + host + plain + b": x\r\n\r\n",
        "bad length": b"POST / HTTP/1.1\r\n" + host + b"Content-Length: " + plain + b"\r\n\r\n",
        "negative length": b"POST / HTTP/1.1\r\n" + host + b"Content-Length: -5\r\n\r\n" + plain,
        "bad coding": b"POST / HTTP/1.1\r\n" + host + b"Transfer-Encoding: " + plain + b"\r\n\r\n" + plain,
        "bad chunk": b"POST / HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\n" + plain + b"\r\n",
        "long line": b"GET /" + quoted * 300 + b" HTTP/1.1\r\n" + host + b"\r\n",
        "long header": b"GET / HTTP/1.1\r\n" + host + b"X-Words: " + plain * 3000 + b"\r\n\r\n",
        "many headers": b"GET / HTTP/1.1\r\n" + host + b"".join(b"X-%d: %s\r\n" % (n, plain) for n in range(300)) + b"\r\n",
        "unknown page": b"GET /" + quoted + b"?q=" + quoted + b" HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n",
        "unknown method": b"BREW /" + quoted + b" HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n",
        "bad token": b"POST /tasks/tick HTTP/1.1\r\n" + host + b"Authorization: Bearer " + plain
                     + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        "cut off": b"POST / HTTP/1.1\r\n" + host + b"Content-Length: 5000\r\n\r\n" + plain,
    }


def send_raw(port: int, data: bytes) -> bytes:
    """Send `data` and return what comes back before the other side hangs up or goes quiet."""
    answer = b""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as connection:
        connection.settimeout(1.0)
        connection.sendall(data)
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        while part := connection.recv(65536):
            answer += part
    return answer


class Visitor:
    """One person's browser on the review site."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._cookies: SimpleCookie = SimpleCookie()

    def get(self, address: str) -> tuple[int, str]:
        return self._send("GET", address)

    def post(self, address: str, fields: dict[str, str], **headers: str) -> tuple[int, str]:
        form = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
        return self._send("POST", address, urlencode(fields), form | headers)

    def send_form(self, page: str, address: str, **fields: str) -> tuple[int, str]:
        """Send what the hidden fields of `page` say, and `fields`."""
        hidden = {name: unescape(value) for name, value in _INPUT.findall(page)}
        return self.post(address, hidden | fields)

    def sign_in(self, link: str) -> None:
        """Exchange a one-time link for a session."""
        parts = urlsplit(link)
        _status, page = self.get(f"{parts.path}?{parts.query}")
        status, _page = self.send_form(page, parts.path)
        assert status == 303, "the link was not taken"

    def cookies(self) -> dict[str, str]:
        return {name: morsel.value for name, morsel in self._cookies.items()}

    def _send(self, method: str, address: str, body: str = "", headers: dict[str, str] | None = None) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=SECONDS)
        cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in self._cookies.items())
        try:
            # A server that refuses a body unread hangs up on who still sends it; its answer may be there all the same.
            with suppress(BrokenPipeError):
                connection.request(method, address, body.encode(), {"Cookie": cookie, **(headers or {})})
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
        except OSError:
            return HUNG_UP, ""
        for value in answer.headers.get_all("Set-Cookie", []):
            self._cookies.load(value)
        connection.close()
        return answer.status, text


def without_what_was_given_back(page: str) -> str:
    """Return an error's page without the fields that hold what its reader has typed."""
    return _GIVEN_BACK.sub("", page)
