"""One paid call, exactly: intent, dispatch, answer stored before anything else may fail.

The order is the promise: reserve and write the intent in one transaction; mark it dispatched as the last
act before the RPC; keep the answer and settle in one transaction (Tx1 or Tx2). What an earlier attempt
left open is asked for first, and bought again only where the duplicate allowance covers it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Generic, TypeVar
from uuid import UUID, uuid4

from sqlalchemy.engine import Connection

from scheduler_service.domain.calls import CallKind, CallState, OpenCall, Part, may_buy_again
from scheduler_service.errors import Code
from scheduler_service.store import budgets, calls, work
from scheduler_service.store.engine import Database
from scheduler_service.working.books import Books, is_unknown, settle, spent_of
from scheduler_service.working.holding import Holding
from scheduler_service.working.timing import Timing
from scheduler_service.working.translating import CallOutcomeUnknown, Translating, TranslatorCallError, code_of
from translator_service.domain.outcomes import CallFate, Generation, Judgment
from translator_service.errors import Ending

A = TypeVar("A", Generation, Judgment)

# Ways to end without an answer that nevertheless cost money: the provider did the work.
_PAID_ENDINGS = frozenset({Code.EMPTY_RESPONSE, Code.TRUNCATED, Code.REFUSED, Code.CONTENT_FILTERED,
                           Code.INVALID_RESPONSE, Code.INVALID_TEXT, Code.MASK_LOST, Code.TOO_LONG})


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer. `code` decides what becomes of the item."""

    code: Code
    retry_after: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Purchase(Generic[A]):
    """What to buy and what to do with it.

    `send` makes the RPC under a call id; `keep` writes a usable answer in the transaction that settles it.
    `is_free`: it can cost nothing, so that a lost answer may be asked for again. `may_be_open` False: no earlier
    attempt can have left a call of this part open.
    """

    part: Part
    credential_id: str
    worst_case_micros: int
    is_free: bool
    send: Callable[[UUID], A]
    keep: Callable[[Connection, A, UUID], None]
    may_be_open: bool = True
    kept_as: CallState = CallState.STORED


