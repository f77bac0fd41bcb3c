"""Wires and runs one scheduler process: gRPC and HTTP faces, a worker, or both; and an orderly end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from scheduler_service.authorising import RULES, require_rules
from scheduler_service.domain.codes import require_classified
from scheduler_service.errors import Reason, Refused
from scheduler_service.http import create_app
from scheduler_service.operations.recheck import Recheck, Words
from scheduler_service.operations.sweep import BATCH, Swept, sweep
from scheduler_service.server import ReasonedGuard
from scheduler_service.server_content import ContentServicer
from scheduler_service.server_operations import OperationsServicer, PeopleServicer
from scheduler_service.server_review import ReviewServicer
from scheduler_service.settings import SchedulerSettings
from scheduler_service.store.candidates import GateRow
from scheduler_service.store.engine import Database
from scheduler_service.store.migrating import require_current
from scheduler_service.v1 import content_pb2_grpc, operations_pb2_grpc, people_pb2_grpc, review_pb2_grpc
from scheduler_service.working import texts
from scheduler_service.working.loops import repeat
from scheduler_service.working.translating import Translating, TranslatorCallError
from scheduler_service.working.worker import Worker
from translator_service.client import TranslatorClient
from translator_service.domain.requests import SourceText
from translator_service.domain.values import TextFormat
from translator_service.foundation import logs
from translator_service.foundation.grpc_plumbing import (
    MAX_CONCURRENT_RPCS,
    PortInUse,
    SyncGuardInterceptor,
    ensure_free,
    server_options,
)
from translator_service.foundation.http_face import RunningFace, serve_http

# Threads of the gRPC server: each call is a few short transactions.
RPC_THREADS = 16
SWEEP_EVERY = timedelta(minutes=1)
# A sweep ends after so many batches; what is left comes with the next.
SWEEP_BATCHES = 50


@dataclass(slots=True)
class Running:
    """What is being served; the ports are the real ones when 0 was asked for, 0 where nothing is served."""

    database: Database
    grpc_port: int = 0
    http_port: int = 0
    _server: grpc.Server | None = None
    _face: RunningFace | None = None
    _health: health.HealthServicer | None = None

    def say_not_serving(self) -> None:
        """Tell who asks for health that this process is about to end; it still answers."""
        if self._health is not None:
            self._health.enter_graceful_shutdown()

    def stop(self) -> None:
        """Refuse new calls, let running ones end, close everything."""
        self.say_not_serving()
        if self._server is not None:
            self._server.stop(grace=5).wait()
        if self._face is not None:
            self._face.close()
        self.database.close()


def start(settings: SchedulerSettings, *, serves_grpc: bool) -> Running:
    """Serve gRPC (if asked for) and the HTTP face, and return.

    Raises:
        PortInUse: a port is taken; nothing is left running.
        RuntimeError: a code has no class or a method no rule.
    """
    require_classified()
    require_rules()
    database = Database(settings.database_url.get_secret_value(), pool_size=settings.concurrency + 8)
    running = Running(database)
    try:
        if serves_grpc:
            ensure_free(settings.grpc_bind, setting(settings, "grpc_bind"))
            _start_grpc(settings, running)
        running._face = serve_http(
            create_app(
                database, database.is_reachable, lambda: sweep_all(database),
                settings.tick_token.get_secret_value() if settings.tick_token else None,
            ),
            settings.http_bind, setting(settings, "http_bind"),
        )
    except BaseException:
        running.stop()
        raise
    running.http_port = running._face.port
    return running


def _start_grpc(settings: SchedulerSettings, running: Running) -> None:
    database = running.database
    translating = translator_of(settings)
    server = grpc.server(
        ThreadPoolExecutor(RPC_THREADS, thread_name_prefix="rpc"),
        interceptors=[SyncGuardInterceptor(ReasonedGuard())],
        options=server_options(),
        maximum_concurrent_rpcs=MAX_CONCURRENT_RPCS,
    )
    content_pb2_grpc.add_ContentServicer_to_server(ContentServicer(database), server)
    review_pb2_grpc.add_ReviewServicer_to_server(
        ReviewServicer(database, Recheck(database, gates_of(translating))), server)
    operations_pb2_grpc.add_OperationsServicer_to_server(OperationsServicer(database), server)
    people_pb2_grpc.add_PeopleServicer_to_server(PeopleServicer(database), server)
    health_servicer = health.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health_servicer, server)
    try:
        running.grpc_port = server.add_insecure_port(settings.grpc_bind)
    except RuntimeError:
        raise PortInUse(settings.grpc_bind, setting(settings, "grpc_bind")) from None
    server.start()
    for service in ("", *sorted({method.split("/")[1] for method in RULES})):
        health_servicer.set(service, health_pb2.HealthCheckResponse.SERVING)
    running._server, running._health = server, health_servicer


def run(
    settings: SchedulerSettings, *, serves: bool, works: bool, announce: Callable[[Running], None] = lambda _: None
) -> bool:
    """Serve, work, or both until SIGTERM or SIGINT; then finish what is in hand or hand it back.

    Return whether everything has ended. False: a thread still waits for a provider; its item's lease lapses, and
    who claims it next asks what became of the call.

    Raises:
        PortInUse: see `start`.
        DatabaseIsNewer, DatabaseIsOlder, StoreError: before anything is served, or when the worker could not go on.
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    _require_schema(settings)
    running = start(settings, serves_grpc=serves)
    logs.event("scheduler.started", port=running.grpc_port)
    announce(running)
    crashes: list[Exception] = []
    threads = [threading.Thread(
        target=repeat, args=(lambda: sweep_all(running.database), SWEEP_EVERY, stop), kwargs={"name": "sweep"},
        daemon=True)]
    if works:
        worker = Worker(running.database, translator_of(settings), settings.worker_terms())
        threads.append(threading.Thread(
            target=_work_or_end, args=(worker, stop, crashes), name="worker", daemon=True))
    for thread in threads:
        thread.start()
    stop.wait()
    running.say_not_serving()
    for thread in threads:
        thread.join(timeout=settings.drain_seconds + 10)
    running.stop()
    has_ended = not any(thread.is_alive() for thread in threads)
    logs.event("scheduler.stopped", result="drained" if has_ended else "abandoned")
    if crashes:
        raise crashes[0]
    return has_ended


