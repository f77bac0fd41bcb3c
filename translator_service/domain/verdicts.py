"""What code decides from gates and findings. No judge gives a verdict, and no mean offsets a failed gate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from translator_service.domain.rubric import RUBRIC, Rubric, Scores
from translator_service.domain.values import (
    Finding,
    FindingSeverity,
    GateOutcome,
    GateResult,
    GateSeverity,
    Span,
    Verdict,
    VerdictOutcome,
)

PASS_SCORE = 8.0
# A judge that invents more than this share of its quotes isn't looking at the text. Source: MQM-style
# span judging keeps well under it; beyond it the list as a whole can't be trusted.
DROPPED_SHARE = 1 / 3


@dataclass(frozen=True, slots=True)
class Verified:
    """Findings whose quotes exist, with spans; `dropped` counts those that could not be verified."""

    findings: tuple[Finding, ...]
    dropped: int

    @property
    def is_trustworthy(self) -> bool:
        """False when too many findings were made up for the others to be believed."""
        return self.dropped <= DROPPED_SHARE * (self.dropped + len(self.findings))


def verify(findings: Iterable[Finding], source: str, candidate: str) -> Verified:
    """Keep the findings that quote what is there, once each.

    A target quote must occur in the candidate; an omission quotes the source only. A fix that changes
    nothing is no finding. Spans that fit their quotes are kept, missing or wrong ones are looked up.
    """
    kept: dict[tuple[object, ...], Finding] = {}
    dropped = 0
    for finding in findings:
        source_span = _locate(finding.source_quote, source, finding.source_span)
        candidate_span = _locate(finding.target_quote, candidate, finding.candidate_span)
        is_quoted = bool(finding.target_quote or finding.source_quote)
        is_there = (candidate_span is not None or not finding.target_quote) and (
            # A source quote beside a verified target quote is a courtesy, and may be a paraphrase.
            source_span is not None or not finding.source_quote or candidate_span is not None
        )
        if not is_quoted or not is_there or (finding.fix and finding.fix == finding.target_quote):
            dropped += 1
            continue
        if source_span is None and finding.source_quote:
            finding = replace(finding, source_quote="")
        found = replace(finding, source_span=source_span, candidate_span=candidate_span)
        key = (found.dimension, found.source_quote, found.target_quote, source_span, candidate_span)
        other = kept.get(key)
        if other is None or RUBRIC.points[found.severity] > RUBRIC.points[other.severity]:
            kept[key] = found
    return Verified(tuple(kept.values()), dropped)


def _locate(quote: str, text: str, claimed: Span | None) -> Span | None:
    if not quote:
        return None
    if claimed is not None and 0 <= claimed.start <= claimed.end <= len(text) and claimed.of(text) == quote:
        return claimed
    start = text.find(quote)
    return None if start < 0 else Span(start, start + len(quote))


def decide(
    gate_results: Sequence[GateResult],
    findings: Sequence[Finding],
    scores: Scores | None,
    *,
    pass_score: float = PASS_SCORE,
    notes: Sequence[str] = (),
    rubric: Rubric = RUBRIC,
) -> Verdict:
    """Return the verdict. `notes` are names of rules that a reviewer should see, whatever the outcome.

    In this order: a failed hard gate is score 0 and a fail; nothing scored is unscored, never a pass; a
    verified critical finding, a dimension below its threshold or an overall score below `pass_score` fails.
    """
    failed = [
        f"gate:{result.gate}"
        for result in gate_results
        if result.severity is GateSeverity.HARD and result.outcome is GateOutcome.FAIL
    ]
    if failed:
        return Verdict(VerdictOutcome.FAIL, 0.0, {}, (*dict.fromkeys(failed), *notes), rubric.version)
    if scores is None:
        return Verdict(VerdictOutcome.UNSCORED, None, {}, ("unscored", *notes), rubric.version)
    reasons = [
        f"critical:{finding.dimension.value}"
        for finding in findings
        if finding.severity is FindingSeverity.CRITICAL
    ]
    reasons += [
        f"dimension:{dimension.value}"
        for dimension, value in scores.dimensions.items()
        if value < rubric.thresholds[dimension]
    ]
    if scores.overall < pass_score:
        reasons.append("score")
    outcome = VerdictOutcome.FAIL if reasons else VerdictOutcome.PASS
    return Verdict(
        outcome, scores.overall, dict(scores.dimensions), (*dict.fromkeys(reasons), *notes), rubric.version
    )
