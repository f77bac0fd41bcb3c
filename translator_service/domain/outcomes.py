"""How a call can end: what the translator answers. An `ending` says that there is no usable answer and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from translator_service.domain.values import Dimension, Finding, GateResult, Span, VerdictOutcome
from translator_service.errors import Ending, Usage


@dataclass(frozen=True, slots=True)
class PlannedSegment:
    """`worst_case_micros` bounds one generation; `needs_call` False means that the text is copied."""

    span: Span
    worst_case_micros: int = 0
    needs_call: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """How a text is split and what it can cost at most. The segments joined in order equal the source.

    `is_deterministic`: the same request always gives the same answer. `is_free`: no call of this credential can
    cost money; a worst case of 0 without it means that its prices aren't known. `boot_id` is the process that
    answered, to be named in the requests that follow.
    """

    segments: tuple[PlannedSegment, ...] = ()
    judge_worst_case_micros: int = 0
    provider: str = ""
    is_deterministic: bool = False
    is_free: bool = False
    boot_id: str = ""
    ending: Ending | None = None


@dataclass(frozen=True, slots=True)
class Generation:
    """A translated segment; `text` is empty with an ending. `boot_id` is the process that ran it."""

    text: str = ""
    usage: Usage = field(default_factory=Usage)
    engine_duration: timedelta = timedelta()
    provider: str = ""
    boot_id: str = ""
    ending: Ending | None = None


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a provider's judge lists, before code verifies and scores it.

    `assessed` are the dimensions it looked at; empty when it could say nothing, which is unscored.
    `notes` are names of rules that a reviewer should see (such as ``short_text_gates_only``).
    Sentences are counted by offline judges only, which can't say anything about short ones.
    """

    findings: tuple[Finding, ...] = ()
    assessed: tuple[Dimension, ...] = ()
    usage: Usage = field(default_factory=Usage)
    engine_duration: timedelta = timedelta()
    is_offline_estimate: bool = False
    judged_sentences: int = 0
    unjudged_sentences: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgment:
    """Verified findings and what code decided from them. `score` None is unscored, which is never a pass.

    `is_offline_estimate` True: made by rules and a round trip; every place that shows it says so.
    """

    findings: tuple[Finding, ...] = ()
    dropped_findings: int = 0
    dimension_scores: dict[Dimension, float] = field(default_factory=dict)
    score: float | None = None
    verdict: VerdictOutcome = VerdictOutcome.UNSCORED
    reasons: tuple[str, ...] = ()
    rubric_version: str = ""
    is_offline_estimate: bool = False
    judged_sentences: int = 0
    unjudged_sentences: int = 0
    usage: Usage = field(default_factory=Usage)
    engine_duration: timedelta = timedelta()
    provider: str = ""
    boot_id: str = ""
    ending: Ending | None = None


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether a credential can be used now: it can when `ending` is None."""

    provider: str = ""
    engine: str = ""
    is_deterministic: bool = False
    usage: Usage = field(default_factory=Usage)
    boot_id: str = ""
    ending: Ending | None = None


class CallFate(StrEnum):
    """What became of a call. NEVER_SENT is a proof, and the process refuses that id from then on."""

    RUNNING = "running"
    DONE = "done"
    NEVER_SENT = "never_sent"
    NOT_KNOWN_HERE = "not_known_here"


@dataclass(frozen=True, slots=True)
class Resolution:
    """What the process `boot_id` knows of a call; with DONE exactly one of the answers is set."""

    fate: CallFate
    boot_id: str
    generated: Generation | None = None
    judged: Judgment | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """What every deterministic gate says of a candidate."""

    results: tuple[GateResult, ...]
