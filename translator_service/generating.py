"""Generates one segment: finds the provider, runs it, and turns every way of failing into a typed ending."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from translator_service.credentials import Credentials
from translator_service.domain.outcomes import Generation, Plan, PlannedSegment
from translator_service.domain.planning import has_prose, plan
from translator_service.domain.requests import GenerationRequest, SourceText
from translator_service.domain.values import is_whole
from translator_service.errors import Code, Ending, ProviderFailed, Usage
from translator_service.foundation import logs
from translator_service.providers import Provider

# A page of a book is 2,000; beyond half a million a text is no field but a file, and would fill a message.
LONGEST_TEXT = 500_000


async def plan_text(source: SourceText, credential: str, credentials: Credentials, boot_id: str) -> Plan:
    """Split `source` for the provider of `credential` and bound what it can cost. No provider call.

    A text without anything to translate gets segments that need no call.
    """
    try:
        provider = credentials.provider(credential)
        provider.check_pair(source.source_locale, source.target_locale)
    except ProviderFailed as failed:
        return Plan(boot_id=boot_id, ending=failed.ending)
    if len(source.text) > LONGEST_TEXT:
        remedy = f"Send at most {LONGEST_TEXT} characters a field; split the page into fields"
        return Plan(boot_id=boot_id, ending=Ending(Code.TOO_LONG, was_sent=False, remedy=remedy))
    return Plan(
        # A long page takes a while to parse; others are served meanwhile.
        segments=await asyncio.to_thread(_segments, source, provider),
        judge_worst_case_micros=provider.judge_worst_case_micros(source.text),
        provider=provider.name,
        is_deterministic=provider.is_deterministic,
        is_free=provider.is_free,
        boot_id=boot_id,
    )


def _segments(source: SourceText, provider: Provider) -> tuple[PlannedSegment, ...]:
    segments = []
    for segment in plan(source.text, source.text_format, provider.max_characters):
        text = segment.span.of(source.text)
        needs_call = has_prose(text, source.text_format)
        worst = provider.worst_case_micros(text) if needs_call else 0
        segments.append(PlannedSegment(segment.span, worst, needs_call))
    return tuple(segments)


async def generate(request: GenerationRequest, credentials: Credentials, boot_id: str) -> Generation:
    """Translate one segment. Never raises: a failure is an ending, with what it cost all the same."""
    provider_name, was_sent, usage = "", False, Usage()
    try:
        provider = credentials.provider(request.credential)
        provider_name = provider.name
        was_sent = True
        answer = await provider.generate(request)
        usage = answer.usage
        return replace(_usable(request, answer), provider=provider_name, boot_id=boot_id)
    except ProviderFailed as failed:
        return Generation(usage=failed.usage, provider=provider_name, boot_id=boot_id, ending=failed.ending)
    except Exception as error:
        # It may have happened after sending, so the ending must say so.
        logs.failure("generate.failed", error, call=request.call_id, credential=request.credential)
        ending = Ending(Code.UNEXPECTED, was_sent=was_sent)
        return Generation(usage=usage, provider=provider_name, boot_id=boot_id, ending=ending)


def _usable(request: GenerationRequest, answer: Generation) -> Generation:
    """Return `answer`, or its ending where it can't be used."""
    if not is_whole(answer.text):
        return replace(answer, text="", ending=Ending(Code.INVALID_TEXT, was_sent=True))
    if request.source.text.strip() and not answer.text.strip():
        return replace(answer, text="", ending=Ending(Code.EMPTY_RESPONSE, was_sent=True))
    return answer
