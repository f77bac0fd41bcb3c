"""Rows and values to the contract's messages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from scheduler_service.domain.authority import Caller
from scheduler_service.domain.items import ItemStatus, WorkState
from scheduler_service.v1 import content_pb2, resources_pb2, review_pb2

_STATUSES = {status.value: resources_pb2.ItemStatus.Value(f"ITEM_STATUS_{status.name}") for status in ItemStatus}
_WORK_STATES = {state.value: resources_pb2.WorkState.Value(f"WORK_STATE_{state.name}") for state in WorkState}

# The queues partition the active items: each status is in exactly one.
QUEUES: dict[int, tuple[str, ...]] = {
    review_pb2.QUEUE_TO_REVIEW: ("draft",),
    review_pb2.QUEUE_NEEDS_PERSON: ("needs_review",),
    review_pb2.QUEUE_APPROVED: ("approved",),
    review_pb2.QUEUE_PUBLISHED: ("published",),
    review_pb2.QUEUE_REJECTED: ("rejected",),
    review_pb2.QUEUE_IN_WORK: ("missing", "stale", "needs_credential"),
}
EVERY_STATUS = tuple(status.value for status in ItemStatus)


def status(value: str) -> int:
    return _STATUSES[value]


def work_state(value: str | None) -> int:
    return _WORK_STATES[value] if value else resources_pb2.WORK_STATE_UNSPECIFIED


def moment(value: datetime | None) -> Timestamp | None:
    """Return a timestamp; None (absent) for None."""
    if value is None:
        return None
    stamp = Timestamp()
    stamp.FromDatetime(value)
    return stamp


def queue_of(status_value: str) -> int:
    """Return the one queue that a status is in."""
    return next(queue for queue, statuses in QUEUES.items() if status_value in statuses)


def statuses_of(queue: int) -> tuple[str, ...]:
    """Return the statuses of a queue; all for the unspecified one."""
    return QUEUES.get(queue, EVERY_STATUS)


def item_summary(row: Any) -> resources_pb2.ItemSummary:
    return resources_pb2.ItemSummary(
        item_id=row.item_id,
        key=resources_pb2.ItemKey(
            site_id=row.site_id, page_id=row.page_id, field_name=row.field_name, target_locale=row.target_locale),
        label=row.label, text_format=row.text_format, status=status(row.status),
        work_state=work_state(row.work_state), source_revision=row.source_revision,
        source_excerpt=row.source_excerpt, target_excerpt=row.target_excerpt, score=row.score,
        is_offline_estimate=row.is_offline_estimate, hard_gates_failed=row.hard_gates_failed,
        findings_count=row.findings_count, flags_count=row.flags_count, last_error_code=row.last_error_code,
        attempt_count=row.attempt_count, status_changed_at=moment(row.status_changed_at), reasons=row.reasons,
        version=row.version, turns=row.turns,
    )


def gate(row: Any) -> resources_pb2.Gate:
    return resources_pb2.Gate(
        gate=row.gate, outcome=row.outcome, severity=row.severity, is_structural=row.is_structural,
        explanation=row.explanation,
        evidence=[
            resources_pb2.GateEvidence(source=_span(*(e["source"] or (None, None))),
                                       candidate=_span(*(e["candidate"] or (None, None))))
            for e in row.evidence
        ],
    )


def gates(rows: Sequence[Any]) -> list[resources_pb2.Gate]:
    return [gate(row) for row in rows]


def _span(start: int | None, end: int | None) -> resources_pb2.TextSpan | None:
    return resources_pb2.TextSpan(start=start, end=end) if start is not None and end is not None else None


def finding(row: Any) -> resources_pb2.Finding:
    return resources_pb2.Finding(
        dimension=row.dimension, severity=row.severity, source_quote=row.source_quote,
        target_quote=row.target_quote, reason=row.reason, fix=row.fix,
        source_span=_span(row.source_start, row.source_end),
        candidate_span=_span(row.candidate_start, row.candidate_end),
    )


def judgment(row: Any, findings: Sequence[Any]) -> resources_pb2.Judgment:
    return resources_pb2.Judgment(
        judgment_id=row.judgment_id, turn=row.turn, ordinal=row.ordinal, verdict=row.verdict, score=row.score,
        dimension_scores=row.dimension_scores, reasons=row.reasons, rubric_version=row.rubric_version,
        is_offline_estimate=row.is_offline_estimate, judged_sentences=row.judged_sentences,
        unjudged_sentences=row.unjudged_sentences, judge=row.judge, judged_at=moment(row.judged_at),
        findings=[finding(f) for f in findings],
    )


def candidate(
    row: Any, gate_rows: Sequence[Any], judgments: Sequence[resources_pb2.Judgment]
) -> resources_pb2.Candidate:
    return resources_pb2.Candidate(
        candidate_id=row.candidate_id, source_revision=row.source_revision, turn=row.turn, origin=row.origin,
        text=row.text, text_hash=row.text_hash, engine=row.engine, glossary_version=row.glossary_version,
        gates=[gate(g) for g in gate_rows], judgments=judgments, closed_reason=row.closed_reason,
        created_at=moment(row.created_at), person=row.person,
    )


def history_entry(row: Any) -> resources_pb2.HistoryEntry:
    return resources_pb2.HistoryEntry(
        at=moment(row.at), event=row.event, from_status=row.from_status, to_status=row.to_status,
        actor=row.actor, code=row.code, note=row.note, source_revision=row.source_revision, turn=row.turn,
        cost_micros=row.cost_micros,
    )


def published(row: Any) -> content_pb2.PublishedText:
    return content_pb2.PublishedText(
        key=resources_pb2.ItemKey(
            site_id=row.site_id, page_id=row.page_id, field_name=row.field_name, target_locale=row.target_locale),
        text=row.text, text_hash=row.text_hash, is_current=row.is_current, published_at=moment(row.published_at),
    )


def person(caller: Caller) -> resources_pb2.PersonSummary:
    return resources_pb2.PersonSummary(
        person_id=caller.person_id or 0, name=caller.name,
        roles=[
            resources_pb2.RoleGrant(site_id=site_id, role=role.value)
            for site_id, roles in sorted(caller.roles.items()) for role in sorted(roles)
        ],
    )


