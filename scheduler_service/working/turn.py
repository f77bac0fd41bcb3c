"""One turn of a held item: plan, generate each segment, check the whole, judge it.

Each step first looks for its stored result, so that a retry goes on where the last attempt stopped. A turn that
this very attempt planned can have no stored results yet, and isn't searched for any.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy.engine import Connection

from scheduler_service.domain.calls import WHOLE, CallKind, CallState, Part
from scheduler_service.errors import Code
from scheduler_service.store import calls, candidates, finishes, work
from scheduler_service.store.candidates import CandidateRow, FindingRow
from scheduler_service.store.claims import Claim
from scheduler_service.store.work import ItemText, SegmentRow, TurnRow
from scheduler_service.working import quoting, texts
from scheduler_service.working.paying import Failure, Payer, Purchase
from scheduler_service.working.translating import Translating, TranslatorCallError, free_code_of
from translator_service.domain.outcomes import Generation, Judgment
from translator_service.domain.requests import GenerationRequest, JudgmentRequest, Terminology


@dataclass(frozen=True, slots=True)
class Superseded:
    """The claim no longer stands: nothing more was written."""


@dataclass(frozen=True, slots=True)
class Before:
    """What a turn may build on: the turn before, its candidate and what was found in it."""

    turn: TurnRow | None = None
    text: CandidateRow | None = None
    findings: tuple[FindingRow, ...] = ()
    segments: tuple[SegmentRow, ...] = ()


class TurnWork:
    """Carries one turn to a judged candidate. Used once, by one thread."""

    def __init__(
        self,
        claim: Claim,
        item: ItemText,
        number: int,
        payer: Payer,
        translator: Translating,
        shelf: texts.GlossaryShelf,
    ) -> None:
        self._claim = claim
        self._item = item
        self._number = number
        self._payer = payer
        self._translator = translator
        self._shelf = shelf
        self._is_new = False
        self._source = texts.source_of(item, claim.target_locale)
        self.planned_calls = 0
        self.credential_id = item.credential_id

    def run(self, row: TurnRow | None, before: Before) -> CandidateRow | Failure | Superseded:
        """Return the turn's candidate with its verdict, or why there is none. `row` None: not planned yet."""
        candidate = None
        if row is not None:
            key = (self._claim.item_id, self._claim.source_revision, self._number)
            candidate = self._payer.read(lambda connection: candidates.of_turn(connection, *key))
            if candidate is not None and candidate.verdict is not None:
                return candidate
        quote = quoting.ask(self._translator, self._payer, self._item, self._source)
        if isinstance(quote, quoting.NoQuote):
            return self._blame(quote)
        planned = self._plan(quote, before) if row is None else self._resume(quote, row)
        if planned is None:
            return Superseded()
        if isinstance(planned, quoting.NoQuote):
            return self._blame(planned)
        row, segments = planned
        self.planned_calls = sum(segment.needs_call for segment in segments) + 1
        terminology = self._shelf.get(self._claim.site_id, self._claim.target_locale, row.glossary_version)
        if candidate is None:
            generated = self._generate(row, segments, before, terminology)
            if isinstance(generated, Failure):
                return _lost_or(generated)
            candidate = self._assemble(row, generated, terminology)
            if not isinstance(candidate, CandidateRow) or candidate.verdict is not None:
                return candidate
        return self._judge(row, candidate, terminology)

    def _blame(self, none: quoting.NoQuote) -> Failure:
        self.credential_id = none.credential_id
        return none.failure

    def _plan(self, quote: quoting.Quote, before: Before) -> tuple[TurnRow, list[SegmentRow]] | None:
        self._is_new = True
        told = (before.text.text if before.text else "", self._item.person_note,
                *(finding.reason + finding.target_quote for finding in before.findings))
        return quoting.plan_turn(
            self._payer, self._claim, self._item, quote, number=self._number, told=told,
            previous_candidate_id=before.text.candidate_id if before.text else None,
        )

    def _resume(
        self, quote: quoting.Quote, row: TurnRow
    ) -> tuple[TurnRow, list[SegmentRow]] | quoting.NoQuote | None:
        segments = self._payer.read(lambda connection: work.segments(connection, self._claim, self._number))
        return quoting.price_again(
            self._translator, self._payer, self._claim, self._item, quote, row, segments)

    def _generate(
        self, row: TurnRow, segments: list[SegmentRow], before: Before, terminology: Terminology
    ) -> list[SegmentRow] | Failure:
        """Return the segments with their texts, buying only those that have none."""
        earlier = {segment.ordinal: segment.text or "" for segment in before.segments}
        done: list[SegmentRow] = []
        for segment in segments:
            if segment.text is None:
                bought = self._payer.buy(
                    self._generation(row, segment, earlier.get(segment.ordinal, ""), before, terminology))
                if isinstance(bought, Failure):
                    return bought
                answer, call_id = bought
                segment = replace(segment, text=answer.text, call_id=call_id)
            done.append(segment)
        return done

    def _generation(
        self, row: TurnRow, segment: SegmentRow, previous_text: str, before: Before, terminology: Terminology
    ) -> Purchase[Generation]:
        claim, item, number = self._claim, self._item, self._number
        source = texts.source_of(item, claim.target_locale, segment)

        def send(call_id: UUID) -> Generation:
            return self._translator.generate(GenerationRequest(
                call_id=str(call_id), boot_id=self._payer.boot_id, credential=item.credential_id, source=source,
                terminology=terminology,
                turn=number, previous_text=previous_text, person_note=item.person_note,
                findings=texts.findings_for(before.findings, segment),
            ))

        def keep(connection: Connection, answer: Generation, call_id: UUID) -> None:  # Tx1
            work.store_segment(
                connection, claim, turn=number, ordinal=segment.ordinal, target=answer.text, call_id=call_id)

        part = Part(claim.item_id, claim.source_revision, number, segment.ordinal, CallKind.GENERATE)
        return Purchase(
            part, item.credential_id, segment.worst_case_micros, row.is_free, send, keep,
            may_be_open=not self._is_new,
        )

    def _assemble(
        self, row: TurnRow, segments: list[SegmentRow], terminology: Terminology
    ) -> CandidateRow | Failure | Superseded:
        """Join the segments, run the gates on the whole, and store both as the turn's candidate."""
        claim = self._claim
        target = "".join(segment.text or "" for segment in segments)
        try:
            with self._payer.timing.step("check"):
                gates = texts.gate_rows(self._translator.check(self._source, target, terminology))
        except TranslatorCallError as error:
            return Failure(free_code_of(error))
        failed = [gate.reason for gate in gates if gate.is_open_hard]

        def write(connection: Connection) -> bool:
            if not work.hold(connection, claim):
                return False
            used = [segment.call_id for segment in segments if segment.call_id is not None]
            candidate_id = candidates.add(
                connection, item_id=claim.item_id, source_revision=claim.source_revision, turn=row.turn,
                origin="model", target=target, provider=row.provider, engine=calls.engines(connection, used),
                glossary_version=row.glossary_version,
            )
            if candidate_id is None:
                return True
            candidates.add_gates(connection, candidate_id, gates)
            if failed:
                # A failed hard gate is score 0, and never costs a judge's call.
                candidates.set_verdict(connection, candidate_id, "fail", 0.0, failed)
                finishes.use_turn(connection, claim, row.turn)
            calls.mark_used(connection, used, is_applied=True)
            return True

        def look(connection: Connection) -> CandidateRow | None:
            return candidates.of_turn(connection, claim.item_id, claim.source_revision, row.turn)

        if not self._payer.transact(write, lambda connection: look(connection) is not None or None):
            return Superseded()
        return self._payer.read(look) or Superseded()

    def _judge(
        self, row: TurnRow, candidate: CandidateRow, terminology: Terminology
    ) -> CandidateRow | Failure | Superseded:
        """Return the candidate with the verdict that code made from the judge's findings."""
        claim, item = self._claim, self._item

        def send(call_id: UUID) -> Judgment:
            return self._translator.judge(JudgmentRequest(
                call_id=str(call_id), boot_id=self._payer.boot_id, credential=item.judge_credential_id,
                source=self._source,
                candidate=candidate.text, terminology=terminology, ordinal=1, pass_score=item.pass_score,
            ))

        def keep(connection: Connection, answer: Judgment, call_id: UUID) -> None:  # Tx2
            judgment = texts.judgment_row(
                answer, turn=row.turn, ordinal=1, call_id=call_id, glossary_version=row.glossary_version)
            if candidates.add_judgment(connection, candidate.candidate_id, judgment):
                candidates.set_verdict(
                    connection, candidate.candidate_id, judgment.verdict, judgment.score, judgment.reasons)
            if judgment.verdict != "pass":
                finishes.use_turn(connection, claim, row.turn)
            work.note_progress(connection, claim)

        part = Part(claim.item_id, claim.source_revision, row.turn, WHOLE, CallKind.JUDGE)
        bought = self._payer.buy(Purchase(
            part, item.judge_credential_id, row.judge_worst_case_micros, row.judge_is_free, send, keep,
            may_be_open=not self._is_new, kept_as=CallState.APPLIED,
        ))
        if isinstance(bought, Failure):
            self.credential_id = item.judge_credential_id
            return _lost_or(bought)
        answer, _call_id = bought
        return replace(
            candidate, verdict=answer.verdict.value, score=answer.score, reasons=list(answer.reasons))


def _lost_or(failure: Failure) -> Failure | Superseded:
    return Superseded() if failure.code is Code.WORKER_LOST_LEASE else failure
