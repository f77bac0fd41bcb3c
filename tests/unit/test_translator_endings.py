"""Whatever breaks, a call ends with a typed ending, and what was paid is told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from translator_service import generating, judging
from translator_service.credentials import Credentials
from translator_service.domain.outcomes import Generation, Opinion
from translator_service.domain.requests import GenerationRequest, JudgmentRequest, SourceText
from translator_service.domain.values import Dimension, TextFormat
from translator_service.errors import Code, Usage
from translator_service.providers import CredentialProfile, Registry

CALL = "7d610d00-2f76-4400-9106-a144c91615c3"
SOURCE = SourceText("Good morning to you all.", TextFormat.PLAIN, "en", "de")
USED = Usage(input_tokens=3, output_tokens=4, cost_micros=55, provider_response_id="answer-1")


class Paid:
    """A provider that charges `USED` for any answer."""

    name = "paid"
    asked = 0

    def __init__(self, profile: CredentialProfile) -> None:
        pass

    async def generate(self, request: GenerationRequest) -> Generation:
        type(self).asked += 1
        return Generation(text="Guten Morgen allerseits.", usage=USED)

    async def judge(self, request: JudgmentRequest) -> Opinion:
        type(self).asked += 1
        return Opinion(assessed=tuple(Dimension), usage=USED)


@pytest.fixture
def credentials() -> Credentials:
    Paid.asked = 0
    return Credentials({"main": CredentialProfile("main", "paid")}, Registry({"paid": Paid}))  # type: ignore[dict-item]


def _break(*_arguments: object, **_named: object) -> Any:
    raise LookupError("a fault of ours")


def _judge(credentials: Credentials):
    request = JudgmentRequest(CALL, "main", SOURCE, "Guten Morgen allerseits.")
    return asyncio.run(judging.judge(request, credentials, "boot"))


def test_a_fault_after_a_paid_judgment_keeps_what_it_used(credentials: Credentials, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(judging, "verify", _break)
    judgment = _judge(credentials)
    assert judgment.ending is not None
    assert (judgment.ending.code, judgment.ending.was_sent) == (Code.UNEXPECTED, True)
    assert (judgment.usage, judgment.provider, judgment.score) == (USED, "paid", None)


def test_a_fault_in_a_gate_is_an_ending_that_proves_that_no_judge_was_asked(
    credentials: Credentials, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(judging, "check_candidate", _break)
    judgment = _judge(credentials)
    assert judgment.ending is not None
    assert (judgment.ending.code, judgment.ending.was_sent) == (Code.UNEXPECTED, False)
    assert Paid.asked == 0


def test_a_fault_after_a_paid_translation_keeps_what_it_used(
    credentials: Credentials, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(generating, "is_whole", _break)
    answer = asyncio.run(generating.generate(GenerationRequest(CALL, "main", SOURCE), credentials, "boot"))
    assert answer.ending is not None
    assert (answer.ending.code, answer.ending.was_sent) == (Code.UNEXPECTED, True)
    assert (answer.text, answer.usage) == ("", USED)
