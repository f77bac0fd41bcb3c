"""A reviewer's desk: one item, the people who decide on it, and what a decision carries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from running_scheduler import RunningScheduler
from stocked_site import StockedSite

from scheduler_service.answers import GetItemResponse
from scheduler_service.client import SchedulerClient
from scheduler_service.errors import Refused

GOOD = "Veja o [mapa](https://example.org/map)."
# The link has gone: a hard gate.
BROKEN = "Veja o mapa."


@dataclass
class Desk:
    """A site and the people who work on it; the item on it is called ``title``."""

    site: StockedSite
    ana: SchedulerClient
    rui: SchedulerClient
    eva: SchedulerClient  # reviewer and publisher
    root: SchedulerClient

    @property
    def item_id(self) -> int:
        return self.site.item_id("title")

    def look(self) -> GetItemResponse:
        return self.ana.get_item(self.item_id)

    def seen(self) -> dict[str, Any]:
        """Return what a decision on the shown text carries."""
        item = self.look()
        assert item.candidate is not None
        return {"version": item.summary.version, "candidate_id": item.candidate.candidate_id,
                "text_hash": item.candidate.text_hash}

    def approved(self) -> int:
        """Approve the shown text as Ana; return the version."""
        return self.ana.approve(self.item_id, **self.seen()).version

    def published(self) -> None:
        version = self.approved()
        self.eva.publish(self.item_id, version=version, text_hash=self.look().candidate.text_hash)

    def row(self) -> dict[str, Any]:
        return self.site.row(self.item_id)

    def everything(self) -> list[Any]:
        """Return what a refused decision must leave as it was."""
        return [self.row(), *self.site.all("""
            select (select count(*) from candidates), (select count(*) from approvals),
                   (select count(*) from publications), (select count(*) from item_log),
                   (select count(*) from audit), (select count(*) from outbox)""")]


@contextmanager
def opened(scheduler: RunningScheduler) -> Iterator[Desk]:
    """Set up the desk on a scheduler's empty database."""
    site = scheduler.site()
    site.scan({"title": "See the [map](https://example.org/map)."}, text_format="markdown")
    clients = [scheduler.client(scheduler.person(name, *roles)) for name, roles in (
        ("Ana", ["reviewer"]), ("Rui", ["reviewer"]), ("Eva", ["reviewer", "publisher"]), ("Root", ["admin"]))]
    yield Desk(site, *clients)
    for client in clients:
        client.close()


def refusal(act: Any, *arguments: Any, **values: Any) -> Refused:
    with pytest.raises(Refused) as refused:
        act(*arguments, **values)
    return refused.value
