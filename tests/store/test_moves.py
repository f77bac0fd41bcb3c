"""The database itself refuses what no code may do: an item's impossible move, a number that must only rise."""

from __future__ import annotations

import itertools

import pytest

from scheduler_service.domain.items import ItemStatus
from scheduler_service.store.engine import StoreError

S = ItemStatus
# The design's table of states, with what a person may also write a text for. To missing and stale anything may go:
# a source changes whenever it likes.
ALLOWED = {
    S.MISSING: {S.DRAFT, S.NEEDS_REVIEW, S.NEEDS_CREDENTIAL, S.APPROVED, S.REJECTED},
    S.STALE: {S.DRAFT, S.NEEDS_REVIEW, S.NEEDS_CREDENTIAL, S.APPROVED, S.REJECTED},
    S.DRAFT: {S.NEEDS_REVIEW, S.APPROVED, S.REJECTED},
    S.NEEDS_REVIEW: {S.DRAFT, S.APPROVED, S.REJECTED},
    S.NEEDS_CREDENTIAL: {S.DRAFT, S.NEEDS_REVIEW, S.APPROVED},
    S.APPROVED: {S.PUBLISHED, S.DRAFT, S.NEEDS_REVIEW, S.REJECTED},
    S.PUBLISHED: {S.APPROVED},
    S.REJECTED: {S.DRAFT, S.NEEDS_REVIEW, S.APPROVED},
}
PAIRS = [(old, new) for old, new in itertools.product(S, S) if old is not new]


def force(site, status: ItemStatus) -> None:
    """Put the item into any state, past the trigger: what follows is what is tested."""
    site.change("alter table items disable trigger items_move")
    site.change("update items set status = :status", status=status.value)
    site.change("alter table items enable trigger items_move")


def test_every_move_of_an_item_is_allowed_or_refused_as_the_states_say(site):
    site.scan({"title": "One"})
    done = {}
    for old, new in PAIRS:
        force(site, old)
        try:
            site.change("update items set status = :status", status=new.value)
            done[old, new] = None
        except StoreError as refused:
            done[old, new] = refused.sqlstate
    expected = {
        (old, new): None if new in ALLOWED[old] | {S.MISSING, S.STALE} else "DG002" for old, new in PAIRS
    }
    assert done == expected


def test_nothing_becomes_published_but_what_was_approved():
    assert [old for old in S if S.PUBLISHED in ALLOWED[old]] == [S.APPROVED]


@pytest.mark.parametrize("column", ["claim_seq", "source_revision"])
def test_the_fence_and_the_revision_only_rise(site, column: str):
    site.scan({"title": "One"})
    rise = {"claim_seq": "update items set claim_seq = claim_seq + 2",
            "source_revision": "update items set source_revision = source_revision + 2"}
    fall = {"claim_seq": "update items set claim_seq = claim_seq - 1",
            "source_revision": "update items set source_revision = source_revision - 1"}
    site.change(rise[column])
    with pytest.raises(StoreError) as refused:
        site.change(fall[column])
    assert refused.value.sqlstate == "DG001"


@pytest.mark.parametrize("count", [-1, 5])
def test_an_attempt_count_stays_within_its_budget(site, count: int):
    site.scan({"title": "One"})
    with pytest.raises(StoreError) as refused:
        site.change("update items set attempt_count = :count", count=count)
    assert refused.value.sqlstate == "23514"


def test_an_unknown_state_is_no_state(site):
    site.scan({"title": "One"})
    with pytest.raises(StoreError) as refused:
        site.change("update items set status = 'translated'")
    assert refused.value.sqlstate in {"23514", "DG002"}


def test_an_item_shows_only_a_text_of_its_own(site):
    site.scan({"title": "One", "body": "Two"})
    candidate_id = site.drafted("title")
    with pytest.raises(StoreError) as refused:
        site.change("update items set candidate_id = :candidate where field_name = 'body'", candidate=candidate_id)
    assert refused.value.sqlstate == "23503"


def test_a_turn_has_one_machine_candidate_and_persons_have_as_many_as_they_like(site):
    site.scan({"title": "One"})
    site.drafted("title", "Um")
    again = ("insert into candidates (item_id, source_revision, turn, origin, text, text_hash) "
             "select item_id, source_revision, turn, :origin, text, text_hash from candidates limit 1")
    site.change(again, origin="person")
    with pytest.raises(StoreError) as refused:
        site.change(again, origin="model")
    assert (refused.value.sqlstate, refused.value.constraint) == ("23505", "candidates_one_a_turn")


def test_a_text_is_stored_only_with_its_own_hash(site):
    site.scan({"title": "One"})
    site.drafted("title", "Um\r\nDois")
    for change in ("text = 'Outro'", "text_hash = repeat('0', 64)"):
        with pytest.raises(StoreError) as refused:
            site.change({"text = 'Outro'": "update candidates set text = 'Outro'",
                         "text_hash = repeat('0', 64)": "update candidates set text_hash = repeat('0', 64)"}[change])
        assert refused.value.sqlstate == "23514"
