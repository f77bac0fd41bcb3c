"""The scheduler's talk with the translator: its client with our deadlines.

Deadlines nest: provider, translator, RPC, lease. None of the outer ones may be the first to pass, so a
paid call's is longer than any provider's and shorter than an attempt.
"""

from __future__ import annotations

from datetime import timedelta

from scheduler_service.errors import Code
from translator_service.client import (
    CallOutcomeUnknown,
    TranslatorCallError,
    TranslatorClient,
    TranslatorUnreachable,
)
from translator_service.domain.outcomes import Generation, Judgment, Plan, Resolution
from translator_service.domain.requests import GenerationRequest, JudgmentRequest, SourceText, Terminology
from translator_service.domain.values import GateResult

# Free calls answer from memory.
FREE = timedelta(seconds=30)
# The translator gives a provider ten minutes at most; half a minute more lets it report that.
PAID = timedelta(minutes=10, seconds=30)
READY_WITHIN = timedelta(seconds=1)


class Translating:
    """One translator, as workers and operations call it. Safe from several threads."""

    def __init__(self, client: TranslatorClient) -> None:
        self._client = client

    def is_ready(self) -> bool:
        """Return whether the translator serves now; asked before claiming, so that no claim is wasted."""
        return self._client.is_ready(READY_WITHIN)

    def plan(self, source: SourceText, credential: str) -> Plan:
        return self._client.plan(source, credential, deadline=FREE)

    def check(self, source: SourceText, candidate: str, terminology: Terminology) -> tuple[GateResult, ...]:
        return self._client.check(source, candidate, terminology, deadline=FREE).results

    def generate(self, request: GenerationRequest) -> Generation:
        return self._client.generate(request, deadline=PAID)

    def judge(self, request: JudgmentRequest) -> Judgment:
        return self._client.judge(request, deadline=PAID)

    def resolve(self, call_id: str, boot_id: str = "") -> Resolution:
        return self._client.resolve(call_id, boot_id, deadline=FREE)


def code_of(error: TranslatorCallError) -> Code:
    """Return what a call that gave no answer means for the item, from the error's class and gRPC status."""
    if isinstance(error, CallOutcomeUnknown):
        return Code.OUTCOME_UNKNOWN
    if isinstance(error, TranslatorUnreachable):
        return Code.TRANSLATOR_UNREACHABLE
    if error.status == "INVALID_ARGUMENT":
        return Code.INVALID_REQUEST
    # Busy, another version, another process: nothing was done, and it passes or an operator sees it.
    return Code.TRANSLATOR_UNREACHABLE


def free_code_of(error: TranslatorCallError) -> Code:
    """As `code_of`, for a call that costs nothing: an unknown outcome is as good as none."""
    code = code_of(error)
    return Code.TRANSLATOR_UNREACHABLE if code is Code.OUTCOME_UNKNOWN else code
