"""Classifies every code. The class decides what happens; nothing reads a message."""

from __future__ import annotations

from enum import StrEnum

from scheduler_service.errors import Code


class CodeClass(StrEnum):
    """What a code does: retry uses an attempt; apply retries the saving; wait, unknown and void count nothing; halt
    stops the credential; park stops this item alone until an operator acts; terminal ends the attempts; ceiling waits
    for money."""

    RETRY = "retry"
    APPLY = "apply"
    WAIT = "wait"
    HALT = "halt"
    PARK = "park"
    UNKNOWN = "unknown"
    TERMINAL = "terminal"
    CEILING = "ceiling"
    VOID = "void"


CLASSES: dict[Code, CodeClass] = {
    Code.EMPTY_RESPONSE: CodeClass.RETRY,
    Code.TRUNCATED: CodeClass.RETRY,
    Code.UNAVAILABLE: CodeClass.RETRY,
    Code.RATE_LIMITED: CodeClass.WAIT,
    Code.QUOTA_EXCEEDED: CodeClass.HALT,
    Code.AUTHENTICATION_FAILED: CodeClass.HALT,
    Code.NOT_CONFIGURED: CodeClass.HALT,
    Code.DISABLED: CodeClass.HALT,
    # Of one pair: the credential serves others.
    Code.PAIR_NOT_SUPPORTED: CodeClass.PARK,
    Code.OUTCOME_UNKNOWN: CodeClass.UNKNOWN,
    Code.REFUSED: CodeClass.TERMINAL,
    Code.CONTENT_FILTERED: CodeClass.TERMINAL,
    Code.INVALID_RESPONSE: CodeClass.RETRY,
    Code.INVALID_TEXT: CodeClass.RETRY,
    Code.INVALID_REQUEST: CodeClass.TERMINAL,
    Code.TOO_LONG: CodeClass.TERMINAL,
    Code.MASK_LOST: CodeClass.TERMINAL,
    Code.UNEXPECTED: CodeClass.TERMINAL,
    Code.STALE_SOURCE: CodeClass.RETRY,
    Code.STALE_DRAFT: CodeClass.RETRY,
    Code.APPLY_LOCK_BUSY: CodeClass.APPLY,
    Code.APPLY_WRITE_FAILED: CodeClass.APPLY,
    Code.APPLY_READ_BACK_MISMATCH: CodeClass.APPLY,
    Code.ITEM_CEILING: CodeClass.CEILING,
    Code.CEILING: CodeClass.CEILING,
    Code.WORKER_TIMEOUT: CodeClass.RETRY,
    Code.WORKER_LOST_LEASE: CodeClass.VOID,
    # No call was made, so no attempt is used; the translator comes back or an operator sees it missing.
    Code.TRANSLATOR_UNREACHABLE: CodeClass.WAIT,
    Code.WORKER_WAITED_TOO_LONG: CodeClass.PARK,
    Code.SUPERSEDED: CodeClass.VOID,
    Code.CANCELLED: CodeClass.VOID,
}

# With these as the last error, used-up attempts are the provider's fault, not the content's.
PROVIDER_CODES = frozenset(code for code in Code if code.value.startswith("TranslationAI.")) - {
    Code.REFUSED,
    Code.CONTENT_FILTERED,
}


def require_classified() -> None:
    """Refuse to go on while a code has no class; called at start.

    Raises:
        RuntimeError: names the unclassified codes.
    """
    missing = [code.value for code in Code if code not in CLASSES]
    if missing:
        raise RuntimeError(f"codes without a class in domain/codes.py: {', '.join(missing)}")
