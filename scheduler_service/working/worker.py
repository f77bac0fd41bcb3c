"""A worker: fills its hands with due items, works on them side by side, renews their leases, hands back at the end."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID, uuid4

from scheduler_service.domain.leases import LeaseTerms
from scheduler_service.errors import Code
from scheduler_service.operations.fail import fail
from scheduler_service.store import claims, finishes, workers
from scheduler_service.store import work as work_store
from scheduler_service.store.engine import Database, StoreError, StoreUnavailable
from scheduler_service.working import texts
from scheduler_service.working.holding import Holding
from scheduler_service.working.item import Done, Ended, ItemWork
from scheduler_service.working.paying import Failure
from scheduler_service.working.timing import Timing
from scheduler_service.working.translating import Translating
from scheduler_service.working.turn import Superseded
from translator_service.domain.requests import Terminology
from translator_service.foundation import logs


@dataclass(frozen=True, slots=True)
class WorkerTerms:
    """`concurrency` items are worked on side by side; `poll` is the pause when nothing is due."""

    concurrency: int = 4
    poll: timedelta = timedelta(seconds=1)
    leases: LeaseTerms = field(default_factory=LeaseTerms)
    # How long running items may go on after a stop was asked for.
    drain: timedelta = timedelta(seconds=25)


class Worker:
    """One worker; any number of them, in any number of processes, share the items."""

    def __init__(
        self, database: Database, translator: Translating, terms: WorkerTerms, *, seed: int | None = None
    ) -> None:
        # Random at each start: a restarted process must not look like its predecessor.
        self.worker_id: UUID = uuid4()
        self._database = database
        self._translator = translator
        self._terms = terms
        self._random = random.Random(seed)
        self._held: dict[int, Holding] = {}
        self._lock = threading.Lock()
        self._freed = threading.Event()
        self._may_hold_more = False
        self._shelf = texts.GlossaryShelf(self._load_glossary)

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set, then finish or hand back what is held."""
        logs.event("worker.started", worker=self.worker_id, count=self._terms.concurrency)
        self.renew()
        renewing = threading.Thread(target=self._renew_all, args=(stop,), name="renewals", daemon=True)
        renewing.start()
        with ThreadPoolExecutor(self._terms.concurrency, thread_name_prefix="item") as hands:
            while not stop.is_set():
                if not self.step(hands):
                    self._freed.clear()
                    pause = self._terms.poll.total_seconds() * (0.8 + 0.4 * self._random.random())
                    stop.wait(pause)
            self._drain()
            hands.shutdown(wait=True, cancel_futures=True)
        self._leave()

    def step(self, hands: ThreadPoolExecutor) -> bool:
        """Claim what fits into the free hands and start on it; return whether anything was claimed."""
        free = self._terms.concurrency - len(self._held)
        if free <= 0:
            # Woken as soon as a hand is free; the timeout only bounds a lost wake-up.
            self._freed.wait(timeout=0.2)
            self._freed.clear()
            return True
        try:
            if not self._translator.is_ready():
                return False
            self._give_back_unknown()
            claimed = self._claim(free)
        except StoreError as problem:
            logs.failure("worker.claim_failed", problem, sqlstate=problem.sqlstate, constraint=problem.constraint)
            return False
        for holding in claimed:
            future = hands.submit(self._work, holding)
            future.add_done_callback(lambda done, holding=holding: self._let_go(holding, done))
        return bool(claimed)

    def _claim(self, most: int) -> list[Holding]:
        """Take from one site at a time, in turn: fair between sites, and no lock on rows that aren't taken."""
        sites = self._database.statement(claims.runnable_sites)
        self._random.shuffle(sites)
        taken: list[Holding] = []
        for site_id in sites:
            if len(taken) >= most:
                break
            asked_at = time.monotonic()
            try:
                rows = self._database.once(
                    lambda connection, site_id=site_id: claims.claim(
                        connection, site_id=site_id, worker_id=self.worker_id, most=most - len(taken),
                        lease=self._terms.leases.lease,
                    )
                )
            except StoreUnavailable as problem:
                # The claim may have been made all the same: what we don't know of is given back first of all.
                self._may_hold_more = True
                logs.event("worker.claim_failed", sqlstate=problem.sqlstate)
                break
            taken += [Holding(row, self._terms.leases, asked_at) for row in rows]
        with self._lock:
            self._held |= {holding.claim.item_id: holding for holding in taken}
        return taken

    def _give_back_unknown(self) -> None:
        """Give back what this worker claimed without hearing of it, with its attempts."""
        if self._may_hold_more:
            with self._lock:
                known = list(self._held)
            self._database.statement(lambda connection: claims.take_back(connection, self.worker_id, known))
            self._may_hold_more = False

    def _work(self, holding: Holding) -> None:
        holding.is_started = True
        timing = Timing()
        item_work = ItemWork(self._database, self._translator, self._shelf, holding, self.worker_id, timing)
        try:
            ended = item_work.run()
            result, code = self._end(holding, item_work, ended)
        except StoreUnavailable as problem:
            # Not the item's outcome: it is given back and taken up again where it stopped.
            holding.is_dropped = True
            result, code = "store_unavailable", problem.sqlstate
        except StoreError as problem:
            logs.failure("item.refused_by_store", problem, item=holding.claim.item_id,
                         sqlstate=problem.sqlstate, constraint=problem.constraint)
            is_bought_now = problem.constraint == "call_parts_one_open"
            ending = Failure(Code.OUTCOME_UNKNOWN if is_bought_now else Code.UNEXPECTED)
            result, code = self._end(holding, item_work, ending)
        except Exception as problem:
            logs.failure("item.crashed", problem, item=holding.claim.item_id)
            result, code = self._end(holding, item_work, Failure(Code.UNEXPECTED))
        claim = holding.claim
        logs.event(
            "item.attempt", result=result, code=code, site=claim.site_id, page=claim.page_id,
            field=claim.field_name, target=claim.target_locale, attempt=claim.attempt_count, item=claim.item_id,
            planned_calls=item_work.planned_calls, source_characters=item_work.source_characters,
            cost_micros=item_work.payer.cost_micros, **timing.milliseconds(),
        )

    def _end(self, holding: Holding, item_work: ItemWork, ended: Ended) -> tuple[str, str | None]:
        if isinstance(ended, Done):
            return ended.status.value, None
        if isinstance(ended, Superseded):
            return "superseded", None
        following = fail(
            self._database, holding.claim, ended.code, credential_id=item_work.credential_id,
            spread=self._random.random(), retry_after=ended.retry_after,
        )
        if following is None:
            return "superseded", ended.code
        return following.status.value if following.status else "retry", following.code

    def _let_go(self, holding: Holding, done: Future[None]) -> None:
        surprise = None if done.cancelled() else done.exception()
        if surprise is not None:
            logs.failure("item.crashed", surprise, item=holding.claim.item_id)
        with self._lock:
            # The same worker may have claimed the item again meanwhile, after its source changed.
            if self._held.get(holding.claim.item_id) is holding:
                del self._held[holding.claim.item_id]
            self._may_hold_more |= holding.is_dropped
        self._freed.set()

    # Leases ----------------------------------------------------------------------------------

    def _renew_all(self, stop: threading.Event) -> None:
        """Renew until everything is let go of, also while draining; a failed round is tried again soon."""
        every = self._terms.leases.renew_every.total_seconds()
        while not (stop.wait(every) and not self._held):
            if stop.is_set():
                time.sleep(min(every, 1.0))
            try:
                self.renew()
            except StoreError as problem:
                logs.failure("worker.renewal_failed", problem, sqlstate=problem.sqlstate)

    def renew(self) -> None:
        """Renew the leases of all held items once, and note what was lost."""
        asked_at = time.monotonic()
        with self._lock:
            held = {item_id: holding for item_id, holding in self._held.items() if holding.may_be_renewed(asked_at)}
        seqs = {item_id: holding.claim.claim_seq for item_id, holding in held.items()}
        renewed = self._database.statement(
            lambda connection: claims.renew(connection, seqs, self._terms.leases.lease)
        )
        self._database.statement(lambda connection: workers.beat(connection, self.worker_id, len(held)))
        for item_id, holding in held.items():
            if item_id in renewed:
                holding.renewed(asked_at)
            else:
                holding.lose()

    # The end ---------------------------------------------------------------------------------

    def _drain(self) -> None:
        """Hand back what has not begun, and wait for the rest."""
        with self._lock:
            waiting = {i: h.claim.claim_seq for i, h in self._held.items() if not h.is_started}
        if waiting:
            try:
                self._database.statement(lambda connection: finishes.hand_back(connection, waiting))
            except StoreError as problem:
                logs.failure("worker.hand_back_failed", problem, sqlstate=problem.sqlstate)
        deadline = time.monotonic() + self._terms.drain.total_seconds()
        while self._running() and time.monotonic() < deadline:
            self._freed.wait(timeout=0.2)
            self._freed.clear()
        for holding in list(self._held.values()):
            holding.lose()

    def _running(self) -> bool:
        with self._lock:
            return any(holding.is_started for holding in self._held.values())

    def _leave(self) -> None:
        try:
            self._database.statement(lambda connection: workers.leave(connection, self.worker_id))
        except StoreError as problem:
            logs.failure("worker.leave_failed", problem, sqlstate=problem.sqlstate)
        logs.event("worker.stopped", worker=self.worker_id)

    def _load_glossary(self, site_id: str, target_locale: str, version: str) -> Terminology:
        key = (site_id, target_locale, version)
        rows = self._database.read(lambda connection: work_store.glossary_terms(connection, *key))
        forbidden = self._database.read(lambda connection: work_store.forbidden_terms(connection, *key))
        return texts.terminology_of(version, rows, forbidden)


