"""The interceptors that both services stand on, over real servers of both kinds."""

from __future__ import annotations

import json
import logging
from concurrent import futures
from datetime import timedelta

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from running_translator import SOON, RunningTranslator

from translator_service.foundation.grpc_plumbing import (
    BearerToken,
    Guard,
    Refusal,
    SyncGuardInterceptor,
    channel,
    refusal_of,
    server_options,
)
from translator_service.v1 import translator_pb2 as rpc
from translator_service.v1 import translator_pb2_grpc


class WrongField(Exception):
    pass


class Servicer(translator_pb2_grpc.TranslatorServicer):
    def Resolve(self, request, context):
        if request.call_id == "crash":
            raise ValueError("canary of somebody's text")
        if request.call_id == "wrong":
            raise WrongField
        if request.call_id == "abort":
            context.abort(grpc.StatusCode.NOT_FOUND, "said by the method itself")
        return rpc.ResolveResponse(boot_id=request.call_id)


def _explain(error: Exception) -> Refusal | None:
    if isinstance(error, WrongField):
        return Refusal(grpc.StatusCode.INVALID_ARGUMENT, "invalid", field="call_id", remedy="Mend it – so")
    return None


@pytest.fixture(scope="module")
def address():
    guard = Guard(admit=BearerToken("right"), explain=_explain)
    server = grpc.server(
        futures.ThreadPoolExecutor(2), interceptors=[SyncGuardInterceptor(guard)], options=server_options()
    )
    translator_pb2_grpc.add_TranslatorServicer_to_server(Servicer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(0).wait()


def _ask(address: str, call_id: str, token: str | None = "right", timeout: float | None = 5) -> rpc.ResolveResponse:
    with channel(address, token) as open_channel:
        stub = translator_pb2_grpc.TranslatorStub(open_channel)
        return stub.Resolve(rpc.ResolveRequest(call_id=call_id), timeout=timeout)


def _refusal(address: str, call_id: str, token: str | None = "right", timeout: float | None = 5) -> Refusal:
    with pytest.raises(grpc.RpcError) as failed:
        _ask(address, call_id, token, timeout)
    return refusal_of(failed.value)


def test_a_sync_server_answers_who_has_its_token(address: str):
    assert _ask(address, "hello").boot_id == "hello"
    assert _refusal(address, "hello", "wrong").status is grpc.StatusCode.UNAUTHENTICATED
    assert _refusal(address, "hello", None).status is grpc.StatusCode.UNAUTHENTICATED


def test_a_sync_server_explains_what_it_expects_and_hides_what_it_does_not(
    address: str, caplog: pytest.LogCaptureFixture
):
    said = _refusal(address, "wrong")
    assert (said.status, said.field, said.remedy) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "call_id",
        "Mend it – so",
    )
    with caplog.at_level(logging.DEBUG):
        said = _refusal(address, "crash")
    assert said.status is grpc.StatusCode.INTERNAL
    assert said.error_id
    assert "canary" not in said.message
    lines = [record.getMessage() + json.dumps(getattr(record, "draftgate_fields", {})) for record in caplog.records]
    assert [line for line in lines if said.error_id in line]
    assert not [line for line in lines if "canary" in line]


def test_a_sync_methods_own_abort_stays_its_own(address: str):
    said = _refusal(address, "abort")
    assert (said.status, said.message) == (grpc.StatusCode.NOT_FOUND, "said by the method itself")


def test_a_sync_server_refuses_malformed_bytes_and_calls_without_a_deadline(address: str):
    with channel(address, "right") as open_channel, pytest.raises(grpc.RpcError) as failed:
        open_channel.unary_unary("/translator_service.v1.Translator/Resolve")(b"\xff\xff", timeout=5)
    assert failed.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert _refusal(address, "hello", timeout=None).field == "deadline"


def test_health_can_be_watched_through_the_aio_interceptor():
    with RunningTranslator(token="right") as served, grpc.insecure_channel(served.address) as open_channel:
        stub = health_pb2_grpc.HealthStub(open_channel)
        watch = stub.Watch(health_pb2.HealthCheckRequest(service="translator_service.v1.Translator"), timeout=5)
        assert next(iter(watch)).status == health_pb2.HealthCheckResponse.SERVING
        watch.cancel()
        unknown = stub.Watch(health_pb2.HealthCheckRequest(service="nothing"), timeout=5)
        assert next(iter(unknown)).status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
        unknown.cancel()


def test_a_message_that_is_too_large_is_refused_and_the_server_lives_on():
    with RunningTranslator() as served, served.client() as client:
        with grpc.insecure_channel(served.address) as open_channel, pytest.raises(grpc.RpcError) as failed:
            stub = translator_pb2_grpc.TranslatorStub(open_channel)
            stub.Plan(rpc.PlanRequest(credential="x" * (5 * 1024 * 1024)), timeout=20)
        assert failed.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert client.is_ready(SOON)
        assert client.probe("offline", deadline=timedelta(seconds=10)).boot_id
