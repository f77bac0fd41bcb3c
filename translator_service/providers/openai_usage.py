"""What a call used and cost. The SDK builds answers without validating, so a server can say anything here:
only what can be true is believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from translator_service.domain.values import is_whole
from translator_service.errors import Usage
from translator_service.providers import CredentialProfile

_MILLION = 1_000_000
# Hundreds of times the largest window: beyond it a number is a fault, and would not fit a ledger.
_MOST_TOKENS = 1_000_000_000
# Providers' ids and model names have below 100; what is longer is no name.
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Prices:
    """Of one model, in millionths of the profile's currency per million tokens; None when not known."""

    input_micros: int | None = None
    output_micros: int | None = None

    @classmethod
    def of(cls, profile: CredentialProfile) -> Self:
        return cls(profile.input_price_micros, profile.output_price_micros)

    @classmethod
    def of_judge(cls, profile: CredentialProfile) -> Self:
        """Return the judge's own prices, else the writer's if it is the same model, else unknown ones."""
        if profile.judge_input_price_micros is not None or profile.judge_output_price_micros is not None:
            return cls(profile.judge_input_price_micros, profile.judge_output_price_micros)
        return cls.of(profile) if profile.judge_model in ("", profile.model) else cls()

    @property
    def are_known(self) -> bool:
        return self.input_micros is not None and self.output_micros is not None

    def cost(self, tokens_in: int, tokens_out: int) -> int:
        """Return millionths of the currency, rounded up; an unknown price counts as 0."""
        return -(-(tokens_in * (self.input_micros or 0) + tokens_out * (self.output_micros or 0)) // _MILLION)


def usage_of_answer(answer: Any, model: str, prices: Prices, at_most_micros: int) -> Usage:
    """Return what an answered call used. `at_most_micros` is booked where it doesn't say: never less than what
    may have been charged. `model` is what was asked, for answers that name none."""
    told = getattr(answer, "usage", None)
    tokens_in, tokens_out = _tokens(told, "prompt_tokens"), _tokens(told, "completion_tokens")
    is_told = tokens_in is not None and tokens_out is not None
    return Usage(
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        cost_micros=prices.cost(tokens_in, tokens_out) if is_told else at_most_micros,
        is_estimated=not is_told or not prices.are_known,
        provider_request_id=_name(answer, "_request_id"),
        provider_response_id=_name(answer, "id"),
        engine=_name(answer, "model") or model,
    )


def usage_of_error(error: Exception, at_most_micros: int, was_sent: bool) -> Usage:
    """Return what a call used that ended with `error`: nothing if it wasn't sent, else up to `at_most_micros`."""
    return Usage(
        cost_micros=at_most_micros if was_sent else 0,
        is_estimated=was_sent,
        provider_request_id=_name(error, "request_id"),
    )


def _tokens(told: object, name: str) -> int | None:
    number = getattr(told, name, None)
    # True is an int to Python.
    return number if type(number) is int and 0 <= number <= _MOST_TOKENS else None


def _name(thing: object, name: str) -> str:
    """Return an id or a model's name; "" for what is none, or can't be sent and stored."""
    value = getattr(thing, name, None)
    return value if isinstance(value, str) and len(value) <= _LONGEST_NAME and is_whole(value) else ""
