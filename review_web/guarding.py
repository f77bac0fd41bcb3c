"""What holds for every request of the site, whatever page it is for: form tokens and headers."""

from __future__ import annotations

import re

import flask
from flask import g, request
from flask_wtf.csrf import generate_csrf, validate_csrf
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response
from wtforms.validators import ValidationError

from review_web.mounting import mounted

# As long as a session can last; a page older than that needs a new sign-in anyway.
FORM_SECONDS = 12 * 3600
# Above any field that the scheduler takes, percent-encoding included; larger bodies are refused unread.
MAX_BODY_BYTES = 4 * 1024 * 1024
TOKEN_FIELD = "csrf_token"

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OURS = frozenset({"same-origin", "none"})
_FINGERPRINTED = re.compile(r"[0-9a-f]{12}\Z")


class FormExpired(BadRequest):
    """The form's token is missing, old or from elsewhere; what was typed is still in the request."""


def check_form() -> None:
    """Refuse a change that did not come from a page of ours.

    Raises:
        FormExpired: the token doesn't fit, or the browser says that another site sent it.
    """
    request.max_content_length = MAX_BODY_BYTES
    request.max_form_memory_size = MAX_BODY_BYTES
    if request.method in _SAFE_METHODS:
        return
    # Browsers that don't send the header are held by the token and the cookie's SameSite alone.
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in _OURS:
        raise FormExpired()
    try:
        validate_csrf(request.form.get(TOKEN_FIELD), time_limit=FORM_SECONDS)
    except ValidationError:
        raise FormExpired() from None


def form_token() -> str:
    """Return the token for a form of this page."""
    return generate_csrf()


def renew_form_tokens() -> None:
    """Make all earlier form tokens of this browser worthless, as authority has just changed."""
    flask.session.pop(TOKEN_FIELD, None)
    g.pop(TOKEN_FIELD, None)


def add_headers(response: Response) -> Response:
    """Put the security headers on any answer of the site."""
    headers = response.headers
    headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "no-referrer"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    if mounted().settings.is_https:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    is_asset = (request.endpoint or "").endswith("draftgate.static") and response.status_code in {200, 304}
    if is_asset and _FINGERPRINTED.match(request.args.get("v", "")):
        headers["Cache-Control"] = "public, max-age=31536000, immutable"
    elif is_asset:
        headers["Cache-Control"] = "no-cache"
    else:
        headers["Cache-Control"] = "no-store"
    return response
