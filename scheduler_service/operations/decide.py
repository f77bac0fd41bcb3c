"""What a person decides on one item: approve, edit, reject, reopen, publish. Each in one audited transaction.

A decision names the version of the item that it was made on and, for a text, its hash: a late decision is
refused and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy.engine import Connection

from scheduler_service.domain.authority import Action, Caller
from scheduler_service.domain.items import DECIDABLE, ItemStatus, text_hash
from scheduler_service.errors import Reason, Refused
from scheduler_service.store import audit, candidates, decisions
from scheduler_service.store.candidates import GateRow
from scheduler_service.store.engine import Database


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
            without the role) to override it.
    """

    def decide(connection: Connection) -> Decided:
        item = _decidable(connection, item_id, version)
        chosen = _chosen(connection, item, candidate_id)
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
    is_approved: bool,
    override_reason: str = "",
    note: str = "",
) -> Edited:
    """Store a person's text as the draft, or approve it at once. `gates` are what the gates say of `text`.

    Raises:
        Refused: VERSION_CONFLICT, NOTHING_TO_DECIDE, INVALID_FIELD for an empty text.
    """
    if not text.strip() or "\x00" in text:
        raise Refused(Reason.INVALID_FIELD, "Write a text (without NUL characters)", "text")
    open_gates = [gate for gate in gates if gate.is_open_hard]

    def store(connection: Connection) -> Edited:
        item = _decidable(connection, item_id, version)
        if is_approved and open_gates and not _may_override(caller, item, override_reason):
            return Edited(item.version, ItemStatus(item.status), 0, gates, False)
        candidate_id = candidates.add(
            connection, item_id=item_id, source_revision=item.source_revision, turn=item.turns, origin="person",
            target=text, person_id=caller.person_id, based_on=based_on or None,
        )
        if candidate_id is None:
            raise Refused(Reason.INTERNAL, "The text could not be stored. Try again")
        candidates.add_gates(connection, candidate_id, gates)
        if is_approved:
            chosen = _chosen(connection, item, candidate_id)
            decided = _approve(connection, caller, item, chosen, gates, override_reason, note)
            return Edited(decided.version, decided.status, candidate_id, gates, True)
        status = ItemStatus.NEEDS_REVIEW if open_gates else ItemStatus.DRAFT
        decisions.log(connection, item, event="edited", to_status=status.value, person_id=caller.person_id, note=note)
        moved = decisions.move(connection, item_id, status.value, candidate_id=candidate_id)
        decisions.set_judged(connection, item_id, None, [gate.gate for gate in open_gates])
        _audit(connection, caller, item, Action.DECIDE, "edit", after_hash=text_hash(text), reason=note)
        return Edited(moved.version, status, candidate_id, gates, True)

    return database.transact(store)


def reject(
    database: Database, caller: Caller, *, item_id: int, version: int, candidate_id: int, note: str, ask_again: bool
) -> Decided:
    """Refuse a text with a note; with `ask_again` grant one more turn, which gets the note.

    Raises:
        Refused: VERSION_CONFLICT, NOTHING_TO_DECIDE, INVALID_FIELD for an empty note.
    """
    note = note.strip()
    if not note:
        raise Refused(Reason.INVALID_FIELD, "Say in a few words what is wrong", "note")

    def decide(connection: Connection) -> Decided:
        item = _decidable(connection, item_id, version, further=frozenset({ItemStatus.APPROVED}))
        chosen = _chosen(connection, item, candidate_id)
        if item.approval_id is not None:
            decisions.revoke(connection, item.approval_id, _person(caller))
        if ask_again:
            moved = decisions.ask_again(connection, item_id, note)
        else:
            candidates.close_others(connection, item_id, "rejected")
            moved = decisions.move(connection, item_id, ItemStatus.REJECTED.value)
        decisions.log(connection, item, event="asked_again" if ask_again else "rejected", to_status=moved.status,
                      person_id=caller.person_id, note=note)
        _audit(connection, caller, item, Action.DECIDE, "ask_again" if ask_again else "reject",
               before_hash=chosen.text_hash, reason=note)
        return Decided(moved.version, ItemStatus(moved.status))

    return database.transact(decide)


def reopen(database: Database, caller: Caller, *, item_id: int, version: int, note: str = "") -> Decided:
    """Take back an approval or rejection that isn't published: the item waits for a decision again.

    Raises:
        Refused: VERSION_CONFLICT, NOTHING_TO_DECIDE; NOT_ALLOWED for somebody else's approval.
    """

    def decide(connection: Connection) -> Decided:
        item = _current(connection, item_id, version)
        if item.status not in (ItemStatus.APPROVED, ItemStatus.REJECTED):
            raise Refused(Reason.NOTHING_TO_DECIDE, "Only an approved or rejected text can be reopened")
        if item.approval_id is not None:
            is_own = decisions.approver(connection, item.approval_id) == caller.person_id
            if not is_own and not caller.may(Action.ADMINISTER, item.site_id):
                raise Refused(Reason.NOT_ALLOWED, "Only who approved it, or an admin, can take it back")
            decisions.revoke(connection, item.approval_id, _person(caller))
        gates = candidates.gates_of(connection, item.candidate_id) if item.candidate_id else []
        is_clean = not any(gate.is_open_hard for gate in gates)
        status = ItemStatus.DRAFT if is_clean else ItemStatus.NEEDS_REVIEW
        decisions.log(connection, item, event="reopened", to_status=status.value, person_id=caller.person_id, note=note)
        decisions.open_candidate(connection, item.candidate_id)
        moved = decisions.move(connection, item_id, status.value)
        _audit(connection, caller, item, Action.DECIDE, "reopen", reason=note)
        return Decided(moved.version, status)

    return database.transact(decide)


