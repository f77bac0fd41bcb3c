"""Decisions, scans, resets, sweeps and workers at once, on few items: nobody gets an error of ours, and what is left
is consistent."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import text
from stocked_site import LOCALE, OPEN_GATE, StockedSite

from scheduler_service.domain.authority import Caller, Role
from scheduler_service.errors import Code, Refused
from scheduler_service.operations import decide
from scheduler_service.operations.fail import fail
from scheduler_service.operations.publish import publish
from scheduler_service.operations.reset import reset_items
from scheduler_service.operations.sweep import sweep
from scheduler_service.store import candidates, claims, finishes, work
from scheduler_service.store.work import TurnRow

FIELDS = "abcdef"
ROUNDS, THREADS = 150, 4

# What must hold of every item, whatever happened: each query finds the rows that break a promise.
BROKEN = {
    "an approved text without a living approval of this very text and revision": """
        select i.item_id from items i left join approvals a on a.approval_id = i.approval_id
        where i.status in ('approved', 'published') and (a.approval_id is null or a.revoked_at is not null
          or a.candidate_id <> i.candidate_id or a.source_revision <> i.source_revision)""",
    "an approval on an item that isn't approved": """
        select item_id from items where status not in ('approved', 'published') and approval_id is not null""",
    "a shown text of another revision": """
        select i.item_id from items i join candidates c on c.candidate_id = i.candidate_id
        where c.source_revision <> i.source_revision""",
    "a lease on what no worker may hold": """
        select item_id from items where lease_until is not null and (status not in ('missing', 'stale') or not is_active)""",
    "a draft without a text": "select item_id from items where status = 'draft' and candidate_id is null",
    "a published item without a current publication of its approval": """
        select i.item_id from items i left join publications p on p.item_id = i.item_id and p.superseded_at is null
        where i.status = 'published' and p.approval_id is distinct from i.approval_id""",
    "a passed draft that nobody announced": """
        select l.log_id from item_log l where l.event = 'drafted' and not exists (
            select from outbox o where o.item_id = l.item_id and o.event_type = 'translation.completed')""",
    "an audit row out of its chain": """
        select a.audit_id from audit a left join audit b on b.site_id = a.site_id and b.ordinal = a.ordinal - 1
        where a.previous_hash <> coalesce(b.row_hash, '\\x')""",
}


class Actor:
    """One thread's share: a random act after the other on random items."""

    def __init__(self, site: StockedSite, seed: int, caller: Caller) -> None:
        self.site, self.choose, self.caller = site, random.Random(seed), caller
        self.refused = self.done = 0

    def run(self) -> None:
        acts = [self.scan, self.work, self.work, self.fail, self.approve, self.edit, self.reject, self.reopen, self.publish,
                self.reset, self.sweep]
        for _ in range(ROUNDS):
            try:
                self.choose.choice(acts)()
                self.done += 1
            except Refused:
                self.refused += 1  # somebody was faster, or there is nothing to do: said, not broken

    def look(self):
        field = self.choose.choice(FIELDS)
        [row] = self.site.all(
            "select i.item_id, i.version, coalesce(i.candidate_id, 0) as candidate_id, coalesce(c.text_hash, '') as text_hash "
            "from items i left join candidates c on c.candidate_id = i.candidate_id "
            "where i.site_id = :site_id and i.field_name = :field", field=field)
        return row

    def scan(self) -> None:
        gone = self.choose.choice([*FIELDS, None, None])
        self.site.scan({field: f"Text {self.choose.randrange(3)}" for field in FIELDS if field != gone})

    def claim(self) -> list[claims.Claim]:
        return self.site.database.statement(lambda connection: claims.claim(
            connection, site_id="harbour", worker_id=uuid4(), most=2, lease=timedelta(seconds=self.choose.choice([-1, 60]))))

    def work(self) -> None:
        for claim in self.claim():
            is_pass = self.choose.random() < 0.6

            def finish(connection, claim=claim, is_pass=is_pass):
                if not work.hold(connection, claim):
                    return
                turn = connection.execute(
                    text("select turns + 1 from items where item_id = :id"), {"id": claim.item_id}).scalar_one()
                work.plan_turn(connection, claim, TurnRow(turn, "", True, "", "", 0), previous_candidate_id=None,
                               person_note="", segments=[])
                candidate_id = candidates.add(
                    connection, item_id=claim.item_id, source_revision=claim.source_revision, turn=turn, origin="model",
                    target=f"Texto {self.choose.random()}")
                candidates.add_gates(connection, candidate_id, [] if is_pass else [OPEN_GATE])
                candidates.set_verdict(connection, candidate_id, "pass" if is_pass else "fail", 9.0, [])
                finishes.finish_if_held(
                    connection, claim, status="draft" if is_pass else "needs_review",
                    event="drafted" if is_pass else "needs_person", candidate_id=candidate_id, score=9.0, reasons=[],
                    turns=turn, is_pass=is_pass)

            self.site.database.transact(finish)

    def fail(self) -> None:
        for claim in self.claim():
            fail(self.site.database, claim, self.choose.choice([Code.INVALID_TEXT, Code.OUTCOME_UNKNOWN, Code.TOO_LONG]),
                 credential_id="offline", spread=0.5)

    def approve(self) -> None:
        row = self.look()
        decide.approve(self.site.database, self.caller, item_id=row.item_id, version=row.version,
                       candidate_id=row.candidate_id, seen_hash=row.text_hash, override_reason="It is right")

    def edit(self) -> None:
        row = self.look()
        decide.edit(self.site.database, self.caller, item_id=row.item_id, version=row.version, based_on=row.candidate_id,
                    text=f"Meu texto {self.choose.random()}", gates=[], is_approved=self.choose.random() < 0.5)

    def reject(self) -> None:
        row = self.look()
        decide.reject(self.site.database, self.caller, item_id=row.item_id, version=row.version,
                      candidate_id=row.candidate_id, note="No", ask_again=self.choose.random() < 0.5)

    def reopen(self) -> None:
        row = self.look()
        decide.reopen(self.site.database, self.caller, item_id=row.item_id, version=row.version)

    def publish(self) -> None:
        row = self.look()
        publish(self.site.database, self.caller, item_id=row.item_id, version=row.version, seen_hash=row.text_hash)

    def reset(self) -> None:
        reset_items(self.site.database, self.caller, site_id="harbour", item_ids=[], reason="Again")

    def sweep(self) -> None:
        sweep(self.site.database)


@pytest.mark.parametrize("seed", range(3))
def test_whoever_comes_first_everybody_gets_an_answer_and_every_promise_holds(site, seed: int):
    site.scan(dict.fromkeys(FIELDS, "Text 0"))
    person = site.one("insert into people (name) values ('Ana') returning person_id")
    caller = Caller(person, roles={"harbour": frozenset({Role.ADMIN})})
    actors = [Actor(site, 1_000 * seed + number, caller) for number in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        for ended in [pool.submit(actor.run) for actor in actors]:
            ended.result(120)
    assert sum(actor.done + actor.refused for actor in actors) == ROUNDS * THREADS
    assert sum(actor.done for actor in actors) > ROUNDS  # it was no idle quarrel
    assert {promise: rows for promise, query in BROKEN.items() if (rows := site.all(query))} == {}
    assert site.one("select count(*) from items") == len(FIELDS)
    assert site.one("select count(*) from items where target_locale <> :locale", locale=LOCALE) == 0
