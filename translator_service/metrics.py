"""What this process counts: calls, durations, characters. Labels are methods and codes, never content."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

# From a short label on the offline engine to a long page on a slow model.
_SECONDS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)


class Metrics:
    """The counters of one process, in a registry of their own so that two can live in one test."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.calls = Counter(
            "draftgate_translator_calls",
            "Work done, by method and how it ended (ok or an error code).",
            ("method", "code"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "draftgate_translator_seconds",
            "Seconds from admission to the answer.",
            ("method",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.characters = Counter(
            "draftgate_translator_characters",
            "Characters of generation, by side (source or target).",
            ("side",),
            registry=self.registry,
        )
