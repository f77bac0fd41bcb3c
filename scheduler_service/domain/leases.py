"""How long a claim holds, how often it is renewed, and when a worker stops trusting it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

# Two minutes: a dead worker's items come back soon, and three missed renewals in a row are needed to lose one.
LEASE = timedelta(minutes=2)
# A hung call can't hold an item for ever.
ATTEMPT_LIMIT_TIME = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class LeaseTerms:
    """`lease` is how long a claim or renewal holds, `attempt_time` how long renewals go on."""

    lease: timedelta = LEASE
    attempt_time: timedelta = ATTEMPT_LIMIT_TIME

    @property
    def renew_every(self) -> timedelta:
        """A quarter of the lease, so that two lost renewals in a row lose nothing."""
        return self.lease / 4

    @property
    def margin(self) -> timedelta:
        """How long before its end a worker stops trusting its own lease: a tenth, for clock drift
        and for the time a commit takes."""
        return self.lease / 10

    def trusted_until(self, asked_at: float) -> float:
        """Return the monotonic moment, in seconds, until which a claim or renewal sent at `asked_at` is trusted."""
        return asked_at + (self.lease - self.margin).total_seconds()
