"""What the site counts: answers by page and status, and how long they took."""

from __future__ import annotations

import time

from flask import Flask, g, request
from prometheus_client import CollectorRegistry, Histogram
from werkzeug.wrappers import Response

# Pages should come within 60 ms; the rest of the scale shows how far off a bad one is.
_BUCKETS = (0.01, 0.03, 0.06, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


def count_answers(app: Flask, registry: CollectorRegistry) -> None:
    """Have every answer of `app` counted in `registry`; labels are page names, never addresses."""
    seconds = Histogram(
        "draftgate_review_request_duration_seconds",
        "Time to answer a request, by page and status",
        ("page", "status"),
        registry=registry,
        buckets=_BUCKETS,
    )

    @app.before_request
    def start() -> None:
        g.draftgate_started_at = time.monotonic()

    @app.after_request
    def count(response: Response) -> Response:
        taken = time.monotonic() - g.get("draftgate_started_at", time.monotonic())
        seconds.labels(request.endpoint or "none", str(response.status_code)).observe(taken)
        return response