def _require_schema(settings: SchedulerSettings) -> None:
    database = Database(settings.database_url.get_secret_value(), pool_size=1)
    try:
        require_current(database)
    finally:
        database.close()


def _work_or_end(worker: Worker, stop: threading.Event, crashes: list[Exception]) -> None:
    """Work until `stop`; a worker that can't go on ends the process, so that its supervisor starts a new one."""
    try:
        worker.run(stop)
    except Exception as error:
        logs.failure("worker.crashed", error)
        crashes.append(error)
    finally:
        stop.set()


def translator_of(settings: SchedulerSettings) -> Translating:
    """Return the translator that the settings name; connects at its first call."""
    token = settings.translator_token.get_secret_value() if settings.translator_token else None
    return Translating(TranslatorClient(settings.translator_address, token))


def gates_of(translating: Translating) -> Callable[..., Sequence[GateRow]]:
    """Return what runs the gates on a person's text through the translator."""

    def run_gates(item: Any, words: Words, text: str) -> Sequence[GateRow]:
        source = SourceText(
            text=item.source_text, text_format=TextFormat(item.text_format), source_locale=item.source_locale,
            target_locale=item.target_locale, max_length=item.context.get("max_length") or None,
        )
        try:
            return texts.gate_rows(
                translating.check(source, text, texts.terminology_of(words.version, words.terms, words.forbidden_terms)))
        except TranslatorCallError:
            raise Refused(
                Reason.CHECK_UNAVAILABLE, "The gates can't run now, so nothing was stored. Try again in a moment"
            ) from None

    return run_gates


def sweep_all(database: Database) -> Swept:
    """Sweep until a batch comes back short."""
    total = Swept()
    for _ in range(SWEEP_BATCHES):
        swept = sweep(database)
        total += swept
        if swept.checked < BATCH:
            break
    if total.checked:
        logs.event("sweep.done", checked=total.checked, requeued=total.requeued, to_review=total.to_review,
                   to_credential=total.to_credential, failed=total.failed, unchanged=total.unchanged)
    return total


def setting(settings: SchedulerSettings, name: str) -> str:
    """Return how a setting is called, for messages."""
    return f"{settings.prefix}{name.upper()} (or {name} in [{settings.table}])"
