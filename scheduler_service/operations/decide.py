"""What a person decides on one item: approve, edit, reject, reopen. Each in one audited transaction.

A decision names the version of the item that it was made on and, for a text, its hash: a late decision is
refused and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy.engine import Connection

from scheduler_service.domain.authority import Action, Caller
from scheduler_service.domain.items import CORRECTABLE, DECIDABLE, WRITABLE, ItemStatus, text_hash
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations import require
from scheduler_service.store import candidates, decisions
from scheduler_service.store.candidates import GateRow
from scheduler_service.store.engine import Database

_REOPENABLE = frozenset({ItemStatus.APPROVED, ItemStatus.REJECTED})


@dataclass(frozen=True, slots=True)
class Decided:
    version: int
    status: ItemStatus


@dataclass(frozen=True, slots=True)
class Edited:
    """`is_stored` False: with approval, an open hard gate and no reason to override it, nothing was stored."""

    version: int
    status: ItemStatus
    candidate_id: int
    gates: list[GateRow]
    is_stored: bool


def approve(
    database: Database,
    caller: Caller,
    *,
    item_id: int,
    version: int,
    candidate_id: int,
    seen_hash: str,
    override_reason: str = "",
    note: str = "",
) -> Decided:
    """Approve exactly the text that was seen.

    Raises:
        Refused: VERSION_CONFLICT, TEXT_CHANGED, NOTHING_TO_DECIDE, or OPEN_HARD_GATE without a reason (or
            without the role) to override it; NOT_ALLOWED for a service token.
    """
    require.person(caller)
    require.short(note=note, override_reason=override_reason)

    def decide(connection: Connection) -> Decided:
        item = require.item_in(connection, item_id, version, DECIDABLE)
        chosen = require.text_of(connection, item, candidate_id)
        if chosen.text_hash != seen_hash:
            raise Refused(Reason.TEXT_CHANGED, "The text isn't the one that was shown. Look at it again", "text_hash")
        gates = candidates.gates_of(connection, candidate_id)
        return _approve(connection, caller, item, chosen, gates, override_reason, note)

    return database.transact(decide)


def edit(
    database: Database,
    caller: Caller,
    *,
    item_id: int,
    version: int,
    based_on: int,
    text: str,
    gates: list[GateRow],
    glossary_version: str = "",
    is_approved: bool,
    override_reason: str = "",
    note: str = "",
) -> Edited:
    """Store a person's text as the draft, or approve it at once; an approved or published one can be corrected by
    the latter only, and stays published until the correction is. `gates` are what the gates say of `text` under
    `glossary_version`. Also for an item without any text: then `based_on` is 0, and a worker that is at it loses it.

    Raises:
        Refused: VERSION_CONFLICT, NOTHING_TO_DECIDE, INVALID_FIELD for an empty or too long text; NOT_ALLOWED for
            a service token.
    """
    require.person(caller)
    require.short(note=note, override_reason=override_reason)
    require.text_to_keep(text)
    open_gates = [gate for gate in gates if gate.is_open_hard]

    def store(connection: Connection) -> Edited:
        item = require.item_in(connection, item_id, version, WRITABLE | (CORRECTABLE if is_approved else frozenset()))
        base = require.text_of(connection, item, based_on) if based_on else None
        if is_approved and open_gates and not _may_override(caller, item, override_reason):
            return Edited(item.version, ItemStatus(item.status), 0, gates, False)
        candidate_id = candidates.add(
            connection, item_id=item_id, source_revision=item.source_revision, turn=item.turns, origin="person",
            target=text, person_id=caller.person_id, glossary_version=glossary_version,
            based_on=base.candidate_id if base else None,
        )
        if candidate_id is None:
            raise Refused(Reason.INTERNAL, "The text could not be stored. Try again")
        candidates.add_gates(connection, candidate_id, gates)
        if is_approved:
            chosen = require.text_of(connection, item, candidate_id)
            if item.status == ItemStatus.APPROVED:
                decisions.revoke(connection, item.approval_id, require.person(caller))
            decided = _approve(connection, caller, item, chosen, gates, override_reason, note)
            return Edited(decided.version, decided.status, candidate_id, gates, True)
        status = ItemStatus.NEEDS_REVIEW if open_gates else ItemStatus.DRAFT
        decisions.log(connection, item, event="edited", to_status=status.value, person_id=caller.person_id, note=note)
        moved = decisions.move(connection, item_id, status.value, candidate_id=candidate_id)
        decisions.set_judged(connection, item_id, None, [gate.reason for gate in open_gates])
        require.record(connection, caller, item, Action.DECIDE, "edit",
                       before_hash=base.text_hash if base else "", after_hash=text_hash(text), reason=note)
        return Edited(moved.version, status, candidate_id, gates, True)

    return database.transact(store)


def reject(
    database: Database, caller: Caller, *, item_id: int, version: int, candidate_id: int, note: str, ask_again: bool
) -> Decided:
    """Refuse a text with a note; with `ask_again` grant one more turn, which gets the note. `candidate_id` is 0
    where the item has no text.

    Raises:
        Refused: VERSION_CONFLICT, NOTHING_TO_DECIDE, INVALID_FIELD for an empty note; NOT_ALLOWED for a service
            token.
    """
    require.person(caller)
    note = note.strip()
    if not note:
        raise Refused(Reason.INVALID_FIELD, "Say in a few words what is wrong", "note")
    require.short(note=note)

    def decide(connection: Connection) -> Decided:
        item = require.item_in(connection, item_id, version, DECIDABLE | {ItemStatus.APPROVED})
        is_empty = candidate_id == 0 and item.candidate_id is None
        chosen = None if is_empty else require.text_of(connection, item, candidate_id)
        if item.approval_id is not None:
            decisions.revoke(connection, item.approval_id, require.person(caller))
        if ask_again:
            # Should the engine have nothing better, this text is what the reviewer finds again.
            decisions.open_candidate(connection, item.candidate_id)
            moved = decisions.ask_again(connection, item_id, note)
        else:
            candidates.close_others(connection, item_id, "rejected")
            moved = decisions.move(connection, item_id, ItemStatus.REJECTED.value)
        decisions.log(connection, item, event="asked_again" if ask_again else "rejected", to_status=moved.status,
                      person_id=caller.person_id, note=note)
        require.record(connection, caller, item, Action.DECIDE, "ask_again" if ask_again else "reject",
                       before_hash=chosen.text_hash if chosen else "", reason=note)
        return Decided(moved.version, ItemStatus(moved.status))

    return database.transact(decide)


def reopen(database: Database, caller: Caller, *, item_id: int, version: int, note: str = "") -> Decided:
    """Take back an approval or rejection that isn't published: the item waits for a decision again, as a draft if
    its text had passed (or is a person's) and no hard gate is open.

    Raises:
        Refused: VERSION_CONFLICT, NOTHING_TO_DECIDE; NOT_ALLOWED for somebody else's approval or a service token.
    """
    require.person(caller)
    require.short(note=note)

    def decide(connection: Connection) -> Decided:
        item = require.item_in(connection, item_id, version, _REOPENABLE)
        if item.approval_id is not None:
            is_own = decisions.approver(connection, item.approval_id) == caller.person_id
            if not is_own and not caller.may(Action.ADMINISTER, item.site_id):
                raise Refused(Reason.NOT_ALLOWED, "Only who approved it, or an admin, can take it back")
            decisions.revoke(connection, item.approval_id, require.person(caller))
        text = decisions.candidate(connection, item_id, item.candidate_id) if item.candidate_id else None
        gates = candidates.gates_of(connection, text.candidate_id) if text else []
        open_gates = [gate.reason for gate in gates if gate.is_open_hard]
        has_passed = text is not None and not open_gates and (text.origin == "person" or text.verdict == "pass")
        status = ItemStatus.DRAFT if has_passed else ItemStatus.NEEDS_REVIEW
        decisions.log(connection, item, event="reopened", to_status=status.value, person_id=caller.person_id, note=note)
        decisions.open_candidate(connection, item.candidate_id)
        moved = decisions.move(connection, item_id, status.value)
        if text is not None:
            decisions.set_judged(connection, item_id, text.score, text.reasons or open_gates)
        require.record(connection, caller, item, Action.DECIDE, "reopen", reason=note)
        return Decided(moved.version, status)

    return database.transact(decide)


def _approve(
    connection: Connection, caller: Caller, item: Any, chosen: Any, gates: list[GateRow], override_reason: str, note: str
) -> Decided:
    open_gates = [gate for gate in gates if gate.is_open_hard]
    if open_gates and not _may_override(caller, item, override_reason):
        raise Refused(
            Reason.OPEN_HARD_GATE,
            "A hard gate is open. Mend the text, or let a publisher or admin override it with a reason",
            "override_reason",
        )
    approval_id = decisions.approve(
        connection, item, chosen, person_id=require.person(caller), override_reason=override_reason if open_gates else "",
        overridden_gates=[gate.gate for gate in open_gates], note=note,
    )
    decisions.log(connection, item, event="approved", to_status=ItemStatus.APPROVED.value,
                  person_id=caller.person_id, note=override_reason if open_gates else note)
    moved = decisions.move(connection, item.item_id, ItemStatus.APPROVED.value, candidate_id=chosen.candidate_id,
                           approval_id=approval_id)
    decisions.set_judged(connection, item.item_id, chosen.score, chosen.reasons or [gate.reason for gate in open_gates])
    decisions.open_candidate(connection, chosen.candidate_id)
    candidates.close_others(connection, item.item_id, "another_approved", except_id=chosen.candidate_id)
    decisions.announce(connection, item, "translation.approved")
    require.record(connection, caller, item, Action.DECIDE, "approve", after_hash=chosen.text_hash,
                   reason=override_reason if open_gates else note)
    return Decided(moved.version, ItemStatus.APPROVED)


def _may_override(caller: Caller, item: Any, reason: str) -> bool:
    return bool(reason.strip()) and caller.may(Action.OVERRIDE_GATE, item.site_id)
