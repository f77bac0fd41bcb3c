"""Where an attempt's time goes: engine, gRPC, database, rest. Milliseconds, for its log line."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta


class Timing:
    """Adds up durations by step; one a claimed item, used by one thread."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self._seconds[name] += time.monotonic() - began

    def add(self, name: str, duration: timedelta) -> None:
        self._seconds[name] += duration.total_seconds()

    def milliseconds(self) -> dict[str, int]:
        """Return ``duration_ms`` (whole) and ``<step>_ms`` for each step seen."""
        result = {f"{name}_ms": round(seconds * 1000) for name, seconds in self._seconds.items()}
        result["duration_ms"] = round((time.monotonic() - self._began) * 1000)
        return result
