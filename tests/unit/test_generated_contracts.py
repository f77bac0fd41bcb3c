"""The committed contract modules are what the contracts generate, byte for byte."""

from __future__ import annotations

import subprocess
import sys

import pytest
from google.protobuf.descriptor import FieldDescriptor
from modules import ROOT

from scheduler_service.v1 import content_pb2, operations_pb2, people_pb2, resources_pb2, review_pb2
from translator_service.v1 import resources_pb2 as translator_resources_pb2
from translator_service.v1 import translator_pb2

FILES = (content_pb2, operations_pb2, people_pb2, resources_pb2, review_pb2, translator_pb2, translator_resources_pb2)


def test_generating_anew_changes_no_committed_module():
    done = subprocess.run(
        [sys.executable, "proto/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip(), done.stderr.strip()) == (0, "current", "")


def test_the_check_finds_a_module_that_was_edited_by_hand(tmp_path):
    sys.path.insert(0, str(ROOT / "proto"))
    try:
        import generate
    finally:
        sys.path.remove(str(ROOT / "proto"))
    written = generate.generate(tmp_path)
    assert (tmp_path / "scheduler_service/v1/review_pb2.py").read_bytes() == (
        ROOT / "scheduler_service/v1/review_pb2.py").read_bytes()
    edited = tmp_path / "elsewhere"
    for path in written:
        (edited / path).parent.mkdir(parents=True, exist_ok=True)
        (edited / path).write_bytes((tmp_path / path).read_bytes())
    (edited / written[0]).write_bytes(b"# by hand\n" + (edited / written[0]).read_bytes())
    (edited / "scheduler_service/v1/left_over_pb2.py").write_text("")
    original, generate.ROOT = generate.ROOT, edited
    try:
        assert generate.differences() == [str(written[0]), "scheduler_service/v1/left_over_pb2.py"]
    finally:
        generate.ROOT = original


@pytest.mark.parametrize("module", FILES, ids=lambda module: module.__name__)
def test_moments_end_in_at_and_are_timestamps(module):
    wrong = [
        field.full_name
        for message in module.DESCRIPTOR.message_types_by_name.values() for field in message.fields
        if (field.type == FieldDescriptor.TYPE_MESSAGE and field.message_type.full_name == "google.protobuf.Timestamp")
        is not (field.name == "at" or field.name.endswith(("_at", "_until")))
    ]
    assert wrong == []


@pytest.mark.parametrize("module", FILES, ids=lambda module: module.__name__)
def test_every_enumeration_begins_with_an_unspecified_zero(module):
    first = [values.values[0] for values in module.DESCRIPTOR.enum_types_by_name.values()]
    assert all(value.number == 0 and value.name.endswith("_UNSPECIFIED") for value in first)
