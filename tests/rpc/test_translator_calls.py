"""A paid call outlives the RPC that asked for it, and can be asked about."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from running_translator import SOON, RunningTranslator, WaitingProvider, source, waiting_registry

from translator_service.client import CallOutcomeUnknown, TranslatorClient, TranslatorRefused
from translator_service.domain.outcomes import CallFate
from translator_service.domain.requests import GenerationRequest, JudgmentRequest


@pytest.fixture
def served():
    registry, provider = waiting_registry()
    with RunningTranslator(registry) as translator, translator.client() as client:
        yield client, provider


Served = tuple[TranslatorClient, type[WaitingProvider]]


def _request(boot_id: str = "", text: str = "hello") -> GenerationRequest:
    return GenerationRequest(str(uuid4()), "offline", source(text), boot_id=boot_id)


def _poll(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end, "it did not happen within 10 s"
        time.sleep(0.01)


def test_a_call_whose_client_gave_up_runs_on_and_its_answer_is_found(served: Served):
    client, provider = served
    request = _request()
    with pytest.raises(CallOutcomeUnknown):
        client.generate(request, deadline=timedelta(seconds=0.3))
    assert client.resolve(request.call_id, deadline=SOON).fate is CallFate.RUNNING
    provider.released.set()
    _poll(lambda: client.resolve(request.call_id, deadline=SOON).fate is CallFate.DONE)
    found = client.resolve(request.call_id, deadline=SOON)
    assert found.generated is not None and found.generated.text == "HELLO"
    assert found.generated.usage.cost_micros == 5
    assert found.generated.usage.input_tokens == 0
    assert found.generated.usage.output_tokens is None
    assert client.generate(request, deadline=SOON) == found.generated
    assert provider.begun == [request.call_id]


def test_a_call_proven_never_sent_can_not_run_afterwards(served: Served):
    client, provider = served
    boot_id = client.plan(source("x"), "offline", deadline=SOON).boot_id
    request = _request(boot_id)
    assert client.resolve(request.call_id, boot_id, deadline=SOON).fate is CallFate.NEVER_SENT
    with pytest.raises(TranslatorRefused) as refused:
        client.generate(request, deadline=SOON)
    assert refused.value.message == "resolved_as_never_sent"
    assert provider.begun == []


def test_a_process_proves_nothing_about_calls_meant_for_others(served: Served):
    client, provider = served
    assert client.resolve(str(uuid4()), deadline=SOON).fate is CallFate.NOT_KNOWN_HERE
    assert client.resolve(str(uuid4()), "another process", deadline=SOON).fate is CallFate.NOT_KNOWN_HERE
    with pytest.raises(TranslatorRefused) as refused:
        client.generate(_request("another process"), deadline=SOON)
    assert refused.value.message == "meant_for_another_process"
    assert provider.begun == []


def test_one_id_can_not_stand_for_two_requests(served: Served):
    client, provider = served
    provider.released.set()
    request = _request()
    client.generate(request, deadline=SOON)
    other = GenerationRequest(request.call_id, "offline", source("something else"))
    with pytest.raises(TranslatorRefused) as refused:
        client.generate(other, deadline=SOON)
    assert refused.value.message == "id_used_for_another_request"


def test_a_call_whose_answer_is_no_longer_held_has_an_unknown_outcome_and_not_a_refusal():
    registry, provider = waiting_registry()
    provider.released.set()
    with RunningTranslator(registry) as translator, translator.client() as client:
        translator.running.calls._held_most = 1
        request = _request()
        assert client.generate(request, deadline=SOON).text == "HELLO"
        client.generate(_request(), deadline=SOON)
        with pytest.raises(CallOutcomeUnknown) as unknown:
            client.generate(request, deadline=SOON)
    assert unknown.value.message == "answer_no_longer_held"
    assert "unknown" in unknown.value.remedy
    assert provider.begun.count(request.call_id) == 1


def test_a_judgment_is_found_by_its_call_id_too(served: Served):
    client, _provider = served
    request = JudgmentRequest(str(uuid4()), "offline", source("Good morning to you all"), "Bom dia a todos")
    judged = client.judge(request, deadline=SOON)
    found = client.resolve(request.call_id, deadline=SOON)
    assert found.fate is CallFate.DONE
    assert found.judged == judged
    assert found.generated is None


def test_the_bounds_of_a_plan_are_the_providers(served: Served):
    client, _provider = served
    plan = client.plan(source("Good morning. " * 30), "offline", deadline=SOON)
    assert len(plan.segments) > 1
    assert {segment.worst_case_micros for segment in plan.segments} == {7}
    assert plan.judge_worst_case_micros == 11
