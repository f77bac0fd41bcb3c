"""What one item's work reads and writes: its texts, its turns and segments. Fenced by claim_seq.

`hold` comes first in every transaction of a worker: it locks the item's row if the claim still stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.engine import Connection

from scheduler_service.store.claims import Claim


@dataclass(frozen=True, slots=True)
class ItemText:
    """An item as its worker sees it after the claim."""

    source_text: str
    source_locale: str
    text_format: str
    label: str
    context: dict[str, Any]
    status: str
    turns: int
    turns_granted: int
    person_note: str
    waiting_since: datetime | None
    unknown_count: int
    credential_id: str
    judge_credential_id: str
    pass_score: float
    glossary_version: str


@dataclass(frozen=True, slots=True)
class TurnRow:
    turn: int
    request_hash: str
    is_deterministic: bool
    glossary_version: str
    provider: str
    judge_worst_case_micros: int
    is_free: bool = False
    judge_is_free: bool = False
    credential_id: str | None = None
    judge_credential_id: str | None = None


@dataclass(frozen=True, slots=True)
class SegmentRow:
    ordinal: int
    span_start: int
    span_end: int
    worst_case_micros: int
    needs_call: bool
    text: str | None
    call_id: UUID | None


_LOAD = text("""
select i.source_text, i.source_locale, i.text_format, i.label, i.context, i.status, i.turns, i.turns_granted,
       i.person_note, i.waiting_since, i.unknown_count, s.credential_id, s.judge_credential_id,
       s.pass_score::float8 as pass_score, coalesce(g.version, '') as glossary_version
from items i join sites s using (site_id)
left join glossaries g on g.site_id = i.site_id and g.target_locale = i.target_locale and g.is_current
where i.item_id = :item_id and i.claim_seq = :claim_seq and i.is_active
  and i.status in ('missing', 'stale') and i.source_hash = :source_hash and i.source_revision = :source_revision
  and i.lease_until > clock_timestamp()
""")
_HOLD = text("""
select item_id from items
where item_id = :item_id and claim_seq = :claim_seq and is_active and status in ('missing', 'stale')
  and source_revision = :source_revision and source_hash = :source_hash and lease_until is not null
for update
""")
_TURN = text("""
select turn, request_hash, is_deterministic, glossary_version, provider, judge_worst_case_micros, is_free,
       judge_is_free, credential_id, judge_credential_id from turns
where item_id = :item_id and source_revision = :source_revision and turn = :turn
""")
_TURN_NEW = text("""
with named as (
    update credentials set provider = :provider where credential_id = :credential_id and provider <> :provider
)
insert into turns (item_id, source_revision, turn, request_hash, is_deterministic, glossary_version, provider,
                   previous_candidate_id, person_note, judge_worst_case_micros, is_free, judge_is_free,
                   credential_id, judge_credential_id)
values (:item_id, :source_revision, :turn, :request_hash, :is_deterministic, :glossary_version, :provider,
        :previous_candidate_id, :person_note, :judge_worst_case_micros, :is_free,
        :judge_is_free, :credential_id, :judge_credential_id)
""")
_TURN_PRICE = text("""
update turns set provider = :provider, judge_worst_case_micros = :judge_worst_case_micros, is_free = :is_free,
    judge_is_free = :judge_is_free, credential_id = :credential_id, judge_credential_id = :judge_credential_id,
    is_deterministic = :is_deterministic
where item_id = :item_id and source_revision = :source_revision and turn = :turn
""")
_SEGMENT_PRICE = text("""
update segments set worst_case_micros = :worst_case_micros
where item_id = :item_id and source_revision = :source_revision and turn = :turn and ordinal = :ordinal
""")
_SEGMENT_NEW = text("""
insert into segments (item_id, source_revision, turn, ordinal, span_start, span_end, worst_case_micros, needs_call,
                      text, stored_at)
values (:item_id, :source_revision, :turn, :ordinal, :span_start, :span_end, :worst_case_micros, :needs_call,
        :text, case when :needs_call then null else now() end)
""")
_SEGMENTS = text("""
select ordinal, span_start, span_end, worst_case_micros, needs_call, text, call_id from segments
where item_id = :item_id and source_revision = :source_revision and turn = :turn order by ordinal
""")
# Whoever holds the item now: a paid answer is kept, the first one stays. Progress is noted for who holds it.
_SEGMENT_STORE = text("""
with kept as (
    update segments set text = :text, call_id = :call_id, stored_at = now()
    where item_id = :item_id and source_revision = :source_revision and turn = :turn and ordinal = :ordinal
      and text is null
)
update items set progress_claim_seq = claim_seq where item_id = :item_id and claim_seq = :claim_seq
""")
_PROGRESS = text("""
update items set progress_claim_seq = claim_seq where item_id = :item_id and claim_seq = :claim_seq
""")


def _key(claim: Claim) -> dict[str, Any]:
    return {"item_id": claim.item_id, "claim_seq": claim.claim_seq, "source_revision": claim.source_revision,
            "source_hash": claim.source_hash}


def load(connection: Connection, claim: Claim) -> ItemText | None:
    """Return the item's texts if the claim stands and the source is the claimed one, else None."""
    row = connection.execute(_LOAD, _key(claim)).first()
    return ItemText(*row) if row else None


