"""What the scheduler can refuse, and the closed list of codes that an item or a call can end with.

    SchedulerError
    ├── Refused            the request can't be done as it stands; carries a `Reason`
    └── SchedulerUnreachable   raised by the client: no scheduler answered
"""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why a request was refused. Travels as trailing metadata ``draftgate-reason``."""

    NOT_SIGNED_IN = "NOT_SIGNED_IN"
    NOT_ALLOWED = "NOT_ALLOWED"
    NOT_FOUND = "NOT_FOUND"
    INVALID_FIELD = "INVALID_FIELD"
    VERSION_CONFLICT = "VERSION_CONFLICT"
    TEXT_CHANGED = "TEXT_CHANGED"
    OPEN_HARD_GATE = "OPEN_HARD_GATE"
    NOTHING_TO_DECIDE = "NOTHING_TO_DECIDE"
    NOT_APPROVED = "NOT_APPROVED"
    LINK_USED = "LINK_USED"
    CHECK_UNAVAILABLE = "CHECK_UNAVAILABLE"
    DATABASE_UNAVAILABLE = "DATABASE_UNAVAILABLE"
    # The connection broke while committing: look again before repeating anything.
    OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN"
    INTERNAL = "INTERNAL"


class SchedulerError(Exception):
    """Root of what this package raises."""


class Refused(SchedulerError):
    """A request that can't be done as it stands.

    `field` names the field of the request at fault ("" for none), `remedy` says in one sentence,
    without content, what to do.
    """

    def __init__(self, reason: Reason, remedy: str, field: str = "") -> None:
        super().__init__(f"{reason.value}: {remedy}")
        self.reason = reason
        self.remedy = remedy
        self.field = field


class SchedulerUnreachable(SchedulerError):
    """No scheduler answered in time. Whether the request took effect is not known."""


class Code(StrEnum):
    """Every code that an item's `last_error_code` or a call's `outcome_code` can hold.

    The first part repeats the translator's list (its `errors.Code`; a test holds them together); the rest
    is the scheduler's own. `domain.codes` classifies each; an unclassified one doesn't start.
    """

    EMPTY_RESPONSE = "TranslationAI.EmptyResponse"
    TRUNCATED = "TranslationAI.Truncated"
    UNAVAILABLE = "TranslationAI.Unavailable"
    RATE_LIMITED = "TranslationAI.RateLimited"
    QUOTA_EXCEEDED = "TranslationAI.QuotaExceeded"
    AUTHENTICATION_FAILED = "TranslationAI.AuthenticationFailed"
    NOT_CONFIGURED = "TranslationAI.NotConfigured"
    DISABLED = "TranslationAI.Disabled"
    PAIR_NOT_SUPPORTED = "TranslationAI.PairNotSupported"
    OUTCOME_UNKNOWN = "TranslationAI.OutcomeUnknown"
    REFUSED = "TranslationAI.Refused"
    CONTENT_FILTERED = "TranslationAI.ContentFiltered"
    INVALID_RESPONSE = "Translation.InvalidResponse"
    INVALID_TEXT = "Translation.InvalidText"
    INVALID_REQUEST = "Translation.InvalidRequest"
    TOO_LONG = "Translation.TooLong"
    MASK_LOST = "Translation.MaskLost"
    UNEXPECTED = "Translation.Unexpected"

    STALE_SOURCE = "Translation.StaleSource"
    STALE_DRAFT = "Translation.StaleDraft"
    APPLY_LOCK_BUSY = "Apply.LockBusy"
    APPLY_WRITE_FAILED = "Apply.WriteFailed"
    APPLY_READ_BACK_MISMATCH = "Apply.ReadBackMismatch"
    ITEM_CEILING = "Budget.ItemCeiling"
    CEILING = "Budget.Ceiling"
    WORKER_TIMEOUT = "Worker.Timeout"
    WORKER_LOST_LEASE = "Worker.LostLease"
    WORKER_WAITED_TOO_LONG = "Worker.WaitedTooLong"
    TRANSLATOR_UNREACHABLE = "Worker.TranslatorUnreachable"
    SUPERSEDED = "Worker.Superseded"
    CANCELLED = "Worker.Cancelled"
