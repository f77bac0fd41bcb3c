"""gRPC ground rules of both services: who may call, how errors leave, how large and how long a call may be.

The aio and the sync interceptor share one policy (`Guard`): raw bytes are parsed inside a try, so that
malformed input is INVALID_ARGUMENT, and no exception text reaches a client or a log.
"""

from __future__ import annotations

import hmac
import inspect
import socket
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio

from translator_service.foundation import logs

# A judge request carries a source and its candidate; 4 MiB holds two texts of 500,000 characters in any
# script, and bounds what one caller can make a server hold.
MAX_MESSAGE_BYTES = 4 * 1024 * 1024
MAX_METADATA_BYTES = 8 * 1024
# Beyond this, callers get RESOURCE_EXHAUSTED instead of a queue that outlives their deadlines.
MAX_CONCURRENT_RPCS = 256
# No method of either service works longer on one call.
LONGEST_DEADLINE_SECONDS = 24 * 3600
KEEPALIVE_MS = 60_000  # servers refuse pings below 30 s

HEALTH_PREFIX = "/grpc.health.v1.Health/"
FIELD_KEY, REMEDY_KEY, ERROR_ID_KEY = "draftgate-field-bin", "draftgate-remedy-bin", "draftgate-error-id"


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a client is told when a call is refused; none of it may be content."""

    status: grpc.StatusCode
    message: str
    field: str = ""
    remedy: str = ""
    error_id: str = ""

    def metadata(self) -> tuple[tuple[str, str | bytes], ...]:
        pairs: list[tuple[str, str | bytes]] = []
        if self.field:
            pairs.append((FIELD_KEY, self.field.encode()))
        if self.remedy:
            pairs.append((REMEDY_KEY, self.remedy.encode()))
        if self.error_id:
            pairs.append((ERROR_ID_KEY, self.error_id))
        return tuple(pairs)


def refusal_of(error: grpc.RpcError) -> Refusal:
    """Return what the server said in `error`, a client's failed call."""
    found = {key: value for key, value in (error.trailing_metadata() or ())}

    def text(key: str) -> str:
        value = found.get(key, b"")
        return value.decode(errors="replace") if isinstance(value, bytes) else value

    return Refusal(error.code(), error.details() or "", text(FIELD_KEY), text(REMEDY_KEY), text(ERROR_ID_KEY))


class BearerToken:
    """Admits calls that carry `token` as ``authorization: Bearer …``; None admits everybody."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    def __call__(self, method: str, metadata: Sequence[tuple[str, Any]]) -> Refusal | None:
        if self._token is None or method.startswith(HEALTH_PREFIX):
            return None
        if hmac.compare_digest(bearer_token(metadata).encode(), self._token.encode()):
            return None
        return Refusal(
            grpc.StatusCode.UNAUTHENTICATED,
            "the token is missing or wrong",
            remedy="Send the service's token as 'authorization: Bearer …'",
        )


def bearer_token(metadata: Sequence[tuple[str, Any]] | None) -> str:
    """Return the bearer token of a call's metadata, empty when it carries none."""
    for key, value in metadata or ():
        if key == "authorization" and isinstance(value, str) and value[:7].lower() == "bearer ":
            return value[7:].strip()
    return ""


Admit = Callable[[str, Sequence[tuple[str, Any]]], Refusal | None]
Explain = Callable[[Exception], Refusal | None]


class Guard:
    """The policy that both interceptors apply.

    `admit` looks at method and metadata before anything is parsed. `explain` turns an expected exception
    into a refusal; what it answers None for becomes INTERNAL with an error id, logged by class and place.
    """

    def __init__(
        self, *, admit: Admit = BearerToken(None), explain: Explain = lambda _error: None, needs_deadline: bool = True
    ) -> None:
        self.admit = admit
        self._explain = explain
        self._needs_deadline = needs_deadline

    def refuse_deadline(self, method: str, remaining: float | None) -> Refusal | None:
        # A sync server tells "none" as some centuries.
        has_deadline = remaining is not None and remaining < LONGEST_DEADLINE_SECONDS
        if has_deadline or not self._needs_deadline or method.startswith(HEALTH_PREFIX):
            return None
        return Refusal(
            grpc.StatusCode.INVALID_ARGUMENT,
            "the call has no usable deadline",
            field="deadline",
            remedy="Set a deadline of less than a day on every call",
        )

    def parse(self, deserialize: Callable[[bytes], Any] | None, raw: bytes) -> Any:
        """Return the request in `raw`, or a Refusal."""
        if deserialize is None:
            return raw
        try:
            return deserialize(raw)
        except Exception:  # protobuf raises several kinds, all meaning the same
            return Refusal(
                grpc.StatusCode.INVALID_ARGUMENT, "the message is malformed", remedy="Send the contract's message"
            )

    def explain(self, method: str, error: Exception) -> Refusal:
        expected = self._explain(error)
        if expected is not None:
            return expected
        error_id = uuid.uuid4().hex[:12]
        logs.failure("rpc.failed", error, method=method, error_id=error_id)
        return Refusal(grpc.StatusCode.INTERNAL, "an internal error happened", error_id=error_id)


