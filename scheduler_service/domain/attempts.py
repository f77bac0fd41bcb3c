"""What uses an attempt, when the next one comes, and how used-up attempts end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from scheduler_service.domain.codes import CLASSES, PROVIDER_CODES, CodeClass
from scheduler_service.domain.items import ItemStatus
from scheduler_service.errors import Code

# Enough to outlast a hiccup, few enough that nothing is bought for ever. The schema checks it too.
ATTEMPT_LIMIT = 4
# After attempts 1, 2 and 3.
DELAYS = (timedelta(minutes=1), timedelta(minutes=2), timedelta(minutes=4))
# Waiting (rate limits, unreachable services) is bounded by time, not by attempts.
WAIT_LIMIT = timedelta(hours=24)
# First wait after an outcome that isn't the item's fault; doubled each time in a row, up to the second.
WAIT_FIRST = timedelta(seconds=2)
WAIT_MOST = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Next:
    """What becomes of an item after a failed attempt.

    `status` None keeps the status. `delay` None means no further attempt by itself. `gives_back` returns
    the attempt that the claim took. `halts` stops the credential for everybody.
    """

    status: ItemStatus | None
    delay: timedelta | None
    gives_back: bool
    code: Code
    halts: bool = False


def backoff(attempt_count: int, spread: float) -> timedelta:
    """Return the pause after attempt `attempt_count` (1 to 3): 1, 2 or 4 minutes, times 0.8 to 1.2.

    `spread` is a random number from 0 to 1: after an outage, thousands would otherwise be due at once.
    """
    return DELAYS[min(max(attempt_count, 1), len(DELAYS)) - 1] * (0.8 + 0.4 * spread)


def patience(times_in_a_row: int, spread: float) -> timedelta:
    """Return the pause before trying again what was nobody's fault, doubling from 2 s to 5 min."""
    doubled = WAIT_FIRST * 2 ** min(max(times_in_a_row - 1, 0), 10)
    return min(doubled, WAIT_MOST) * (0.8 + 0.4 * spread)


def after_failure(
    code: Code,
    *,
    attempt_count: int,
    has_candidate: bool,
    spread: float,
    retry_after: timedelta | None = None,
    waited: timedelta = timedelta(0),
    waits_in_a_row: int = 1,
) -> Next:
    """Decide what becomes of an item whose attempt ended with `code`.

    `attempt_count` includes the attempt that just failed. `waited` is how long this revision has been
    waiting for things that are nobody's fault, `waits_in_a_row` how often.
    """
    kind = CLASSES[code]
    if kind in (CodeClass.HALT, CodeClass.PARK):
        return Next(ItemStatus.NEEDS_CREDENTIAL, None, True, code, halts=kind is CodeClass.HALT)
    if kind in (CodeClass.WAIT, CodeClass.UNKNOWN):
        if kind is CodeClass.WAIT and waited >= WAIT_LIMIT:
            return Next(ItemStatus.NEEDS_CREDENTIAL, None, True, Code.WORKER_WAITED_TOO_LONG)
        return Next(None, max(retry_after or timedelta(0), patience(waits_in_a_row, spread)), True, code)
    if kind is CodeClass.VOID:
        return Next(None, timedelta(0), True, code)
    if kind is CodeClass.APPLY:
        return Next(None, patience(waits_in_a_row, spread), True, code)
    if kind is CodeClass.CEILING:
        if code is Code.ITEM_CEILING:
            return Next(ItemStatus.NEEDS_REVIEW if has_candidate else None, None, True, code)
        return Next(None, WAIT_MOST, True, code)
    if kind is CodeClass.TERMINAL:
        return Next(ItemStatus.NEEDS_REVIEW if has_candidate else None, None, False, code)
    if attempt_count < ATTEMPT_LIMIT:
        return Next(None, max(retry_after or timedelta(0), backoff(attempt_count, spread)), False, code)
    return used_up(code, has_candidate=has_candidate)


def used_up(code: Code, *, has_candidate: bool) -> Next:
    """Decide how an item ends whose attempts are used up; `code` is the last error."""
    if has_candidate:
        return Next(ItemStatus.NEEDS_REVIEW, None, False, code)
    if code in PROVIDER_CODES:
        return Next(ItemStatus.NEEDS_CREDENTIAL, None, False, code)
    return Next(None, None, False, code)
