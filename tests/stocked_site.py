"""A site in a database of its own, and items brought into any state by the store's own functions: no worker, no
engine, no waiting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import text

from scheduler_service.domain.authority import NOBODY
from scheduler_service.operations.configure import put_site
from scheduler_service.operations.scan import SourceField, SourcePage, scan_pages
from scheduler_service.store import candidates, claims, finishes, work
from scheduler_service.store.candidates import GateRow
from scheduler_service.store.claims import Claim
from scheduler_service.store.engine import Database
from scheduler_service.store.scans import ScanCounts
from scheduler_service.store.work import SegmentRow, TurnRow

LOCALE = "pt-BR"
PAGE = "page.md"
OPEN_GATE = GateRow("structure.links", "fail", "hard", True, "A link is missing.")


class StockedSite:
    """One site of one database; other sites may stand beside it."""

    def __init__(self, database: Database, site_id: str = "harbour", *, target_locales: Sequence[str] = (LOCALE,)) -> None:
        self.database = database
        self.site_id = site_id
        put_site(database, NOBODY, site_id=site_id, name=site_id, source_locale="en",
                 target_locales=target_locales, credential="offline")

    def scan(
        self, texts: Mapping[str, str], *, page_id: str = PAGE, target_locale: str = LOCALE, is_complete: bool = False,
        **about: Any,
    ) -> ScanCounts:
        """Scan one page whose fields are exactly `texts`; `about` is said of each field."""
        fields = [
            SourceField(name, value, **{"position": number, **about}) for number, (name, value) in enumerate(texts.items())
        ]
        return scan_pages(self.database, site_id=self.site_id, target_locale=target_locale, is_complete=is_complete,
                          pages=[SourcePage(page_id, fields)])

    def item_id(self, field_name: str, *, page_id: str = PAGE, target_locale: str = LOCALE) -> int:
        return self.one(
            "select item_id from items where site_id = :site_id and page_id = :page_id and field_name = :field_name "
            "and target_locale = :target_locale", page_id=page_id, field_name=field_name, target_locale=target_locale)

    def claim(self, item_id: int) -> Claim:
        """Claim this very item, due or not."""
        self.change("update items set next_attempt_at = '-infinity' where item_id = :item_id", item_id=item_id)
        claimed = self.database.statement(lambda connection: claims.claim(
            connection, site_id=self.site_id, worker_id=uuid4(), most=1, lease=timedelta(hours=1)))
        assert [claim.item_id for claim in claimed] == [item_id], "the item could not be claimed"
        return claimed[0]

    def drafted(
        self, field_name: str = "title", target: str = "Um texto.", *, page_id: str = PAGE, score: float | None = 9.0,
        verdict: str = "pass", gates: Sequence[GateRow] = (), is_deterministic: bool = True,
    ) -> int:
        """Let a worker make and finish one turn of a missing or stale item; return the candidate. What didn't pass
        needs a person."""
        claim = self.claim(self.item_id(field_name, page_id=page_id))
        is_pass = verdict == "pass"

        def finish(connection: Any) -> int:
            number = connection.execute(
                text("select turns + 1 from items where item_id = :item_id"), {"item_id": claim.item_id}).scalar_one()
            work.plan_turn(
                connection, claim, TurnRow(number, f"hash {number}", is_deterministic, "", "offline", 0),
                previous_candidate_id=None, person_note="",
                segments=[SegmentRow(0, 0, 1, 0, False, target, None)])
            candidate_id = candidates.add(
                connection, item_id=claim.item_id, source_revision=claim.source_revision, turn=number, origin="model",
                target=target, provider="offline")
            assert candidate_id is not None
            candidates.add_gates(connection, candidate_id, gates)
            reasons = [] if is_pass else ["below_threshold"]
            candidates.set_verdict(connection, candidate_id, verdict, score, reasons)
            assert finishes.finish_if_held(
                connection, claim, status="draft" if is_pass else "needs_review",
                event="drafted" if is_pass else "needs_person", candidate_id=candidate_id, score=score,
                reasons=reasons, turns=number, is_pass=is_pass)
            return candidate_id

        return self.database.transact(finish)

    def row(self, item_id: int) -> dict[str, Any]:
        """Return every column of an item."""
        return self.one("select to_jsonb(items) from items where item_id = :item_id", item_id=item_id)

    def one(self, query: str, **values: Any) -> Any:
        """Return the single value that `query` finds; `:site_id` is this site."""
        return self.database.read(
            lambda connection: connection.execute(text(query), {"site_id": self.site_id} | values).scalar_one())

    def all(self, query: str, **values: Any) -> list[Any]:
        return self.database.read(
            lambda connection: list(connection.execute(text(query), {"site_id": self.site_id} | values)))

    def change(self, statement: str, **values: Any) -> None:
        self.database.transact(lambda connection: connection.execute(text(statement), values) and None)
