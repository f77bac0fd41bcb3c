"""A PostgreSQL address that breaks connections at their COMMIT, in each way in which a COMMIT can break. A
statement that commits by itself breaks the same way."""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Self

from sqlalchemy.engine import make_url

# A simple query of exactly this text, as the driver sends it: type, length, text, NUL.
_COMMIT = b"Q" + struct.pack("!I", 4 + len("COMMIT") + 1) + b"COMMIT\x00"
# Well past a reconnection and a look at the tables, so that whoever looks once looks too early.
LATE_SECONDS = 0.4


class Cut(Enum):
    """What happens to a COMMIT. The client sees the same each time: its connection is gone."""

    BEFORE = "the server never gets it"
    AFTER = "the server has committed, its answer is lost"
    RACING = "the client loses the connection while the server commits"
    LATE = "the server gets it only after the client has looked"


class CommitCutter:
    """Relays to the server behind `database_url`, byte for byte but for what `cut_next` asks for.

    `url` is the address to connect to; `cut` counts the connections that were cut.
    """

    def __init__(self, database_url: str, folder: Path) -> None:
        server = make_url(database_url)
        port = server.query.get("port") or "5432"
        self._server = os.path.join(str(server.query["host"]), f".s.PGSQL.{port}")
        self.url = server.update_query_dict({"host": str(folder)}).render_as_string(hide_password=False)
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(os.path.join(folder, f".s.PGSQL.{port}"))
        self._listening.listen(64)
        self._lock = threading.Lock()
        self._how, self._left, self._marker = Cut.BEFORE, 0, _COMMIT
        self._late = 0
        self.cut = 0

    def cut_next(self, how: Cut, count: int = 1, *, statement: bytes = _COMMIT) -> None:
        """Cut the next `count` COMMITs, or the next statements whose text contains `statement`."""
        with self._lock:
            self._how, self._left, self._marker = how, count, statement

    def settle(self) -> None:
        """Return once the server has ended everything that was cut: nothing can come late any more."""
        while self._late:
            time.sleep(0.01)

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_raised: object) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _address = self._listening.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._server)
                link = _Link(client, server, self._takes, self._is_over)
                threading.Thread(target=link.to_server, daemon=True).start()
                threading.Thread(target=link.to_client, daemon=True).start()

    def _takes(self, data: bytes) -> Cut | None:
        """Return how to cut what is in `data`; None when it isn't to be cut."""
        with self._lock:
            if self._left == 0 or self._marker not in data:
                return None
            self._left -= 1
            self.cut += 1
            self._late += 1
            return self._how

    def _is_over(self) -> None:
        with self._lock:
            self._late -= 1


class _Link:
    """One relayed connection, with a thread for each direction."""

    def __init__(
        self, client: socket.socket, server: socket.socket, takes: Callable[[bytes], Cut | None],
        is_over: Callable[[], None],
    ) -> None:
        self._client = client
        self._server = server
        self._takes = takes
        self._is_over = is_over
        self._is_cut = False

    def to_server(self) -> None:
        with suppress(OSError):
            while data := self._client.recv(65536):
                how = self._takes(data)
                if how is not None:
                    self._is_cut = True
                    if how is not Cut.AFTER:
                        _close(self._client)
                    if how is Cut.LATE:
                        time.sleep(LATE_SECONDS)
                    if how is not Cut.BEFORE:
                        self._server.sendall(data)
                    # Says that no more will come: the server answers what it has, and ends.
                    self._server.shutdown(socket.SHUT_WR)
                    return
                self._server.sendall(data)
        _close(self._client)
        _close(self._server)

    def to_client(self) -> None:
        with suppress(OSError):
            while data := self._server.recv(65536):
                if not self._is_cut:
                    self._client.sendall(data)
        # Reached when the server has ended the session, whatever became of its transaction.
        _close(self._client)
        _close(self._server)
        if self._is_cut:
            self._is_over()


def _close(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
