"""A site of short texts in a database of its own, and time that passes when a test says so: leases and due
times are moved in the rows, so nothing has to be waited for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import text

from scheduler_service.domain.authority import NOBODY
from scheduler_service.operations.configure import put_site
from scheduler_service.operations.scan import SourceField, SourcePage, scan_pages
from scheduler_service.store import claims
from scheduler_service.store.claims import Claim
from scheduler_service.store.engine import Database
from scheduler_service.store.scans import ScanCounts

LOCALE = "pt-BR"
PAGE = "page.md"
# Longer than any test: a lease ends when `lapse` says so.
LEASE = timedelta(hours=1)


def many(count: int) -> dict[str, str]:
    """Return `count` fields with a short sentence each."""
    return {f"f{number:03}": f"Lamp number {number} is lit." for number in range(count)}


class Inventory:
    """One site named `site_id`; `credential` and `judge_credential` are made with it."""

    def __init__(
        self, database: Database, *, site_id: str = "garden", credential: str = "offline", judge_credential: str = ""
    ) -> None:
        self.database = database
        self.site_id = site_id
        put_site(database, NOBODY, site_id=site_id, name=site_id, source_locale="en", target_locales=[LOCALE],
                 credential=credential, judge_credential=judge_credential)

    def scan(self, texts: Mapping[str, str]) -> ScanCounts:
        """Scan a page whose fields are exactly `texts`; absent ones go inactive."""
        fields = tuple(SourceField(name, value, position=n) for n, (name, value) in enumerate(texts.items()))
        return scan_pages(self.database, site_id=self.site_id, target_locale=LOCALE, pages=[SourcePage(PAGE, fields)])

    def item_id(self, field_name: str) -> int:
        return self.one("select item_id from items where site_id = :site_id and field_name = :field_name",
                        field_name=field_name)

    def claim(self, most: int = 1, *, worker_id: UUID | None = None) -> list[Claim]:
        return self.database.statement(lambda connection: claims.claim(
            connection, site_id=self.site_id, worker_id=worker_id or uuid4(), most=most, lease=LEASE))

    def claim_one(self) -> Claim:
        claimed = self.claim()
        assert len(claimed) == 1, "exactly one item was expected to be due"
        return claimed[0]

    def row(self, item_id: int) -> dict[str, Any]:
        """Return every column of an item."""
        return self.one("select to_jsonb(items) from items where item_id = :item_id", item_id=item_id)

    def lapse(self, item_ids: Iterable[int]) -> None:
        """Let the leases of these items have run out a second ago."""
        self.change("update items set lease_until = now() - interval '1 second' "
                    "where item_id = any(:item_ids) and lease_until is not null", item_ids=list(item_ids))

    def make_due(self, item_ids: Iterable[int]) -> None:
        """Let the pauses before the next attempt of these items be over; 'infinity' has no end."""
        self.change("update items set next_attempt_at = now() "
                    "where item_id = any(:item_ids) and next_attempt_at < 'infinity'", item_ids=list(item_ids))

    def work_state(self, item_id: int) -> str | None:
        return self.one("select max(work_state) from item_work where item_id = :item_id", item_id=item_id)

    def one(self, query: str, **values: Any) -> Any:
        """Return the single value that `query` finds; `:site_id` is this site."""
        return self.database.read(
            lambda connection: connection.execute(text(query), {"site_id": self.site_id} | values).scalar_one())

    def all(self, query: str, **values: Any) -> list[Any]:
        return self.database.read(
            lambda connection: list(connection.execute(text(query), {"site_id": self.site_id} | values)))

    def change(self, statement: str, **values: Any) -> None:
        self.database.transact(lambda connection: connection.execute(text(statement), values) and None)
