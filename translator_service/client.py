"""The translator, as other services call it: plain values in and out, every deadline explicit.

    with TranslatorClient("127.0.0.1:50061", token) as translator:
        plan = translator.plan(source, "offline", deadline=timedelta(seconds=10))

A paid failure is an `ending` in the answer. What is raised is about the call itself:

    TranslatorCallError
    ├── TranslatorUnreachable     nothing was sent
    ├── TranslatorRefused         the translator refused it and did no work
    └── CallOutcomeUnknown        it may have done the work: resolve before repeating
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Self

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from translator_service import wire, wire_answers
from translator_service.domain.outcomes import Checked, Generation, Judgment, Plan, Probe, Resolution
from translator_service.domain.requests import GenerationRequest, JudgmentRequest, SourceText, Terminology
from translator_service.errors import TranslatorError
from translator_service.foundation.grpc_plumbing import channel, refusal_of
from translator_service.v1 import translator_pb2 as rpc
from translator_service.v1 import translator_pb2_grpc

# Connecting to a neighbour; a host that doesn't answer in this time isn't there.
CONNECT_WITHIN = timedelta(seconds=3)

# Statuses that our servers give before any work is done. RESOURCE_EXHAUSTED isn't among them on its own:
# gRPC gives it for an answer that is too large, too.
_REFUSALS = frozenset(
    {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.NOT_FOUND,
    }
)


class TranslatorCallError(TranslatorError):
    """A call gave no answer. `status` is gRPC's code name, `message` the server's fixed text; `field`,
    `remedy` and `error_id` are empty where it said nothing. None of it is content."""

    def __init__(
        self, status: str, message: str = "", field: str = "", remedy: str = "", error_id: str = ""
    ) -> None:
        super().__init__(" ".join(part for part in (status, message, field, remedy, error_id) if part))
        self.status = status
        self.message = message
        self.field = field
        self.remedy = remedy
        self.error_id = error_id


class TranslatorUnreachable(TranslatorCallError):
    """No connection could be made: a proof that nothing was sent."""


class TranslatorRefused(TranslatorCallError):
    """The translator refused the call before doing any work."""


class CallOutcomeUnknown(TranslatorCallError):
    """The deadline passed or the connection was cut after sending: the work may have been done."""


class TranslatorClient:
    """Calls one translator. Safe from several threads; make it after a fork, never before.

    Every call first asks for the translator's health: what fails there is `TranslatorUnreachable`. A later
    UNAVAILABLE, which gRPC gives before and after sending, counts as sent.
    """

    def __init__(self, address: str, token: str | None = None) -> None:
        self._channel = channel(address, token)
        self._stub = translator_pb2_grpc.TranslatorStub(self._channel)
        self._health = health_pb2_grpc.HealthStub(self._channel)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._channel.close()

    def is_ready(self, timeout: timedelta = CONNECT_WITHIN) -> bool:
        """Return whether the translator serves calls now, within `timeout`."""
        try:
            answer = self._health.Check(
                health_pb2.HealthCheckRequest(), timeout=timeout.total_seconds(), wait_for_ready=True
            )
        except grpc.RpcError:
            return False
        return answer.status == health_pb2.HealthCheckResponse.SERVING

    def plan(self, source: SourceText, credential: str, *, deadline: timedelta) -> Plan:
        """Split a text and bound its cost. Free and repeatable."""
        message = rpc.PlanRequest(credential=credential, source=wire.write_source(source))
        return wire_answers.read_plan(self._call(self._stub.Plan, message, deadline))

    def generate(self, request: GenerationRequest, *, deadline: timedelta) -> Generation:
        """Translate one segment. Repeating it under the same call id joins or returns the first run's answer."""
        message = wire.write_generation_request(request)
        return wire_answers.read_generation(self._call(self._stub.Generate, message, deadline))

    def judge(self, request: JudgmentRequest, *, deadline: timedelta) -> Judgment:
        """Judge one candidate. Repeating it under the same call id joins or returns the first run's answer."""
        message = wire.write_judgment_request(request)
        return wire_answers.read_judgment(self._call(self._stub.Judge, message, deadline))

    def check(
        self, source: SourceText, candidate: str, terminology: Terminology, *, deadline: timedelta
    ) -> Checked:
        """Run the deterministic gates. Free and repeatable."""
        message = rpc.CheckRequest(
            source=wire.write_source(source),
            candidate=candidate,
            glossary=wire.write_terminology(terminology),
        )
        answer = self._call(self._stub.Check, message, deadline)
        return Checked(tuple(map(wire.read_gate_result, answer.results)))

    def probe(
        self,
        credential: str,
        *,
        deadline: timedelta,
        call_id: str = "",
        source_locale: str = "",
        target_locale: str = "",
    ) -> Probe:
        """Ask whether a credential can be used now, for a pair if one is named."""
        message = rpc.ProbeRequest(
            credential=credential, call_id=call_id, source_locale=source_locale, target_locale=target_locale
        )
        return wire_answers.read_probe(self._call(self._stub.Probe, message, deadline))

    def resolve(self, call_id: str, boot_id: str = "", *, deadline: timedelta) -> Resolution:
        """Ask what became of a call; `boot_id` as it was named in it."""
        message = rpc.ResolveRequest(call_id=call_id, boot_id=boot_id)
        return wire_answers.read_resolution(self._call(self._stub.Resolve, message, deadline))

    def _call(self, method: Callable[..., Any], message: Any, deadline: timedelta) -> Any:
        self._connect(min(deadline, CONNECT_WITHIN))
        try:
            return method(message, timeout=deadline.total_seconds())
        except grpc.RpcError as error:
            raise _outcome(error) from None

    def _connect(self, within: timedelta) -> None:
        # Asking for health costs a millisecond. Watching the channel's state would be free, but grpcio's
        # watching thread crashes when its channel is closed.
        if not self.is_ready(within):
            raise TranslatorUnreachable(
                grpc.StatusCode.UNAVAILABLE.name,
                "no translator that serves",
                remedy="Start the translator, or mend its address in the settings",
            )


def _outcome(error: grpc.RpcError) -> TranslatorCallError:
    said = refusal_of(error)
    # Our servers name the field of what they refused; gRPC itself never does.
    is_refused = said.status in _REFUSALS or (
        said.status is grpc.StatusCode.RESOURCE_EXHAUSTED and bool(said.field)
    )
    kind = TranslatorRefused if is_refused else CallOutcomeUnknown
    return kind(said.status.name, said.message, said.field, said.remedy, said.error_id)
