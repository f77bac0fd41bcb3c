"""What people decide, written: approvals, edits, rejections, publications. Fenced by the item's version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import text
from sqlalchemy.engine import Connection

_ITEM = """
select i.item_id, i.site_id, i.target_locale, i.status, i.version, i.source_revision, i.source_hash, i.source_text,
       i.source_locale, i.text_format, i.context, i.candidate_id, i.approval_id, i.is_active, i.turns, i.claim_seq,
       i.lease_until > now() as is_leased
from items i where i.item_id = :item_id
"""
_LOOK = text(_ITEM)
_LOCK = text(_ITEM + "for update")
_CANDIDATE = text("""
select candidate_id, source_revision, turn, origin, text, text_hash, glossary_version, verdict,
       score::float8 as score, reasons, closed_at
from candidates where candidate_id = :candidate_id and item_id = :item_id
""")
# A person's act also fences off a worker that may hold the item.
_MOVE = text("""
update items set status = :status, status_changed_at = now(), version = version + 1,
    claim_seq = claim_seq + 1, lease_until = null, worker_id = null,
    candidate_id = coalesce(cast(:candidate_id as bigint), candidate_id),
    approval_id = case when :keeps_approval then approval_id else cast(:approval_id as bigint) end
where item_id = :item_id returning version, status
""")
_APPROVE = text("""
insert into approvals (item_id, source_revision, source_hash, source_text, candidate_id, text_hash,
                       glossary_version, person_id, override_reason, overridden_gates, note)
values (:item_id, :source_revision, :source_hash, :source_text, :candidate_id, :text_hash, :glossary_version,
        :person_id, :override_reason, :overridden_gates, :note)
returning approval_id
""")
_REVOKE = text("""
update approvals set revoked_at = now(), revoked_by = :person_id
where approval_id = :approval_id and revoked_at is null
""")
_ASK_AGAIN = text("""
update items set status = case when exists (
        select from approvals a where a.item_id = items.item_id and a.revoked_at is null)
        then 'stale' else 'missing' end,
    status_changed_at = now(), version = version + 1, claim_seq = claim_seq + 1, lease_until = null,
    worker_id = null, turns_granted = turns + 1, person_note = :note, attempt_count = 0,
    next_attempt_at = now(), last_error_code = null, waiting_since = null, unknown_count = 0, approval_id = null
where item_id = :item_id returning version, status
""")
_SUPERSEDE = text("""
update publications set superseded_at = now() where item_id = :item_id and superseded_at is null
""")
_PUBLISH = text("""
insert into publications (item_id, approval_id, source_revision, text, text_hash, person_id)
select :item_id, a.approval_id, a.source_revision, c.text, a.text_hash, :person_id
from approvals a join candidates c using (candidate_id)
where a.approval_id = :approval_id and a.revoked_at is null and a.item_id = :item_id
returning publication_id
""")
_LOG = text("""
insert into item_log (item_id, event, from_status, to_status, actor, person_id, note, source_revision, turn, claim_seq)
values (:item_id, :event, :from_status, :to_status, 'person', :person_id, :note, :source_revision, :turn, :claim_seq)
""")
_APPROVER = text("select person_id from approvals where approval_id = :approval_id")
_EVENT = text("""
insert into outbox (site_id, item_id, event_type, payload)
values (:site_id, :item_id, :event_type, jsonb_build_object('item_id', cast(:item_id as bigint),
        'source_revision', cast(:source_revision as integer)))
""")
_RESET = text("""
with failed as materialized (
    select i.item_id from items i join item_work w using (item_id)
    where i.site_id = :site_id and w.work_state = 'failed'
      and (:is_every or i.item_id = any(cast(:item_ids as bigint[])))
    for update of i
)
update items i set attempt_count = 0, next_attempt_at = now(), last_error_code = null, waiting_since = null,
    unknown_count = 0, claim_seq = i.claim_seq + 1, lease_until = null, worker_id = null, version = i.version + 1
from failed where i.item_id = failed.item_id and (i.lease_until is null or i.lease_until <= now())
returning i.item_id, i.status, i.source_revision, i.turns, i.claim_seq
""")


def lock(connection: Connection, item_id: int) -> Any | None:
    """Return and lock an item's row for a decision; None when there is none."""
    return connection.execute(_LOCK, {"item_id": item_id}).first()


