"""A worker that works on what is due and then stops, over a site whose translations cost money."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from inventory import LEASE, Inventory
from paid_provider import JUDGE, TOKENS_IN, TOKENS_OUT, WRITER, PaidProvider
from translator_process import TranslatorProcess

from scheduler_service.domain.leases import LeaseTerms
from scheduler_service.store.engine import Database
from scheduler_service.working.worker import Worker, WorkerTerms

# As the translator of the fixture prices its tokens: 1 and 2 a million, so that many micros a token.
CALL_MICROS = TOKENS_IN * 1 + TOKENS_OUT * 2
TERMS = WorkerTerms(concurrency=2, poll=timedelta(milliseconds=50), leases=LeaseTerms(lease=LEASE))


class PaidSite:
    """A site on the named credential; `provider` has the other side's books."""

    def __init__(
        self, database: Database, provider: PaidProvider, translator: TranslatorProcess, credential: str = "paid"
    ) -> None:
        provider.forget()
        self.database = database
        self.provider = provider
        self.translator = translator
        self.inventory = Inventory(database, credential=credential)

    def worker(self) -> Worker:
        return Worker(self.database, self.translator.translating, TERMS, seed=1)

    def work(self) -> bool:
        """Claim what is due, carry it as far as it goes, and return whether anything was due."""
        worker = self.worker()
        with ThreadPoolExecutor(TERMS.concurrency) as hands:
            return worker.step(hands)

    def start_working(self) -> Callable[[], None]:
        """Begin the same and return at once; the returned function waits for its end."""
        thread = threading.Thread(target=self.work)
        thread.start()

        def join() -> None:
            thread.join(60)
            assert not thread.is_alive(), "the work did not end"

        return join

    def try_again(self, rounds: int = 3) -> None:
        """Let the pause be over and work, `rounds` times."""
        for _ in range(rounds):
            self.inventory.change("update items set next_attempt_at = now() where next_attempt_at < 'infinity'")
            self.inventory.change("update credentials set cooling_until = '-infinity'")
            self.work()

    def calls(self, kind: str = "generate") -> list[dict[str, Any]]:
        """Return the rows of our ledger, oldest first."""
        rows = self.inventory.all(
            "select to_jsonb(calls) from calls where kind = :kind order by reserved_at, call_id", kind=kind)
        return [row[0] for row in rows]

    def states(self, kind: str = "generate") -> list[str]:
        return [call["state"] for call in self.calls(kind)]

    def item(self, name: str = "title") -> dict[str, Any]:
        return self.inventory.row(self.inventory.item_id(name))

    def work_state(self, name: str = "title") -> str | None:
        return self.inventory.work_state(self.inventory.item_id(name))

    def held(self) -> int:
        """Return what is held, the same on every level."""
        held = {row[0] for row in self.inventory.all("select sum(held_micros) from budgets group by scope")} or {0}
        assert len(held) == 1, "the levels disagree"
        return int(held.pop())

    def spent(self) -> int:
        """Return what is booked as spent, the same on every level."""
        spent = {row[0] for row in self.inventory.all("select sum(spent_micros) from budgets group by scope")} or {0}
        assert len(spent) == 1, "the levels disagree"
        return int(spent.pop())

    def check_against_the_provider(self) -> None:
        """Compare both ledgers: what the provider charged for, and what ours says of it."""
        charged = [charge.call_id for charge in self.provider.charges()]
        ours = {call["call_id"]: call["state"] for call in self.calls() + self.calls("judge")}
        assert set(charged) <= ours.keys(), "the provider knows a call that we don't"
        for call_id, state in ours.items():
            allowed = {"refused": {0}, "unknown": {0, 1}, "written_off": {0, 1}}.get(state, {1})
            assert charged.count(call_id) in allowed, f"a call that is {state} was charged {charged.count(call_id)} times"


__all__ = ["CALL_MICROS", "JUDGE", "WRITER", "PaidSite"]
