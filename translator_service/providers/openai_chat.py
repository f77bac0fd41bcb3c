"""Any server that speaks OpenAI's chat completions: OpenAI itself, a gateway, or one on this machine."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from typing import Any

import httpx2
from openai import AsyncOpenAI

from translator_service.domain.glossary import find_terms, merge_tokens
from translator_service.domain.masking import LLM_STYLE, MaskLost, mask, unmask
from translator_service.domain.outcomes import Generation, Opinion, Probe
from translator_service.domain.prompts import EXTRAS_BYTES, Prompt, generation_prompt, judgment_prompt, read_findings
from translator_service.domain.requests import GenerationRequest, JudgmentRequest
from translator_service.domain.syntax import find_tokens
from translator_service.domain.values import Dimension, Term, Token, TokenKind
from translator_service.errors import Code, Ending, ProviderFailed, Usage
from translator_service.foundation import logs
from translator_service.providers import CredentialProfile, not_configured
from translator_service.providers.openai_signals import ending_of_answer, ending_of_error
from translator_service.providers.openai_usage import Prices, usage_of_answer, usage_of_error
from translator_service.providers.options import Options

DEFAULT_BASE_URL = "https://api.openai.com/v1"
# About 1,500 tokens: a lost call is cheap, and an answer comes before any proxy gives up.
MAX_CHARACTERS = 6_000
# Longest wait for a whole answer. A socket timeout alone would let a dripping body run for ever.
DEADLINE_SECONDS = 120.0
# The scheduler waits half a minute longer than this for a paid call.
MOST_DEADLINE_SECONDS = 600.0
# Longest wait for a free connection. Short, so that a call ends within its deadline and this: whoever stops the
# process waits that long.
WAIT_SECONDS = 10.0
# Below the pool's size, so that a call waits here, where it is certainly unsent, and not in the pool.
CONCURRENCY = 16
# Hidden reasoning counts as output; without room for it a reasoning model answers with nothing.
REASONING_TOKENS = 2_048
# Tokens never outnumber UTF-8 bytes in the tokenizers of these models, so bytes are a bound that needs none.
# The fixed prompt takes 2 KiB, and servers add a few tokens a message.
PROMPT_BYTES = EXTRAS_BYTES + 3 * 1024
# Of the source's bytes: masked it may grow threefold, its earlier translation goes in beside it.
GENERATE_GROWTH = 6
JUDGE_GROWTH = 5
# What servers add around two messages.
FRAME_TOKENS = 64
JUDGE_OUTPUT_TOKENS = 4_096
PROBE_OUTPUT_TOKENS = 16
OPTIONS = (
    "deadline_seconds", "concurrency", "reasoning_tokens", "temperature", "output_limit_parameter", "json_mode", "store",
)  # fmt: skip


class OpenAIChatProvider:
    """Translates and judges by chat completions, at most one request a call and no retries.

    Options: ``deadline_seconds`` (up to 600), ``concurrency``, ``reasoning_tokens``, ``temperature``,
    ``output_limit_parameter`` (``max_completion_tokens``, or ``max_tokens`` for older servers), ``json_mode``
    (False where the server has no ``response_format``), ``store`` (True keeps answers at the provider under
    the call id; off because a stored text is somebody's text).
    """

    name = "openai"
    is_deterministic = False
    is_free = False
    max_characters = MAX_CHARACTERS

    def __init__(self, profile: CredentialProfile) -> None:
        self._profile = profile
        self._prices, self._judge_prices = Prices.of(profile), Prices.of_judge(profile)
        options = Options(profile.options)
        options.only(*OPTIONS)
        self._deadline_seconds = options.number("deadline_seconds", DEADLINE_SECONDS, 0.1, MOST_DEADLINE_SECONDS)
        self._reasoning_tokens = options.whole("reasoning_tokens", REASONING_TOKENS, 0, 1_000_000)
        self._output_limit = options.one_of("output_limit_parameter", "max_completion_tokens", "max_tokens")
        self._temperature = (
            options.number("temperature", 0, 0, 2) if "temperature" in profile.options else None
        )
        self._has_json_mode = options.flag("json_mode", True)
        self._is_stored = options.flag("store", False)
        concurrency = options.whole("concurrency", CONCURRENCY, 1, 1_000)
        self._slots = asyncio.Semaphore(concurrency)
        self._connections = httpx2.Limits(max_connections=concurrency * 2, keepalive_expiry=4.0)
        self._client: AsyncOpenAI | None = None

    def check_pair(self, source_locale: str, target_locale: str) -> None:
        """Raises: ProviderFailed: the profile lacks a model or a key."""
        self._configured()

    def worst_case_micros(self, text: str) -> int:
        return self._prices.cost(_bound(text, GENERATE_GROWTH), self._output_tokens(text))

    def judge_worst_case_micros(self, text: str) -> int:
        return self._judge_prices.cost(_bound(text, JUDGE_GROWTH), JUDGE_OUTPUT_TOKENS + self._reasoning_tokens)

    async def generate(self, request: GenerationRequest) -> Generation:
        self._configured()
        source = request.source
        kept, wanted = _terms(request.source.text, request)
        masked = mask(source.text, merge_tokens(find_tokens(source.text, source.text_format), kept), LLM_STYLE)
        prompt = generation_prompt(
            masked.text,
            source.source_locale,
            source.target_locale,
            terms=wanted,
            note=source.note,
            speaker=source.speaker,
            max_length=source.max_length,
            before=source.before,
            after=source.after,
            previous_text=request.previous_text,
            findings=request.findings,
            person_note=request.person_note,
        )
        _ensure_within(prompt, _bound(source.text, GENERATE_GROWTH))
        text, usage, took = await self._ask(
            prompt, self._profile.model, self._prices, self._output_tokens(source.text), request.call_id
        )
        with _paid(usage):
            try:
                restored = unmask(_edges_of(masked.text, text), masked)
            except MaskLost:
                # Asked again, a model often keeps what it lost: not the end of the ladder, an answer to repeat.
                raise ProviderFailed(Ending(Code.INVALID_RESPONSE, was_sent=True), usage) from None
        return Generation(text=restored, usage=usage, engine_duration=took)

    async def judge(self, request: JudgmentRequest) -> Opinion:
        self._configured()
        model = self._profile.judge_model
        if not model:
            raise not_configured(
                f"Set judge_model of credential {self._profile.name}: by default no model judges its own work. Name "
                "another one, or the same one knowingly"
            )
        _kept, wanted = _terms(request.source.text, request)
        prompt = judgment_prompt(
            request.source.text,
            request.candidate,
            request.source.source_locale,
            request.source.target_locale,
            terms=wanted,
            note=request.source.note,
        )
        _ensure_within(prompt, _bound(request.source.text, JUDGE_GROWTH))
        more: dict[str, Any] = {}
        if self._has_json_mode:
            more["response_format"] = {"type": "json_object"}
        output_tokens = JUDGE_OUTPUT_TOKENS + self._reasoning_tokens
        text, usage, took = await self._ask(
            prompt, model, self._judge_prices, output_tokens, request.call_id, **more
        )
        with _paid(usage):
            findings = read_findings(_json(text))
        if findings is None:
            raise ProviderFailed(Ending(Code.INVALID_RESPONSE, was_sent=True), usage)
        return Opinion(findings=findings, assessed=tuple(Dimension), usage=usage, engine_duration=took)

    async def probe(self, source_locale: str = "", target_locale: str = "") -> Probe:
        self._configured()
        prompt = Prompt("Answer with the word OK.", "Are you there?")
        try:
            _text, usage, _took = await self._ask(
                prompt, self._profile.model, self._prices, PROBE_OUTPUT_TOKENS, ""
            )
        except ProviderFailed as failed:
            # It answered and was paid; that the answer is cut or empty says nothing about the credential.
            if failed.ending.code not in (Code.TRUNCATED, Code.EMPTY_RESPONSE):
                raise
            usage = failed.usage
        return Probe(provider=self.name, engine=usage.engine, is_deterministic=False, usage=usage)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _configured(self) -> None:
        profile = self._profile
        where = f"[translator.credentials.{profile.name}] of draftgate.toml"
        if not profile.model:
            raise not_configured(f"Set model in {where}")
        if profile.api_key is None and (profile.api_key_name or not profile.base_url):
            name = profile.api_key_name or f"api_key_env or api_key_file in {where}"
            raise not_configured(f"There is no API key for credential {profile.name}. Set {name}")

    def _opened(self) -> AsyncOpenAI:
        if self._client is None:
            timeout = httpx2.Timeout(connect=5.0, read=self._deadline_seconds, write=30.0, pool=2.0)
            client = AsyncOpenAI(
                # A server that needs no key still needs the header to be there.
                api_key=self._profile.api_key or "none",
                admin_api_key="",
                webhook_secret="",
                base_url=self._profile.base_url or DEFAULT_BASE_URL,
                max_retries=0,
                timeout=timeout,
                http_client=httpx2.AsyncClient(
                    timeout=timeout, limits=self._connections, follow_redirects=False, trust_env=False
                ),
            )
            # The SDK also reads organization, project and headers from the environment: a key goes with
            # what its profile says, and with nothing that another program has set.
            client.organization = client.project = None
            client._custom_headers = {}
            self._client = client
        return self._client

    async def _ask(
        self, prompt: Prompt, model: str, prices: Prices, output_tokens: int, call_id: str, **more: Any
    ) -> tuple[str, Usage, timedelta]:
        """Send one request; return its text, what it used and how long it took.

        Raises:
            ProviderFailed: with the usage of what was paid all the same.
        """
        if self._temperature is not None:
            more["temperature"] = self._temperature
        if call_id:
            # A courtesy to proxies that honour it; no server promises to.
            more["extra_headers"] = {"Idempotency-Key": call_id}
            if self._is_stored:
                more |= {"store": True, "metadata": {"draftgate_call": call_id}}
        more[self._output_limit] = output_tokens
        at_most = prices.cost(_bytes(prompt), output_tokens)
        async with self._slot():
            started = time.monotonic()
            try:
                async with asyncio.timeout(self._deadline_seconds):
                    answer = await self._opened().chat.completions.create(
                        model=model,
                        messages=[
                            {"role": "system", "content": prompt.system},
                            {"role": "user", "content": prompt.user},
                        ],
                        **more,
                    )
            except Exception as error:
                ending = ending_of_error(error)
                raise ProviderFailed(ending, usage_of_error(error, at_most, ending.was_sent)) from None
        took = timedelta(seconds=time.monotonic() - started)
        # Before anything is looked at: whatever the answer is worth, it was paid for.
        usage = usage_of_answer(answer, model, prices, at_most)
        with _paid(usage):
            ending = ending_of_answer(answer)
        if ending is not None:
            raise ProviderFailed(ending, usage)
        return answer.choices[0].message.content or "", usage, took

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        """Take one of the connections. Raises: ProviderFailed: RateLimited: none got free, nothing was sent."""
        try:
            await asyncio.wait_for(self._slots.acquire(), WAIT_SECONDS)
        except TimeoutError:
            raise ProviderFailed(Ending(Code.RATE_LIMITED, was_sent=False)) from None
        try:
            yield
        finally:
            self._slots.release()

    def _output_tokens(self, text: str) -> int:
        # About three times what a translation needs in any script, so that only endless output hits it.
        return len(text.encode()) + 256 + self._reasoning_tokens


def _terms(text: str, request: GenerationRequest | JudgmentRequest) -> tuple[tuple[Token, ...], tuple[Term, ...]]:
    """Return the terms that stay as they are, as tokens, and those to be translated so, as terms."""
    matches = find_terms(text, request.terminology.glossary, request.source.source_locale)
    kept = tuple(Token(one.span, TokenKind.TERM) for one in matches if one.term.do_not_translate)
    wanted = dict.fromkeys(one.term for one in matches if not one.term.do_not_translate)
    return kept, tuple(wanted)


def _edges_of(source: str, text: str) -> str:
    """Return `text` with the white space that `source` has at its edges: models trim it."""
    core = source.strip()
    start = source.index(core) if core else 0
    return source[:start] + text.strip() + source[start + len(core) :]


@contextmanager
def _paid(usage: Usage) -> Iterator[None]:
    """Keep `usage` when reading what was paid for fails by a fault of ours."""
    try:
        yield
    except ProviderFailed:
        raise
    except Exception as error:
        logs.failure("openai.reading_failed", error)
        raise ProviderFailed(Ending(Code.UNEXPECTED, was_sent=True), usage) from None


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _bytes(prompt: Prompt) -> int:
    return len(prompt.system.encode()) + len(prompt.user.encode()) + FRAME_TOKENS


def _bound(text: str, growth: int) -> int:
    return PROMPT_BYTES + growth * len(text.encode())


def _ensure_within(prompt: Prompt, bound: int) -> None:
    """Nothing larger is sent than what was reserved. Raises: ProviderFailed: TooLong."""
    if _bytes(prompt) > bound:
        remedy = "The text or its translation is out of proportion. Look at them, or split the field"
        raise ProviderFailed(Ending(Code.TOO_LONG, was_sent=False, remedy=remedy))