def look(connection: Connection, item_id: int) -> Any | None:
    """Return an item's row as `lock` does, without locking it."""
    return connection.execute(_LOOK, {"item_id": item_id}).first()


def candidate(connection: Connection, item_id: int, candidate_id: int) -> Any | None:
    """Return a candidate of this item, None when it has no such."""
    return connection.execute(_CANDIDATE, {"item_id": item_id, "candidate_id": candidate_id}).first()


def move(
    connection: Connection, item_id: int, status: str, *, candidate_id: int | None = None,
    approval_id: int | None = None, keeps_approval: bool = False,
) -> Any:
    """Set an item's status (and candidate, approval) and fence off its worker; return version and status."""
    return connection.execute(_MOVE, {
        "item_id": item_id, "status": status, "candidate_id": candidate_id, "approval_id": approval_id,
        "keeps_approval": keeps_approval,
    }).one()


def approve(
    connection: Connection, item: Any, chosen: Any, *, person_id: int, override_reason: str,
    overridden_gates: Sequence[str], note: str,
) -> int:
    """Write the approval of exactly this text for this revision; return its id."""
    return connection.execute(_APPROVE, {
        "item_id": item.item_id, "source_revision": item.source_revision, "source_hash": item.source_hash,
        "source_text": item.source_text, "candidate_id": chosen.candidate_id, "text_hash": chosen.text_hash,
        "glossary_version": chosen.glossary_version, "person_id": person_id,
        "override_reason": override_reason, "overridden_gates": list(overridden_gates), "note": note,
    }).scalar_one()


def revoke(connection: Connection, approval_id: int, person_id: int) -> None:
    connection.execute(_REVOKE, {"approval_id": approval_id, "person_id": person_id})


def ask_again(connection: Connection, item_id: int, note: str) -> Any:
    """Grant one more turn with a person's note and a fresh attempt budget; return version and status."""
    return connection.execute(_ASK_AGAIN, {"item_id": item_id, "note": note}).one()


def publish(connection: Connection, item: Any, person_id: int) -> int | None:
    """Release the approved text in place of the one before; return the publication, None if not approved."""
    connection.execute(_SUPERSEDE, {"item_id": item.item_id})
    return connection.execute(_PUBLISH, {
        "item_id": item.item_id, "approval_id": item.approval_id, "person_id": person_id,
    }).scalar()


def approver(connection: Connection, approval_id: int) -> int | None:
    return connection.execute(_APPROVER, {"approval_id": approval_id}).scalar()


def log(
    connection: Connection, item: Any, *, event: str, to_status: str, person_id: int | None, note: str = ""
) -> None:
    """Write a line of the item's history."""
    connection.execute(_LOG, {
        "item_id": item.item_id, "event": event, "from_status": item.status, "to_status": to_status,
        "person_id": person_id, "note": note, "source_revision": item.source_revision, "turn": item.turns,
        "claim_seq": item.claim_seq,
    })


def announce(connection: Connection, item: Any, event_type: str) -> None:
    """Put an event into the outbox, in the transaction of the change."""
    connection.execute(_EVENT, {
        "site_id": item.site_id, "item_id": item.item_id, "event_type": event_type,
        "source_revision": item.source_revision,
    })


def reset(connection: Connection, site_id: str, item_ids: Sequence[int]) -> list[Any]:
    """Give failed items a fresh budget; empty `item_ids` means every failed one. Live leases are left alone."""
    return list(connection.execute(
        _RESET, {"site_id": site_id, "item_ids": list(item_ids), "is_every": not item_ids}
    ))


_JUDGED = text("update items set score = :score, reasons = :reasons where item_id = :item_id")
_OPEN = text("""
update candidates set closed_at = null, closed_reason = null where candidate_id = :candidate_id
""")


def set_judged(connection: Connection, item_id: int, score: float | None, reasons: Sequence[str]) -> None:
    """Set the item's score and reasons after a person's edit: no judge has seen the new text."""
    connection.execute(_JUDGED, {"item_id": item_id, "score": score, "reasons": list(reasons)})


def open_candidate(connection: Connection, candidate_id: int | None) -> None:
    """Open a closed candidate again."""
    connection.execute(_OPEN, {"candidate_id": candidate_id})