def hold(connection: Connection, claim: Claim) -> bool:
    """Lock the item's row for this transaction; False if the claim no longer stands: then write nothing more."""
    return connection.execute(_HOLD, _key(claim)).first() is not None


def turn_row(connection: Connection, claim: Claim, turn: int) -> TurnRow | None:
    """Return turn `turn` of the claimed revision, None when it was not planned yet."""
    row = connection.execute(_TURN, _key(claim) | {"turn": turn}).first()
    return TurnRow(*row) if row else None


def plan_turn(
    connection: Connection,
    claim: Claim,
    row: TurnRow,
    *,
    previous_candidate_id: int | None,
    person_note: str,
    segments: Sequence[SegmentRow],
) -> None:
    """Write a turn with its planned segments; the caller holds the item."""
    connection.execute(_TURN_NEW, _key(claim) | {
        "turn": row.turn, "request_hash": row.request_hash, "is_deterministic": row.is_deterministic,
        "glossary_version": row.glossary_version, "provider": row.provider,
        "judge_worst_case_micros": row.judge_worst_case_micros, "is_free": row.is_free,
        "judge_is_free": row.judge_is_free, "credential_id": row.credential_id,
        "judge_credential_id": row.judge_credential_id,
        "previous_candidate_id": previous_candidate_id, "person_note": person_note,
    })
    if segments:
        connection.execute(_SEGMENT_NEW, [
            _key(claim) | {
                "turn": row.turn, "ordinal": segment.ordinal, "span_start": segment.span_start,
                "span_end": segment.span_end, "worst_case_micros": segment.worst_case_micros,
                "needs_call": segment.needs_call, "text": segment.text,
            } for segment in segments
        ])


def price_turn(connection: Connection, claim: Claim, row: TurnRow, segment_micros: dict[int, int]) -> None:
    """Give a planned turn other credentials, and its open segments the upper bounds of what they cost there; the
    caller holds the item."""
    connection.execute(_TURN_PRICE, _key(claim) | {
        "turn": row.turn, "provider": row.provider, "judge_worst_case_micros": row.judge_worst_case_micros,
        "is_free": row.is_free, "judge_is_free": row.judge_is_free, "credential_id": row.credential_id,
        "judge_credential_id": row.judge_credential_id, "is_deterministic": row.is_deterministic,
    })
    if segment_micros:
        connection.execute(_SEGMENT_PRICE, [
            _key(claim) | {"turn": row.turn, "ordinal": ordinal, "worst_case_micros": micros}
            for ordinal, micros in segment_micros.items()
        ])


def segments(connection: Connection, claim: Claim, turn: int) -> list[SegmentRow]:
    """Return the planned segments of a turn in order."""
    return [SegmentRow(*row) for row in connection.execute(_SEGMENTS, _key(claim) | {"turn": turn})]


def store_segment(connection: Connection, claim: Claim, *, turn: int, ordinal: int, target: str, call_id: UUID) -> None:
    """Keep a segment's answer, and note on the item that this claim made progress (if it still stands)."""
    connection.execute(
        _SEGMENT_STORE, _key(claim) | {"turn": turn, "ordinal": ordinal, "text": target, "call_id": call_id}
    )


def note_progress(connection: Connection, claim: Claim) -> None:
    """Note that this claim stored a paid answer: should its lease lapse, the attempt is given back."""
    connection.execute(_PROGRESS, _key(claim))


_TERMS = text("""
select source, target, do_not_translate, accepted_forms, forbidden_forms, case_sensitive, part_of_speech, sense, note
from glossary_terms
where site_id = :site_id and target_locale = :target_locale and version = :version order by ordinal
""")


def glossary_terms(connection: Connection, site_id: str, target_locale: str, version: str) -> list[Any]:
    """Return the rows of one glossary version in order; a version never changes."""
    return list(connection.execute(
        _TERMS, {"site_id": site_id, "target_locale": target_locale, "version": version}
    ))


_WAITING = text("""
select turns, waiting_since, unknown_count from items where item_id = :item_id and claim_seq = :claim_seq
""")
_LEASED = text("""
select exists (select from items where item_id = :item_id and claim_seq = :claim_seq and lease_until is not null)
""")


def load_waiting(connection: Connection, claim: Claim) -> Any:
    """Return turns, waiting_since and unknown_count of an item that the caller holds."""
    return connection.execute(_WAITING, _key(claim)).one()


def is_leased(connection: Connection, claim: Claim) -> bool:
    """Return whether the item still bears this claim's lease, lapsed or not."""
    return bool(connection.execute(_LEASED, _key(claim)).scalar_one())


_FORBIDDEN = text("""
select forbidden_terms from glossaries
where site_id = :site_id and target_locale = :target_locale and version = :version
""")


def forbidden_terms(connection: Connection, site_id: str, target_locale: str, version: str) -> list[str]:
    """Return what no translation may contain under one glossary version."""
    return connection.execute(
        _FORBIDDEN, {"site_id": site_id, "target_locale": target_locale, "version": version}
    ).scalar() or []
