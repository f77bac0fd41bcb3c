"""Completeness: something came, all of it, once, and nothing else. Hard only where it is plain to see."""

from __future__ import annotations

from itertools import pairwise

import regex

from translator_service.domain.gates.readings import passages, readable, weight
from translator_service.domain.gates.rules import Rule, in_candidate, in_source
from translator_service.domain.sentences import split_sentences
from translator_service.domain.values import Evidence, GateContext, GateResult, Span, TextFormat

COMPLETENESS = Rule("completeness")
INVENTED_TEXT = Rule("invented_text")
REPETITION = Rule("repetition")

# A translation's weight by its source's. Among 412 human translations (en, pt, fr, es) of texts with 20
# letters and more the least is 0.62; a quarter is no translation in any pair of languages.
_LEAST_RATIO = 0.25
_FEWEST_LETTERS = 20
# With fewer sentences than the source the bound is higher: brevity and a lost sentence together.
_LEAST_RATIO_WITH_FEWER_SENTENCES = 0.55
# Share of the source's passages (paragraphs, items, cells) that must be there.
_LEAST_PASSAGES = 0.7
_FEWEST_PASSAGES = 3
_REPEATED_WORD = regex.compile(r"(?<!\w)(?P<word>[\p{L}\p{M}]{2,})(?:[ \t,]+(?P=word)(?!\w)){3,}", regex.IGNORECASE)
_LETTER = regex.compile(r"\p{L}")


def completeness(source: str, candidate: str, context: GateContext) -> GateResult:
    """Not empty, not far too short, no passage or sentence dropped or said twice."""
    want, have = passages(source, context.text_format), passages(candidate, context.text_format)
    if not want:
        return COMPLETENESS.not_applicable()
    if not candidate.strip():
        return COMPLETENESS.failed("the translation is empty", in_source(Span(0, len(source))))
    is_icu = context.text_format is TextFormat.ICU
    if not is_icu and len(want) >= _FEWEST_PASSAGES and len(have) < _LEAST_PASSAGES * len(want):
        return COMPLETENESS.failed(f"only {len(have)} of {len(want)} passages are there")
    heavy, light = sum(weight(words) for _, words in want), sum(weight(words) for _, words in have)
    if is_icu:
        # A language has as many branches as it has plurals: what counts is how much each says.
        light *= len(want) / max(1, len(have))
    ratio = light / heavy if heavy else 1.0
    if heavy >= _FEWEST_LETTERS and ratio < _LEAST_RATIO:
        return COMPLETENESS.failed(f"far too short: {ratio:.0%} of the source's letters")
    twice = _said_twice(candidate, have, context.target_locale)
    if twice and not _said_twice(source, want, context.source_locale):
        return COMPLETENESS.failed("a sentence stands there twice", in_candidate(*twice))
    if not is_icu and heavy >= _FEWEST_LETTERS and len(want) == len(have):
        return _sentences_kept(source, candidate, context)
    return COMPLETENESS.passed()


def _sentences_kept(source: str, candidate: str, context: GateContext) -> GateResult:
    """Passage by passage: fewer sentences and much less text is a lost sentence."""
    lost: list[Evidence] = []
    pairs = zip(passages(source, context.text_format), passages(candidate, context.text_format))
    for (place, words), (found, translated) in pairs:
        heavy, light = weight(words), weight(translated)
        if heavy < _FEWEST_LETTERS or light >= _LEAST_RATIO_WITH_FEWER_SENTENCES * heavy:
            continue
        counts = (
            count_sentences(place.of(source), context.source_locale),
            count_sentences(found.of(candidate), context.target_locale),
        )
        if counts[1] < counts[0]:
            lost.append(Evidence(place, found))
    if lost:
        return COMPLETENESS.failed("a sentence is missing", lost)
    return COMPLETENESS.passed()


def count_sentences(text: str, locale: str) -> int:
    """Sentences with words in them."""
    return sum(1 for span in split_sentences(text, locale) if _LETTER.search(text, span.start, span.end))


def _said_twice(text: str, stretches: tuple[tuple[Span, str], ...], locale: str) -> list[Span]:
    """Sentences of three words and more that follow their own copy."""
    twice: list[Span] = []
    for place, _ in stretches:
        spans = split_sentences(place.of(text), locale)
        for first, second in pairwise(spans):
            words = second.of(place.of(text)).split()
            if len(words) >= 3 and first.of(place.of(text)).split() == words:
                twice.append(Span(place.start + second.start, place.start + second.end))
    return twice


def invented_text(source: str, candidate: str, context: GateContext) -> GateResult:
    """Where the source has no words (digits, signs, addresses, blanks), the translation has none either."""
    if passages(source, context.text_format) or _LETTER.search(readable(source, context.text_format)):
        return INVENTED_TEXT.not_applicable()
    added = passages(candidate, context.text_format)
    if not added:
        return INVENTED_TEXT.passed()
    return INVENTED_TEXT.failed("the source has nothing to translate", in_candidate(*(place for place, _ in added)))


def repetition(source: str, candidate: str, context: GateContext) -> GateResult:
    """No word four times in a row, unless the source does that."""
    found = list(_REPEATED_WORD.finditer(candidate))
    if not found or _REPEATED_WORD.search(source):
        return REPETITION.passed()
    return REPETITION.failed("a word is repeated over and over", in_candidate(*(Span(*m.span()) for m in found)))


GATES = (completeness, invented_text, repetition)