def publish(database: Database, caller: Caller, *, item_id: int, version: int, seen_hash: str) -> Decided:
    """Release the approved text, in place of the one published before.

    Raises:
        Refused: VERSION_CONFLICT, NOT_APPROVED, TEXT_CHANGED.
    """

    def release(connection: Connection) -> Decided:
        item = _current(connection, item_id, version)
        if item.status != ItemStatus.APPROVED or item.approval_id is None:
            raise Refused(Reason.NOT_APPROVED, "Only an approved text can be published")
        chosen = _chosen(connection, item, item.candidate_id)
        if chosen.text_hash != seen_hash:
            raise Refused(Reason.TEXT_CHANGED, "The approved text isn't the one that was shown", "text_hash")
        if decisions.publish(connection, item, _person(caller)) is None:
            raise Refused(Reason.NOT_APPROVED, "The approval was taken back")
        decisions.log(connection, item, event="published", to_status=ItemStatus.PUBLISHED.value,
                      person_id=caller.person_id)
        moved = decisions.move(connection, item_id, ItemStatus.PUBLISHED.value, keeps_approval=True)
        decisions.announce(connection, item, "translation.published")
        _audit(connection, caller, item, Action.PUBLISH, "publish", after_hash=chosen.text_hash)
        return Decided(moved.version, ItemStatus.PUBLISHED)

    return database.transact(release)


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
        connection, item, chosen, person_id=_person(caller), override_reason=override_reason if open_gates else "",
        overridden_gates=[gate.gate for gate in open_gates], note=note,
    )
    decisions.log(connection, item, event="approved", to_status=ItemStatus.APPROVED.value,
                  person_id=caller.person_id, note=override_reason if open_gates else note)
    moved = decisions.move(connection, item.item_id, ItemStatus.APPROVED.value, candidate_id=chosen.candidate_id,
                           approval_id=approval_id)
    candidates.close_others(connection, item.item_id, "another_approved", except_id=chosen.candidate_id)
    decisions.announce(connection, item, "translation.approved")
    _audit(connection, caller, item, Action.DECIDE, "approve", after_hash=chosen.text_hash,
           reason=override_reason if open_gates else note)
    return Decided(moved.version, ItemStatus.APPROVED)


def _may_override(caller: Caller, item: Any, reason: str) -> bool:
    return bool(reason.strip()) and caller.may(Action.OVERRIDE_GATE, item.site_id)


def _current(connection: Connection, item_id: int, version: int) -> Any:
    """Return the locked item if it is at `version`."""
    item = decisions.lock(connection, item_id)
    if item is None or not item.is_active:
        raise Refused(Reason.NOT_FOUND, "There is no such item any more", "item_id")
    if item.version != version:
        raise Refused(Reason.VERSION_CONFLICT, "Somebody or something changed this item meanwhile. Look again", "version")
    return item


def _decidable(
    connection: Connection, item_id: int, version: int, *, further: frozenset[ItemStatus] = frozenset()
) -> Any:
    item = _current(connection, item_id, version)
    if item.status not in DECIDABLE | further:
        raise Refused(Reason.NOTHING_TO_DECIDE, "This item doesn't wait for a decision now")
    return item


def _chosen(connection: Connection, item: Any, candidate_id: int | None) -> Any:
    """Return the candidate if it belongs to the item and to its present source."""
    chosen = decisions.candidate(connection, item.item_id, candidate_id or 0)
    if chosen is None:
        raise Refused(Reason.NOTHING_TO_DECIDE, "This item has no such text", "candidate_id")
    if chosen.source_revision != item.source_revision:
        raise Refused(Reason.VERSION_CONFLICT, "The source has changed since this text was made", "candidate_id")
    return chosen


def _person(caller: Caller) -> int:
    if caller.person_id is None:
        raise Refused(Reason.NOT_ALLOWED, "Only a person can decide, no service token")
    return caller.person_id


def _audit(
    connection: Connection, caller: Caller, item: Any, action: Action, name: str, *, before_hash: str = "",
    after_hash: str = "", reason: str = "",
) -> None:
    role = caller.role_for(action, item.site_id)
    audit.add(connection, caller, site_id=item.site_id, role=role.value if role else "", action=name,
              object_kind="item", object_id=item.item_id, before_hash=before_hash, after_hash=after_hash,
              reason=reason)
