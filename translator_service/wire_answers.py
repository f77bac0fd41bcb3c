"""The contract's answers to the domain's outcomes and back."""

from __future__ import annotations

from datetime import timedelta

from google.protobuf.duration_pb2 import Duration

from translator_service.domain.outcomes import CallFate, Generation, Judgment, Plan, PlannedSegment, Probe, Resolution
from translator_service.domain.values import Dimension, VerdictOutcome
from translator_service.errors import Code, Ending, Usage
from translator_service.v1 import resources_pb2 as nouns
from translator_service.v1 import translator_pb2 as rpc
from translator_service.wire import read_finding, read_span, write_finding, write_span

_FATES = {getattr(rpc, f"CALL_FATE_{member.name}"): member for member in CallFate}
_FATE_NUMBERS = {member: number for number, member in _FATES.items()}


def write_duration(duration: timedelta | None) -> Duration | None:
    if duration is None:
        return None
    message = Duration()
    message.FromTimedelta(duration)
    return message


def write_usage(usage: Usage, provider: str, boot_id: str) -> nouns.Usage:
    return nouns.Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_micros=usage.cost_micros,
        is_estimated=usage.is_estimated,
        provider_request_id=usage.provider_request_id,
        provider_response_id=usage.provider_response_id,
        engine=usage.engine,
        provider=provider,
        boot_id=boot_id,
    )


def read_usage(message: nouns.Usage) -> Usage:
    return Usage(
        input_tokens=message.input_tokens if message.HasField("input_tokens") else None,
        output_tokens=message.output_tokens if message.HasField("output_tokens") else None,
        cost_micros=message.cost_micros,
        is_estimated=message.is_estimated,
        provider_request_id=message.provider_request_id,
        provider_response_id=message.provider_response_id,
        engine=message.engine,
    )


def write_ending(ending: Ending | None) -> nouns.Ending | None:
    if ending is None:
        return None
    return nouns.Ending(
        code=ending.code.value,
        was_sent=ending.was_sent,
        retry_after=write_duration(ending.retry_after),
        remedy=ending.remedy,
    )


def _ending(message: rpc.GenerateResponse | rpc.JudgeResponse | rpc.PlanResponse | rpc.ProbeResponse) -> Ending | None:
    if not message.HasField("ending"):
        return None
    ending = message.ending
    return Ending(
        code=Code(ending.code),
        was_sent=ending.was_sent,
        retry_after=ending.retry_after.ToTimedelta() if ending.HasField("retry_after") else None,
        remedy=ending.remedy,
    )


def write_plan(plan: Plan) -> rpc.PlanResponse:
    return rpc.PlanResponse(
        segments=[
            rpc.PlannedSegment(
                span=write_span(segment.span),
                worst_case_micros=segment.worst_case_micros,
                needs_call=segment.needs_call,
            )
            for segment in plan.segments
        ],
        judge_worst_case_micros=plan.judge_worst_case_micros,
        provider=plan.provider,
        is_deterministic=plan.is_deterministic,
        is_free=plan.is_free,
        boot_id=plan.boot_id,
        ending=write_ending(plan.ending),
    )


def read_plan(message: rpc.PlanResponse) -> Plan:
    return Plan(
        segments=tuple(
            PlannedSegment(read_span(segment.span), segment.worst_case_micros, segment.needs_call)
            for segment in message.segments
        ),
        judge_worst_case_micros=message.judge_worst_case_micros,
        provider=message.provider,
        is_deterministic=message.is_deterministic,
        is_free=message.is_free,
        boot_id=message.boot_id,
        ending=_ending(message),
    )


def write_generation(generation: Generation) -> rpc.GenerateResponse:
    return rpc.GenerateResponse(
        text=generation.text,
        usage=write_usage(generation.usage, generation.provider, generation.boot_id),
        ending=write_ending(generation.ending),
        engine_duration=write_duration(generation.engine_duration),
    )


def read_generation(message: rpc.GenerateResponse) -> Generation:
    return Generation(
        text=message.text,
        usage=read_usage(message.usage),
        engine_duration=message.engine_duration.ToTimedelta(),
        provider=message.usage.provider,
        boot_id=message.usage.boot_id,
        ending=_ending(message),
    )


def write_judgment(judgment: Judgment) -> rpc.JudgeResponse:
    return rpc.JudgeResponse(
        findings=map(write_finding, judgment.findings),
        dropped_findings=judgment.dropped_findings,
        dimension_scores=[
            rpc.DimensionScore(dimension=dimension.value, score=score)
            for dimension, score in judgment.dimension_scores.items()
        ],
        score=judgment.score,
        verdict=judgment.verdict.value,
        reasons=judgment.reasons,
        rubric_version=judgment.rubric_version,
        is_offline_estimate=judgment.is_offline_estimate,
        judged_sentences=judgment.judged_sentences,
        unjudged_sentences=judgment.unjudged_sentences,
        usage=write_usage(judgment.usage, judgment.provider, judgment.boot_id),
        ending=write_ending(judgment.ending),
        engine_duration=write_duration(judgment.engine_duration),
    )


def read_judgment(message: rpc.JudgeResponse) -> Judgment:
    return Judgment(
        findings=tuple(map(read_finding, message.findings)),
        dropped_findings=message.dropped_findings,
        dimension_scores={Dimension(one.dimension): one.score for one in message.dimension_scores},
        score=message.score if message.HasField("score") else None,
        verdict=VerdictOutcome(message.verdict),
        reasons=tuple(message.reasons),
        rubric_version=message.rubric_version,
        is_offline_estimate=message.is_offline_estimate,
        judged_sentences=message.judged_sentences,
        unjudged_sentences=message.unjudged_sentences,
        usage=read_usage(message.usage),
        engine_duration=message.engine_duration.ToTimedelta(),
        provider=message.usage.provider,
        boot_id=message.usage.boot_id,
        ending=_ending(message),
    )


def write_probe(probe: Probe) -> rpc.ProbeResponse:
    return rpc.ProbeResponse(
        provider=probe.provider,
        engine=probe.engine,
        is_deterministic=probe.is_deterministic,
        usage=write_usage(probe.usage, probe.provider, probe.boot_id),
        ending=write_ending(probe.ending),
    )


def read_probe(message: rpc.ProbeResponse) -> Probe:
    return Probe(
        provider=message.provider,
        engine=message.engine,
        is_deterministic=message.is_deterministic,
        usage=read_usage(message.usage),
        boot_id=message.usage.boot_id,
        ending=_ending(message),
    )


def write_resolution(resolution: Resolution) -> rpc.ResolveResponse:
    return rpc.ResolveResponse(
        fate=_FATE_NUMBERS[resolution.fate],
        boot_id=resolution.boot_id,
        generated=write_generation(resolution.generated) if resolution.generated else None,
        judged=write_judgment(resolution.judged) if resolution.judged else None,
    )


def read_resolution(message: rpc.ResolveResponse) -> Resolution:
    return Resolution(
        fate=_FATES[message.fate],
        boot_id=message.boot_id,
        generated=read_generation(message.generated) if message.HasField("generated") else None,
        judged=read_judgment(message.judged) if message.HasField("judged") else None,
    )
