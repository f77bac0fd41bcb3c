"""Draws the page of one item, as it is or with what a reviewer has typed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from review_web.pages import page
from review_web.presenting import ages, diff
from review_web.presenting.blocks import paired
from review_web.presenting.direction import direction, language_name
from review_web.presenting.notes import latest_judgment, notes_about
from review_web.review.looking import Looking
from review_web.scheduler import site
from scheduler_service.answers import Gate, GetItemResponse
from scheduler_service.domain.items import CORRECTABLE, DECIDABLE, WRITABLE, ItemStatus


@dataclass(frozen=True, slots=True)
class Typed:
    """What a reviewer had in the form when it was refused; `gates` are those of the typed text."""

    text: str | None = None
    note: str = ""
    override_reason: str = ""
    ask_again: bool = True
    gates: tuple[Gate, ...] = ()
    problem: str = ""
    field: str = ""
    # Which of the forms it was: approve, edit, reject.
    form: str = ""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the visitor can do with the item now."""

    decide: bool
    edit: bool
    # A text can be kept as the draft, without approving it.
    save: bool
    publish: bool
    reopen: bool
    override: bool

    @classmethod
    def of(cls, item: GetItemResponse) -> Abilities:
        status = item.summary.status
        is_open = item.may_review and status in DECIDABLE
        return cls(
            decide=is_open and item.candidate is not None,
            edit=item.may_review and status in WRITABLE | CORRECTABLE,
            save=status in WRITABLE,
            publish=item.may_publish and status is ItemStatus.APPROVED and item.candidate is not None,
            reopen=item.may_review and status in {ItemStatus.APPROVED, ItemStatus.REJECTED},
            override=item.may_override,
        )


@dataclass(frozen=True, slots=True)
class Comparisons:
    """What changed; empty where there is nothing to compare or nothing changed."""

    draft: tuple[diff.Change, ...] = ()
    source: tuple[diff.Change, ...] = field(default=())

    @classmethod
    def of(cls, item: GetItemResponse, text: str) -> Comparisons:
        before = item.published_text or item.previous_text
        return cls(
            draft=_changes(before, text) if before and item.candidate else (),
            source=_changes(item.previous_source_text, item.source_text) if item.previous_source_text else (),
        )


def _changes(old: str, new: str) -> tuple[diff.Change, ...]:
    changes = diff.word_diff(old, new)
    return diff.folded(changes) if diff.has_change(changes) else ()


def item_page(item: GetItemResponse, looking: Looking, *, is_editing: bool = False, typed: Typed | None = None) -> str:
    """Return the page."""
    typed = typed or Typed()
    abilities = Abilities.of(item)
    candidate = item.candidate
    text = candidate.text if candidate else item.published_text or item.previous_text
    shown_text = text if typed.text is None else typed.text
    judgment = latest_judgment(candidate) if candidate and typed.text is None else None
    gates = typed.gates or (candidate.gates if candidate and typed.text is None else ())
    notes = notes_about(gates, judgment, item.source_text, shown_text)
    key = item.summary.key
    return page(
        "review/item.html",
        site=site(key.site_id),
        section="review",
        item=item,
        key=key,
        status=item.summary.status,
        looking=looking,
        typed=typed,
        can=abilities,
        is_editing=is_editing and abilities.edit,
        text=text,
        shown_text=shown_text,
        pairs=paired(
            item.source_text, shown_text, notes.source_marks, notes.target_marks, together=is_editing and abilities.edit
        ),
        notes=notes,
        judgment=judgment,
        changes=Comparisons.of(item, text),
        earlier=[each for each in item.candidates if not candidate or each.candidate_id != candidate.candidate_id],
        history=sorted(item.history, key=lambda entry: (entry.at is not None, entry.at), reverse=True),
        direction=direction,
        language_name=language_name,
        age=ages.age,
        exact=ages.exact,
        now=datetime.now(UTC),
        latest_judgment=latest_judgment,
    )
