"""An item's states, its key, and how its text is hashed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum


class ItemStatus(StrEnum):
    MISSING = "missing"
    STALE = "stale"
    DRAFT = "draft"
    NEEDS_REVIEW = "needs_review"
    NEEDS_CREDENTIAL = "needs_credential"
    APPROVED = "approved"
    PUBLISHED = "published"
    REJECTED = "rejected"


# What a worker may take on.
WORKABLE = frozenset({ItemStatus.MISSING, ItemStatus.STALE})
# What a person may approve, edit or reject.
DECIDABLE = frozenset({ItemStatus.DRAFT, ItemStatus.NEEDS_REVIEW, ItemStatus.REJECTED})
# What a person may write a text for: also where the machine has none yet, failed or is at it.
WRITABLE = DECIDABLE | WORKABLE | {ItemStatus.NEEDS_CREDENTIAL}
# What a person may correct, by approving another text for the same source: readers keep the published one until then.
CORRECTABLE = frozenset({ItemStatus.APPROVED, ItemStatus.PUBLISHED})
# One text, source or target: a book of 250 pages. An item's answer carries up to six of them in 4 MiB.
TEXT_MOST_BYTES = 500_000


class WorkState(StrEnum):
    """What a missing or stale item is waiting for: derived, never stored; the first that applies."""

    RUNNING = "running"
    WAITING_UNKNOWN = "waiting_unknown"
    FAILED = "failed"
    PAUSED = "paused"
    WAITING_CEILING = "waiting_ceiling"
    WAITING_TO_RETRY = "waiting_to_retry"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class ItemKey:
    site_id: str
    page_id: str
    field_name: str
    target_locale: str


def text_hash(text: str) -> str:
    """Return the lower-case hex SHA-256 of `text` in UTF-8 with its newlines as ``\\n``."""
    normalised = text.replace("\r\n", "\n").replace("\r", "\n")
    return hashlib.sha256(normalised.encode("utf-8")).hexdigest()
