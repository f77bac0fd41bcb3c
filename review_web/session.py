"""The visitor's session: the scheduler's token in a cookie of its own, and what a page says next.

The token is all that identifies anyone. Flask's signed session holds the form token and one notice.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import flask
from flask import request
from werkzeug.wrappers import Response

from review_web.mounting import mounted

_NOTICE = "draftgate_notice"


def cookie_name(*, is_https: bool, purpose: str = "session") -> str:
    """Return the cookie's name; the prefix makes browsers refuse it unless it is Secure and host-only."""
    return f"__Host-draftgate-{purpose}" if is_https else f"draftgate-{purpose}"


def token() -> str:
    """Return the session token that came with the request, empty when none did."""
    return request.cookies.get(cookie_name(is_https=_is_https()), "")


def remember(response: Response, session_token: str, expires_at: datetime | None) -> None:
    """Give the browser its session."""
    response.set_cookie(
        cookie_name(is_https=_is_https()),
        session_token,
        expires=expires_at,
        path="/",
        secure=_is_https(),
        httponly=True,
        samesite="Lax",
    )


def forget(response: Response) -> None:
    """Take the session from the browser; ending it is the scheduler's part."""
    response.delete_cookie(
        cookie_name(is_https=_is_https()), path="/", secure=_is_https(), httponly=True, samesite="Lax"
    )


def notice_next(what: str, **values: Any) -> None:
    """Have the next page say `what`; names and numbers only, since the cookie can be read."""
    flask.session[_NOTICE] = {"what": what, **values}


def take_notice() -> dict[str, Any] | None:
    """Return what this page has to say, once."""
    return flask.session.pop(_NOTICE, None)


def _is_https() -> bool:
    return mounted().settings.is_https
