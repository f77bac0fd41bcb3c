"""What the scheduler answers, as plain values: no protobuf, so any caller can hold and compare them.

Each class has the fields of the contract's message of that name, with the same meaning; the
contract's comments are the reference. Texts are content and are never logged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from scheduler_service.domain.items import ItemKey, ItemStatus, WorkState


class Queue(StrEnum):
    """A reviewer's list; the queues of a site partition its active items."""

    TO_REVIEW = "to_review"
    NEEDS_PERSON = "needs_person"
    APPROVED = "approved"
    PUBLISHED = "published"
    REJECTED = "rejected"
    IN_WORK = "in_work"


@dataclass(frozen=True, slots=True)
class Nothing:
    """The answer of a call that only has to succeed."""


@dataclass(frozen=True, slots=True)
class ItemSummary:
    """One line of a list; texts are cut."""

    item_id: int
    key: ItemKey
    label: str
    text_format: str
    status: ItemStatus
    work_state: WorkState | None
    source_revision: int
    source_excerpt: str
    target_excerpt: str
    score: float | None
    is_offline_estimate: bool
    hard_gates_failed: int
    findings_count: int
    flags_count: int
    last_error_code: str
    attempt_count: int
    status_changed_at: datetime | None
    reasons: tuple[str, ...]
    version: int
    turns: int


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Code points, `end` exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class GateEvidence:
    source: TextSpan | None
    candidate: TextSpan | None


@dataclass(frozen=True, slots=True)
class Gate:
    gate: str
    outcome: str
    severity: str
    is_structural: bool
    explanation: str
    evidence: tuple[GateEvidence, ...]

    @property
    def is_open(self) -> bool:
        """Whether it forbids approval until a person overrides it."""
        return self.outcome == "fail" and self.severity == "hard"


@dataclass(frozen=True, slots=True)
class Finding:
    dimension: str
    severity: str
    source_quote: str
    target_quote: str
    reason: str
    fix: str
    source_span: TextSpan | None
    candidate_span: TextSpan | None


@dataclass(frozen=True, slots=True)
class Judgment:
    judgment_id: int
    turn: int
    ordinal: int
    verdict: str
    score: float | None
    dimension_scores: dict[str, float]
    reasons: tuple[str, ...]
    rubric_version: str
    is_offline_estimate: bool
    judged_sentences: int
    unjudged_sentences: int
    findings: tuple[Finding, ...]
    judge: str
    judged_at: datetime | None


@dataclass(frozen=True, slots=True)
class Candidate:
    candidate_id: int
    source_revision: int
    turn: int
    origin: str
    text: str
    text_hash: str
    engine: str
    glossary_version: str
    gates: tuple[Gate, ...]
    judgments: tuple[Judgment, ...]
    closed_reason: str
    created_at: datetime | None
    person: str

    @property
    def open_gates(self) -> tuple[Gate, ...]:
        """The gates that forbid its approval."""
        return tuple(gate for gate in self.gates if gate.is_open)


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    at: datetime | None
    event: str
    from_status: str
    to_status: str
    actor: str
    code: str
    note: str
    source_revision: int
    turn: int
    cost_micros: int


@dataclass(frozen=True, slots=True)
class QueueCount:
    queue: Queue | None
    count: int


@dataclass(frozen=True, slots=True)
class ListItemsResponse:
    items: tuple[ItemSummary, ...]
    next_page_token: str
    counts: tuple[QueueCount, ...]


@dataclass(frozen=True, slots=True)
class GetItemResponse:
    summary: ItemSummary
    source_text: str
    source_hash: str
    source_locale: str
    note: str
    speaker: str
    max_length: int
    candidate: Candidate | None
    candidates: tuple[Candidate, ...]
    history: tuple[HistoryEntry, ...]
    previous_text: str
    previous_source_text: str
    published_text: str
    next_item_id: int
    previous_item_id: int
    may_review: bool
    may_publish: bool
    may_override: bool
    queue_position: int
    queue_count: int


@dataclass(frozen=True, slots=True)
class DecisionResponse:
    version: int
    status: ItemStatus


@dataclass(frozen=True, slots=True)
class EditResponse:
    version: int
    status: ItemStatus
    candidate_id: int
    gates: tuple[Gate, ...]
    is_stored: bool


@dataclass(frozen=True, slots=True)
class RoleGrant:
    """`site_id` ``*`` means every site."""

    site_id: str
    role: str


@dataclass(frozen=True, slots=True)
class PersonSummary:
    person_id: int
    name: str
    roles: tuple[RoleGrant, ...]


@dataclass(frozen=True, slots=True)
class SignInResponse:
    session_token: str = field(repr=False)
    expires_at: datetime | None
    person: PersonSummary


@dataclass(frozen=True, slots=True)
class WhoAmIResponse:
    person: PersonSummary
    session_expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class InviteResponse:
    link_token: str = field(repr=False)
    expires_at: datetime | None
