"""Copies of the source: text that nobody translated. Three words and more; shorter ones are names and
terms as often as not (a bound of one word alarmed at 41 of 949 human translations).

A copied sentence is a fault. A copy that consists mostly of names, as titles do, may be right: it is shown as
unsure, until such copies make up a considerable part of the text.
"""

from __future__ import annotations

import regex

from translator_service.domain.gates.readings import passages, weight
from translator_service.domain.gates.rules import Rule
from translator_service.domain.glossary import find_terms, language_of
from translator_service.domain.values import (
    Evidence,
    GateContext,
    GateResult,
    Glossary,
    Term,
)

COPIED_SOURCE = Rule("copied_source")

_FEWEST_WORDS = 3
# Of a text in a script that the target isn't written in, two words are enough: names would be transcribed or short.
_FEWEST_FOREIGN_WORDS = 2
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}'’-]*")
_SMALL = regex.compile(r"^\P{Lu}+$")
# "The", but neither "FastAPI" nor "API".
_SENTENCE_START = regex.compile(r"^\p{Lu}\P{Lu}*$")
# A title leaves its short words small: "Lord of the Rings".
_LONG_WORD_LETTERS = 4
# Of the prose, by weight. A page of a heading and one paragraph stays below it, one with every third line copied
# doesn't.
_CONSIDERABLE_SHARE = 0.3
_NOT_LATIN = frozenset(
    (
        "am ar be bg bn ckb el fa he hi hy iw ja ka kk km ko ky lo mk mn mr my ne ps ru ta te tg th ug uk ur yi yue zh"
    ).split()
)


def copied_source(source: str, candidate: str, context: GateContext) -> GateResult:
    """No passage of the source stands in the translation as it is."""
    if language_of(context.source_locale) == language_of(context.target_locale):
        return COPIED_SOURCE.not_applicable()
    want, have = passages(source, context.text_format), passages(candidate, context.text_format)
    places = {}
    for place, words in have:
        places.setdefault(words, place)
    is_only = len(want) == 1
    stays = _staying(context)
    judged, whole, copied = 0, 0.0, 0.0
    copies: list[Evidence] = []
    is_sure = False
    for place, words in want:
        whole += weight(words)
        own = _own_words(words, stays, context.source_locale)
        if not _is_judged(own, words, is_only, context):
            continue
        judged += 1
        if words in places:
            copies.append(Evidence(place, places[words]))
            copied += weight(words)
            is_sure = is_sure or not _may_be_title(own)
    if not copies:
        return COPIED_SOURCE.passed() if judged else COPIED_SOURCE.not_applicable()
    if not is_sure and copied < _CONSIDERABLE_SHARE * whole:
        return COPIED_SOURCE.unsure("what looks like a title or names is as in the source", copies)
    many = "a passage is" if len(copies) == 1 else f"{len(copies)} passages are"
    return COPIED_SOURCE.failed(f"{many} not translated", copies)


def _staying(context: GateContext) -> Glossary:
    """The terms that a translation keeps as they are."""
    names = [Term(name, name, case_sensitive=True) for name in context.do_not_translate]
    names += [t for t in context.glossary.terms if t.do_not_translate or t.source == t.target]
    return Glossary("", tuple(names))


def _own_words(words: str, stays: Glossary, source_locale: str) -> list[str]:
    """The words that would have to change."""
    left = words
    for match in reversed(find_terms(words, stays, source_locale)):
        left = left[: match.span.start] + " " + left[match.span.end :]
    return _WORD.findall(left)


def _is_judged(own: list[str], words: str, is_only: bool, context: GateContext) -> bool:
    """Whether a copy of these words would be a fault. Among other passages, words that are all capitalised
    may be a name; where the whole text is copied they are not given that benefit."""
    if _is_foreign(words, context.target_locale):
        return len(own) >= _FEWEST_FOREIGN_WORDS and any(_SMALL.match(word) for word in own)
    return len(own) >= _FEWEST_WORDS and (is_only or any(_SMALL.match(word) for word in own))


def _may_be_title(own: list[str]) -> bool:
    """Whether the words are as many names as others, or capitalised as a title is."""
    rest = own[1:] if _SENTENCE_START.match(own[0]) else own
    small = [word for word in rest if _SMALL.match(word)]
    names = len(rest) - len(small)
    return names > 0 and (names >= len(small) or all(len(word) < _LONG_WORD_LETTERS for word in small))


def _is_foreign(words: str, target_locale: str) -> bool:
    """Whether the words are in Latin letters and the target isn't written in them."""
    return language_of(target_locale) in _NOT_LATIN and not regex.search(r"[^\P{L}\p{Latin}]", words)


GATES = (copied_source,)
