"""Runs the deterministic gates, and turns their flags into findings for the score."""

from __future__ import annotations

from translator_service.domain.gates import check
from translator_service.domain.outcomes import Checked
from translator_service.domain.requests import SourceText, Terminology, gate_context
from translator_service.domain.values import (
    Dimension,
    Finding,
    FindingSeverity,
    GateOutcome,
    GateResult,
    GateSeverity,
)

# Every other flag is about what the text says.
_DIMENSIONS = {"glossary": Dimension.TERMINOLOGY}


def check_candidate(source: SourceText, candidate: str, terminology: Terminology) -> Checked:
    """Return what every gate says of `candidate`. Free, and always the same."""
    return Checked(check(source.text, candidate, gate_context(source, terminology)))


def flag_findings(results: tuple[GateResult, ...], source: str, candidate: str) -> tuple[Finding, ...]:
    """Return minor findings for what flags point at, one for each different stretch; a flag without a place
    gives none."""
    findings: dict[tuple[str, str, str], Finding] = {}
    for result in results:
        if result.severity is not GateSeverity.FLAG or result.outcome is not GateOutcome.FAIL:
            continue
        for place in result.evidence:
            source_quote = place.source.of(source) if place.source else ""
            target_quote = place.candidate.of(candidate) if place.candidate else ""
            # A gate lists every mention of a term that is short of one form: that is one finding.
            key = (result.gate, source_quote.casefold(), target_quote.casefold())
            if not source_quote and not target_quote or key in findings:
                continue
            findings[key] = Finding(
                dimension=_DIMENSIONS.get(result.gate, Dimension.ACCURACY),
                severity=FindingSeverity.MINOR,
                source_quote=source_quote,
                target_quote=target_quote,
                reason=result.explanation or result.gate,
                source_span=place.source,
                candidate_span=place.candidate,
            )
    return tuple(findings.values())
