"""The closed list of codes: complete, classified, and one list for both services."""

from __future__ import annotations

import re

import pytest

from scheduler_service.domain import codes
from scheduler_service.domain.codes import CLASSES, PROVIDER_CODES, CodeClass, require_classified
from scheduler_service.errors import Code
from translator_service.errors import Code as TranslatorCode

# What each class of the design means, written down independently of the table that is tested.
EXPECTED = {
    CodeClass.RETRY: "TranslationAI.EmptyResponse TranslationAI.Truncated TranslationAI.Unavailable "
    "Translation.InvalidResponse Translation.InvalidText Translation.StaleSource Translation.StaleDraft Worker.Timeout",
    CodeClass.APPLY: "Apply.LockBusy Apply.WriteFailed Apply.ReadBackMismatch",
    CodeClass.WAIT: "TranslationAI.RateLimited Worker.TranslatorUnreachable",
    CodeClass.PARK: "TranslationAI.PairNotSupported Worker.WaitedTooLong",
    CodeClass.HALT: "TranslationAI.QuotaExceeded TranslationAI.AuthenticationFailed TranslationAI.NotConfigured "
    "TranslationAI.Disabled",
    CodeClass.UNKNOWN: "TranslationAI.OutcomeUnknown",
    CodeClass.TERMINAL: "TranslationAI.Refused TranslationAI.ContentFiltered Translation.InvalidRequest "
    "Translation.TooLong Translation.MaskLost Translation.Unexpected",
    CodeClass.CEILING: "Budget.ItemCeiling Budget.Ceiling",
    CodeClass.VOID: "Worker.LostLease Worker.Superseded Worker.Cancelled",
}


@pytest.mark.parametrize("kind", CodeClass)
def test_every_code_is_in_the_class_that_the_design_gives_it(kind: CodeClass):
    assert {code.value for code, its in CLASSES.items() if its is kind} == set(EXPECTED[kind].split())


def test_every_code_has_exactly_one_class():
    assert set(CLASSES) == set(Code)
    require_classified()


def test_a_code_without_a_class_keeps_the_scheduler_from_starting(monkeypatch):
    monkeypatch.delitem(codes.CLASSES, Code.MASK_LOST)
    with pytest.raises(RuntimeError, match=re.escape("Translation.MaskLost")):
        require_classified()


def test_every_code_of_the_translator_is_a_code_of_the_scheduler():
    known = {code.name: code.value for code in Code}
    assert {code.name: code.value for code in TranslatorCode}.items() <= known.items()


def test_codes_name_their_room_and_their_trouble():
    assert all(re.fullmatch(r"(TranslationAI|Translation|Apply|Budget|Worker)\.[A-Z][A-Za-z]+", code) for code in Code)


def test_a_refusal_of_the_content_is_not_the_providers_fault():
    assert not PROVIDER_CODES & {Code.REFUSED, Code.CONTENT_FILTERED, Code.INVALID_TEXT, Code.WORKER_TIMEOUT}
    assert {Code.UNAVAILABLE, Code.EMPTY_RESPONSE, Code.OUTCOME_UNKNOWN, Code.QUOTA_EXCEEDED} <= PROVIDER_CODES
