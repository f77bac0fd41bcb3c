"""What a worker holds: its claims, and until when it may trust them."""

from __future__ import annotations

import threading
import time

from scheduler_service.domain.leases import LeaseTerms
from scheduler_service.store.claims import Claim


class Holding:
    """One claimed item in a worker's hands. Renewals and the working thread share it."""

    def __init__(self, claim: Claim, terms: LeaseTerms, asked_at: float) -> None:
        self.claim = claim
        self.is_started = False
        # The database went away under the work: the claim is given back, with its attempt, once it can be.
        self.is_dropped = False
        self._terms = terms
        self._trusted_until = terms.trusted_until(asked_at)
        self._ends_at = asked_at + terms.attempt_time.total_seconds()
        self._lost = threading.Event()

    def is_trusted(self) -> bool:
        """Return whether the lease can be relied on now; once false, it stays so unless a renewal succeeds."""
        return not self._lost.is_set() and time.monotonic() < self._trusted_until

    def may_be_renewed(self, monotonic_now: float) -> bool:
        """Return whether renewals go on: not lost, and the attempt's time isn't over."""
        return not self._lost.is_set() and monotonic_now < self._ends_at

    def renewed(self, asked_at: float) -> None:
        self._trusted_until = self._terms.trusted_until(asked_at)

    def lose(self) -> None:
        """Note that the claim has gone: its work stops before its next write or call."""
        self._lost.set()