class Payer(Books):
    """Buys for one held item."""

    def __init__(
        self, database: Database, translator: Translating, holding: Holding, worker_id: UUID, timing: Timing
    ) -> None:
        super().__init__(database, timing)
        self._translator = translator
        self._holding = holding
        self._worker_id = worker_id
        # The translator process that answered last: named in a call, it makes "never sent" a proof.
        self.boot_id = ""
        self.calls_made = 0
        self.cost_micros = 0

    def buy(self, purchase: Purchase[A]) -> tuple[A, UUID] | Failure:
        """Return a usable, durably kept answer and its call, or why there is none."""
        is_rebuy = False
        left_open = self.read(
            lambda connection: calls.open_call(connection, purchase.part)) if purchase.may_be_open else None
        if left_open is not None:
            settled = self._settle_left_open(left_open, purchase)
            if not isinstance(settled, bool):
                return settled
            is_rebuy = settled
        call_id = uuid4()
        reserved = self.transact(
            lambda connection: self._reserve(connection, call_id, purchase, is_rebuy),
            lambda connection: calls.is_in(connection, call_id, CallState.RESERVED),
            is_one_statement=purchase.worst_case_micros == 0,
        )
        if isinstance(reserved, Failure):
            return reserved
        if not self._holding.is_trusted():
            self.refuse(call_id, Code.WORKER_LOST_LEASE)
            return Failure(Code.WORKER_LOST_LEASE)
        if not self.transact(lambda connection: calls.dispatch(connection, call_id, self.boot_id),
                              lambda connection: calls.is_in(connection, call_id, CallState.DISPATCHED),
                              is_one_statement=True):
            return Failure(Code.WORKER_LOST_LEASE)
        return self._send(call_id, purchase)

    def _reserve(
        self, connection: Connection, call_id: UUID, purchase: Purchase[A], is_rebuy: bool
    ) -> Failure | bool:
        claim = self._holding.claim
        is_held = calls.reserve(
            connection, call_id=call_id, part=purchase.part, credential_id=purchase.credential_id,
            site_id=claim.site_id, claim_seq=claim.claim_seq, worker_id=self._worker_id,
            reserved_micros=purchase.worst_case_micros, is_rebuy=is_rebuy, is_free=purchase.is_free,
        )
        if not is_held:
            # Held all the same: then another worker's answer came in just now, and the next attempt finds it.
            still_held = work.hold(connection, claim)
            return Failure(Code.OUTCOME_UNKNOWN if still_held else Code.WORKER_LOST_LEASE)
        short = budgets.hold(
            connection, call_id=call_id, item_id=claim.item_id, site_id=claim.site_id,
            credential_id=purchase.credential_id, micros=purchase.worst_case_micros,
        )
        if short is not None:
            calls.refuse(connection, call_id, Code.CEILING)
            return Failure(Code.ITEM_CEILING if short.scope == "item" else Code.CEILING)
        return True

    def _send(self, call_id: UUID, purchase: Purchase[A]) -> tuple[A, UUID] | Failure:
        self.calls_made += 1
        try:
            with self.timing.step("rpc"):
                answer = purchase.send(call_id)
        except CallOutcomeUnknown:
            self.transact(lambda connection: calls.mark_unknown(connection, call_id, Code.OUTCOME_UNKNOWN), None)
            return Failure(Code.OUTCOME_UNKNOWN)
        except TranslatorCallError as error:
            # Proven: no work was done.
            self.refuse(call_id, code_of(error))
            return Failure(code_of(error))
        self.timing.add("engine", answer.engine_duration)
        return self._book(call_id, answer, purchase, resolved_by=None)

    def _book(self, call_id: UUID, answer: A, purchase: Purchase[A], resolved_by: str | None) -> tuple[A, UUID] | Failure:
        ending = answer.ending
        if ending is not None:
            return self._book_ending(call_id, answer, ending, purchase, resolved_by)
        spent = spent_of(answer)
        self.cost_micros += spent.cost_micros

        def keep(connection: Connection) -> bool:
            # The item's row first, budgets last: the order of a reservation.
            purchase.keep(connection, answer, call_id)
            settle(connection, call_id, spent, calls.store(
                connection, call_id, spent, purchase.kept_as, resolved_by=resolved_by))
            return True

        self.transact(keep, lambda connection: calls.is_ended(connection, call_id) or None)
        return answer, call_id

    def _book_ending(
        self, call_id: UUID, answer: A, ending: Ending, purchase: Purchase[A], resolved_by: str | None
    ) -> Failure:
        code = Code(ending.code.value)
        has_usage = answer.usage.input_tokens is not None
        if code is Code.UNEXPECTED and ending.was_sent and not purchase.is_free and not has_usage:
            # Our own fault after sending: the provider may have charged for it all the same.
            code = Code.OUTCOME_UNKNOWN
        if not ending.was_sent:
            self.refuse(call_id, code, resolved_by)
        elif code in _PAID_ENDINGS or (code is Code.UNEXPECTED and has_usage):
            spent = spent_of(answer)
            self.cost_micros += spent.cost_micros

            def book(connection: Connection) -> bool:
                settle(connection, call_id, spent, calls.store(
                    connection, call_id, spent, CallState.UNUSED, code=code, resolved_by=resolved_by))
                return True

            self.transact(book, lambda connection: calls.is_ended(connection, call_id) or None)
        elif code is Code.OUTCOME_UNKNOWN:
            self.transact(lambda connection: calls.mark_unknown(connection, call_id, code), None)
        else:
            # A documented refusal (429, 401, quota …): the provider says that it did no work.
            self.refuse(call_id, code, resolved_by)
        return Failure(code, ending.retry_after)

    def _settle_left_open(self, left: OpenCall, purchase: Purchase[A]) -> tuple[A, UUID] | Failure | bool:
        """Find out what became of a call that an earlier attempt left open.

        A bool means that it may be bought now: True for what may have been bought before.
        """
        if left.state is CallState.RESERVED and self.withdraw(left.call_id):
            return False
        try:
            with self.timing.step("rpc"):
                resolution = self._translator.resolve(str(left.call_id), left.boot_id)
        except TranslatorCallError:
            return Failure(Code.TRANSLATOR_UNREACHABLE)
        if resolution.fate is CallFate.RUNNING:
            return Failure(Code.OUTCOME_UNKNOWN)
        answer = resolution.generated if purchase.part.kind is CallKind.GENERATE else resolution.judged
        if resolution.fate is CallFate.DONE and answer is not None and not is_unknown(answer.ending):
            return self._book(left.call_id, answer, purchase, resolved_by="translator")
        if resolution.fate is CallFate.NEVER_SENT:
            self.refuse(left.call_id, Code.WORKER_LOST_LEASE, "translator")
            return False
        return self._give_up(left, purchase)

    def close_left_behind(self, turn: int) -> None:
        """Book what earlier revisions and turns of the item left open, as far as the translator knows of it.

        Nobody waits for those answers, but their money is held. What can cost nothing is closed at once; what stays
        unknown stays in the books until an operator decides.
        """
        claim = self._holding.claim
        for left in self.read(
            lambda connection: calls.left_behind(connection, claim.item_id, claim.source_revision, turn)
        ):
            if left.state is CallState.RESERVED and self.withdraw(left.call_id):
                continue
            try:
                with self.timing.step("rpc"):
                    resolution = self._translator.resolve(str(left.call_id), left.boot_id)
            except TranslatorCallError:
                continue
            answer = resolution.generated or resolution.judged
            if resolution.fate is CallFate.NEVER_SENT:
                self.refuse(left.call_id, Code.SUPERSEDED, "translator")
            elif resolution.fate is CallFate.DONE and answer is not None and not is_unknown(answer.ending):
                self.book_unused(left.call_id, answer)
            elif resolution.fate is CallFate.NOT_KNOWN_HERE and left.is_free:
                self.write_off_free(left.call_id)

    def _give_up(self, left: OpenCall, purchase: Purchase[A]) -> Failure | bool:
        """Nobody knows. Buy again only what the duplicate allowance covers; otherwise it stays unknown."""

        def decide(connection: Connection) -> Failure | bool:
            # Whoever lost the item has no say in what its new holder is just buying.
            if not work.hold(connection, self._holding.claim):
                return Failure(Code.WORKER_LOST_LEASE)
            calls.mark_unknown(connection, left.call_id, Code.OUTCOME_UNKNOWN)
            allowance = calls.allowance_left(connection, purchase.credential_id)
            if not may_buy_again(left.reserved_micros, allowance, is_free=left.is_free):
                return Failure(Code.OUTCOME_UNKNOWN)
            written_off = calls.write_off(connection, left.call_id, "allowance")
            if written_off is None:
                # Its answer came in just now; the next attempt finds it.
                return Failure(Code.OUTCOME_UNKNOWN)
            if written_off:
                budgets.write_off(connection, left.call_id, written_off)
            return True

        return self.transact(decide, lambda connection: calls.is_ended(connection, left.call_id) or None)
