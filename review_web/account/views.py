"""Signing in by a one-time link and signing out. Opening the link changes nothing; its button does."""

from __future__ import annotations

from typing import Any

from flask import redirect, request, url_for
from werkzeug.wrappers import Response

from review_web import guarding, session
from review_web.account.forms import SignInForm, own_path
from review_web.pages import outside_page
from review_web.scheduler import anyone, scheduler
from scheduler_service.errors import Reason, Refused, SchedulerError


def sign_in() -> str:
    """Show the form, filled from the link."""
    return _form(request.args.get("token", ""), return_to=own_path(request.args.get("next")))


def exchange() -> Any:
    """Exchange the link for a session."""
    form = SignInForm(request.form)
    return_to = own_path(request.form.get("next"))
    if not form.validate():
        problems = [str(text) for texts in form.errors.values() for text in texts]
        return _form(form.token.data or "", return_to=return_to, problem=problems[0]), 422
    try:
        answer = anyone().sign_in(form.token.data or "", form.name.data or "")
    except Refused as error:
        if error.reason not in {Reason.LINK_USED, Reason.NOT_FOUND, Reason.INVALID_FIELD, Reason.NOT_SIGNED_IN}:
            raise
        problem = error.remedy or "This link is not known, was used before or is too old. Ask for a new one."
        return _form(form.token.data or "", return_to=return_to, problem=problem, name=form.name.data or ""), 422
    guarding.renew_form_tokens()
    response = redirect(return_to or url_for("draftgate.review.home"), 303)
    session.remember(response, answer.session_token, answer.expires_at)
    return response


def sign_out() -> Response:
    """End the session in the scheduler and take it from the browser, in whatever state it is."""
    response = redirect(url_for("draftgate.account.sign_in", signed_out=1), 303)
    session.forget(response)
    guarding.renew_form_tokens()
    try:
        scheduler().sign_out()
    except Refused as error:
        if error.reason is not Reason.NOT_SIGNED_IN:
            raise
    except SchedulerError:
        # The browser forgets its session all the same; in the scheduler it ends by age.
        session.notice_next("signed_out_here")
    return response


def _form(token: str, *, return_to: str, problem: str = "", name: str = "") -> str:
    return outside_page(
        "account/sign_in.html",
        link=token,
        return_to=return_to,
        problem=problem,
        name=name,
        # The first administrator's link says so; everyone else has a name already.
        asks_name=bool(request.values.get("first")),
        is_signed_out="signed_out" in request.args,
    )
