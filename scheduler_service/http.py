"""The scheduler's Flask face: health, readiness, metrics, and a token-protected tick for an outside cron."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable
from dataclasses import asdict

from flask import Blueprint, Flask, Response, abort, jsonify, request
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from scheduler_service.operations.sweep import Swept
from scheduler_service.store import counts
from scheduler_service.store.engine import Database, StoreError, StoreUnavailable
from translator_service.foundation.http_face import create_face, face_blueprint


class ItemCounts(Collector):
    """Gauges read from the database at scrape time: right with any number of schedulers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def collect(self) -> Iterable[GaugeMetricFamily]:
        by_status = GaugeMetricFamily("draftgate_items", "Active items", labels=["site", "status"])
        by_work_state = GaugeMetricFamily(
            "draftgate_items_in_work", "Missing and stale items", labels=["site", "work_state"])
        try:
            statuses, work_states = self._database.snapshot(counts.by_site)
        except StoreError:
            return  # nothing is better than a zero that isn't one; /readyz says why
        for row in statuses:
            by_status.add_metric([row.site_id, row.status], row.count)
        for row in work_states:
            by_work_state.add_metric([row.site_id, row.work_state], row.count)
        yield by_status
        yield by_work_state


class SchedulerFace:
    """Flask extension that adds the face to an application. Keeps no application."""

    def __init__(
        self,
        database: Database,
        is_ready: Callable[[], bool],
        tick: Callable[[], Swept],
        tick_token: str | None = None,
    ) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(ItemCounts(database))
        self._is_ready = is_ready
        self._tick = tick
        self._tick_token = tick_token

    def init_app(self, app: Flask, url_prefix: str | None = None) -> None:
        """Add ``/healthz``, ``/readyz``, ``/metrics`` and, with a token, ``POST /tasks/tick``."""
        app.register_blueprint(
            face_blueprint("scheduler", self._is_ready, self._registry), url_prefix=url_prefix)
        if self._tick_token is not None:
            app.register_blueprint(self._tasks(self._tick_token), url_prefix=url_prefix)

    def _tasks(self, token: str) -> Blueprint:
        blueprint = Blueprint("scheduler_tasks", __name__)

        @blueprint.post("/tasks/tick")
        def tick() -> Response:
            given = request.headers.get("Authorization", "")
            if not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
                abort(401)
            try:
                return jsonify(swept=asdict(self._tick()))
            except StoreUnavailable:
                abort(503)

        return blueprint


def create_app(
    database: Database, is_ready: Callable[[], bool], tick: Callable[[], Swept], tick_token: str | None = None
) -> Flask:
    """Return the face as an application of its own."""
    app = create_face("scheduler")
    SchedulerFace(database, is_ready, tick, tick_token).init_app(app)
    return app
