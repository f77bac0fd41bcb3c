"""Ends an attempt that brought no verdict: by the class of its code, in one fenced transaction."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy.engine import Connection

from scheduler_service.domain.attempts import Next, after_failure
from scheduler_service.domain.codes import CLASSES, CodeClass
from scheduler_service.domain.items import ItemStatus
from scheduler_service.errors import Code
from scheduler_service.store import candidates, credentials, finishes, work
from scheduler_service.store.claims import Claim
from scheduler_service.store.engine import Database

# Rate limits without a Retry-After: long enough for a per-minute window to move on.
COOL_DEFAULT = timedelta(seconds=20)


def fail(
    database: Database,
    claim: Claim,
    code: Code,
    *,
    credential_id: str,
    spread: float,
    now: datetime | None = None,
    retry_after: timedelta | None = None,
) -> Next | None:
    """End the attempt of `claim` with `code`; return what became of the item, None if the claim had gone.

    A halt code stops its credential in the same transaction; a rate limit cools it for every scheduler.
    """
    moment = now or datetime.now(UTC)

    def end(connection: Connection) -> Next | None:
        if CLASSES[code] is CodeClass.HALT:
            # Before the fence: the credential is as unusable for others, whoever holds this item.
            credentials.halt(connection, credential_id, code.value)
        elif code is Code.RATE_LIMITED:
            credentials.cool(connection, credential_id, retry_after or COOL_DEFAULT)
        if not work.hold(connection, claim):
            return None
        item = work.load_waiting(connection, claim)
        best = candidates.best(connection, claim.item_id, claim.source_revision)
        following = after_failure(
            code,
            attempt_count=claim.attempt_count,
            has_candidate=best is not None,
            spread=spread,
            retry_after=retry_after,
            waited=moment - item.waiting_since if item.waiting_since else timedelta(0),
            waits_in_a_row=item.unknown_count + 1,
        )
        if following.status is not None:
            needs_person = following.status is ItemStatus.NEEDS_REVIEW
            finishes.finish_if_held(
                connection, claim, status=following.status.value, event="attempts_ended",
                candidate_id=best.candidate_id if needs_person and best else None,
                score=best.score if needs_person and best else None,
                reasons=[following.code.value], turns=item.turns, code=following.code.value,
            )
            if following.gives_back:
                finishes.give_back(connection, claim)
        else:
            finishes.retry_if_held(
                connection, claim, code=following.code.value, delay=following.delay,
                gives_back=following.gives_back,
                is_waiting=CLASSES[code] in (CodeClass.WAIT, CodeClass.UNKNOWN, CodeClass.APPLY),
            )
        return following

    return database.transact(end, committed=lambda connection: _already_ended(connection, claim))


def _already_ended(connection: Connection, claim: Claim) -> Next | None:
    """After a broken COMMIT: an item without our lease was let go of by us, or taken from us."""
    if work.is_leased(connection, claim):
        return None
    return Next(None, None, False, Code.WORKER_LOST_LEASE)
