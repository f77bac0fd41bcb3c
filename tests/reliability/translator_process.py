"""A translator as its own process, started by its own command, that can be killed and started again."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Self

from scheduler_service.embedded.processes import Child, draftgate, free_port
from scheduler_service.working.translating import Translating
from translator_service.client import TranslatorClient

# Loads Python and gRPC on a machine that others use too; no models until they are needed.
START_SECONDS = 60


class TranslatorProcess:
    """Serves with the settings `toml` until the block ends; log and settings lie in `folder`."""

    def __init__(self, folder: Path, toml: str) -> None:
        (folder / "draftgate.toml").write_text(toml, encoding="utf-8")
        self.address = f"127.0.0.1:{free_port()}"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("DRAFTGATE_")}
        self._child = Child("translator", draftgate("translator", "serve"), environment | {
            "DRAFTGATE_CONFIG": str(folder / "draftgate.toml"),
            "DRAFTGATE_TRANSLATOR_GRPC_BIND": self.address,
            "DRAFTGATE_TRANSLATOR_HTTP_BIND": f"127.0.0.1:{free_port()}",
        }, folder / "translator.log")

    def __enter__(self) -> Self:
        self.start()
        self.client = TranslatorClient(self.address)
        self.translating = Translating(self.client)
        return self

    def __exit__(self, *_raised: object) -> None:
        self.client.close()
        self._child.stop()

    def start(self) -> None:
        """Start it and wait until it serves."""
        self._child.start()
        ends_at = time.monotonic() + START_SECONDS
        with TranslatorClient(self.address) as client:
            while not client.is_ready():
                assert self._child.exit_code() is None and time.monotonic() < ends_at, "the translator did not start"

    def kill(self) -> None:
        """End it without a chance to say anything."""
        pid = self._child.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        while self._child.exit_code() is None:
            time.sleep(0.005)
