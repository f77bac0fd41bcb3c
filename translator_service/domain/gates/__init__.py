"""Gates: what code says of a candidate, whatever a model says."""

from __future__ import annotations

from collections import Counter

from translator_service.domain.syntax import find_tokens
from translator_service.domain.values import GateContext, GateOutcome, GateResult, GateSeverity, TokenKind


def check(source: str, candidate: str, context: GateContext) -> tuple[GateResult, ...]:
    """Every gate's result, also those that pass."""
    results: list[GateResult] = []
    for gate, kinds in (
        ("placeholder_set", (TokenKind.PLACEHOLDER,)),
        ("markup_skeleton", (TokenKind.TAG,)),
        ("code_verbatim", (TokenKind.CODE,)),
        ("link_targets", (TokenKind.LINK,)),
    ):
        have = [
            Counter(t.span.of(text) for t in find_tokens(text, context.text_format) if t.kind in kinds)
            for text in (source, candidate)
        ]
        outcome = GateOutcome.PASS if have[0] == have[1] else GateOutcome.FAIL
        explanation = "" if have[0] == have[1] else "the two texts do not hold the same parts"
        results.append(GateResult(gate, outcome, GateSeverity.HARD, explanation, (), is_structural=True))
    empty = bool(source.strip()) and not candidate.strip()
    results.append(
        GateResult(
            "completeness", GateOutcome.FAIL if empty else GateOutcome.PASS, GateSeverity.HARD,
            "the translation is empty" if empty else "",
        )
    )
    return tuple(results)
