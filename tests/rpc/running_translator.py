"""A real translator in this process: gRPC and HTTP on free ports, its event loop in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from datetime import timedelta
from typing import Any, Self

from translator_service import serving
from translator_service.client import TranslatorClient
from translator_service.domain.outcomes import Generation, Opinion, Probe
from translator_service.domain.requests import GenerationRequest, JudgmentRequest, SourceText
from translator_service.domain.values import Dimension, TextFormat
from translator_service.errors import Usage
from translator_service.providers import CredentialProfile, Registry
from translator_service.settings import TranslatorSettings

SOON = timedelta(seconds=20)


class RunningTranslator:
    """Serves until the block ends; `registry` replaces the installed providers."""

    def __init__(self, registry: Registry | None = None, **settings: Any) -> None:
        self._settings = TranslatorSettings(grpc_bind="127.0.0.1:0", http_bind="127.0.0.1:0", **settings)
        self._registry = registry
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.running = self._do(serving.start(self._settings, self._registry)).result(20)
        self.address = f"127.0.0.1:{self.running.grpc_port}"
        self.http = f"http://127.0.0.1:{self.running.http_port}"
        return self

    def __exit__(self, *_exception: object) -> None:
        self._do(self.running.stop(timedelta(seconds=1))).result(20)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(20)
        self._loop.close()

    def client(self, token: str | None = None) -> TranslatorClient:
        return TranslatorClient(self.address, token)

    def _do(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)


class WaitingProvider:
    """A provider under a test's control: a generation waits for `released`, and `begun` lists its call ids."""

    name = "waiting"
    is_deterministic = False
    is_free = False
    max_characters = 100
    released = threading.Event()
    begun: list[str] = []
    error: Exception | None = None

    def __init__(self, profile: CredentialProfile) -> None:
        self.profile = profile

    def check_pair(self, source_locale: str, target_locale: str) -> None:
        if self.error is not None:
            raise self.error

    def worst_case_micros(self, text: str) -> int:
        return 7

    def judge_worst_case_micros(self, text: str) -> int:
        return 11

    async def generate(self, request: GenerationRequest) -> Generation:
        type(self).begun.append(request.call_id)
        while not self.released.is_set():
            await asyncio.sleep(0.005)
        if self.error is not None:
            raise self.error
        return Generation(text=request.source.text.upper(), usage=Usage(cost_micros=5, input_tokens=0))

    async def judge(self, request: JudgmentRequest) -> Opinion:
        return Opinion(assessed=(Dimension.ACCURACY,))

    async def probe(self, source_locale: str = "", target_locale: str = "") -> Probe:
        return Probe(provider=self.name)

    async def close(self) -> None:
        self.released.set()


def waiting_registry() -> tuple[Registry, type[WaitingProvider]]:
    """Return a registry whose offline provider waits, and its class with fresh state."""
    fresh = type("FreshProvider", (WaitingProvider,), {"released": threading.Event(), "begun": [], "error": None})
    return Registry({"offline": fresh}), fresh


def source(text: str, text_format: TextFormat = TextFormat.PLAIN, target: str = "pt-BR") -> SourceText:
    return SourceText(text, text_format, "en", target)
