"""How a worker writes the ledger's ends: refused, withdrawn, booked, written off. Each in one transaction of its own.

Ends are written whoever holds the item now: what was paid for is booked, what did no work is released.
"""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.engine import Connection

from scheduler_service.domain.calls import CallState, Spent
from scheduler_service.errors import Code
from scheduler_service.store import budgets, calls
from scheduler_service.store.engine import Database
from scheduler_service.working.timing import Timing
from translator_service.domain.outcomes import Generation, Judgment
from translator_service.errors import Ending


class Books:
    """Reads and writes the database for one held item, and keeps the time that takes."""

    def __init__(self, database: Database, timing: Timing) -> None:
        self._database = database
        self.timing = timing

    def transact(self, change, committed, *, is_one_statement=False):  # type: ignore[no-untyped-def]
        with self.timing.step("store"):
            return self._database.transact(
                change, committed=committed or (lambda connection: None), is_one_statement=is_one_statement)

    def read(self, look):  # type: ignore[no-untyped-def]
        with self.timing.step("store"):
            return self._database.read(look)

    def refuse(self, call_id: UUID, code: Code, resolved_by: str | None = None) -> None:
        """End a call of which it is proven that no work was done, and release its money."""

        def end(connection: Connection) -> bool:
            if calls.refuse(connection, call_id, code, resolved_by):
                budgets.release(connection, call_id)
            return True

        self.transact(end, lambda connection: calls.is_ended(connection, call_id) or None)

    def withdraw(self, call_id: UUID) -> bool:
        """End a call that was never dispatched; False when its worker has dispatched it after all."""

        def end(connection: Connection) -> bool:
            is_ended = calls.withdraw(connection, call_id, Code.WORKER_LOST_LEASE, "never_dispatched")
            if is_ended:
                budgets.release(connection, call_id)
            return is_ended

        return self.transact(end, lambda connection: calls.is_in(connection, call_id, CallState.REFUSED))

    def book_unused(self, call_id: UUID, answer: Generation | Judgment) -> None:
        """Settle a call whose answer nobody waits for any more."""
        if answer.ending is not None and not answer.ending.was_sent:
            return self.refuse(call_id, Code.SUPERSEDED, "translator")
        spent = spent_of(answer)

        def book(connection: Connection) -> bool:
            settle(connection, call_id, spent, calls.store(
                connection, call_id, spent, CallState.UNUSED, code=Code.SUPERSEDED, resolved_by="translator"))
            return True

        self.transact(book, lambda connection: calls.is_ended(connection, call_id) or None)

    def write_off_free(self, call_id: UUID) -> None:
        """Close a call that can cost nothing and of which nobody knows."""

        def end(connection: Connection) -> bool:
            calls.mark_unknown(connection, call_id, Code.SUPERSEDED)
            calls.write_off(connection, call_id, "free")
            return True

        self.transact(end, lambda connection: calls.is_ended(connection, call_id) or None)


def is_unknown(ending: Ending | None) -> bool:
    """Return whether an ending says that nobody knows."""
    return ending is not None and ending.code.value == Code.OUTCOME_UNKNOWN.value


def settle(connection: Connection, call_id: UUID, spent: Spent, reserved_micros: int | None) -> None:
    """Settle with the budgets: not for a call that had ended before, nor for one that held and cost nothing."""
    if reserved_micros is not None and (reserved_micros or spent.cost_micros):
        budgets.settle(connection, call_id, spent.cost_micros)


def spent_of(answer: Generation | Judgment) -> Spent:
    """Return what an answer says of its own cost."""
    usage = answer.usage
    return Spent(
        cost_micros=usage.cost_micros, is_estimated=usage.is_estimated, input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens, provider=answer.provider, engine=usage.engine,
        provider_request_id=usage.provider_request_id, provider_response_id=usage.provider_response_id,
        boot_id=answer.boot_id,
    )
