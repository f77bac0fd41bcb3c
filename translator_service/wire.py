"""The contract's messages to the domain's requests and nouns and back; `wire_answers.py` has the answers.

Reading checks what a message can get wrong and names the field; nothing here decides anything else.
"""

from __future__ import annotations

import re
from uuid import UUID

from translator_service.domain.requests import GenerationRequest, JudgmentRequest, SourceText, Terminology
from translator_service.domain.values import (
    Dimension,
    Evidence,
    Finding,
    FindingSeverity,
    GateOutcome,
    GateResult,
    GateSeverity,
    Glossary,
    Span,
    Term,
    TextFormat,
)
from translator_service.errors import InvalidRequest
from translator_service.foundation.locales import LocaleError, canonical
from translator_service.v1 import resources_pb2 as nouns
from translator_service.v1 import translator_pb2 as rpc

DEFAULT_PASS_SCORE = 8.0
_NAME = re.compile(r"[\w.-]{1,80}")

_FORMATS = {
    getattr(nouns, f"TEXT_FORMAT_{member.value.upper().replace('-', '_')}"): member for member in TextFormat
}
_FORMAT_NUMBERS = {member: number for number, member in _FORMATS.items()}
_OUTCOMES = {getattr(nouns, f"GATE_OUTCOME_{member.name}"): member for member in GateOutcome}
_OUTCOME_NUMBERS = {member: number for number, member in _OUTCOMES.items()}
_SEVERITIES = {getattr(nouns, f"GATE_SEVERITY_{member.name}"): member for member in GateSeverity}
_SEVERITY_NUMBERS = {member: number for number, member in _SEVERITIES.items()}


def read_call_id(text: str, field: str = "call_id") -> str:
    """Return a call's id in its canonical spelling.

    Raises:
        InvalidRequest: it is no UUID.
    """
    try:
        return str(UUID(text))
    except ValueError:
        raise InvalidRequest(field, "send a UUID, made and stored before the call") from None


def read_credential(name: str) -> str:
    """Return the name of a credential. Raises: InvalidRequest: nothing that a profile can be called."""
    if not _NAME.fullmatch(name):
        raise InvalidRequest("credential", "send the name of a credential profile, such as offline")
    return name


def read_locale(tag: str, field: str) -> str:
    """Return the canonical tag of a locale.

    Raises:
        InvalidRequest: it isn't a known locale.
    """
    try:
        return canonical(tag)
    except LocaleError:
        raise InvalidRequest(field, "send a BCP 47 tag such as en, pt-BR or zh-Hans") from None


def read_source(message: nouns.SourceText) -> SourceText:
    """Return the source in `message`. Raises: InvalidRequest."""
    number = message.text_format or nouns.TEXT_FORMAT_PLAIN
    if number not in _FORMATS:
        raise InvalidRequest("source.text_format", "send one of the contract's text formats")
    if message.max_length < 0:
        raise InvalidRequest("source.max_length", "send characters, or 0 for no limit")
    return SourceText(
        text=message.text,
        text_format=_FORMATS[number],
        source_locale=read_locale(message.source_locale, "source.source_locale"),
        target_locale=read_locale(message.target_locale, "source.target_locale"),
        note=message.note,
        speaker=message.speaker,
        max_length=message.max_length or None,
        before=message.before,
        after=message.after,
    )


def write_source(source: SourceText) -> nouns.SourceText:
    return nouns.SourceText(
        text=source.text,
        text_format=_FORMAT_NUMBERS[source.text_format],
        source_locale=source.source_locale,
        target_locale=source.target_locale,
        note=source.note,
        speaker=source.speaker,
        max_length=source.max_length or 0,
        before=source.before,
        after=source.after,
    )


def read_terminology(message: nouns.Glossary) -> Terminology:
    """Return the glossary in `message`. Raises: InvalidRequest: terms without a version, or an empty term."""
    if (message.terms or message.forbidden_terms) and not message.version:
        raise InvalidRequest("glossary.version", "name the version of the glossary")
    terms = []
    for place, term in enumerate(message.terms):
        if not term.source.strip():
            raise InvalidRequest(f"glossary.terms[{place}].source", "send the term")
        if not term.do_not_translate and not term.target.strip():
            raise InvalidRequest(f"glossary.terms[{place}].target", "send the form, or set do_not_translate")
        terms.append(
            Term(
                source=term.source,
                target=term.target or term.source,
                do_not_translate=term.do_not_translate or term.target == term.source,
                accepted_forms=tuple(term.accepted_forms),
                forbidden_forms=tuple(term.forbidden_forms),
                case_sensitive=term.case_sensitive,
                part_of_speech=term.part_of_speech,
                sense=term.sense,
                note=term.note,
            )
        )
    return Terminology(Glossary(message.version, tuple(terms)), tuple(message.forbidden_terms))


