"""Length: what fits where the text will stand."""

from __future__ import annotations

from translator_service.domain.gates.rules import Rule, in_candidate
from translator_service.domain.values import GateContext, GateResult, Span

MAX_LENGTH = Rule("max_length")


def max_length(source: str, candidate: str, context: GateContext) -> GateResult:
    """At most `max_length` characters (code points, as databases count them)."""
    if context.max_length is None:
        return MAX_LENGTH.not_applicable()
    if len(candidate) <= context.max_length:
        return MAX_LENGTH.passed()
    over = Span(max(0, context.max_length), len(candidate))
    return MAX_LENGTH.failed(f"{len(candidate)} characters, {context.max_length} are allowed", in_candidate(over))


GATES = (max_length,)
