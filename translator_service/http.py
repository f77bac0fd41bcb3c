"""The translator's Flask face: health, readiness and metrics; mountable in another Flask application."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask

from translator_service.foundation.http_face import create_face, face_blueprint
from translator_service.metrics import Metrics


class TranslatorFace:
    """Flask extension that adds the face to an application. Keeps no application."""

    def __init__(self, is_ready: Callable[[], bool], metrics: Metrics) -> None:
        self._is_ready = is_ready
        self._metrics = metrics

    def init_app(self, app: Flask, url_prefix: str | None = None) -> None:
        """Add ``/healthz``, ``/readyz`` and ``/metrics``, below `url_prefix` if one is given."""
        app.register_blueprint(
            face_blueprint("translator", self._is_ready, self._metrics.registry), url_prefix=url_prefix
        )


def create_app(is_ready: Callable[[], bool], metrics: Metrics) -> Flask:
    """Return the face as an application of its own."""
    app = create_face("translator")
    TranslatorFace(is_ready, metrics).init_app(app)
    return app
