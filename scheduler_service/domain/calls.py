"""The life of one ledger row: its states, and which of them are open."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class CallState(StrEnum):
    RESERVED = "reserved"
    DISPATCHED = "dispatched"
    REFUSED = "refused"
    STORED = "stored"
    APPLIED = "applied"
    UNUSED = "unused"
    UNKNOWN = "unknown"
    WRITTEN_OFF = "written_off"


class CallKind(StrEnum):
    GENERATE = "generate"
    JUDGE = "judge"
    PROBE = "probe"
    TRY = "try"


OPEN = frozenset({CallState.RESERVED, CallState.DISPATCHED, CallState.UNKNOWN})

# The whole text rather than a segment of it.
WHOLE = -1


@dataclass(frozen=True, slots=True)
class Part:
    """What a call is for. One open call a part: the database holds that."""

    item_id: int
    source_revision: int
    turn: int
    segment: int
    kind: CallKind
    ordinal: int = 1


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call found open by a later attempt."""

    call_id: UUID
    state: CallState
    reserved_micros: int
    is_free: bool
    boot_id: str


@dataclass(frozen=True, slots=True)
class Spent:
    """What an ended call used and cost, as the translator reported it."""

    cost_micros: int
    is_estimated: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    provider: str = ""
    engine: str = ""
    provider_request_id: str = ""
    provider_response_id: str = ""
    boot_id: str = ""


def may_buy_again(reserved_micros: int, allowance_left_micros: int, *, is_free: bool) -> bool:
    """Return whether a part whose call has an unknown outcome may be bought again by itself.

    Only what can cost nothing, or what the duplicate allowance covers: it starts at zero. Nothing reserved for a
    call that isn't free means that its price isn't known, so no allowance covers it.
    """
    return is_free or 0 < reserved_micros <= allowance_left_micros
