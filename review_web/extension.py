"""Mounts the review site in a Flask application: ours (`app.py`) or anyone's."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from flask import Blueprint, Flask

from review_web import guarding, problems
from review_web.config import ReviewSettings
from review_web.mounting import EXTENSION, Mounted
from scheduler_service.client import SchedulerClient

GROUP = "review_web.blueprints"


class PagesError(Exception):
    """A set of pages can't be used; the message names the entry point and the remedy."""


class ReviewSite:
    """The review site as a Flask extension; keeps no application.

        ReviewSite(settings).init_app(app, url_prefix="/review-site")

    The host application needs a `secret_key`, which signs the form tokens. Everything that the site
    needs hangs on its own blueprint: the host's other pages get no hooks and no headers from it.
    """

    def __init__(self, settings: ReviewSettings | None = None) -> None:
        self._settings = settings

    def init_app(self, app: Flask, url_prefix: str = "") -> None:
        """Add the site's pages to `app` below `url_prefix`.

        Raises:
            SettingsError: a setting is wrong, or the application has no secret key.
            PagesError: an installed set of pages can't be loaded.
        """
        settings = self._settings or ReviewSettings.load()
        if not app.secret_key:
            app.secret_key = settings.signing_key()
        app.extensions[EXTENSION] = Mounted(settings, SchedulerClient(settings.scheduler_address))
        root = Blueprint(
            "draftgate",
            __name__,
            static_folder="static",
            static_url_path="/draftgate-static",
            template_folder="templates",
        )
        root.before_request(guarding.check_form)
        root.after_request(guarding.add_headers)
        problems.register(root)
        for pages in load_pages():
            root.register_blueprint(pages)
        app.register_blueprint(root, url_prefix=url_prefix or None)


def load_pages() -> list[Blueprint]:
    """Return the blueprints of every installed set of pages, built-in ones included, by name.

    Raises:
        PagesError: there is none, one fails to load, or one is no blueprint.
    """
    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    if not found:
        raise PagesError(f"no entry point in {GROUP}: Draftgate is not installed. Run: pip install -e .")
    return [_load(point) for point in found]


def _load(point: EntryPoint) -> Blueprint:
    try:
        pages = point.load()
    except Exception as error:
        raise PagesError(
            f"{GROUP}: {point.name} ({point.value}) fails to load with {type(error).__name__}. "
            "Mend or uninstall the package that brings it"
        ) from error
    if not isinstance(pages, Blueprint):
        raise PagesError(f"{GROUP}: {point.name} ({point.value}) is no Flask blueprint. Name one in its entry point")
    return pages
