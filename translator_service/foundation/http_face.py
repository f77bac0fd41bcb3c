"""The small HTTP face of a service: health, readiness and metrics, served by a real WSGI server.

The service's own `http.py` decides what ready means and which metrics exist.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Flask, Response, jsonify
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import ErrorTask
from werkzeug.exceptions import HTTPException

from translator_service.foundation import logs
from translator_service.foundation.grpc_plumbing import PortInUse, split_bind

# Probes and a metrics scraper, nothing heavier; more work belongs to the gRPC server.
HTTP_THREADS = 4
# The faces take no uploads; the scheduler's tick has an empty body.
MAX_BODY_BYTES = 64 * 1024


def face_blueprint(service: str, is_ready: Callable[[], bool], registry: CollectorRegistry) -> Blueprint:
    """Return ``/healthz`` (the process answers), ``/readyz`` (it can do its work; 503 otherwise) and
    ``/metrics`` of `registry`."""
    blueprint = Blueprint(f"{service}_face", __name__)

    @blueprint.get("/healthz")
    def healthz() -> Response:
        return jsonify(service=service, status="ok")

    @blueprint.get("/readyz")
    def readyz() -> tuple[Response, int]:
        ready = is_ready()
        return jsonify(service=service, status="ready" if ready else "not ready"), 200 if ready else 503

    @blueprint.get("/metrics")
    def metrics() -> Response:
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    return blueprint


def create_face(service: str) -> Flask:
    """Return a Flask application without routes whose errors carry no content; extensions fill it."""
    app = Flask(service, static_folder=None)
    app.config.update(MAX_CONTENT_LENGTH=MAX_BODY_BYTES)

    @app.errorhandler(HTTPException)
    def known(error: HTTPException) -> tuple[Response, int]:
        return jsonify(error=error.name), error.code or 500

    @app.errorhandler(Exception)
    def unknown(error: Exception) -> tuple[Response, int]:
        logs.failure("http.failed", error)
        return jsonify(error="Internal Server Error"), 500

    return app


class _QuietErrorTask(ErrorTask):
    """Answers a request that is no proper HTTP without quoting from it, as the server's own answer would."""

    def execute(self) -> None:
        self.request.error.body = "This is not a request that can be answered."
        super().execute()


class _QuietChannel(HTTPChannel):
    error_task_class = _QuietErrorTask


@dataclass(frozen=True, slots=True)
class RunningFace:
    """A face that is being served; `port` is the real one when 0 was asked for."""

    port: int
    _server: Any
    _sockets: dict[int, Any]
    _thread: threading.Thread

    def close(self, timeout_seconds: float = 5.0) -> None:
        """Stop serving; repeatable."""
        if self._sockets:
            # In the loop's own thread: closing from another one tears sockets from under it.
            self._server.trigger.pull_trigger(lambda: wasyncore.close_all(self._sockets))
        self._thread.join(timeout_seconds)


def serve_http(app: Flask, bind: str, setting: str = "http_bind") -> RunningFace:
    """Serve `app` at `bind` (``host:port``) from a daemon thread until `close`.

    Raises:
        PortInUse: the port is taken; the error names `setting`.
    """
    host, port = split_bind(bind)
    sockets: dict[int, Any] = {}
    try:
        server = create_server(app, host=host, port=port, threads=HTTP_THREADS, ident=None, map=sockets)
    except OSError:
        raise PortInUse(bind, setting) from None
    server.channel_class = _QuietChannel
    thread = threading.Thread(target=_run, args=(server,), name="http-face", daemon=True)
    thread.start()
    return RunningFace(server.effective_port, server, sockets, thread)


def _run(server: Any) -> None:
    server.run()
    server.task_dispatcher.shutdown(timeout=1)
