"""The lease protocol against a model of it: any order of claims, renewals, endings, lapses, scans and sweeps."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from expected_item import ATTEMPTS, WORKABLE, Expected
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from inventory import LEASE, Inventory

from scheduler_service.domain.authority import NOBODY
from scheduler_service.operations.reset import reset_items
from scheduler_service.operations.sweep import Swept, sweep
from scheduler_service.store import claims as claim_store
from scheduler_service.store import decisions, finishes, work
from scheduler_service.store.claims import Claim
from scheduler_service.store.engine import Database

FIELDS = ("f0", "f1", "f2", "f3")
TEXTS = ("The gate is open.", "The gate is shut.", None)
# What a worker can do with a claim; each is a method below.
WRITES = ("renew", "store_an_answer", "finish", "retry_later", "wait", "end_for_good", "hand_back")
# Whether a worker acts on the newest claim of an item or on any that was ever given out: mostly, but not always.
MOSTLY = st.sampled_from([True, True, False])


@dataclass
class Seen:
    """The highest numbers that an item was ever seen with."""

    claim_seq: int = 0
    revision: int = 0
    claims: set[int] = field(default_factory=set)


def machine(database: Database, reached: Counter[str]) -> type[RuleBasedStateMachine]:
    """Return a state machine whose examples each get a site of their own in `database`; `reached` counts what took
    effect and what was refused."""
    numbers = itertools.count(1)

    class LeaseProtocol(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.inventory = Inventory(database, site_id=f"site-{next(numbers)}")
            self.expected: dict[str, Expected] = {}
            self.seen: dict[str, Seen] = {name: Seen() for name in FIELDS}
            self.given: list[Claim] = []
            self.newest: dict[str, Claim] = {}
            self.put(dict.fromkeys(FIELDS[1:], TEXTS[0]))

        def teardown(self) -> None:
            # A sweep looks at every site: what this example leaves must not be the next one's work.
            self.inventory.scan({})

        # Scans and people

        @rule(name=st.sampled_from(FIELDS), text=st.sampled_from(TEXTS))
        def scan(self, name: str, text: str | None) -> None:
            """Scan the page again, with one field changed, gone or back."""
            given = {field: one.text for field, one in self.expected.items() if one.is_active} | {name: text}
            self.put({field: text for field, text in given.items() if text is not None})

        def put(self, given: dict[str, str]) -> None:
            self.inventory.scan(given)
            for name in FIELDS:
                one, text = self.expected.get(name), given.get(name)
                if one is None and text is not None:
                    self.expected[name] = Expected(text)
                elif one is not None and text is None and one.is_active:
                    # Work that is cut off counts nothing.
                    one.attempts -= one.lease == "live"
                    one.is_active = False
                    one.revoke()
                elif one is not None and text is not None and text != one.text:
                    reached["changed in a worker's hands" if one.lease else "changed"] += 1
                    one.text, one.status, one.is_active, one.progress_seq = text, "missing", True, None
                    one.revision += 1
                    one.renew_budget()
                    one.revoke()
                elif one is not None and text is not None:
                    one.is_active = True

        @precondition(lambda self: self.drafts())
        @rule()
        def a_person_asks_again(self) -> None:
            name = self.drafts()[0]
            one = self.expected[name]
            item_id = self.inventory.item_id(name)
            database.transact(lambda connection: decisions.ask_again(connection, item_id, "shorter") and None)
            reached["asked again"] += 1
            one.status = "missing"
            one.renew_budget()
            one.revoke()

        def drafts(self) -> list[str]:
            return [name for name, one in self.expected.items() if one.is_active and one.status == "draft"]

        @rule()
        def an_operator_resets_what_failed(self) -> None:
            failed = [one for one in self.expected.values() if one.state == "failed"]
            count = reset_items(database, NOBODY, site_id=self.inventory.site_id, item_ids=[], reason="mended")
            assert count == len(failed)
            reached["reset"] += count
            for one in failed:
                one.renew_budget()
                one.revoke()

        # Workers

        @rule(most=st.integers(1, 4))
        def claim(self, most: int) -> None:
            ready = {name for name, one in self.expected.items() if one.state == "ready"}
            claimed = self.inventory.claim(most)
            names = [claim.field_name for claim in claimed]
            assert set(names) <= ready and len(names) == len(set(names)) == min(most, len(ready))
            for claim in claimed:
                one = self.expected[claim.field_name]
                reached["claimed after progress" if one.has_progress else "claimed"] += 1
                one.attempts += 0 if one.has_progress else 1
                one.claim_seq += 1
                one.lease = "live"
                assert (claim.claim_seq, claim.attempt_count, claim.source_revision) == (
                    one.claim_seq, one.attempts, one.revision)
                assert claim.claim_seq not in self.seen[claim.field_name].claims, "a claim's number was used before"
                self.seen[claim.field_name].claims.add(claim.claim_seq)
                self.newest[claim.field_name] = claim
                self.given.append(claim)

        @precondition(lambda self: self.given)
        @rule(what=st.sampled_from(WRITES), which=st.integers(0, 1_000), is_newest=MOSTLY)
        def a_worker_writes(self, what: str, which: int, is_newest: bool) -> None:
            """Write as the holder of some claim that was given out once: of the newest of its item, or of an old one."""
            claim = self.given[-1 - which % len(self.given)]
            claim = self.newest[claim.field_name] if is_newest else claim
            one = self.expected[claim.field_name]
            stands = one.stands(claim)
            assert getattr(self, what)(claim, one) in (stands, None)
            reached[what if stands else f"{what}, refused"] += 1

        @rule(whats=st.lists(st.sampled_from(WRITES), min_size=1, max_size=3), then=st.sampled_from(["", "lapse", "sweep"]))
        def an_attempt(self, whats: list[str], then: str) -> None:
            """Claim something and write this and that under the claim; perhaps die after it and be swept away."""
            self.claim(1)
            for what in whats if self.given else ():
                self.a_worker_writes(what, 0, is_newest=True)
            if then:
                self.leases_run_out(set(FIELDS))
            if then == "sweep":
                self.sweep()

        def renew(self, claim: Claim, one: Expected) -> bool:
            renewed = database.statement(
                lambda connection: claim_store.renew(connection, {claim.item_id: claim.claim_seq}, LEASE))
            one.lease = "live" if renewed else one.lease
            return renewed == {claim.item_id}

        def store_an_answer(self, claim: Claim, one: Expected) -> None:
            database.transact(lambda connection: work.note_progress(connection, claim))
            if one.claim_seq == claim.claim_seq:
                one.progress_seq = claim.claim_seq

        def finish(self, claim: Claim, one: Expected) -> bool:
            finished = database.transact(lambda connection: finishes.finish_if_held(
                connection, claim, status="draft", event="drafted", candidate_id=None, score=None, reasons=[], turns=1))
            if finished:
                one.status, one.lease = "draft", None
            return finished

        def retry_later(self, claim: Claim, one: Expected) -> bool:
            return self._end(claim, one, due="later", gives_back=False)

        def wait(self, claim: Claim, one: Expected) -> bool:
            return self._end(claim, one, due="later", gives_back=True)

        def end_for_good(self, claim: Claim, one: Expected) -> bool:
            return self._end(claim, one, due="never", gives_back=False)

        def _end(self, claim: Claim, one: Expected, *, due: str, gives_back: bool) -> bool:
            ended = database.transact(lambda connection: finishes.retry_if_held(
                connection, claim, code="TranslationAI.Unavailable",
                delay=None if due == "never" else timedelta(hours=1), gives_back=gives_back, is_waiting=gives_back))
            if ended:
                one.lease, one.due = None, due
                one.attempts -= gives_back
            return ended

        def hand_back(self, claim: Claim, one: Expected) -> bool:
            returned = database.transact(
                lambda connection: finishes.hand_back(connection, {claim.item_id: claim.claim_seq}))
            if returned:
                one.attempts -= 1
                one.revoke()
            return returned == {claim.item_id}

        # Time

        @rule(names=st.sets(st.sampled_from(FIELDS), min_size=1))
        def leases_run_out(self, names: set[str]) -> None:
            gone = [name for name in names if name in self.expected and self.expected[name].lease is not None]
            self.inventory.lapse([self.inventory.item_id(name) for name in gone])
            for name in gone:
                self.expected[name].lease = "lapsed"

        @rule()
        def a_worker_dies_again_and_again(self) -> None:
            """Nothing but claims and lapses: what uses attempts up."""
            for _ in range(2):
                self.claim(2)
                self.leases_run_out(set(FIELDS))

        @rule()
        def pauses_end(self) -> None:
            ids = [self.inventory.item_id(name) for name in self.expected]
            self.inventory.make_due(ids)
            for one in self.expected.values():
                one.due = "now" if one.due == "later" else one.due

        @rule()
        def sweep(self) -> None:
            lapsed = [one for one in self.expected.values()
                      if one.lease == "lapsed" and one.is_active and one.status in WORKABLE]
            requeued = [one for one in lapsed if one.attempts < ATTEMPTS or one.has_progress]
            assert sweep(database) == Swept(
                checked=len(lapsed), requeued=len(requeued), failed=len(lapsed) - len(requeued))
            reached["swept"] += len(requeued)
            reached["swept and failed"] += len(lapsed) - len(requeued)
            for one in requeued:
                reached["given back"] += one.has_progress
                one.attempts -= one.has_progress
                one.due = "now" if one.due == "later" else one.due
            for one in lapsed:
                one.revoke()

        # What always holds

        @invariant()
        def the_database_is_as_expected(self) -> None:
            rows = self.inventory.all("""
                select i.field_name, i.status, i.is_active, i.source_revision, i.attempt_count, i.claim_seq,
                    case when i.lease_until is null then null when i.lease_until > now() then 'live'
                         else 'lapsed' end as lease,
                    case when i.next_attempt_at = 'infinity' then 'never' when i.next_attempt_at > now() then 'later'
                         else 'now' end as due,
                    i.progress_claim_seq, i.source_text, w.work_state
                from items i left join item_work w using (item_id) where i.site_id = :site_id""")
            assert {row.field_name for row in rows} == self.expected.keys()
            for row in rows:
                assert 0 <= row.attempt_count <= ATTEMPTS
                found = Expected(row.source_text, row.status, row.is_active, row.source_revision, row.attempt_count,
                                 row.claim_seq, row.lease, row.due, row.progress_claim_seq)
                assert found == self.expected[row.field_name], row.field_name
                assert row.work_state == found.state, "derived in SQL as in the model"
                seen = self.seen[row.field_name]
                assert row.claim_seq >= seen.claim_seq and row.source_revision >= seen.revision
                seen.claim_seq, seen.revision = row.claim_seq, row.source_revision

        @invariant()
        def every_count_adds_up(self) -> None:
            counts = self.inventory.all("""
                select count(*) as total, count(*) filter (where not is_active) as inactive,
                    count(*) filter (where is_active and status not in ('missing', 'stale')) as settled,
                    (select count(*) from item_work w where w.site_id = :site_id) as in_work
                from items where site_id = :site_id""")[0]
            assert counts.inactive + counts.settled + counts.in_work == counts.total == len(self.expected)

    return LeaseProtocol


EVENTS = (
    *WRITES, *(f"{write}, refused" for write in WRITES), "claimed", "claimed after progress", "swept", "swept and failed",
    "given back", "reset", "asked again", "changed", "changed in a worker's hands",
)


@pytest.mark.slow
def test_any_order_of_events_leaves_every_item_as_the_model_says(database: Database):
    reached: Counter[str] = Counter()
    run_state_machine_as_test(machine(database, reached), settings=settings(
        max_examples=40, stateful_step_count=40, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck), print_blob=True,
    ))
    assert {event: reached[event] for event in EVENTS if not reached[event]} == {}, "some case was never met"
