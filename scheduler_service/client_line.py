"""The line to a scheduler: one lazily opened channel, and what its errors mean."""

from __future__ import annotations

import os
import threading
from typing import Any, TypeVar
from urllib.parse import unquote

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2, health_pb2_grpc

from scheduler_service.answers_wire import read
from scheduler_service.errors import Reason, Refused, SchedulerError, SchedulerUnreachable
from translator_service.foundation import grpc_plumbing

Value = TypeVar("Value")

_TRANSPORT_FAILURES = frozenset(
    {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED}
)
# For refusals that carry no reason: a proxy's, gRPC's own, or a scheduler's of another version.
_REASON_BY_STATUS = {
    grpc.StatusCode.UNAUTHENTICATED: Reason.NOT_SIGNED_IN,
    grpc.StatusCode.PERMISSION_DENIED: Reason.NOT_ALLOWED,
    grpc.StatusCode.NOT_FOUND: Reason.NOT_FOUND,
    grpc.StatusCode.INVALID_ARGUMENT: Reason.INVALID_FIELD,
    grpc.StatusCode.ABORTED: Reason.VERSION_CONFLICT,
}


class Line:
    """One channel for all clients made from one another, opened again in a process that forked."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._lock = threading.Lock()
        self._channel: grpc.Channel | None = None
        self._stubs: dict[type[Any], Any] = {}
        self._process_id = 0

    def call(
        self, kind: type[Value], stub: type[Any], method: str, request: Message, seconds: float, token: str | None
    ) -> Value:
        """Send one request and return its answer as a `kind`."""
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        try:
            answer = getattr(self._stub(stub), method)(request, timeout=seconds, metadata=metadata)
        except grpc.RpcError as error:
            raise error_of(error) from None
        return read(kind, answer)

    def is_ready(self, timeout_seconds: float) -> bool:
        """Return whether a scheduler answers within `timeout_seconds`; one that is about to end still does."""
        try:
            self._stub(health_pb2_grpc.HealthStub).Check(
                health_pb2.HealthCheckRequest(), timeout=timeout_seconds, wait_for_ready=True)
        except grpc.RpcError:
            return False
        return True

    def close(self) -> None:
        with self._lock:
            if self._channel is not None and self._process_id == os.getpid():
                self._channel.close()
            self._channel = None
            self._stubs = {}

    def _stub(self, stub: type[Any]) -> Any:
        channel = self._open()
        with self._lock:
            if stub not in self._stubs:
                self._stubs[stub] = stub(channel)
            return self._stubs[stub]

    def _open(self) -> grpc.Channel:
        with self._lock:
            # A channel inherited through fork never answers, and closing it would disturb the parent.
            if self._channel is None or self._process_id != os.getpid():
                self._channel = grpc_plumbing.channel(self.address)
                self._stubs = {}
                self._process_id = os.getpid()
            return self._channel


def error_of(error: grpc.RpcError) -> SchedulerError:
    """Return what a failed call means to the caller; the status text is dropped, since it may quote content."""
    said = {key: value for key, value in (error.trailing_metadata() or ()) if isinstance(value, str)}
    reason = said.get("draftgate-reason", "")
    if reason in Reason.__members__:
        return Refused(Reason(reason), unquote(said.get("draftgate-remedy", "")), said.get("draftgate-field", ""))
    if error.code() in _TRANSPORT_FAILURES:
        return SchedulerUnreachable(error.code().name)
    return Refused(
        _REASON_BY_STATUS.get(error.code(), Reason.INTERNAL),
        unquote(said.get("draftgate-remedy", "")),
        said.get("draftgate-field", ""),
    )
