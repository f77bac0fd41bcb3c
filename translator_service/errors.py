"""How a call to the translator can end: the closed list of codes, and our own error tree.

An ending of a paid call is a value (`Ending`) inside the response, never an exception across
the wire: a gRPC error would lose what the call cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum


class Code(StrEnum):
    """Every way in which a call can fail. The scheduler classifies each explicitly."""

    EMPTY_RESPONSE = "TranslationAI.EmptyResponse"
    TRUNCATED = "TranslationAI.Truncated"
    UNAVAILABLE = "TranslationAI.Unavailable"
    RATE_LIMITED = "TranslationAI.RateLimited"
    QUOTA_EXCEEDED = "TranslationAI.QuotaExceeded"
    AUTHENTICATION_FAILED = "TranslationAI.AuthenticationFailed"
    NOT_CONFIGURED = "TranslationAI.NotConfigured"
    PAIR_NOT_SUPPORTED = "TranslationAI.PairNotSupported"
    DISABLED = "TranslationAI.Disabled"
    OUTCOME_UNKNOWN = "TranslationAI.OutcomeUnknown"
    REFUSED = "TranslationAI.Refused"
    CONTENT_FILTERED = "TranslationAI.ContentFiltered"
    INVALID_RESPONSE = "Translation.InvalidResponse"
    INVALID_TEXT = "Translation.InvalidText"
    INVALID_REQUEST = "Translation.InvalidRequest"
    TOO_LONG = "Translation.TooLong"
    MASK_LOST = "Translation.MaskLost"
    UNEXPECTED = "Translation.Unexpected"


@dataclass(frozen=True, slots=True)
class Ending:
    """How one call ended without a usable answer.

    `was_sent` False is a proof that the provider did no work; True means it may have. `retry_after`
    is the provider's own wish, None when it named none. `remedy` says what to configure, without content.
    """

    code: Code
    was_sent: bool
    retry_after: timedelta | None = None
    remedy: str = ""


class TranslatorError(Exception):
    """Root of what this package raises."""


class ProviderFailed(TranslatorError):
    """A provider could not answer; `ending` carries the facts, `cost_micros` what it cost all the same."""

    def __init__(self, ending: Ending, usage: "Usage | None" = None) -> None:
        super().__init__(ending.code.value)
        self.ending = ending
        self.usage = usage or Usage()


class InvalidRequest(TranslatorError):
    """The request itself is wrong; `field` names the field, `remedy` says what to send instead."""

    def __init__(self, field: str, remedy: str) -> None:
        super().__init__(f"{field}: {remedy}")
        self.field = field
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call used, as the provider says. Tokens are None where it said nothing (zero is a value).

    `cost_micros` is in millionths of the profile's currency; `is_estimated` when it isn't from usage."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_micros: int = 0
    is_estimated: bool = False
    provider_request_id: str = ""
    provider_response_id: str = ""
    engine: str = ""
