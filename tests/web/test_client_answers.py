"""The client's plain values against the contract."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime

import grpc
import pytest

from scheduler_service import answers, answers_content, answers_operations
from scheduler_service.answers_wire import read
from scheduler_service.client import SchedulerClient
from scheduler_service.client_line import error_of
from scheduler_service.errors import Reason, Refused, SchedulerUnreachable
from scheduler_service.v1 import content_pb2, operations_pb2, people_pb2, resources_pb2, review_pb2

CONTRACTS = (content_pb2, operations_pb2, people_pb2, resources_pb2, review_pb2)
VALUES = [answers.ItemKey] + [
    kind
    for module in (answers, answers_content, answers_operations)
    for _, kind in inspect.getmembers(module, is_dataclass)
    if kind.__module__ == module.__name__ and kind is not answers.Nothing
]


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
def test_every_value_has_exactly_the_fields_of_its_message(kind):
    message = next(getattr(contract, kind.__name__) for contract in CONTRACTS if hasattr(contract, kind.__name__))
    assert {field.name for field in fields(kind)} == set(message.DESCRIPTOR.fields_by_name)


@pytest.mark.parametrize(
    ("kind", "wire"),
    [
        (answers.ItemStatus, resources_pb2.ItemStatus),
        (answers.WorkState, resources_pb2.WorkState),
        (answers.Queue, review_pb2.Queue),
    ],
)
def test_every_enum_has_exactly_the_members_of_the_contract(kind, wire):
    prefix = wire.Name(0).removesuffix("UNSPECIFIED")
    assert {prefix + member.name for member in kind} == set(wire.keys()) - {wire.Name(0)}


def test_every_rpc_has_a_method():
    methods = {name.replace("_", "") for name in dir(SchedulerClient)}
    for contract in CONTRACTS:
        for service in contract.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                assert method.name.lower() in methods, f"{service.name}.{method.name} has no method in the client"


def test_absent_scores_spans_and_moments_are_none_and_present_ones_are_not():
    absent = read(answers.Judgment, resources_pb2.Judgment())
    assert absent.score is None and absent.judged_at is None

    message = resources_pb2.Judgment(score=0.0, dimension_scores={"accuracy": 9.5})
    message.judged_at.FromDatetime(datetime(2026, 11, 30, 12, 0))
    message.findings.add(dimension="fluency").candidate_span.end = 3
    present = read(answers.Judgment, message)
    assert present.score == 0.0
    assert present.dimension_scores == {"accuracy": 9.5}
    assert present.judged_at == datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    assert present.findings[0].candidate_span == answers.TextSpan(0, 3)
    assert present.findings[0].source_span is None


def test_a_status_that_a_newer_scheduler_added_reads_as_unknown_instead_of_failing():
    assert read(answers.DecisionResponse, review_pb2.DecisionResponse(version=2, status=99)).status is None


class _Failed(grpc.RpcError):
    def __init__(self, code, metadata=()):
        self._code, self._metadata = code, metadata

    def code(self):
        return self._code

    def trailing_metadata(self):
        return self._metadata


def test_a_refusal_is_rebuilt_from_its_metadata_with_the_remedy_decoded():
    error = error_of(
        _Failed(
            grpc.StatusCode.ABORTED,
            (
                ("draftgate-reason", "VERSION_CONFLICT"),
                ("draftgate-field", "version"),
                ("draftgate-remedy", "Open%20it%20again%20%E2%80%94%20it%20changed"),
            ),
        )
    )
    assert isinstance(error, Refused)
    assert (error.reason, error.field) == (Reason.VERSION_CONFLICT, "version")
    assert error.remedy == "Open it again — it changed"


def test_a_refusal_from_elsewhere_is_understood_by_its_status():
    assert error_of(_Failed(grpc.StatusCode.PERMISSION_DENIED)).reason is Reason.NOT_ALLOWED
    assert error_of(_Failed(grpc.StatusCode.RESOURCE_EXHAUSTED)).reason is Reason.INTERNAL


def test_an_unreachable_scheduler_is_told_from_one_that_refuses():
    with SchedulerClient("127.0.0.1:9") as client, pytest.raises(SchedulerUnreachable):
        client.who_am_i()
    unavailable = ("draftgate-reason", "DATABASE_UNAVAILABLE")
    assert isinstance(error_of(_Failed(grpc.StatusCode.UNAVAILABLE, (unavailable,))), Refused)


def test_no_token_shows_in_the_representation_of_an_answer():
    answer = read(answers.SignInResponse, people_pb2.SignInResponse(session_token="secret-token"))
    assert answer.session_token == "secret-token"
    assert "secret-token" not in repr(answer)
