"""Wires and runs one translator process: gRPC, health, HTTP face, and an orderly end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio as health

from translator_service.calls import Calls
from translator_service.credentials import Credentials
from translator_service.foundation import logs
from translator_service.foundation.grpc_plumbing import (
    MAX_CONCURRENT_RPCS,
    AioGuardInterceptor,
    BearerToken,
    Guard,
    PortInUse,
    ensure_free,
    server_options,
)
from translator_service.foundation.http_face import RunningFace, serve_http
from translator_service.http import create_app
from translator_service.metrics import Metrics
from translator_service.providers import Registry
from translator_service.server import TranslatorServicer, explain
from translator_service.settings import TranslatorSettings
from translator_service.v1 import translator_pb2, translator_pb2_grpc

SERVICE = translator_pb2.DESCRIPTOR.services_by_name["Translator"].full_name


@dataclass(slots=True)
class Running:
    """A translator that is being served. The ports are the real ones when 0 was asked for."""

    grpc_port: int
    http_port: int
    calls: Calls
    _server: grpc.aio.Server
    _health: health.HealthServicer
    _face: RunningFace
    _credentials: Credentials

    async def stop(self, drain: timedelta) -> None:
        """Refuse new calls, let running ones end for `drain` at most, and close everything."""
        await self._health.enter_graceful_shutdown()
        await self.calls.drain(drain)
        await self._server.stop(grace=1)
        self._face.close()
        await self._credentials.close()


async def start(settings: TranslatorSettings, registry: Registry | None = None) -> Running:
    """Serve on both ports and return.

    Raises:
        PortInUse: one of the ports is taken; nothing is left running.
        SettingsError: a key file can't be read.
    """
    credentials = Credentials(settings.profiles(), registry or Registry())
    calls, metrics = Calls(), Metrics()
    token = settings.token.get_secret_value() if settings.token else None
    guard = Guard(admit=BearerToken(token), explain=explain)
    ensure_free(settings.grpc_bind, _setting(settings, "grpc_bind"))
    server = grpc.aio.server(
        interceptors=[AioGuardInterceptor(guard)],
        options=server_options(),
        maximum_concurrent_rpcs=MAX_CONCURRENT_RPCS,
    )
    translator_pb2_grpc.add_TranslatorServicer_to_server(
        TranslatorServicer(credentials, calls, metrics), server
    )
    health_servicer = health.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health_servicer, server)
    try:
        grpc_port = server.add_insecure_port(settings.grpc_bind)
    except RuntimeError:
        raise PortInUse(settings.grpc_bind, _setting(settings, "grpc_bind")) from None
    is_ready = False
    try:
        face = serve_http(
            create_app(lambda: is_ready, metrics), settings.http_bind, _setting(settings, "http_bind")
        )
    except PortInUse:
        # grpcio gives a port back only to a server that has been started.
        await server.start()
        await server.stop(grace=None)
        raise
    await server.start()
    await health_servicer.set(SERVICE, health_pb2.HealthCheckResponse.SERVING)
    is_ready = True
    logs.event("translator.started", port=grpc_port, boot=calls.boot_id)
    return Running(grpc_port, face.port, calls, server, health_servicer, face, credentials)


def _setting(settings: TranslatorSettings, name: str) -> str:
    return f"{settings.prefix}{name.upper()} (or {name} in [{settings.table}])"


def run(settings: TranslatorSettings, announce: Callable[[Running], None] = lambda _running: None) -> None:
    """Serve until SIGTERM or SIGINT, then drain. `announce` is called once when both ports answer.

    Raises:
        PortInUse, SettingsError: see `start`.
    """
    asyncio.run(_run(settings, announce))


async def _run(settings: TranslatorSettings, announce: Callable[[Running], None]) -> None:
    running = await start(settings)
    announce(running)
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_log_loop_error)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    await ended.wait()
    logs.event("translator.draining", count=running.calls.running())
    await running.stop(timedelta(seconds=settings.drain_seconds))
    logs.event("translator.stopped")


def _log_loop_error(_loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    error = context.get("exception")
    logs.failure("translator.loop_failed", error if isinstance(error, BaseException) else RuntimeError())
