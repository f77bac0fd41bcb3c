"""The nouns of the translator. Offsets are Python string indices (code points), ends exclusive."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


def is_whole(text: str) -> bool:
    """Return whether `text` can be sent and stored: no NUL, no half of a surrogate pair (JSON lets both through)."""
    return "\x00" not in text and text.encode("utf-8", "replace").decode("utf-8") == text


class TextFormat(StrEnum):
    """What a field's text is made of; it decides which parser finds the parts that must survive."""

    PLAIN = "plain"
    MARKDOWN = "markdown"
    HTML = "html"
    ICU = "icu"
    PRINTF = "printf"
    PYTHON_FORMAT = "python-format"
    BRACE = "brace"
    I18NEXT = "i18next"
    RENPY = "renpy"


class TokenKind(StrEnum):
    """Why a stretch of text must come through unchanged."""

    PLACEHOLDER = "placeholder"
    TAG = "tag"
    CODE = "code"
    LINK = "link"
    MARKUP = "markup"
    TERM = "term"
    EMOJI = "emoji"


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch that must survive; `target` is what stands for it in the translation (a required
    glossary form), None for the same text."""

    span: Span
    kind: TokenKind
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """Part of a long text. The segments of a text, joined in order, equal it."""

    ordinal: int
    span: Span


@dataclass(frozen=True, slots=True)
class Term:
    """One glossary entry.

    `target` equal to `source`, or `do_not_translate`, means the source term stays as it is.
    `accepted_forms` are further target forms that count; `forbidden_forms` must not appear in the target.
    """

    source: str
    target: str
    do_not_translate: bool = False
    accepted_forms: tuple[str, ...] = ()
    forbidden_forms: tuple[str, ...] = ()
    case_sensitive: bool = False
    part_of_speech: str = ""
    sense: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Glossary:
    """The terms in force; `version` is empty when there is no glossary."""

    version: str = ""
    terms: tuple[Term, ...] = ()


class GateOutcome(StrEnum):
    PASS = "pass"
    FAIL = "fail"
    UNSURE = "unsure"
    NOT_APPLICABLE = "not_applicable"


class GateSeverity(StrEnum):
    """HARD: a failure is score 0 and a fail, whatever else is good. FLAG: a person should look."""

    HARD = "hard"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a gate saw something: a span of the source, of the candidate, or of both."""

    source: Span | None = None
    candidate: Span | None = None


@dataclass(frozen=True, slots=True)
class GateResult:
    """What one gate says of a candidate; `explanation` is one line for reviewers.

    `is_structural` failures can be passed by an explicit override only, and no site may soften them.
    """

    gate: str
    outcome: GateOutcome
    severity: GateSeverity
    explanation: str = ""
    evidence: tuple[Evidence, ...] = ()
    is_structural: bool = False


@dataclass(frozen=True, slots=True)
class GateContext:
    """What a gate may know besides the two texts. `forbidden_terms` must not appear in the candidate;
    `max_length` counts characters, None for no limit."""

    text_format: TextFormat
    source_locale: str
    target_locale: str
    glossary: Glossary = field(default_factory=Glossary)
    do_not_translate: tuple[str, ...] = ()
    forbidden_terms: tuple[str, ...] = ()
    max_length: int | None = None


class Dimension(StrEnum):
    ACCURACY = "accuracy"
    TERMINOLOGY = "terminology"
    FLUENCY = "fluency"
    STYLE = "style"
    LOCALE = "locale"
    AUDIENCE = "audience"


class FindingSeverity(StrEnum):
    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class Finding:
    """An error that a judge quotes. A quote that can't be found in its text makes it unverifiable.

    `source_quote` may be empty (something was added), `target_quote` too (something was left out), not both.
    """

    dimension: Dimension
    severity: FindingSeverity
    source_quote: str
    target_quote: str
    reason: str
    fix: str = ""
    source_span: Span | None = None
    candidate_span: Span | None = None


class VerdictOutcome(StrEnum):
    PASS = "pass"
    FAIL = "fail"
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What code decides from gates and findings. `score` and `dimension_scores` run from 0 to 10,
    None where nothing was scored. `reasons` name gates, dimensions or rules, never content."""

    outcome: VerdictOutcome
    score: float | None
    dimension_scores: dict[Dimension, float]
    reasons: tuple[str, ...]
    rubric_version: str
