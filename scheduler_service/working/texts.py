"""Between rows and the translator's values: sources, glossaries, gates, findings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from scheduler_service.store.candidates import FindingRow, GateRow, JudgmentRow
from scheduler_service.store.work import ItemText, SegmentRow
from translator_service.domain.outcomes import Judgment
from translator_service.domain.requests import SourceText, Terminology
from translator_service.domain.values import (
    Dimension,
    Finding,
    FindingSeverity,
    GateOutcome,
    GateResult,
    Glossary,
    Span,
    Term,
    TextFormat,
)

# What a generator sees of the text before and after a segment: enough for sense, little enough to cost nothing.
NEIGHBOUR_CHARACTERS = 300


def source_of(item: ItemText, target_locale: str, segment: SegmentRow | None = None) -> SourceText:
    """Return the whole item, or one segment of it with its neighbours, as the translator wants it."""
    start, end = (segment.span_start, segment.span_end) if segment else (0, len(item.source_text))
    context = item.context
    return SourceText(
        text=item.source_text[start:end],
        text_format=TextFormat(item.text_format),
        source_locale=item.source_locale,
        target_locale=target_locale,
        note=context.get("note", ""),
        speaker=context.get("speaker", ""),
        max_length=context.get("max_length") or None,
        before=item.source_text[max(start - NEIGHBOUR_CHARACTERS, 0):start],
        after=item.source_text[end:end + NEIGHBOUR_CHARACTERS],
    )


def terminology_of(version: str, rows: Sequence[Any], forbidden_terms: Sequence[str]) -> Terminology:
    """Return a glossary version as the translator wants it."""
    terms = tuple(
        Term(
            source=row.source, target=row.target, do_not_translate=row.do_not_translate,
            accepted_forms=tuple(row.accepted_forms), forbidden_forms=tuple(row.forbidden_forms),
            case_sensitive=row.case_sensitive, part_of_speech=row.part_of_speech, sense=row.sense, note=row.note,
        )
        for row in rows
    )
    return Terminology(Glossary(version, terms), tuple(forbidden_terms))


def gate_rows(results: Sequence[GateResult]) -> list[GateRow]:
    """Return what the gates said as rows; what doesn't apply is left out."""
    return [
        GateRow(
            gate=result.gate, outcome=result.outcome.value, severity=result.severity.value,
            is_structural=result.is_structural, explanation=result.explanation,
            evidence=[{"source": _pair(e.source), "candidate": _pair(e.candidate)} for e in result.evidence],
        )
        for result in results
        if result.outcome is not GateOutcome.NOT_APPLICABLE
    ]


def _pair(span: Span | None) -> list[int] | None:
    return [span.start, span.end] if span else None


def judgment_row(judgment: Judgment, *, turn: int, ordinal: int, call_id: Any, glossary_version: str) -> JudgmentRow:
    """Return a judgment as a row with its findings."""
    return JudgmentRow(
        turn=turn, ordinal=ordinal, call_id=call_id,
        judge=f"{judgment.provider} {judgment.usage.engine}".strip(),
        is_offline_estimate=judgment.is_offline_estimate, rubric_version=judgment.rubric_version,
        glossary_version=glossary_version, verdict=judgment.verdict.value, score=judgment.score,
        dimension_scores={dimension.value: score for dimension, score in judgment.dimension_scores.items()},
        reasons=list(judgment.reasons), judged_sentences=judgment.judged_sentences,
        unjudged_sentences=judgment.unjudged_sentences, dropped_findings=judgment.dropped_findings,
        findings=[_finding_row(finding) for finding in judgment.findings],
    )


def _finding_row(finding: Finding) -> FindingRow:
    source, candidate = finding.source_span, finding.candidate_span
    return FindingRow(
        dimension=finding.dimension.value, severity=finding.severity.value, source_quote=finding.source_quote,
        target_quote=finding.target_quote, reason=finding.reason, fix=finding.fix,
        source_start=source.start if source else None, source_end=source.end if source else None,
        candidate_start=candidate.start if candidate else None, candidate_end=candidate.end if candidate else None,
    )


def finding_of(gate: GateRow) -> FindingRow:
    """Return a failed hard gate as a finding, so that the next turn's generator hears of it."""
    place = next((e["source"] for e in gate.evidence if e.get("source")), None)
    return FindingRow(
        dimension=Dimension.ACCURACY.value, severity=FindingSeverity.CRITICAL.value, source_quote="", target_quote="",
        reason=gate.explanation, source_start=place[0] if place else None, source_end=place[1] if place else None,
    )


def findings_for(rows: Sequence[FindingRow], segment: SegmentRow) -> tuple[Finding, ...]:
    """Return the findings that concern a segment (those without a place concern each)."""
    return tuple(
        Finding(Dimension(row.dimension), FindingSeverity(row.severity), row.source_quote, row.target_quote,
                row.reason, row.fix)
        for row in rows
        if row.source_start is None or segment.span_start <= row.source_start < segment.span_end
    )


def request_hash(item: ItemText, target_locale: str, *, told: Sequence[str] = ()) -> str:
    """Return a hash of everything a generator is told; `told` is what only a turn after the first adds."""
    parts = [item.source_text, item.text_format, item.source_locale, target_locale, item.credential_id,
             item.glossary_version, json.dumps(item.context, sort_keys=True), *told]
    return hashlib.sha256("\x00".join(parts).encode("utf-8")).hexdigest()


class GlossaryShelf:
    """Keeps the glossary versions a worker has met: a version never changes."""

    def __init__(self, load: Any) -> None:
        self._load = lru_cache(maxsize=64)(load)

    def get(self, site_id: str, target_locale: str, version: str) -> Terminology:
        return self._load(site_id, target_locale, version) if version else Terminology()
