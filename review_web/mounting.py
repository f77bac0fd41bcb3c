"""What a Flask application holds of the site."""

from __future__ import annotations

from dataclasses import dataclass

from flask import current_app

from review_web.config import ReviewSettings
from scheduler_service.client import SchedulerClient

EXTENSION = "draftgate"


@dataclass(frozen=True, slots=True)
class Mounted:
    """One mounted site: its settings and its line to the scheduler, opened at the first call."""

    settings: ReviewSettings
    client: SchedulerClient


def mounted() -> Mounted:
    """Return what the current application holds of the site."""
    return current_app.extensions[EXTENSION]
