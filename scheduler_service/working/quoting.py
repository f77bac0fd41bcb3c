"""What a turn can cost: the translator's plan for it, written down before anything is bought.

A turn that is gone on with under other credentials (its site got another profile meanwhile) is priced anew for what
is still open; what is stored stays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy.engine import Connection

from scheduler_service.errors import Code
from scheduler_service.store import work
from scheduler_service.store.claims import Claim
from scheduler_service.store.work import ItemText, SegmentRow, TurnRow
from scheduler_service.working import texts
from scheduler_service.working.paying import Failure, Payer
from scheduler_service.working.translating import Translating, TranslatorCallError, free_code_of
from translator_service.domain.outcomes import Plan
from translator_service.domain.requests import SourceText


@dataclass(frozen=True, slots=True)
class Quote:
    """What the translator says of generating and of judging a text under the site's present credentials."""

    generating: Plan
    judging: Plan


@dataclass(frozen=True, slots=True)
class NoQuote:
    """Why there is none, and which credential is to blame."""

    failure: Failure
    credential_id: str


def ask(translator: Translating, payer: Payer, item: ItemText, source: SourceText) -> Quote | NoQuote:
    """Return a quote for `source`; free. The payer's calls go to the process that answered."""
    plans = {}
    for credential_id in dict.fromkeys((item.credential_id, item.judge_credential_id)):
        try:
            with payer.timing.step("rpc"):
                plan = translator.plan(source, credential=credential_id)
        except TranslatorCallError as error:
            return NoQuote(Failure(free_code_of(error)), credential_id)
        if plan.ending is not None:
            return NoQuote(Failure(Code(plan.ending.code.value), plan.ending.retry_after), credential_id)
        plans[credential_id] = plan
        payer.boot_id = plan.boot_id
    return Quote(plans[item.credential_id], plans[item.judge_credential_id])


def plan_turn(
    payer: Payer,
    claim: Claim,
    item: ItemText,
    quote: Quote,
    *,
    number: int,
    told: tuple[str, ...],
    previous_candidate_id: int | None,
) -> tuple[TurnRow, list[SegmentRow]] | None:
    """Write a new turn with its segments and return both; None if the claim no longer stands.

    `told` is what only this turn's generator hears; a deterministic engine doesn't listen to it.
    """
    plan = quote.generating
    request = texts.request_hash(item, claim.target_locale, told=() if plan.is_deterministic else told)
    row = _priced(TurnRow(number, request, plan.is_deterministic, item.glossary_version, plan.provider, 0), item, quote)
    segments = [
        SegmentRow(
            ordinal, part.span.start, part.span.end, part.worst_case_micros, part.needs_call,
            None if part.needs_call else part.span.of(item.source_text), None,
        )
        for ordinal, part in enumerate(plan.segments)
    ]

    def write(connection: Connection) -> bool:
        if not work.hold(connection, claim):
            return False
        work.plan_turn(
            connection, claim, row, previous_candidate_id=previous_candidate_id, person_note=item.person_note,
            segments=segments,
        )
        return True

    written = payer.transact(write, lambda connection: work.turn_row(connection, claim, number) is not None or None)
    return (row, segments) if written else None


def price_again(
    translator: Translating, payer: Payer, claim: Claim, item: ItemText, quote: Quote, row: TurnRow,
    segments: list[SegmentRow],
) -> tuple[TurnRow, list[SegmentRow]] | NoQuote | None:
    """Return the turn and its segments with what they cost under the present credentials; None if the claim is gone."""
    if (row.credential_id, row.judge_credential_id) == (item.credential_id, item.judge_credential_id):
        return row, segments
    bounds: dict[int, int] = {}
    for segment in segments:
        if segment.text is None:
            again = ask(translator, payer, item, texts.source_of(item, claim.target_locale, segment))
            if isinstance(again, NoQuote):
                return again
            bounds[segment.ordinal] = sum(part.worst_case_micros for part in again.generating.segments)
    priced = _priced(replace(row, provider=quote.generating.provider), item, quote)

    def write(connection: Connection) -> bool:
        if not work.hold(connection, claim):
            return False
        work.price_turn(connection, claim, priced, bounds)
        return True

    if not payer.transact(write, lambda connection: work.turn_row(connection, claim, row.turn) == priced or None):
        return None
    return priced, [
        replace(segment, worst_case_micros=bounds.get(segment.ordinal, segment.worst_case_micros))
        for segment in segments
    ]


def _priced(row: TurnRow, item: ItemText, quote: Quote) -> TurnRow:
    return replace(
        row, judge_worst_case_micros=quote.judging.judge_worst_case_micros, is_free=quote.generating.is_free,
        judge_is_free=quote.judging.is_free, credential_id=item.credential_id,
        judge_credential_id=item.judge_credential_id, is_deterministic=quote.generating.is_deterministic,
    )
