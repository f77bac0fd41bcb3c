"""What an item should be after everything that happened to it: the model that the database is held against."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_service.store.claims import Claim

WORKABLE = ("missing", "stale")
ATTEMPTS = 4


@dataclass
class Expected:
    """What an item should be. `lease` is None, live or lapsed; `due` is now, later or never."""

    text: str
    status: str = "missing"
    is_active: bool = True
    revision: int = 1
    attempts: int = 0
    claim_seq: int = 0
    lease: str | None = None
    due: str = "now"
    progress_seq: int | None = None

    @property
    def has_progress(self) -> bool:
        return self.lease is not None and self.progress_seq == self.claim_seq

    @property
    def state(self) -> str | None:
        """What the inventory should say of it; None for what isn't work."""
        if not self.is_active or self.status not in WORKABLE:
            return None
        if self.lease == "live":
            return "running"
        if self.due == "never" or (self.attempts >= ATTEMPTS and not self.has_progress):
            return "failed"
        return "ready" if self.due == "now" else "waiting_to_retry"

    def stands(self, claim: Claim) -> bool:
        return self.claim_seq == claim.claim_seq and self.lease is not None

    def revoke(self) -> None:
        self.claim_seq += 1
        self.lease = None

    def renew_budget(self) -> None:
        self.attempts, self.due = 0, "now"
