"""The way of one claimed item: rescan, turn after turn until a verdict passes or turns run out, final transaction."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.engine import Connection

from scheduler_service.domain.items import ItemStatus
from scheduler_service.store import candidates, finishes, work
from scheduler_service.store.candidates import CandidateRow
from scheduler_service.store.engine import Database
from scheduler_service.store.work import ItemText, TurnRow
from scheduler_service.working import texts
from scheduler_service.working.holding import Holding
from scheduler_service.working.paying import Failure, Payer
from scheduler_service.working.timing import Timing
from scheduler_service.working.translating import Translating
from scheduler_service.working.turn import Before, Superseded, TurnWork

# A reason on items whose engine would answer the same again: another turn needs another request.
ENGINE_CANNOT_VARY = "engine_cannot_vary"


@dataclass(frozen=True, slots=True)
class Done:
    """The item left its worker: `status` is its new status."""

    status: ItemStatus
    score: float | None


Ended = Done | Superseded | Failure


class ItemWork:
    """Carries one held item as far as it goes. Used once, by one thread."""

    def __init__(
        self,
        database: Database,
        translator: Translating,
        shelf: texts.GlossaryShelf,
        holding: Holding,
        worker_id: UUID,
        timing: Timing,
    ) -> None:
        self._translator = translator
        self._shelf = shelf
        self._claim = holding.claim
        self.payer = Payer(database, translator, holding, worker_id, timing)
        self.credential_id = ""
        self.source_characters = 0
        self.planned_calls = 0

    def run(self) -> Ended:
        """Do the work and return how it ended. Failures are values; the caller ends the attempt."""
        item = self.payer.read(lambda connection: work.load(connection, self._claim))
        if item is None:
            return Superseded()
        self.credential_id = item.credential_id
        self.source_characters = len(item.source_text)
        number = item.turns + 1
        if number > 1 or self._claim.source_revision > 1:
            self.payer.close_left_behind(number)
        while True:
            row = self._turn_row(number)
            before = self._before(number)
            if row is None and not self._would_vary(item, before):
                return self._finish_for_person(number - 1, (ENGINE_CANNOT_VARY,))
            turn = TurnWork(self._claim, item, number, self.payer, self._translator, self._shelf)
            ended = turn.run(row, before)
            self.planned_calls += turn.planned_calls
            self.credential_id = turn.credential_id
            if not isinstance(ended, CandidateRow):
                return ended
            if ended.verdict == "pass":
                return self._finish(ItemStatus.DRAFT, "drafted", ended, number, ended.reasons)
            if number >= item.turns_granted:
                return self._finish_for_person(number)
            number += 1

    def _turn_row(self, number: int) -> TurnRow | None:
        return self.payer.read(lambda connection: work.turn_row(connection, self._claim, number))

    def _before(self, number: int) -> Before:
        """Return what turn `number` may build on: the text of the turn before, and what was wrong with it by the
        judge's findings and by the gates. Nothing for the first."""
        if number == 1:
            return Before()

        def look(connection: Connection) -> Before:
            claim = self._claim
            text = candidates.of_turn(connection, claim.item_id, claim.source_revision, number - 1)
            gates = candidates.gates_of(connection, text.candidate_id) if text else []
            findings = candidates.findings_of(connection, text.candidate_id) if text else []
            return Before(
                work.turn_row(connection, claim, number - 1),
                text,
                (*(texts.finding_of(gate) for gate in gates if gate.is_open_hard), *findings),
                tuple(work.segments(connection, claim, number - 1)),
            )

        return self.payer.read(look)

    def _would_vary(self, item: ItemText, before: Before) -> bool:
        """Return whether another turn could bring another text: a deterministic engine needs another request."""
        if before.turn is None or not before.turn.is_deterministic:
            return True
        return before.turn.request_hash != texts.request_hash(item, self._claim.target_locale)

    # Endings ---------------------------------------------------------------------------------

    def _finish(
        self, status: ItemStatus, event: str, candidate: CandidateRow | None, turns: int, reasons: list[str]
    ) -> Ended:
        claim = self._claim

        def write(connection: Connection) -> bool:
            return finishes.finish_if_held(
                connection, claim, status=status.value, event=event,
                candidate_id=candidate.candidate_id if candidate else None,
                score=candidate.score if candidate else None, reasons=reasons, turns=turns,
                is_pass=status is ItemStatus.DRAFT,
            )

        finished = self.payer.transact(
            write, lambda connection: None if work.is_leased(connection, claim) else True, is_one_statement=True)
        return Done(status, candidate.score if candidate else None) if finished else Superseded()

    def _finish_for_person(self, turns: int, further_reasons: tuple[str, ...] = ()) -> Ended:
        """Out of turns: the best candidate so far goes to a person."""
        best = self.payer.read(lambda connection: candidates.best(
            connection, self._claim.item_id, self._claim.source_revision))
        reasons = [*(best.reasons if best else ()), *further_reasons]
        return self._finish(ItemStatus.NEEDS_REVIEW, "needs_person", best, turns, reasons)
