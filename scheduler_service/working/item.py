"""The way of one claimed item: rescan, plan, generate, check, judge, verdict, final transaction.

Each step first looks for its stored result, so that a retry goes on where the last attempt stopped.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.engine import Connection

from scheduler_service.domain.calls import WHOLE, CallKind, Part
from scheduler_service.domain.items import ItemStatus
from scheduler_service.errors import Code
from scheduler_service.store import calls, candidates, finishes, work
from scheduler_service.store.candidates import CandidateRow
from scheduler_service.store.engine import Database
from scheduler_service.store.work import ItemText, SegmentRow, TurnRow
from scheduler_service.working import texts
from scheduler_service.working.holding import Holding
from scheduler_service.working.paying import Failure, Payer, Purchase
from scheduler_service.working.timing import Timing
from scheduler_service.working.translating import Translating, TranslatorCallError, free_code_of
from translator_service.domain.outcomes import Generation, Judgment
from translator_service.domain.requests import GenerationRequest, JudgmentRequest

# A reason on items whose engine would answer the same again: another turn needs another request.
ENGINE_CANNOT_VARY = "engine_cannot_vary"


@dataclass(frozen=True, slots=True)
class Done:
    """The item left its worker: `status` is its new status."""

    status: ItemStatus
    score: float | None


@dataclass(frozen=True, slots=True)
class Superseded:
    """The claim no longer stands: nothing more was written."""


Ended = Done | Superseded | Failure
_LOST = Superseded()


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
        self._database = database
        self._translator = translator
        self._shelf = shelf
        self._holding = holding
        self._claim = holding.claim
        self._timing = timing
        self.payer = Payer(database, translator, holding, worker_id, timing)
        self.credential_id = ""
        self.source_characters = 0
        self.planned_calls = 0

    def run(self) -> Ended:
        """Do the work and return how it ended. Failures are values; the caller ends the attempt."""
        item = self._read(lambda connection: work.load(connection, self._claim))
        if item is None:
            return _LOST
        self.credential_id = item.credential_id
        self.source_characters = len(item.source_text)
        turn = item.turns + 1
        while True:
            row = self._read(lambda connection, turn=turn: work.turn_row(connection, self._claim, turn))
            if row is None:
                planned = self._plan(item, turn)
                if not isinstance(planned, TurnRow):
                    return planned
                row = planned
            ended = self._turn(item, row)
            if not isinstance(ended, CandidateRow):
                return ended
            if ended.verdict == "pass":
                return self._finish(ItemStatus.DRAFT, "drafted", ended, turn, ended.reasons)
            if turn >= item.turns_granted:
                return self._finish_for_person(turn, ())
            turn += 1

    # Turn ------------------------------------------------------------------------------------

    def _plan(self, item: ItemText, turn: int) -> TurnRow | Ended:
        previous, before, findings = self._before(turn)
        same = texts.request_hash(item, self._claim.target_locale)
        if previous is not None and previous.is_deterministic and previous.request_hash == same:
            return self._finish_for_person(turn - 1, (ENGINE_CANNOT_VARY,))
        try:
            with self._timing.step("rpc"):
                plan = self._translator.plan(
                    texts.source_of(item, self._claim.target_locale), credential=item.credential_id
                )
        except TranslatorCallError as error:
            return Failure(free_code_of(error))
        if plan.ending is not None:
            return Failure(Code(plan.ending.code.value), plan.ending.retry_after)
        told = [before.text if before else "", item.person_note, *(f.reason + f.target_quote for f in findings)]
        row = TurnRow(
            turn=turn,
            request_hash=same if plan.is_deterministic
            else texts.request_hash(item, self._claim.target_locale, told=told),
            is_deterministic=plan.is_deterministic,
            glossary_version=item.glossary_version,
            provider=plan.provider,
            judge_worst_case_micros=plan.judge_worst_case_micros,
        )
        planned = [
            SegmentRow(
                ordinal, part.span.start, part.span.end, part.worst_case_micros, part.needs_call,
                None if part.needs_call else part.span.of(item.source_text), None,
            )
            for ordinal, part in enumerate(plan.segments)
        ]

        def write(connection: Connection) -> bool:
            if not work.hold(connection, self._claim):
                return False
            work.plan_turn(
                connection, self._claim, row, previous_candidate_id=before.candidate_id if before else None,
                person_note=item.person_note, segments=planned,
            )
            return True

        written = self._transact(write, lambda connection: work.turn_row(connection, self._claim, turn) and True)
        return row if written else _LOST

    def _before(self, turn: int) -> tuple[TurnRow | None, CandidateRow | None, list[candidates.FindingRow]]:
        """Return the turn before, the best candidate so far and what was found in it; nothing for turn 1."""
        if turn == 1:
            return None, None, []

        def look(connection: Connection) -> tuple[TurnRow | None, CandidateRow | None, list[candidates.FindingRow]]:
            previous = work.turn_row(connection, self._claim, turn - 1)
            best = candidates.best(connection, self._claim.item_id, self._claim.source_revision)
            return previous, best, candidates.findings_of(connection, best.candidate_id) if best else []

        return self._read(look)

    def _turn(self, item: ItemText, row: TurnRow) -> CandidateRow | Ended:
        """Generate, check and judge one turn; return its judged candidate."""
        key = (self._claim.item_id, self._claim.source_revision, row.turn)
        candidate = self._read(lambda connection: candidates.of_turn(connection, *key))
        if candidate is None:
            failed = self._generate(item, row)
            if failed is not None:
                return failed
            assembled = self._assemble(item, row)
            if assembled is not None:
                return assembled
            candidate = self._read(lambda connection: candidates.of_turn(connection, *key))
        if candidate is not None and candidate.verdict is None:
            failed = self._judge(item, row, candidate)
            if failed is not None:
                return failed
            candidate = self._read(lambda connection: candidates.of_turn(connection, *key))
        return candidate if candidate is not None else _LOST

    def _generate(self, item: ItemText, row: TurnRow) -> Ended | None:
        segments = self._read(lambda connection: work.segments(connection, self._claim, row.turn))
        self.planned_calls = sum(segment.needs_call for segment in segments) + 1
        earlier: dict[int, SegmentRow] = {}
        findings: list[candidates.FindingRow] = []
        if row.turn > 1:
            earlier = {segment.ordinal: segment for segment in self._read(
                lambda connection: work.segments(connection, self._claim, row.turn - 1))}
            before = self._read(lambda connection: candidates.of_turn(
                connection, self._claim.item_id, self._claim.source_revision, row.turn - 1))
            if before is not None:
                findings = self._read(lambda connection: candidates.findings_of(connection, before.candidate_id))
        for segment in segments:
            if segment.text is not None:
                continue
            answer = self.payer.buy(self._generation(item, row, segment, earlier.get(segment.ordinal), findings))
            if isinstance(answer, Failure):
                return answer if answer.code is not Code.WORKER_LOST_LEASE else _LOST
        return None

    def _generation(
        self,
        item: ItemText,
        row: TurnRow,
        segment: SegmentRow,
        earlier: SegmentRow | None,
        findings: list[candidates.FindingRow],
    ) -> Purchase[Generation]:
        claim = self._claim
        source = texts.source_of(item, claim.target_locale, segment)
        terminology = self._terminology(item, row)

        def send(call_id: UUID) -> Generation:
            return self._translator.generate(GenerationRequest(
                call_id=str(call_id), credential=item.credential_id, source=source, terminology=terminology,
                turn=row.turn, previous_text=(earlier.text or "") if earlier else "",
                findings=texts.findings_for(findings, segment), person_note=item.person_note,
            ))

        def keep(connection: Connection, answer: Generation, call_id: UUID) -> None:  # Tx1
            work.store_segment(
                connection, claim, turn=row.turn, ordinal=segment.ordinal, target=answer.text, call_id=call_id
            )

        part = Part(claim.item_id, claim.source_revision, row.turn, segment.ordinal, CallKind.GENERATE)
        return Purchase(part, item.credential_id, segment.worst_case_micros, send, keep)

    def _assemble(self, item: ItemText, row: TurnRow) -> Ended | None:
        """Join the stored segments, run the gates on the whole, and store both as the turn's candidate."""
        claim = self._claim
        segments = self._read(lambda connection: work.segments(connection, claim, row.turn))
        target = "".join(segment.text or "" for segment in segments)
        try:
            with self._timing.step("check"):
                results = self._translator.check(
                    texts.source_of(item, claim.target_locale), target, self._terminology(item, row)
                )
        except TranslatorCallError as error:
            return Failure(free_code_of(error))
        gates = texts.gate_rows(results)
        failed = [gate.gate for gate in gates if gate.is_open_hard]

        def write(connection: Connection) -> bool:
            if not work.hold(connection, claim):
                return False
            candidate_id = candidates.add(
                connection, item_id=claim.item_id, source_revision=claim.source_revision, turn=row.turn,
                origin="model", target=target, provider=row.provider, glossary_version=row.glossary_version,
            )
            if candidate_id is not None:
                candidates.add_gates(connection, candidate_id, gates)
                if failed:
                    # A failed hard gate is score 0, and never costs a judge's call.
                    candidates.set_verdict(connection, candidate_id, "fail", 0.0, failed)
                    finishes.use_turn(connection, claim, row.turn)
                calls.mark_used(
                    connection, [s.call_id for s in segments if s.call_id is not None], is_applied=True
                )
            return True

        written = self._transact(write, lambda connection: candidates.of_turn(
            connection, claim.item_id, claim.source_revision, row.turn) is not None or None)
        return None if written else _LOST

    def _judge(self, item: ItemText, row: TurnRow, candidate: CandidateRow) -> Ended | None:
        claim = self._claim
        request_source = texts.source_of(item, claim.target_locale)
        terminology = self._terminology(item, row)

        def send(call_id: UUID) -> Judgment:
            return self._translator.judge(JudgmentRequest(
                call_id=str(call_id), credential=item.judge_credential_id, source=request_source,
                candidate=candidate.text, terminology=terminology, ordinal=1, pass_score=item.pass_score,
            ))

        def keep(connection: Connection, answer: Judgment, call_id: UUID) -> None:  # Tx2
            judgment = texts.judgment_row(
                answer, turn=row.turn, ordinal=1, call_id=call_id, glossary_version=row.glossary_version)
            if candidates.add_judgment(connection, candidate.candidate_id, judgment):
                calls.mark_used(connection, [call_id], is_applied=True)
                candidates.set_verdict(
                    connection, candidate.candidate_id, judgment.verdict, judgment.score, judgment.reasons)
            if judgment.verdict != "pass":
                finishes.use_turn(connection, claim, row.turn)
            work.note_progress(connection, claim)

        part = Part(claim.item_id, claim.source_revision, row.turn, WHOLE, CallKind.JUDGE)
        answer = self.payer.buy(Purchase(part, item.judge_credential_id, row.judge_worst_case_micros, send, keep))
        if isinstance(answer, Failure):
            self.credential_id = item.judge_credential_id
            return answer if answer.code is not Code.WORKER_LOST_LEASE else _LOST
        return None

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

        finished = self._transact(write, lambda connection: None if work.is_leased(connection, claim) else True)
        return Done(status, candidate.score if candidate else None) if finished else _LOST

    def _finish_for_person(self, turns: int, further_reasons: tuple[str, ...]) -> Ended:
        """Out of turns: the best candidate so far goes to a person."""
        best = self._read(lambda connection: candidates.best(
            connection, self._claim.item_id, self._claim.source_revision))
        reasons = [*(best.reasons if best else ()), *further_reasons]
        return self._finish(ItemStatus.NEEDS_REVIEW, "needs_person", best, turns, reasons)

    def _terminology(self, item: ItemText, row: TurnRow):  # type: ignore[no-untyped-def]
        """The turn's own glossary version: generation and judgment see the same."""
        return self._shelf.get(
            self._claim.site_id, self._claim.target_locale, row.glossary_version, item.forbidden_terms
        )

    def _read(self, look):  # type: ignore[no-untyped-def]
        with self._timing.step("store"):
            return self._database.read(look)

    def _transact(self, change, committed):  # type: ignore[no-untyped-def]
        with self._timing.step("store"):
            return self._database.transact(change, committed=committed)
