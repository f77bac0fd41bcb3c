"""The published rubric: findings to dimension scores, by density, the same for every judge.

A score says how much went wrong for the length of the text. What decides is in `verdicts.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import regex

from translator_service.domain.values import Dimension, Finding, FindingSeverity

HIGHEST = 10.0


@dataclass(frozen=True, slots=True)
class Rubric:
    """One version of the rules. Changing a number makes a new version: scores of two versions don't compare.

    `points` are per finding. `weights` make the overall score from the dimensions that were assessed.
    `thresholds` are what each dimension must reach for a pass.
    """

    version: str
    points: Mapping[FindingSeverity, float]
    weights: Mapping[Dimension, float]
    thresholds: Mapping[Dimension, float]
    # A dimension loses this times points ÷ words of its range.
    cost_of_a_point: float
    # A shorter text is scored as if it had this many words, so that one minor finding can't sink a label.
    shortest_words: int


RUBRIC = Rubric(
    version="2026-1",
    # Source: the weights of WMT's MQM campaigns and GEMBA-MQM (critical 25, major 5, minor 1).
    points=MappingProxyType(
        {
            FindingSeverity.CRITICAL: 25.0,
            FindingSeverity.MAJOR: 5.0,
            FindingSeverity.MINOR: 1.0,
            FindingSeverity.NEUTRAL: 0.0,
        }
    ),
    weights=MappingProxyType(
        {
            Dimension.ACCURACY: 4.0,
            Dimension.TERMINOLOGY: 2.0,
            Dimension.FLUENCY: 1.5,
            Dimension.STYLE: 1.0,
            Dimension.LOCALE: 1.0,
            Dimension.AUDIENCE: 0.5,
        }
    ),
    # Accuracy at 8: with the density below, one major finding per 100 words is the most that passes.
    thresholds=MappingProxyType(
        {
            Dimension.ACCURACY: 8.0,
            Dimension.TERMINOLOGY: 6.0,
            Dimension.FLUENCY: 6.0,
            Dimension.STYLE: 5.0,
            Dimension.LOCALE: 6.0,
            Dimension.AUDIENCE: 5.0,
        }
    ),
    # One major finding (5 points) in 100 words costs 4 × 5 ÷ 100, a fifth of the range.
    cost_of_a_point=4.0,
    # So one minor finding costs a short text 1.6 of 10 and leaves it a pass; two, or one major, do not.
    shortest_words=25,
)


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores from 0 to 10 of the dimensions that were assessed; `overall` is their weighted mean."""

    overall: float
    dimensions: Mapping[Dimension, float]


def score(
    findings: Iterable[Finding], words: int, assessed: Iterable[Dimension], rubric: Rubric = RUBRIC
) -> Scores | None:
    """Return the scores of a text of `words` source words; None when no dimension was assessed.

    A finding in a dimension that nobody assessed counts for accuracy, so that none is lost.
    """
    dimensions = tuple(dict.fromkeys(assessed))
    if not dimensions:
        return None
    lost = dict.fromkeys(dimensions, 0.0)
    fallback = Dimension.ACCURACY if Dimension.ACCURACY in lost else dimensions[0]
    for finding in findings:
        dimension = finding.dimension if finding.dimension in lost else fallback
        lost[dimension] += rubric.points[finding.severity]
    length = max(words, rubric.shortest_words)
    scored = {
        dimension: round(HIGHEST * max(0.0, 1 - rubric.cost_of_a_point * points / length), 2)
        for dimension, points in lost.items()
    }
    total = sum(rubric.weights[dimension] for dimension in dimensions)
    overall = sum(rubric.weights[dimension] * value for dimension, value in scored.items()) / total
    return Scores(round(overall, 2), scored)


# Scripts that put no blanks between words: two letters count as one word, about what they average.
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}'’\-]*")


def count_words(text: str) -> int:
    """Return about how many words `text` has, in any script."""
    spaced = _UNSPACED.sub(" ", text)
    return len(_WORD.findall(spaced)) + (len(_UNSPACED.findall(text)) + 1) // 2
