"""What a visitor sees when something can't be done: what happened, what to do, and what was typed.

A failing form comes back with its fields, to be sent again; nothing typed is lost. No page
carries an error's text.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Flask, redirect, request, url_for
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from review_web.guarding import TOKEN_FIELD, FormExpired
from review_web.pages import outside_page
from scheduler_service.errors import Reason, Refused, SchedulerUnreachable
from translator_service.foundation import logs

# Fields that a person types into; the others of a form are carried along unseen.
TYPED_FIELDS = ("text", "note", "override_reason", "name")


@dataclass(frozen=True, slots=True)
class Problem:
    """One page about one failure."""

    status: int
    title: str
    explanation: str


_NOT_IN = Problem(401, "Your session has ended", "Nothing was changed.")
_CONFLICT = Problem(409, "It changed meanwhile", "Somebody or something was faster, and nothing was changed now.")
_UNREACHABLE = Problem(
    503,
    "The scheduler can’t be reached",
    "This site only shows what the scheduler holds, and it doesn’t answer at the moment. "
    "If you sent a decision, look at the item before you send it again.",
)
_BROKEN = Problem(500, "Something went wrong on our side", "It has been noted under the number below.")
_REFUSALS = {
    Reason.NOT_SIGNED_IN: _NOT_IN,
    Reason.NOT_ALLOWED: Problem(403, "You may not do that", "It needs a role that you don’t have on this site."),
    Reason.NOT_FOUND: Problem(404, "There is nothing here", "The address is wrong, or it belongs to a site of others."),
    Reason.INVALID_FIELD: Problem(422, "Something in the form isn’t right", "Nothing was changed."),
    Reason.VERSION_CONFLICT: _CONFLICT,
    Reason.TEXT_CHANGED: _CONFLICT,
    Reason.NOTHING_TO_DECIDE: _CONFLICT,
    Reason.NOT_APPROVED: _CONFLICT,
    Reason.OPEN_HARD_GATE: Problem(422, "A check forbids it", "The text fails a check, and nothing was changed."),
    Reason.LINK_USED: Problem(410, "This link has been used", "A sign-in link works once."),
    Reason.CHECK_UNAVAILABLE: Problem(
        503, "The text can’t be checked now", "The translator doesn’t answer, so nothing was changed."
    ),
    Reason.DATABASE_UNAVAILABLE: Problem(503, "The database can’t be reached", "Nothing was changed."),
    Reason.OUTCOME_UNKNOWN: Problem(
        503, "It isn’t known whether that was saved", "The database broke off. Look at the item before you repeat it."
    ),
    Reason.INTERNAL: Problem(500, "The scheduler could not do that", "It has been noted there."),
}
_STATUSES = {
    404: _REFUSALS[Reason.NOT_FOUND],
    405: Problem(405, "Not like this", "This address takes a form, and you have opened it as a page."),
    413: Problem(413, "That is too long", "The form is larger than any text that can be stored. Nothing was changed."),
}
_FORM_EXPIRED = Problem(
    400, "This page had been open for too long", "You may have signed in again since. Nothing was changed."
)


def register(target: Blueprint | Flask) -> None:
    """Have `target` answer failures with these pages."""
    target.register_error_handler(Refused, refused)
    target.register_error_handler(SchedulerUnreachable, unreachable)
    target.register_error_handler(FormExpired, _form_expired)
    target.register_error_handler(HTTPException, _http_error)
    target.register_error_handler(Exception, _surprise)


def refused(error: Refused) -> Any:
    """Return the page for what the scheduler said no to; somebody who isn't signed in is led to do so."""
    if error.reason is Reason.NOT_SIGNED_IN and request.method in {"GET", "HEAD"}:
        return redirect(url_for("draftgate.account.sign_in", next=_this_page()), 303)
    return _show(_REFUSALS[error.reason], remedy=error.remedy, kept=_kept())


def unreachable(_error: SchedulerUnreachable) -> Any:
    return _show(_UNREACHABLE, kept=_kept())


def _form_expired(_error: FormExpired) -> Any:
    # Offered to our own pages only: another site must not put words into a form of ours.
    is_ours = request.headers.get("Sec-Fetch-Site") == "same-origin"
    return _show(_FORM_EXPIRED, kept=_kept() if is_ours else ())


def _http_error(error: HTTPException) -> Any:
    status = error.code or 500
    if status < 400:
        return error
    return _show(_STATUSES.get(status, Problem(status, error.name, "Nothing was changed.")))


def _surprise(error: Exception) -> Any:
    error_id = uuid.uuid4().hex[:12]
    page = request.endpoint or "none"
    logs.failure("page.failed", error, error_id=error_id, method=request.method, path_template=page)
    return _show(_BROKEN, error_id=error_id, kept=_kept())


def _show(problem: Problem, *, remedy: str = "", error_id: str = "", kept: Any = ()) -> Any:
    body = outside_page(
        "problem.html",
        problem=problem,
        remedy=remedy,
        error_id=error_id,
        kept=kept,
        typed_fields=TYPED_FIELDS,
        action=_this_page(),
    )
    return Response(body, problem.status, content_type="text/html; charset=utf-8")


def _kept() -> tuple[tuple[str, str], ...]:
    """Return the fields of a failed form, without its token."""
    if request.method != "POST":
        return ()
    return tuple((name, value) for name, value in request.form.items(multi=True) if name != TOKEN_FIELD)


def _this_page() -> str:
    query = request.query_string.decode("ascii", "replace")
    return request.script_root + request.path + (f"?{query}" if query else "")
