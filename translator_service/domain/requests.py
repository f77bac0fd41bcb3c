"""What the translator is asked: a source, and what a translator or a judge should know of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from translator_service.domain.values import Finding, GateContext, Glossary, TextFormat


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text with what surrounds it. `max_length` counts characters, None for no limit; `before` and
    `after` are its neighbours, for sense only."""

    text: str
    text_format: TextFormat
    source_locale: str
    target_locale: str
    note: str = ""
    speaker: str = ""
    max_length: int | None = None
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Terminology:
    """A glossary with the terms that no translation may contain. Empty version: no glossary."""

    glossary: Glossary = field(default_factory=Glossary)
    forbidden_terms: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        return self.glossary.version


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One segment to translate. `turn` counts from 1; what follows it comes from the turn before.

    `boot_id` names the translator process that must run it, empty for any: with it an answer
    "never sent" from that process is a proof.
    """

    call_id: str
    credential: str
    source: SourceText
    terminology: Terminology = field(default_factory=Terminology)
    turn: int = 1
    previous_text: str = ""
    findings: tuple[Finding, ...] = ()
    person_note: str = ""
    boot_id: str = ""


@dataclass(frozen=True, slots=True)
class JudgmentRequest:
    """One whole candidate to judge. `ordinal` counts the votes on it from 1."""

    call_id: str
    credential: str
    source: SourceText
    candidate: str
    terminology: Terminology = field(default_factory=Terminology)
    ordinal: int = 1
    pass_score: float = 8.0
    boot_id: str = ""


def gate_context(source: SourceText, terminology: Terminology) -> GateContext:
    """Return what the gates may know of `source`."""
    terms = terminology.glossary.terms
    return GateContext(
        text_format=source.text_format,
        source_locale=source.source_locale,
        target_locale=source.target_locale,
        glossary=terminology.glossary,
        do_not_translate=tuple(term.source for term in terms if term.do_not_translate),
        forbidden_terms=terminology.forbidden_terms,
        max_length=source.max_length,
    )
