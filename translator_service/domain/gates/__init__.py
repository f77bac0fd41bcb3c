"""Gates: what code says of a candidate, whatever a model says. One module a family, each gate a function
of (source, candidate, context) that returns one result; a failed hard gate is a fail, and nothing offsets it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from translator_service.domain.gates import (
    characters,
    chatter,
    completeness,
    copies,
    icu,
    length,
    links,
    numbers,
    placeholders,
    structure,
    tags,
    terms,
)
from translator_service.domain.values import (
    GateContext,
    GateOutcome,
    GateResult,
    GateSeverity,
)

Gate = Callable[[str, str, GateContext], GateResult]

GATES: tuple[Gate, ...] = (
    *placeholders.GATES,
    *icu.GATES,
    *structure.GATES,
    *tags.GATES,
    *links.GATES,
    *terms.GATES,
    *completeness.GATES,
    *chatter.GATES,
    *characters.GATES,
    *copies.GATES,
    *numbers.GATES,
    *length.GATES,
)


def check(source: str, candidate: str, context: GateContext, gates: Iterable[Gate] = GATES) -> tuple[GateResult, ...]:
    """Every gate's result in a fixed order, those that pass or don't apply too."""
    return tuple(gate(source, candidate, context) for gate in gates)


def failures(results: Iterable[GateResult], severity: GateSeverity | None = None) -> tuple[GateResult, ...]:
    """The results that fail, of one severity or of both."""
    return tuple(r for r in results if r.outcome is GateOutcome.FAIL and severity in (None, r.severity))
