"""What an OpenAI-compatible server's answers and failures mean: one table, read from the top.

Nothing decides by message text except where a server says a thing in no other way; such rows say so.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import httpx2
from openai import APIConnectionError, APIStatusError, OpenAIError
from openai.types.chat import ChatCompletion

from translator_service.errors import Code, Ending

_QUOTA_CODES = frozenset(
    """insufficient_quota credit_balance_exhausted organization_spend_limit_exceeded billing_error
    project_spend_limit_exceeded organization_usage_limit_exceeded billing_hard_limit_reached""".split()
)
_FILTER_CODES = frozenset({"content_filter", "responsibleaipolicyviolation", "invalid_prompt", "content_policy_violation"})
_LENGTH_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"})
# Servers without codes say it in these words only.
_LENGTH_WORDS = re.compile(
    r"maximum context length|prompt is too long|exceeds the available context size|input too long"
    r"|maximum number of tokens allowed",
    re.IGNORECASE,
)
# Neither answer nor refusal: the request may have been worked on. 502 and 504 come from gateways, 520 to 527
# from a CDN, all of which may have lost an answer that was paid for.
_UNKNOWN_STATUSES = frozenset({408, 500, 502, 504, *range(520, 528)})
_UNSENT_CAUSES = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
_MISBUILT_CAUSES = (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL)

# A limit on the rate is over in minutes. Who asks for more than a day means a quota, which needs a person.
LONGEST_WAIT = timedelta(hours=24)
_LONG_WAIT = "The provider asks to wait for more than a day. Look into the account's limits, then resume the credential"


@dataclass(frozen=True, slots=True)
class Signal:
    """What a failed HTTP answer says, taken apart once. Words are lower-cased."""

    status: int
    code: str
    kind: str
    inner_code: str
    message: str
    headers: Mapping[str, str]

    @classmethod
    def of(cls, error: APIStatusError) -> Signal:
        body = error.body
        if isinstance(body, list) and body:
            body = body[0]
        fields = body if isinstance(body, dict) else {}
        if isinstance(fields.get("error"), dict):
            fields = fields["error"]
        inner = fields.get("innererror")
        return cls(
            status=error.status_code,
            code=_word(fields.get("code")),
            kind=_word(fields.get("type") or fields.get("status")),
            inner_code=_word(inner.get("code")) if isinstance(inner, dict) else "",
            message=body if isinstance(body, str) else str(fields.get("message") or ""),
            headers=error.response.headers,
        )

    @property
    def names(self) -> frozenset[str]:
        return frozenset({self.code, self.kind, self.inner_code})


@dataclass(frozen=True, slots=True)
class Row:
    """`holds` for a signal means `code`; `was_sent` says whether it may have been worked on."""

    holds: Callable[[Signal], bool]
    code: Code
    was_sent: bool = False
    remedy: str = ""


TABLE: tuple[Row, ...] = (
    Row(
        lambda s: s.status == 429 and bool(s.names & _QUOTA_CODES),
        Code.QUOTA_EXCEEDED,
        remedy="The account has no credit or has reached its spending limit. Add credit, then resume the credential",
    ),
    Row(
        # A 402 with a time to retry is a budget in flight, not an empty account.
        lambda s: s.status == 402 and retry_after(s.headers) is None,
        Code.QUOTA_EXCEEDED,
        remedy="The provider asks for payment. Add credit, then resume the credential",
    ),
    Row(
        lambda s: s.status == 400 and bool(s.names & _QUOTA_CODES),
        Code.QUOTA_EXCEEDED,
        remedy="The account has reached its spending limit. Raise it, then resume the credential",
    ),
    Row(lambda s: s.status in (402, 429), Code.RATE_LIMITED),
    Row(
        lambda s: s.status in (400, 403) and bool(s.names & _FILTER_CODES),
        Code.CONTENT_FILTERED,
    ),
    Row(
        lambda s: s.status in (401, 403),
        Code.AUTHENTICATION_FAILED,
        remedy="The provider refuses the key. Check it, its permissions and the base URL, then resume the credential",
    ),
    Row(
        lambda s: s.status in (301, 302, 303, 307, 308),
        Code.NOT_CONFIGURED,
        remedy="The base URL redirects elsewhere, which is never followed. Configure the final address",
    ),
    Row(
        lambda s: s.status == 404,
        Code.NOT_CONFIGURED,
        remedy="The provider does not know the model or the path. Check model and base_url of the credential",
    ),
    Row(
        lambda s: s.status == 413
        or (s.status in (400, 422, 500) and (bool(s.names & _LENGTH_CODES) or bool(_LENGTH_WORDS.search(s.message)))),
        Code.TOO_LONG,
        remedy="The text does not fit the model's window. Use a model with a larger one, or smaller segments",
    ),
    Row(lambda s: s.status in (409, 503, 529) or s.kind == "overloaded_error", Code.UNAVAILABLE),
    Row(lambda s: s.status in _UNKNOWN_STATUSES or s.status > 500, Code.OUTCOME_UNKNOWN, was_sent=True),
    Row(
        lambda s: 400 <= s.status < 500,
        Code.INVALID_REQUEST,
        remedy="The provider refuses the request's parameters. Check model and options of the credential",
    ),
    Row(lambda s: True, Code.OUTCOME_UNKNOWN, was_sent=True),
)


def ending_of_error(error: BaseException) -> Ending:
    """Return how a call that raised `error` ended."""
    if isinstance(error, APIStatusError):
        signal = Signal.of(error)
        row = next(row for row in TABLE if row.holds(signal))
        wait = retry_after(signal.headers) if row.code in (Code.RATE_LIMITED, Code.UNAVAILABLE) else None
        if wait is not None and wait > LONGEST_WAIT:
            return Ending(Code.QUOTA_EXCEEDED, row.was_sent, remedy=_LONG_WAIT)
        return Ending(row.code, row.was_sent, wait, row.remedy)
    if isinstance(error, APIConnectionError):
        cause = error.__cause__
        if isinstance(cause, _MISBUILT_CAUSES):
            return Ending(Code.NOT_CONFIGURED, False, remedy="The base URL of the credential is not usable. Correct it")
        if isinstance(cause, _UNSENT_CAUSES):
            return Ending(Code.UNAVAILABLE, was_sent=False)
        return Ending(Code.OUTCOME_UNKNOWN, was_sent=True)
    if isinstance(error, TimeoutError | json.JSONDecodeError | httpx2.HTTPError):
        return Ending(Code.OUTCOME_UNKNOWN, was_sent=True)
    if isinstance(error, OpenAIError):
        return Ending(Code.NOT_CONFIGURED, False, remedy="The credential is not usable. Check its key and base_url")
    return Ending(Code.UNEXPECTED, was_sent=True)


def ending_of_answer(answer: object) -> Ending | None:
    """Return how an answered call ended, None when it holds a text to use.

    The SDK builds answers without validating: this is where a page of HTML, a list or an error inside a
    success is noticed.
    """
    if not isinstance(answer, ChatCompletion):
        return Ending(Code.OUTCOME_UNKNOWN, was_sent=True)
    has_error = bool((answer.model_extra or {}).get("error"))
    choice = answer.choices[0] if isinstance(answer.choices, list) and answer.choices else None
    if choice is None:
        return Ending(Code.OUTCOME_UNKNOWN, was_sent=True)
    message = getattr(choice, "message", None)
    text = getattr(message, "content", None) or ""
    finish = getattr(choice, "finish_reason", None)
    if not isinstance(text, str):
        return Ending(Code.INVALID_RESPONSE, was_sent=True)
    if finish == "length":
        return Ending(Code.TRUNCATED, was_sent=True)
    if finish == "content_filter":
        return Ending(Code.CONTENT_FILTERED, was_sent=True)
    if (message is not None and getattr(message, "refusal", None)) or finish == "refusal":
        return Ending(Code.REFUSED, was_sent=True)
    if has_error or finish == "error":
        return Ending(Code.OUTCOME_UNKNOWN if text.strip() else Code.UNAVAILABLE, was_sent=True)
    if not text.strip():
        return Ending(Code.EMPTY_RESPONSE, was_sent=True)
    if finish != "stop":
        # No reason, or one that asks for tools: nobody said that this is the whole text.
        return Ending(Code.INVALID_RESPONSE, was_sent=True)
    return None


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> timedelta | None:
    """Return the provider's wish: from ``retry-after-ms``, or ``retry-after`` in seconds or as a date.

    The past is no wait; None where it says nothing that can be read.
    """
    try:
        if "retry-after-ms" in headers:
            return _wait(float(headers["retry-after-ms"]) / 1000)
        if "retry-after" in headers:
            value = headers["retry-after"].strip()
            if re.fullmatch(r"-?\d+(\.\d+)?", value):
                return _wait(float(value))
            return _wait((parsedate_to_datetime(value) - (now or datetime.now(UTC))).total_seconds())
    except (ValueError, TypeError, OverflowError):
        pass
    return None


def _wait(seconds: float) -> timedelta:
    """Raises: ValueError: for NaN. Beyond a century it is one: a `timedelta` has an end."""
    if math.isnan(seconds):
        raise ValueError("no number")
    return timedelta(seconds=min(max(0.0, seconds), 100 * 366 * 86_400.0))


def _word(value: object) -> str:
    return "" if value is None else str(value).lower()
