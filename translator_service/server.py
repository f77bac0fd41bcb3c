"""The translator's gRPC methods: read the message, let the duty's module work, write the answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import grpc

from translator_service import wire, wire_answers
from translator_service.calls import CallRefused, Calls
from translator_service.checking import check_candidate
from translator_service.credentials import Credentials
from translator_service.domain.outcomes import Generation, Judgment, Plan, Probe
from translator_service.errors import InvalidRequest
from translator_service.foundation import logs
from translator_service.foundation.grpc_plumbing import Refusal
from translator_service.generating import generate, plan_text
from translator_service.judging import judge
from translator_service.metrics import Metrics
from translator_service.probing import probe
from translator_service.v1 import translator_pb2 as rpc
from translator_service.v1 import translator_pb2_grpc

_REMEDIES = {
    CallRefused.RESOLVED: "It was resolved as never sent. Make a new call id",
    CallRefused.OTHER_REQUEST: "The id was used for another request. Make a new call id",
    CallRefused.FORGOTTEN: "It ran here, and its answer is no longer held. Treat its outcome as unknown",
    CallRefused.OTHER_PROCESS: "Another process than boot_id answered. Plan again, or leave boot_id empty",
    CallRefused.TOO_MANY: "Too many calls are running. Try again later",
    CallRefused.DRAINING: "The process is stopping. Try again",
}

# The others are FAILED_PRECONDITION: a proof that nothing was done under this id.
_STATUSES = {
    CallRefused.TOO_MANY: grpc.StatusCode.RESOURCE_EXHAUSTED,
    CallRefused.DRAINING: grpc.StatusCode.RESOURCE_EXHAUSTED,
    # Its work was done and perhaps paid, so clients must not read a refusal into it.
    CallRefused.FORGOTTEN: grpc.StatusCode.DATA_LOSS,
}


def explain(error: Exception) -> Refusal | None:
    """Return what a caller is told of an expected error; None for one that isn't."""
    if isinstance(error, InvalidRequest):
        return Refusal(
            grpc.StatusCode.INVALID_ARGUMENT, "the request is invalid", field=error.field, remedy=error.remedy
        )
    if isinstance(error, CallRefused):
        status = _STATUSES.get(error.reason, grpc.StatusCode.FAILED_PRECONDITION)
        return Refusal(status, error.reason, field="call_id", remedy=_REMEDIES[error.reason])
    return None


class TranslatorServicer(translator_pb2_grpc.TranslatorServicer):
    """Serves one process's credentials and calls."""

    def __init__(self, credentials: Credentials, calls: Calls, metrics: Metrics) -> None:
        self._credentials = credentials
        self._calls = calls
        self._metrics = metrics

    async def Plan(self, message: rpc.PlanRequest, context: grpc.aio.ServicerContext) -> rpc.PlanResponse:
        credential = wire.read_credential(message.credential)
        source = wire.read_source(message.source)
        finish = self._begin("Plan", credential=credential, source_characters=len(source.text))
        plan = await plan_text(source, credential, self._credentials, self._calls.boot_id)
        finish(plan, segments=len(plan.segments))
        return wire_answers.write_plan(plan)

    async def Generate(
        self, message: rpc.GenerateRequest, context: grpc.aio.ServicerContext
    ) -> rpc.GenerateResponse:
        request = wire.read_generation_request(message)

        async def start() -> Generation:
            finish = self._begin(
                "Generate",
                call=request.call_id,
                credential=request.credential,
                turn=request.turn,
                source_characters=len(request.source.text),
            )
            answer = await generate(request, self._credentials, self._calls.boot_id)
            self._metrics.characters.labels("source").inc(len(request.source.text))
            self._metrics.characters.labels("target").inc(len(answer.text))
            finish(answer, target_characters=len(answer.text))
            return answer

        answer = await self._calls.run(request.call_id, request, request.boot_id, start)
        return wire_answers.write_generation(answer)

    async def Judge(self, message: rpc.JudgeRequest, context: grpc.aio.ServicerContext) -> rpc.JudgeResponse:
        request = wire.read_judgment_request(message)

        async def start() -> Judgment:
            finish = self._begin(
                "Judge",
                call=request.call_id,
                credential=request.credential,
                source_characters=len(request.source.text),
            )
            answer = await judge(request, self._credentials, self._calls.boot_id)
            finish(answer, verdict=answer.verdict, score=answer.score)
            return answer

        answer = await self._calls.run(request.call_id, request, request.boot_id, start)
        return wire_answers.write_judgment(answer)

    async def Check(self, message: rpc.CheckRequest, context: grpc.aio.ServicerContext) -> rpc.CheckResponse:
        source = wire.read_source(message.source)
        terminology = wire.read_terminology(message.glossary)
        checked = await asyncio.to_thread(check_candidate, source, message.candidate, terminology)
        return rpc.CheckResponse(results=map(wire.write_gate_result, checked.results))

    async def Probe(self, message: rpc.ProbeRequest, context: grpc.aio.ServicerContext) -> rpc.ProbeResponse:
        if bool(message.source_locale) != bool(message.target_locale):
            raise InvalidRequest("source_locale", "send both locales or none")
        pair = [
            wire.read_locale(tag, field) if tag else ""
            for tag, field in (
                (message.source_locale, "source_locale"),
                (message.target_locale, "target_locale"),
            )
        ]
        credential = wire.read_credential(message.credential)
        finish = self._begin("Probe", credential=credential)
        answer = await probe(credential, *pair, self._credentials, self._calls.boot_id)
        finish(answer)
        return wire_answers.write_probe(answer)

    async def Resolve(
        self, message: rpc.ResolveRequest, context: grpc.aio.ServicerContext
    ) -> rpc.ResolveResponse:
        resolution = self._calls.resolve(wire.read_call_id(message.call_id), message.boot_id)
        logs.event("translator.resolved", call=message.call_id, result=resolution.fate)
        return wire_answers.write_resolution(resolution)

    def _begin(self, method: str, **fields: Any) -> Callable[..., None]:
        """Start the clock of one piece of work; the returned function counts and logs its end."""
        started = time.monotonic()

        def finish(answer: Plan | Generation | Judgment | Probe, **more: Any) -> None:
            seconds = time.monotonic() - started
            code = answer.ending.code if answer.ending else "ok"
            self._metrics.calls.labels(method, code).inc()
            self._metrics.seconds.labels(method).observe(seconds)
            usage = getattr(answer, "usage", None)
            logs.event(
                "translator.call",
                method=method,
                code=code,
                duration_ms=round(seconds * 1000),
                provider=answer.provider,
                cost_micros=usage.cost_micros if usage else 0,
                **fields,
                **more,
            )

        return finish
