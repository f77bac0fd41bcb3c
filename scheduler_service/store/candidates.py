"""Candidates with their gates, judgments with their findings. The caller owns the transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.engine import Connection

from scheduler_service.domain.items import text_hash


@dataclass(frozen=True, slots=True)
class GateRow:
    """One gate's say; `evidence` is a list of {"source": [start, end] | None, "candidate": …}."""

    gate: str
    outcome: str
    severity: str
    is_structural: bool
    explanation: str
    evidence: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_open_hard(self) -> bool:
        return self.severity == "hard" and self.outcome == "fail"

    @property
    def reason(self) -> str:
        """How a failure of this gate stands among an item's reasons; the rubric's verdicts name it likewise."""
        return f"gate:{self.gate}"


@dataclass(frozen=True, slots=True)
class FindingRow:
    dimension: str
    severity: str
    source_quote: str
    target_quote: str
    reason: str
    fix: str = ""
    source_start: int | None = None
    source_end: int | None = None
    candidate_start: int | None = None
    candidate_end: int | None = None


@dataclass(frozen=True, slots=True)
class JudgmentRow:
    turn: int
    ordinal: int
    call_id: UUID | None
    judge: str
    is_offline_estimate: bool
    rubric_version: str
    glossary_version: str
    verdict: str
    score: float | None
    dimension_scores: dict[str, float]
    reasons: list[str]
    judged_sentences: int
    unjudged_sentences: int
    dropped_findings: int
    findings: Sequence[FindingRow] = ()


@dataclass(frozen=True, slots=True)
class CandidateRow:
    candidate_id: int
    source_revision: int
    turn: int
    origin: str
    text: str
    text_hash: str
    verdict: str | None
    score: float | None
    reasons: list[str]
    engine: str


_NEW = text("""
insert into candidates (item_id, source_revision, turn, origin, text, text_hash, provider, engine,
                        glossary_version, person_id, based_on_candidate_id)
values (:item_id, :source_revision, :turn, :origin, :text, :text_hash, :provider, :engine,
        :glossary_version, :person_id, :based_on_candidate_id)
on conflict (item_id, source_revision, turn) where origin = 'model' do nothing
returning candidate_id
""")
_OF_TURN = text("""
select candidate_id, source_revision, turn, origin, text, text_hash, verdict, score::float8, reasons, engine
from candidates
where item_id = :item_id and source_revision = :source_revision and turn = :turn and origin = 'model'
""")
# The best so far: passed gates before failed ones, a person's before the machine's, then the score, then the newest.
_BEST = text("""
select candidate_id, source_revision, turn, origin, text, text_hash, verdict, score::float8, reasons, engine
from candidates
where item_id = :item_id and source_revision = :source_revision and closed_at is null
order by exists (select from gates g where g.candidate_id = candidates.candidate_id
                 and g.severity = 'hard' and g.outcome = 'fail'),
         origin = 'person' desc, score desc nulls last, candidate_id desc
limit 1
""")
_GATE = text("""
insert into gates (candidate_id, ordinal, gate, outcome, severity, is_structural, explanation, evidence)
values (:candidate_id, :ordinal, :gate, :outcome, :severity, :is_structural, :explanation, cast(:evidence as jsonb))
""")
_GATES = text("""
select gate, outcome, severity, is_structural, explanation, evidence from gates
where candidate_id = :candidate_id order by ordinal
""")
_VERDICT = text("""
update candidates set verdict = :verdict, score = :score, reasons = :reasons where candidate_id = :candidate_id
""")
_JUDGMENT = text("""
insert into judgments (candidate_id, turn, ordinal, call_id, judge, is_offline_estimate, rubric_version,
    glossary_version, verdict, score, dimension_scores, reasons, judged_sentences, unjudged_sentences,
    dropped_findings)
values (:candidate_id, :turn, :ordinal, :call_id, :judge, :is_offline_estimate, :rubric_version,
    :glossary_version, :verdict, :score, cast(:dimension_scores as jsonb), :reasons, :judged_sentences,
    :unjudged_sentences, :dropped_findings)
on conflict (candidate_id, turn, ordinal) do nothing
returning judgment_id
""")
_FINDING = text("""
insert into findings (judgment_id, ordinal, dimension, severity, source_quote, target_quote, reason, fix,
    source_start, source_end, candidate_start, candidate_end)
values (:judgment_id, :ordinal, :dimension, :severity, :source_quote, :target_quote, :reason, :fix,
    :source_start, :source_end, :candidate_start, :candidate_end)
""")
_JUDGED = text("""
select verdict, score::float8 as score, reasons from judgments
where candidate_id = :candidate_id and turn = :turn and ordinal = :ordinal
""")
_FINDINGS_OF = text("""
select f.dimension, f.severity, f.source_quote, f.target_quote, f.reason, f.fix,
       f.source_start, f.source_end, f.candidate_start, f.candidate_end
from findings f join judgments j using (judgment_id)
where j.candidate_id = :candidate_id order by j.ordinal, f.ordinal
""")
_CLOSE = text("""
update candidates set closed_at = now(), closed_reason = :reason
where item_id = :item_id and closed_at is null and candidate_id <> coalesce(:except_id, 0)
""")


