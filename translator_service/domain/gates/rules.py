"""What every gate is made of: its stable name, how severe it is, and the three ways it can answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from translator_service.domain.values import (
    Evidence,
    GateOutcome,
    GateResult,
    GateSeverity,
    Span,
)

# A reviewer reads one line; more than this many examples make it longer, not clearer.
_MAX_EXAMPLES = 4
_MAX_EXAMPLE_CHARACTERS = 40
# Enough to light up every place of a real fault; a page turned upside down needs no more.
MAX_EVIDENCE = 20


@dataclass(frozen=True, slots=True)
class Rule:
    """One gate's name and severity; `is_structural` failures need an explicit override."""

    gate: str
    severity: GateSeverity = GateSeverity.HARD
    is_structural: bool = False

    def passed(self) -> GateResult:
        return GateResult(self.gate, GateOutcome.PASS, self.severity, is_structural=self.is_structural)

    def not_applicable(self) -> GateResult:
        return GateResult(self.gate, GateOutcome.NOT_APPLICABLE, self.severity, is_structural=self.is_structural)

    def failed(self, explanation: str, evidence: Iterable[Evidence] = ()) -> GateResult:
        return self._result(GateOutcome.FAIL, explanation, evidence)

    def unsure(self, explanation: str, evidence: Iterable[Evidence] = ()) -> GateResult:
        return self._result(GateOutcome.UNSURE, explanation, evidence)

    def _result(self, outcome: GateOutcome, explanation: str, evidence: Iterable[Evidence]) -> GateResult:
        shown = tuple(evidence)[:MAX_EVIDENCE]
        line = " ".join(explanation.split())
        return GateResult(self.gate, outcome, self.severity, line, shown, self.is_structural)


def in_source(*spans: Span) -> list[Evidence]:
    return [Evidence(source=span) for span in spans]


def in_candidate(*spans: Span) -> list[Evidence]:
    return [Evidence(candidate=span) for span in spans]


Parts = list[tuple[str, Span]]


def compare(rule: Rule, source: Parts, candidate: Parts, what: str) -> GateResult:
    """Compare two multisets of parts, (what counts, where it stands); order is free."""
    if not source and not candidate:
        return rule.not_applicable()
    have, want = Counter(key for key, _ in candidate), Counter(key for key, _ in source)
    missing, extra = want - have, have - want
    if not missing and not extra:
        return rule.passed()
    phrases = []
    if missing:
        phrases.append(f"{what} missing: {quoted(missing)}")
    if extra:
        phrases.append(f"{what} added: {quoted(extra)}")
    evidence = in_source(*_last_of(source, missing)) + in_candidate(*_last_of(candidate, extra))
    return rule.failed("; ".join(phrases), evidence)


def quoted(parts: Counter[str] | Iterable[str]) -> str:
    """A few of the parts for one line: each once, long ones cut."""
    names = list(dict.fromkeys(parts))
    shown = [n if len(n) <= _MAX_EXAMPLE_CHARACTERS else n[: _MAX_EXAMPLE_CHARACTERS - 1] + "…" for n in names]
    more = len(names) - _MAX_EXAMPLES
    return ", ".join(shown[:_MAX_EXAMPLES]) + (f" and {more} more" if more > 0 else "")


def _last_of(parts: Parts, wanted: Counter[str]) -> list[Span]:
    left = Counter(wanted)
    spans: list[Span] = []
    for key, span in reversed(parts):
        if left[key] > 0:
            left[key] -= 1
            spans.append(span)
    return spans[::-1]
