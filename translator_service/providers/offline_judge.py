"""The offline judge: each sentence of a candidate goes back to the source's language and is compared.

A gross-error detector: it finds lost halves, lost negations and lost numbers; it hardly sees a swapped
noun, and nothing of style. Everything it says is labelled an offline estimate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from translator_service.domain.glossary import merge_tokens
from translator_service.domain.requests import SourceText
from translator_service.domain.similarity import chrf, content_recall, negations, numbers, words
from translator_service.domain.syntax import find_prose, find_tokens
from translator_service.domain.syntax.spans import without
from translator_service.domain.values import Dimension, Finding, FindingSeverity, Span, TextFormat, Token
from translator_service.providers.offline_engine import Direction, OfflineEngine, sentences, shifted, unknown_tokens

# Below this many words a round trip says nothing: 43 of 240 short interface strings fell below every
# threshold though they were right.
FEWEST_WORDS = 4
# A sentence is weak when any of these holds. Source: measured on real pages, machine and human: 2 % false
# alarms; each alone either misses nearly every negation or raises many more.
WEAK_CHRF = 50.0
WEAK_RECALL = 0.5
WEAK_LENGTH = 0.65
# Far below the 1 % of right sentences with the lowest values: something is missing or another text.
BROKEN_CHRF = 35.0
BROKEN_RECALL = 0.25
BROKEN_LENGTH = 0.45

SHORT_TEXT = "short_text_gates_only"
NOT_ALIGNED = "sentences_not_aligned"


@dataclass(frozen=True, slots=True)
class Report:
    findings: tuple[Finding, ...]
    assessed: tuple[Dimension, ...]
    judged: int
    unjudged: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Signals:
    """What a round trip of one sentence shows; None where a measure says nothing."""

    chrf: float
    recall: float | None
    length: float
    negation_changed: bool
    numbers_changed: bool

    def reasons(self) -> tuple[str, ...]:
        """Return why the sentence is weak, in words for reviewers; empty when it isn't."""
        told = (
            (self.negation_changed, "a negation may have been lost or added"),
            (self.numbers_changed, "the numbers differ"),
            (self.length < WEAK_LENGTH, "part of the sentence may be missing"),
            (self.recall is not None and self.recall < WEAK_RECALL, "few of its words come back in a round trip"),
            (self.chrf < WEAK_CHRF, "the round trip reads differently"),
        )
        return tuple(reason for holds, reason in told if holds)

    @property
    def severity(self) -> FindingSeverity:
        is_broken = (
            self.chrf < BROKEN_CHRF
            or self.length < BROKEN_LENGTH
            or (self.recall is not None and self.recall < BROKEN_RECALL)
        )
        is_major = self.negation_changed or is_broken or len(self.reasons()) > 2
        return FindingSeverity.MAJOR if is_major else FindingSeverity.MINOR


class OfflineJudge:
    """Judges candidates with the engine's opposite direction."""

    def __init__(self, engine: OfflineEngine) -> None:
        self._engine = engine

    def judge(self, source: SourceText, candidate: str, pair: Direction) -> Report:
        """Return weak sentences as findings, with their exact spans in both texts.

        A text whose sentences are all too short is assessed by its gates alone, and the notes say so. Where
        sentences can't be put side by side, nothing is assessed.

        Raises:
            EngineMissing: the wheel is not here.
        """
        theirs, ours = Side.of(source.text, source.text_format, pair[0]), Side.of(candidate, source.text_format, pair[1])
        pairs = align(theirs, ours)
        if pairs is None:
            return Report((), (), 0, 0, (NOT_ALIGNED,))
        findings: list[Finding] = []
        judged = 0
        for there, here in pairs:
            signals = self.signals(theirs, there, ours, here)
            if signals is None:
                continue
            judged += 1
            if reasons := signals.reasons():
                findings.append(
                    Finding(
                        dimension=Dimension.ACCURACY,
                        severity=signals.severity,
                        source_quote=there.of(source.text),
                        target_quote=here.of(candidate),
                        reason="Offline estimate: " + "; ".join(reasons),
                        source_span=there,
                        candidate_span=here,
                    )
                )
        notes = () if judged else (SHORT_TEXT,)
        return Report(
            tuple(findings), (Dimension.ACCURACY, Dimension.TERMINOLOGY), judged, len(pairs) - judged, notes
        )

    def signals(self, theirs: Side, there: Span, ours: Side, here: Span) -> Signals | None:
        """Return what a round trip of the stretch `here` shows beside `there`; None when that is too short."""
        original, forth = theirs.plain(there), ours.plain(here)
        length = len(words(original))
        if length < FEWEST_WORDS:
            return None
        back = self._back(ours, here, theirs.locale)
        return Signals(
            chrf=chrf(back, original),
            recall=content_recall(back, original, theirs.language),
            length=len(words(back)) / length,
            negation_changed=bool(negations(original, theirs.language)) != bool(negations(forth, ours.language)),
            numbers_changed=numbers(original) != numbers(forth),
        )

    def _back(self, ours: Side, here: Span, locale: str) -> str:
        """Translate a stretch of the candidate back, its tokens left out of the result."""
        blanked = tuple(replace(token, target=" ") for token in ours.tokens)
        return " ".join(
            self._engine.translate_sentence(one.of(ours.text), shifted(blanked, one), (ours.locale, locale))
            for one in sentences(ours.text, here, blanked, ours.locale)
        )


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two texts, taken apart once."""

    text: str
    locale: str
    tokens: tuple[Token, ...]
    prose: tuple[Span, ...]

    @classmethod
    def of(cls, text: str, text_format: TextFormat, locale: str) -> Side:
        tokens = merge_tokens(find_tokens(text, text_format), unknown_tokens(text))
        return cls(text, locale, tokens, find_prose(text, text_format))

    @property
    def language(self) -> str:
        return self.locale.split("-")[0]

    def plain(self, span: Span) -> str:
        return without(self.text, self.tokens, span.start, span.end)

    def sentences(self, prose: Span) -> list[Span]:
        return [_trimmed(self.text, one) for one in sentences(self.text, prose, self.tokens, self.locale)]


def align(theirs: Side, ours: Side) -> list[tuple[Span, Span]] | None:
    """Put sentences side by side; None when the two texts haven't the same number of stretches of prose.

    A stretch with another number of sentences on the other side is compared as a whole.
    """
    if len(theirs.prose) != len(ours.prose):
        return None
    pairs: list[tuple[Span, Span]] = []
    for there, here in zip(theirs.prose, ours.prose, strict=True):
        one, other = theirs.sentences(there), ours.sentences(here)
        pairs += zip(one, other, strict=True) if len(one) == len(other) else [(there, here)]
    return pairs


def _trimmed(text: str, span: Span) -> Span:
    inner = span.of(text)
    start = span.start + len(inner) - len(inner.lstrip())
    return Span(start, max(start, span.end - len(inner) + len(inner.rstrip())))
