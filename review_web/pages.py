"""What every page is drawn with."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from flask import render_template, url_for

from review_web import guarding, scheduler, session
from review_web.presenting import words
from scheduler_service.answers_operations import Site

_STATIC = Path(__file__).parent / "static"


def page(template: str, *, site: Site | None = None, section: str = "", **values: Any) -> str:
    """Return a page for the signed-in visitor; `section` marks where in `site` it belongs."""
    return render_template(
        f"draftgate/{template}",
        **words_of_a_page(),
        person=scheduler.person(),
        sites=scheduler.sites(),
        site=site,
        section=section,
        **values,
    )


def outside_page(template: str, **values: Any) -> str:
    """Return a page that asks the scheduler nothing, for visitors who are not (or no longer) in."""
    return render_template(f"draftgate/{template}", **words_of_a_page(), person=None, sites=(), site=None, **values)


def words_of_a_page() -> dict[str, Any]:
    return {
        "form_token": guarding.form_token,
        "token_field": guarding.TOKEN_FIELD,
        "take_notice": session.take_notice,
        "asset": asset_url,
        "words": words,
    }


def asset_url(name: str) -> str:
    """Return the address of an own asset, with its content's fingerprint so that browsers may keep it."""
    return url_for("draftgate.static", filename=name, v=_fingerprint(name))


@cache
def _fingerprint(name: str) -> str:
    return hashlib.sha256((_STATIC / name).read_bytes()).hexdigest()[:12]
