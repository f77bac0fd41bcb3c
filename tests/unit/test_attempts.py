"""What uses an attempt, how long the next one waits, and how used-up attempts end: for any code and any history."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_service.domain.attempts import (
    ATTEMPT_LIMIT,
    WAIT_LIMIT,
    WAIT_MOST,
    after_failure,
    backoff,
    patience,
    used_up,
)
from scheduler_service.domain.codes import CLASSES, PROVIDER_CODES, CodeClass
from scheduler_service.domain.items import ItemStatus
from scheduler_service.errors import Code

SPREAD = st.floats(0, 1)
ATTEMPT = st.integers(1, ATTEMPT_LIMIT)
RETRY_AFTER = st.none() | st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=2))
WAITED = st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=3))

HISTORY = {
    "attempt_count": ATTEMPT, "has_candidate": st.booleans(), "spread": SPREAD, "retry_after": RETRY_AFTER,
    "waited": WAITED, "waits_in_a_row": st.integers(1, 10_000),
}


def of_class(*kinds: CodeClass) -> st.SearchStrategy[Code]:
    return st.sampled_from([code for code in Code if CLASSES[code] in kinds])


@given(attempt=st.integers(1, 3), spread=SPREAD)
def test_the_pause_after_an_attempt_is_one_two_or_four_minutes_give_or_take_a_fifth(attempt: int, spread: float):
    minutes = {1: 1, 2: 2, 3: 4}[attempt]
    pause = backoff(attempt, spread)
    assert timedelta(minutes=minutes) * 0.8 <= pause <= timedelta(minutes=minutes) * 1.2


@given(times=st.integers(1, 1_000_000), spread=SPREAD)
def test_waiting_in_a_row_never_pauses_longer_than_five_minutes_nor_shorter_than_before(times: int, spread: float):
    pause = patience(times, spread)
    assert timedelta(seconds=1.6) <= pause <= WAIT_MOST * 1.2
    assert pause <= patience(times + 1, spread)


@given(code=st.sampled_from(Code), **{name: HISTORY[name] for name in HISTORY})
def test_every_failure_leads_somewhere_and_never_to_approval(code: Code, **history):
    following = after_failure(code, **history)
    assert following.status in {None, ItemStatus.NEEDS_REVIEW, ItemStatus.NEEDS_CREDENTIAL}
    assert following.delay is None or following.delay >= timedelta(0)
    # What has left the worker needs no further attempt.
    assert following.status is None or following.delay is None


@given(code=of_class(CodeClass.RETRY), **HISTORY)
def test_a_retried_code_uses_the_attempt_and_waits_until_they_are_used_up(code: Code, **history):
    following = after_failure(code, **history)
    assert not following.gives_back
    if history["attempt_count"] < ATTEMPT_LIMIT:
        assert following.status is None
        assert following.delay >= backoff(history["attempt_count"], history["spread"])
        assert following.delay >= (history["retry_after"] or timedelta(0))
    else:
        assert following == used_up(code, has_candidate=history["has_candidate"])


@given(code=of_class(CodeClass.WAIT, CodeClass.HALT, CodeClass.UNKNOWN, CodeClass.APPLY, CodeClass.CEILING,
                     CodeClass.VOID), **HISTORY)
def test_what_is_nobodys_fault_gives_the_attempt_back(code: Code, **history):
    assert after_failure(code, **history).gives_back


@given(code=of_class(CodeClass.HALT), **HISTORY)
def test_only_a_halting_code_stops_the_credential(code: Code, **history):
    following = after_failure(code, **history)
    assert following.halts and following.status is ItemStatus.NEEDS_CREDENTIAL


@given(code=st.sampled_from([code for code in Code if CLASSES[code] is not CodeClass.HALT]), **HISTORY)
def test_no_other_code_does(code: Code, **history):
    assert not after_failure(code, **history).halts


@given(code=of_class(CodeClass.WAIT), **HISTORY)
def test_waiting_is_bounded_by_a_day_and_ends_with_a_code_of_its_own(code: Code, **history):
    following = after_failure(code, **history)
    if history["waited"] >= WAIT_LIMIT:
        assert (following.status, following.code) == (ItemStatus.NEEDS_CREDENTIAL, Code.WORKER_WAITED_TOO_LONG)
    else:
        assert following.status is None and following.delay is not None and following.code is code


@given(**HISTORY)
def test_an_unknown_outcome_is_never_ended_by_age(**history):
    following = after_failure(Code.OUTCOME_UNKNOWN, **history)
    assert following.status is None and following.delay is not None


@given(code=of_class(CodeClass.TERMINAL), **HISTORY)
def test_a_terminal_code_ends_the_attempts_with_a_person_or_as_failed(code: Code, **history):
    following = after_failure(code, **history)
    assert following.delay is None and not following.gives_back
    assert following.status is (ItemStatus.NEEDS_REVIEW if history["has_candidate"] else None)


@given(code=st.sampled_from(Code))
def test_used_up_attempts_with_a_candidate_go_to_a_person(code: Code):
    assert used_up(code, has_candidate=True).status is ItemStatus.NEEDS_REVIEW


@given(code=st.sampled_from(Code))
def test_used_up_attempts_with_nothing_to_show_are_the_providers_or_failed(code: Code):
    following = used_up(code, has_candidate=False)
    assert following.status is (ItemStatus.NEEDS_CREDENTIAL if code in PROVIDER_CODES else None)
    assert following.delay is None and not following.halts


@pytest.mark.parametrize("has_candidate", [True, False])
def test_an_items_own_ceiling_ends_it_and_a_shared_one_only_waits(has_candidate: bool):
    def end(code: Code):
        return after_failure(code, attempt_count=1, has_candidate=has_candidate, spread=0.5)

    own, shared = end(Code.ITEM_CEILING), end(Code.CEILING)
    assert (own.status, own.delay) == (ItemStatus.NEEDS_REVIEW if has_candidate else None, None)
    assert shared.status is None and shared.delay == WAIT_MOST