class AioGuardInterceptor(grpc.aio.ServerInterceptor):
    """Applies a `Guard` to every method of an aio server that has one request."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def intercept_service(self, continuation: Any, details: grpc.HandlerCallDetails) -> Any:
        handler = await continuation(details)
        if handler is None or handler.request_streaming:
            return handler
        guard, method = self._guard, details.method
        refused = guard.admit(method, details.invocation_metadata)

        async def begin(raw: bytes, context: grpc.aio.ServicerContext) -> Any:
            refusal = refused or guard.refuse_deadline(method, context.time_remaining())
            request = refusal or guard.parse(handler.request_deserializer, raw)
            if isinstance(request, Refusal):
                await context.abort(request.status, request.message, request.metadata())
            return request

        async def fail(error: Exception, context: grpc.aio.ServicerContext) -> None:
            refusal = guard.explain(method, error)
            await context.abort(refusal.status, refusal.message, refusal.metadata())

        async def unary(raw: bytes, context: grpc.aio.ServicerContext) -> Any:
            request = await begin(raw, context)
            try:
                return await handler.unary_unary(request, context)
            except grpc.aio.AbortError:
                raise
            except Exception as error:
                await fail(error, context)

        async def stream(raw: bytes, context: grpc.aio.ServicerContext) -> Any:
            request = await begin(raw, context)
            try:
                answers = handler.unary_stream(request, context)
                if inspect.isawaitable(answers):
                    await answers  # it wrote through the context
                else:
                    async for answer in answers:
                        await context.write(answer)
            except grpc.aio.AbortError:
                raise
            except Exception as error:
                await fail(error, context)

        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(stream, None, handler.response_serializer)
        return grpc.unary_unary_rpc_method_handler(unary, None, handler.response_serializer)


class SyncGuardInterceptor(grpc.ServerInterceptor):
    """Applies a `Guard` to every method of a thread-pool server that has one request and one answer."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def intercept_service(self, continuation: Any, details: grpc.HandlerCallDetails) -> Any:
        handler = continuation(details)
        if handler is None or handler.request_streaming or handler.response_streaming:
            return handler
        guard, method = self._guard, details.method
        refused = guard.admit(method, details.invocation_metadata)

        def unary(raw: bytes, context: grpc.ServicerContext) -> Any:
            refusal = refused or guard.refuse_deadline(method, context.time_remaining())
            request = refusal or guard.parse(handler.request_deserializer, raw)
            if isinstance(request, Refusal):
                return _abort(context, request)
            try:
                return handler.unary_unary(request, context)
            except Exception as error:
                if context.code() is not None:
                    raise  # the handler aborted by itself: grpc signals that with a bare Exception
                return _abort(context, guard.explain(method, error))

        return grpc.unary_unary_rpc_method_handler(unary, None, handler.response_serializer)


def _abort(context: grpc.ServicerContext, refusal: Refusal) -> None:
    context.set_trailing_metadata(refusal.metadata())
    context.abort(refusal.status, refusal.message)


def server_options() -> list[tuple[str, int]]:
    """Return the channel arguments for either kind of server."""
    return [
        ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
        ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
        ("grpc.max_metadata_size", MAX_METADATA_BYTES),
        # Otherwise a second server silently shares the port and takes half of the calls.
        ("grpc.so_reuseport", 0),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", KEEPALIVE_MS // 2),
    ]


def channel(address: str, token: str | None = None) -> grpc.Channel:
    """Return a lazy plain-text channel to `address` that sends `token` with every call.

    gRPC's own retries are off: only the scheduler decides whether a call is repeated.
    """
    options = [
        ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
        ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
        ("grpc.enable_retries", 0),
        ("grpc.keepalive_time_ms", KEEPALIVE_MS),
        ("grpc.keepalive_timeout_ms", 20_000),
        # A restarted server is found again within seconds; the default backs off to two minutes.
        ("grpc.initial_reconnect_backoff_ms", 200),
        ("grpc.max_reconnect_backoff_ms", 2_000),
    ]
    plain = grpc.insecure_channel(address, options=options)
    return grpc.intercept_channel(plain, _SendToken(token)) if token else plain


class _SendToken(grpc.UnaryUnaryClientInterceptor):
    def __init__(self, token: str) -> None:
        self._pair = ("authorization", f"Bearer {token}")

    def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
        metadata = (*(details.metadata or ()), self._pair)
        return continuation(details._replace(metadata=metadata), request)


class PortInUse(OSError):
    """Nothing could be bound at `bind`, which came from `setting`."""

    def __init__(self, bind: str, setting: str) -> None:
        super().__init__(f"{bind} is in use or not ours to bind. Stop what listens there, or change {setting}")
        self.bind = bind
        self.setting = setting


def split_bind(bind: str) -> tuple[str, int]:
    """Return host and port of ``host:port`` (``[::1]:80`` for IPv6).

    Raises:
        ValueError: it isn't of that form, or the port is not 0 to 65535.
    """
    host, colon, port = bind.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise ValueError("is not host:port, such as 127.0.0.1:50061")
    return host.strip("[]"), int(port)


def ensure_free(bind: str, setting: str) -> None:
    """Check that `bind` can be listened on now.

    Raises:
        PortInUse: it can't; gRPC itself reports that without saying which setting to change.
    """
    host, port = split_bind(bind)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError:
        raise PortInUse(bind, setting) from None