def write_terminology(terminology: Terminology) -> nouns.Glossary:
    return nouns.Glossary(
        version=terminology.version,
        forbidden_terms=terminology.forbidden_terms,
        terms=[
            nouns.Term(
                source=term.source,
                target=term.target,
                do_not_translate=term.do_not_translate,
                accepted_forms=term.accepted_forms,
                forbidden_forms=term.forbidden_forms,
                case_sensitive=term.case_sensitive,
                part_of_speech=term.part_of_speech,
                sense=term.sense,
                note=term.note,
            )
            for term in terminology.glossary.terms
        ],
    )


def read_span(message: nouns.Span) -> Span:
    return Span(message.start, message.end)


def write_span(span: Span | None) -> nouns.Span | None:
    return None if span is None else nouns.Span(start=span.start, end=span.end)


def read_finding(message: nouns.Finding, field: str = "findings") -> Finding:
    """Return the finding in `message`. Raises: InvalidRequest: an unknown dimension or severity."""
    try:
        dimension, severity = Dimension(message.dimension), FindingSeverity(message.severity)
    except ValueError:
        raise InvalidRequest(field, "send dimensions and severities of the contract") from None
    return Finding(
        dimension=dimension,
        severity=severity,
        source_quote=message.source_quote,
        target_quote=message.target_quote,
        reason=message.reason,
        fix=message.fix,
        source_span=read_span(message.source_span) if message.HasField("source_span") else None,
        candidate_span=read_span(message.candidate_span) if message.HasField("candidate_span") else None,
    )


def write_finding(finding: Finding) -> nouns.Finding:
    return nouns.Finding(
        dimension=finding.dimension.value,
        severity=finding.severity.value,
        source_quote=finding.source_quote,
        target_quote=finding.target_quote,
        reason=finding.reason,
        fix=finding.fix,
        source_span=write_span(finding.source_span),
        candidate_span=write_span(finding.candidate_span),
    )


def read_gate_result(message: nouns.GateResult) -> GateResult:
    return GateResult(
        gate=message.gate,
        outcome=_OUTCOMES[message.outcome],
        severity=_SEVERITIES[message.severity],
        explanation=message.explanation,
        evidence=tuple(
            Evidence(
                read_span(one.source) if one.HasField("source") else None,
                read_span(one.candidate) if one.HasField("candidate") else None,
            )
            for one in message.evidence
        ),
        is_structural=message.is_structural,
    )


def write_gate_result(result: GateResult) -> nouns.GateResult:
    return nouns.GateResult(
        gate=result.gate,
        outcome=_OUTCOME_NUMBERS[result.outcome],
        severity=_SEVERITY_NUMBERS[result.severity],
        explanation=result.explanation,
        evidence=[
            nouns.Evidence(source=write_span(one.source), candidate=write_span(one.candidate))
            for one in result.evidence
        ],
        is_structural=result.is_structural,
    )


def read_generation_request(message: rpc.GenerateRequest) -> GenerationRequest:
    """Return what `message` asks for. Raises: InvalidRequest."""
    return GenerationRequest(
        call_id=read_call_id(message.call_id),
        credential=read_credential(message.credential),
        source=read_source(message.source),
        terminology=read_terminology(message.glossary),
        turn=max(message.turn, 1),
        previous_text=message.previous_text,
        findings=tuple(
            read_finding(finding, f"findings[{place}]") for place, finding in enumerate(message.findings)
        ),
        person_note=message.person_note,
        boot_id=message.boot_id,
    )


def write_generation_request(request: GenerationRequest) -> rpc.GenerateRequest:
    return rpc.GenerateRequest(
        call_id=request.call_id,
        credential=request.credential,
        source=write_source(request.source),
        glossary=write_terminology(request.terminology),
        turn=request.turn,
        previous_text=request.previous_text,
        findings=map(write_finding, request.findings),
        person_note=request.person_note,
        boot_id=request.boot_id,
    )


def read_judgment_request(message: rpc.JudgeRequest) -> JudgmentRequest:
    """Return what `message` asks for. Raises: InvalidRequest."""
    if not 0 <= message.pass_score <= 10:
        raise InvalidRequest("pass_score", "send a score from 0 to 10, or 0 for the default")
    return JudgmentRequest(
        call_id=read_call_id(message.call_id),
        credential=read_credential(message.credential),
        source=read_source(message.source),
        candidate=message.candidate,
        terminology=read_terminology(message.glossary),
        ordinal=max(message.ordinal, 1),
        pass_score=message.pass_score or DEFAULT_PASS_SCORE,
        boot_id=message.boot_id,
    )


def write_judgment_request(request: JudgmentRequest) -> rpc.JudgeRequest:
    return rpc.JudgeRequest(
        call_id=request.call_id,
        credential=request.credential,
        source=write_source(request.source),
        candidate=request.candidate,
        glossary=write_terminology(request.terminology),
        ordinal=request.ordinal,
        pass_score=request.pass_score,
        boot_id=request.boot_id,
    )
