"""The review site as an application of its own."""

from __future__ import annotations

from flask import Flask
from prometheus_client import CollectorRegistry

from review_web import guarding, problems, session
from review_web.config import ReviewSettings
from review_web.extension import ReviewSite
from review_web.metrics import count_answers
from review_web.mounting import EXTENSION
from translator_service.foundation.http_face import face_blueprint


def create_app(settings: ReviewSettings | None = None) -> Flask:
    """Return the application: the site at ``/``, with ``/healthz``, ``/readyz`` and ``/metrics``.

    Raises:
        SettingsError: a setting is wrong or the secret key is missing.
        PagesError: an installed set of pages can't be loaded.
    """
    settings = settings or ReviewSettings.load()
    app = Flask("review_web", static_folder=None)
    app.config.update(
        SECRET_KEY=settings.signing_key(),
        SESSION_COOKIE_NAME=session.cookie_name(is_https=settings.is_https, purpose="form"),
        SESSION_COOKIE_SECURE=settings.is_https,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        MAX_CONTENT_LENGTH=guarding.MAX_BODY_BYTES,
    )
    ReviewSite(settings).init_app(app)
    registry = CollectorRegistry()
    count_answers(app, registry)
    app.register_blueprint(face_blueprint("review", lambda: app.extensions[EXTENSION].client.is_ready(), registry))
    # Addresses that belong to no page never reach the site's blueprint.
    problems.register(app)
    app.after_request(guarding.add_headers)
    return app
