"""What there is to say about a candidate: checks and findings in one numbered list, with marks in both texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from review_web.presenting.highlights import Mark
from scheduler_service.answers import Candidate, Finding, Gate, Judgment, TextSpan

_TONE_ORDER = ("blocking", "warning", "finding")


@dataclass(frozen=True, slots=True)
class Quote:
    """A stretch that a note points at, in the source or the target; `number` is its note's, 0 when unmarked."""

    text: str
    is_source: bool
    number: int = 0


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to look at. `tone` is blocking, warning or finding; `kind` names the gate or dimension."""

    number: int
    tone: str
    kind: str
    severity: str
    explanation: str
    quotes: tuple[Quote, ...]
    fix: str = ""
    is_offline_estimate: bool = False


@dataclass(frozen=True, slots=True)
class Notes:
    """Everything about one candidate. `quiet` are the gates that found nothing to look at."""

    notes: tuple[Note, ...]
    source_marks: tuple[Mark, ...]
    target_marks: tuple[Mark, ...]
    quiet: tuple[Gate, ...]

    @property
    def blocking(self) -> tuple[Note, ...]:
        return tuple(note for note in self.notes if note.tone == "blocking")


def latest_judgment(candidate: Candidate) -> Judgment | None:
    """Return the judgment that speaks last about `candidate`."""
    return max(candidate.judgments, key=lambda judgment: (judgment.turn, judgment.ordinal), default=None)


def notes_about(gates: Sequence[Gate], judgment: Judgment | None, source: str, target: str) -> Notes:
    """Return the notes, most serious first, numbered from 1 as the marks in the texts are.

    Long quotes are cut; a span that lies outside its text is dropped.
    """
    loud = [gate for gate in gates if gate.outcome in {"fail", "unsure"}]
    loud.sort(key=lambda gate: (_TONE_ORDER.index(_tone(gate)), gate.outcome != "fail", gate.gate))
    marks: tuple[list[Mark], list[Mark]] = ([], [])
    notes = []
    for number, gate in enumerate(loud, start=1):
        spans = [(evidence.source, evidence.candidate) for evidence in gate.evidence]
        notes.append(
            Note(
                number,
                _tone(gate),
                gate.gate,
                "must be fixed" if gate.is_open else ("unsure" if gate.outcome == "unsure" else "look at this"),
                gate.explanation,
                tuple(_quotes(spans, source, target, number, _tone(gate), marks)),
            )
        )
    for number, finding in enumerate(judgment.findings if judgment else (), start=len(loud) + 1):
        notes.append(_finding_note(number, finding, judgment.is_offline_estimate, source, target, marks))
    quiet = tuple(gate for gate in gates if gate not in loud)
    return Notes(tuple(notes), tuple(marks[0]), tuple(marks[1]), quiet)


def _tone(gate: Gate) -> str:
    return "blocking" if gate.is_open else "warning"


def _finding_note(
    number: int, finding: Finding, is_offline: bool, source: str, target: str, marks: tuple[list[Mark], list[Mark]]
) -> Note:
    spans = [(finding.source_span, finding.candidate_span)]
    quotes = tuple(_quotes(spans, source, target, number, "finding", marks))
    if not any(quote.is_source for quote in quotes) and finding.source_quote:
        quotes = (Quote(finding.source_quote, True), *quotes)
    if all(quote.is_source for quote in quotes) and finding.target_quote:
        quotes = (*quotes, Quote(finding.target_quote, False))
    return Note(
        number, "finding", finding.dimension, finding.severity, finding.reason, quotes, finding.fix, is_offline
    )


def _quotes(
    spans: Iterable[tuple[TextSpan | None, TextSpan | None]],
    source: str,
    target: str,
    number: int,
    tone: str,
    marks: tuple[list[Mark], list[Mark]],
) -> Iterable[Quote]:
    """Yield a quote for each span that holds text, and mark it."""
    seen: set[tuple[bool, str]] = set()
    for pair in spans:
        for is_source, span, text, side in ((True, pair[0], source, marks[0]), (False, pair[1], target, marks[1])):
            if span is None or not 0 <= span.start < span.end <= len(text):
                continue
            side.append(Mark(span.start, span.end, number, tone))
            quoted = text[span.start : span.end].strip() or text[span.start : span.end]
            if (is_source, quoted) not in seen:
                seen.add((is_source, quoted))
                yield Quote(quoted, is_source, number)