def add(
    connection: Connection,
    *,
    item_id: int,
    source_revision: int,
    turn: int,
    origin: str,
    target: str,
    provider: str = "",
    engine: str = "",
    glossary_version: str = "",
    person_id: int | None = None,
    based_on: int | None = None,
) -> int | None:
    """Store a candidate and return its id; None when the machine's one of this turn is there already."""
    return connection.execute(_NEW, {
        "item_id": item_id, "source_revision": source_revision, "turn": turn, "origin": origin,
        "text": target, "text_hash": text_hash(target), "provider": provider, "engine": engine,
        "glossary_version": glossary_version, "person_id": person_id, "based_on_candidate_id": based_on,
    }).scalar()


def of_turn(connection: Connection, item_id: int, source_revision: int, turn: int) -> CandidateRow | None:
    """Return the machine's candidate of a turn, None when there is none yet."""
    row = connection.execute(
        _OF_TURN, {"item_id": item_id, "source_revision": source_revision, "turn": turn}
    ).first()
    return CandidateRow(*row) if row else None


def best(connection: Connection, item_id: int, source_revision: int) -> CandidateRow | None:
    """Return the best open candidate of a revision: clean gates first, then a person's, then score, then the newest."""
    row = connection.execute(_BEST, {"item_id": item_id, "source_revision": source_revision}).first()
    return CandidateRow(*row) if row else None


def add_gates(connection: Connection, candidate_id: int, rows: Sequence[GateRow]) -> None:
    """Store what the gates said of a new candidate."""
    if rows:
        connection.execute(_GATE, [
            {"candidate_id": candidate_id, "ordinal": ordinal, "gate": row.gate, "outcome": row.outcome,
             "severity": row.severity, "is_structural": row.is_structural, "explanation": row.explanation,
             "evidence": json.dumps(row.evidence)}
            for ordinal, row in enumerate(rows)
        ])


def gates_of(connection: Connection, candidate_id: int) -> list[GateRow]:
    """Return what the gates said of a candidate, in the order in which they ran."""
    return [GateRow(*row) for row in connection.execute(_GATES, {"candidate_id": candidate_id})]


def set_verdict(
    connection: Connection, candidate_id: int, verdict: str, score: float | None, reasons: Sequence[str]
) -> None:
    """Write what code decided of a candidate."""
    connection.execute(
        _VERDICT, {"candidate_id": candidate_id, "verdict": verdict, "score": score, "reasons": list(reasons)}
    )


def add_judgment(connection: Connection, candidate_id: int, row: JudgmentRow) -> bool:
    """Insert a judgment with its findings once for (candidate, turn, ordinal); False when it is there already."""
    judgment_id = connection.execute(_JUDGMENT, {
        "candidate_id": candidate_id, "turn": row.turn, "ordinal": row.ordinal, "call_id": row.call_id,
        "judge": row.judge, "is_offline_estimate": row.is_offline_estimate, "rubric_version": row.rubric_version,
        "glossary_version": row.glossary_version, "verdict": row.verdict, "score": row.score,
        "dimension_scores": json.dumps(row.dimension_scores), "reasons": row.reasons,
        "judged_sentences": row.judged_sentences, "unjudged_sentences": row.unjudged_sentences,
        "dropped_findings": row.dropped_findings,
    }).scalar()
    if judgment_id is None:
        return False
    if row.findings:
        connection.execute(_FINDING, [
            {"judgment_id": judgment_id, "ordinal": ordinal, "dimension": f.dimension, "severity": f.severity,
             "source_quote": f.source_quote, "target_quote": f.target_quote, "reason": f.reason, "fix": f.fix,
             "source_start": f.source_start, "source_end": f.source_end,
             "candidate_start": f.candidate_start, "candidate_end": f.candidate_end}
            for ordinal, f in enumerate(row.findings)
        ])
    return True


def judged(connection: Connection, candidate_id: int, turn: int, ordinal: int = 1) -> Any | None:
    """Return verdict, score and reasons of a stored judgment, None when there is none."""
    return connection.execute(
        _JUDGED, {"candidate_id": candidate_id, "turn": turn, "ordinal": ordinal}
    ).first()


def findings_of(connection: Connection, candidate_id: int) -> list[FindingRow]:
    """Return the findings of all judgments of a candidate."""
    return [FindingRow(*row) for row in connection.execute(_FINDINGS_OF, {"candidate_id": candidate_id})]


def close_others(connection: Connection, item_id: int, reason: str, *, except_id: int | None = None) -> None:
    """Close an item's open candidates but one: they leave every list."""
    connection.execute(_CLOSE, {"item_id": item_id, "reason": reason, "except_id": except_id})
