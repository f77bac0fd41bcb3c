"""Which list a reviewer is working through: part of every address, so that a filter is a link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scheduler_service.answers import Queue
from scheduler_service.domain.items import ItemStatus

# A search is for a phrase; longer ones are a paste by mistake.
LONGEST_QUERY = 200
# Everything else is in work.
_QUEUE_OF = {
    ItemStatus.DRAFT: Queue.TO_REVIEW,
    ItemStatus.NEEDS_REVIEW: Queue.NEEDS_PERSON,
    ItemStatus.APPROVED: Queue.APPROVED,
    ItemStatus.PUBLISHED: Queue.PUBLISHED,
    ItemStatus.REJECTED: Queue.REJECTED,
}


@dataclass(frozen=True, slots=True)
class Looking:
    """A queue with its filters; `queue` None shows every item."""

    queue: Queue | None = Queue.TO_REVIEW
    locale: str = ""
    query: str = ""

    @classmethod
    def of(cls, values: Mapping[str, str]) -> Looking:
        """Read it from an address or a form; what isn't known falls back to the first queue."""
        name = values.get("queue", Queue.TO_REVIEW.value)
        queue = None if name == "all" else (Queue(name) if name in list(Queue) else Queue.TO_REVIEW)
        return cls(queue, values.get("locale", ""), values.get("q", "").strip()[:LONGEST_QUERY])

    @classmethod
    def at(cls, status: ItemStatus) -> Looking:
        """Return the queue that an item of `status` is in."""
        return cls(_QUEUE_OF.get(status, Queue.IN_WORK))

    def address(self, **other: str) -> dict[str, str]:
        """Return the parts of an address that lead back here, with `other` put in."""
        parts = {"queue": self.queue.value if self.queue else "all", "locale": self.locale, "q": self.query}
        return {name: value for name, value in (parts | other).items() if value}
