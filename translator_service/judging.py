"""Judges one candidate: gates first, then the provider's findings, verified and scored by code."""

from __future__ import annotations

import asyncio

from translator_service.checking import check_candidate, flag_findings
from translator_service.credentials import Credentials
from translator_service.domain.outcomes import Judgment, Opinion
from translator_service.domain.requests import JudgmentRequest, SourceText
from translator_service.domain.rubric import RUBRIC, count_words, score
from translator_service.domain.syntax import find_prose, find_tokens
from translator_service.domain.syntax.spans import without
from translator_service.domain.values import Finding, GateResult, Span, Verdict, VerdictOutcome, is_whole
from translator_service.domain.verdicts import decide, verify
from translator_service.errors import Code, Ending, ProviderFailed, Usage
from translator_service.foundation import logs


async def judge(request: JudgmentRequest, credentials: Credentials, boot_id: str) -> Judgment:
    """Judge a candidate. Never raises: a failure is an ending, and leaves the candidate unscored.

    A candidate that fails a hard gate gets score 0 without a provider call.
    """
    provider_name = ""
    # What an ending of our own making has to say: nothing was sent before the provider is asked, and what
    # it answered was used.
    was_sent, usage = False, Usage()
    try:
        # Parsing a long page takes a while; others are served meanwhile.
        checked = await asyncio.to_thread(
            check_candidate, request.source, request.candidate, request.terminology
        )
        verdict = decide(checked.results, (), None)
        if verdict.outcome is VerdictOutcome.FAIL:
            return _judgment(verdict, Opinion(), (), 0, provider_name, boot_id)
        provider = credentials.provider(request.credential)
        provider_name = provider.name
        was_sent = True
        opinion = await provider.judge(request)
        usage = opinion.usage
        return await asyncio.to_thread(_conclude, request, checked.results, opinion, provider_name, boot_id)
    except ProviderFailed as failed:
        return _ended(failed.ending, failed.usage, provider_name, boot_id)
    except Exception as error:
        logs.failure("judge.failed", error, call=request.call_id, credential=request.credential)
        return _ended(Ending(Code.UNEXPECTED, was_sent=was_sent), usage, provider_name, boot_id)


def _conclude(
    request: JudgmentRequest, results: tuple[GateResult, ...], opinion: Opinion, provider: str, boot_id: str
) -> Judgment:
    verified = verify(opinion.findings, request.source.text, request.candidate)
    said = (text for one in verified.findings for text in (one.source_quote, one.target_quote, one.reason, one.fix))
    if not verified.is_trustworthy or not all(map(is_whole, said)):
        return _ended(Ending(Code.INVALID_RESPONSE, was_sent=True), opinion.usage, provider, boot_id)
    findings = _with_flags(verified.findings, results, request)
    scores = score(findings, prose_words(request.source), opinion.assessed)
    verdict = decide(results, findings, scores, pass_score=request.pass_score, notes=opinion.notes)
    return _judgment(verdict, opinion, findings, verified.dropped, provider, boot_id)


def prose_words(source: SourceText) -> int:
    """Return how many words of `source` are language: code, tags and addresses don't dilute a score."""
    tokens = find_tokens(source.text, source.text_format)
    return sum(
        count_words(without(source.text, tokens, span.start, span.end))
        for span in find_prose(source.text, source.text_format)
    )


def _with_flags(
    findings: tuple[Finding, ...], results: tuple[GateResult, ...], request: JudgmentRequest
) -> tuple[Finding, ...]:
    """Add the gates' flags, except those inside a sentence that was found weak in the same dimension."""
    flags = verify(
        flag_findings(results, request.source.text, request.candidate), request.source.text, request.candidate
    )
    return findings + tuple(
        flag
        for flag in flags.findings
        if not any(flag.dimension is one.dimension and _covers(one, flag) for one in findings)
    )


def _covers(finding: Finding, flag: Finding) -> bool:
    return _holds(finding.source_span, flag.source_span) or _holds(finding.candidate_span, flag.candidate_span)


def _holds(outer: Span | None, inner: Span | None) -> bool:
    return outer is not None and inner is not None and outer.start <= inner.start and inner.end <= outer.end


def _judgment(
    verdict: Verdict,
    opinion: Opinion,
    findings: tuple[Finding, ...],
    dropped: int,
    provider: str,
    boot_id: str,
) -> Judgment:
    return Judgment(
        findings=findings,
        dropped_findings=dropped,
        dimension_scores=dict(verdict.dimension_scores),
        score=verdict.score,
        verdict=verdict.outcome,
        reasons=verdict.reasons,
        rubric_version=verdict.rubric_version,
        is_offline_estimate=opinion.is_offline_estimate,
        judged_sentences=opinion.judged_sentences,
        unjudged_sentences=opinion.unjudged_sentences,
        usage=opinion.usage,
        engine_duration=opinion.engine_duration,
        provider=provider,
        boot_id=boot_id,
    )


def _ended(ending: Ending, usage: Usage, provider: str, boot_id: str) -> Judgment:
    return Judgment(
        usage=usage, ending=ending, rubric_version=RUBRIC.version, provider=provider, boot_id=boot_id
    )
