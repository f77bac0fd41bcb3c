"""What reviewers and publishers do. The scheduler decides whether they may; here only what they then see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from flask import redirect, request, url_for

from review_web import session
from review_web.review.conflict import already_done, conflict_page
from review_web.review.forms import DecisionForm, EditForm, RejectForm
from review_web.review.item_page import Typed, item_page
from review_web.review.looking import Looking
from review_web.scheduler import scheduler
from scheduler_service.answers import Gate
from scheduler_service.domain.items import ItemStatus, text_hash
from scheduler_service.errors import Reason, Refused

_LATE = frozenset({Reason.VERSION_CONFLICT, Reason.TEXT_CHANGED, Reason.NOTHING_TO_DECIDE, Reason.NOT_APPROVED})
_STOPPED = "Not stored yet: your text fails a check that must be fixed first."
_FIXABLE = frozenset({Reason.INVALID_FIELD, Reason.OPEN_HARD_GATE, Reason.CHECK_UNAVAILABLE})


def approve(item_id: int) -> Any:
    """Approve exactly the text that was on the page."""
    form = DecisionForm(request.form)
    typed = Typed(note=form.note.data, override_reason=form.override_reason.data, form="approve")
    if not form.validate():
        return _again(item_id, typed, form)

    def act() -> None:
        scheduler().approve(
            item_id,
            version=form.version.data,
            candidate_id=form.candidate_id.data or 0,
            text_hash=form.text_hash.data or "",
            override_reason=form.override_reason.data,
            note=form.note.data,
        )

    return _decide(item_id, form, typed, act, "approved")


def edit(item_id: int) -> Any:
    """Store the typed text, and approve it when that was the button; untouched text is approved as drafted."""
    form = EditForm(request.form)
    typed = Typed(
        text=form.text.data, note=form.note.data, override_reason=form.override_reason.data, form="edit"
    )
    if not form.validate() or not form.text.data.strip():
        return _again(item_id, typed, form, problem="" if form.errors else "The text is empty.", field="text")
    if form.does_approve.data and text_hash(form.text.data) == form.text_hash.data:
        return approve(item_id)

    def act() -> tuple[Gate, ...]:
        answer = scheduler().edit(
            item_id,
            version=form.version.data,
            candidate_id=form.candidate_id.data or 0,
            text=form.text.data,
            approve=form.does_approve.data,
            override_reason=form.override_reason.data,
            note=form.note.data,
        )
        return () if answer.is_stored else answer.gates

    return _decide(item_id, form, typed, act, "approved" if form.does_approve.data else "saved")


def reject(item_id: int) -> Any:
    """Refuse the text, with a note; may have a new one made."""
    form = RejectForm(request.form)
    typed = Typed(note=form.note.data, ask_again=form.ask_again.data, form="reject")
    if not form.validate():
        return _again(item_id, typed, form, field="note")

    def act() -> None:
        scheduler().reject(
            item_id,
            version=form.version.data,
            candidate_id=form.candidate_id.data or 0,
            note=form.note.data,
            ask_again=form.ask_again.data,
        )

    return _decide(item_id, form, typed, act, "asked_again" if form.ask_again.data else "rejected")


def publish(item_id: int) -> Any:
    """Release the approved text that was on the page."""
    form = DecisionForm(request.form)
    if not form.validate():
        return _again(item_id, Typed(), form)

    def act() -> None:
        scheduler().publish(item_id, version=form.version.data, text_hash=form.text_hash.data or "")

    return _decide(item_id, form, Typed(), act, "published")


def reopen(item_id: int) -> Any:
    """Take a decision back; the item stays on the screen."""
    form = DecisionForm(request.form)
    typed = Typed(note=form.note.data)
    if not form.validate():
        return _again(item_id, typed, form)

    def act() -> None:
        scheduler().reopen(item_id, version=form.version.data, note=form.note.data)

    return _decide(item_id, form, typed, act, "reopened")


def _decide(
    item_id: int, form: DecisionForm, typed: Typed, act: Callable[[], tuple[Gate, ...] | None], what: str
) -> Any:
    """Do it and lead on; `act` returns the gates that stopped it, if any did."""
    try:
        stopping = act()
    except Refused as error:
        if error.reason in _LATE:
            return _too_late(item_id, form, typed, what)
        if error.reason not in _FIXABLE:
            raise
        refused = replace(typed, problem=error.remedy, field=error.field)
        return _again(item_id, refused, form, status=503 if error.reason is Reason.CHECK_UNAVAILABLE else 422)
    if stopping:
        return _again(item_id, replace(typed, gates=stopping, problem=_STOPPED, field="text"), form)
    return _go_on(item_id, form, what)


def _too_late(item_id: int, form: DecisionForm, typed: Typed, what: str) -> Any:
    looking = Looking.of(request.form)
    item = scheduler().get_item(item_id, looking.queue)
    # A double click or a replayed form: what was asked for is already so.
    if already_done(item, what, typed.text, typed.note, form.text_hash.data or ""):
        return _go_on(item_id, form, what)
    return conflict_page(item, looking, typed, form.candidate_id.data or 0), 409


def _go_on(item_id: int, form: DecisionForm, what: str) -> Any:
    """Lead to the next item of the queue, or stay where staying is what was wanted."""
    session.notice_next(what, item=item_id)
    looking = Looking.of(request.form)
    if what in {"saved", "reopened"}:
        return redirect(url_for("draftgate.review.item", item_id=item_id, **looking.address()), 303)
    if form.next_item_id.data:
        return redirect(
            url_for("draftgate.review.item", item_id=form.next_item_id.data, **looking.address()), 303
        )
    item = scheduler().get_item(item_id)
    return redirect(
        url_for("draftgate.review.queue", site_id=item.summary.key.site_id, **looking.address()), 303
    )


def _again(
    item_id: int, typed: Typed, form: DecisionForm, *, problem: str = "", field: str = "", status: int = 422
) -> Any:
    """Show the item again with everything that was typed, and what is wrong with it."""
    item = scheduler().get_item(item_id, Looking.of(request.form).queue)
    messages = [str(text) for texts in form.errors.values() for text in texts]
    problem = typed.problem or problem or (messages[0] if messages else "Something in the form isn’t right.")
    shown = replace(typed, problem=problem, field=typed.field or field)
    is_editing = typed.form == "edit" and item.summary.status is not ItemStatus.PUBLISHED
    return item_page(item, Looking.of(request.form), is_editing=is_editing, typed=shown), status
