"""A lease is renewed often enough, and distrusted early enough."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from scheduler_service.domain.leases import LEASE, LeaseTerms

TERMS = st.builds(LeaseTerms, st.timedeltas(min_value=timedelta(seconds=2), max_value=timedelta(hours=1)))


@given(terms=TERMS)
def test_two_renewals_in_a_row_may_fail_and_the_third_still_comes_in_time(terms: LeaseTerms):
    assert 3 * terms.renew_every < terms.lease - terms.margin


@given(terms=TERMS, asked_at=st.floats(0, 1e7))
def test_a_worker_stops_trusting_its_lease_before_the_database_does(terms: LeaseTerms, asked_at: float):
    trusted_for = terms.trusted_until(asked_at) - asked_at
    ends_after = terms.lease.total_seconds()
    # Counted from before the claim was sent, so the database's own end is later still.
    assert trusted_for < ends_after
    assert ends_after - trusted_for >= terms.margin.total_seconds() * 0.99


def test_a_dead_workers_items_are_back_in_two_minutes():
    assert LEASE == timedelta(minutes=2)
    assert LeaseTerms().attempt_time == timedelta(minutes=30)
