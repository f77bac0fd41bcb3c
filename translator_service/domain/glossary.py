"""Glossary terms: where they stand in a source, and whether a candidate has the form it should."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import regex

from translator_service.domain.inflections import has_same_lemma, has_same_stem, lemmas
from translator_service.domain.syntax.spans import settle
from translator_service.domain.values import Glossary, Span, Term, Token, TokenKind

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)?")
# Scripts that set no blanks between words: terms are looked for as they stand.
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
# An acronym so short is easily another word in small letters (IT, US, WHO).
_ACRONYM_CHARACTERS = 5
# Endings that languages hang onto a foreign name (Slates, Slate'a).
_ENDING_CHARACTERS = 3

Words = tuple[tuple[str, Span], ...]
Likeness = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class TermMatch:
    """A term and where it stands."""

    term: Term
    span: Span


@dataclass(frozen=True, slots=True)
class _Form:
    """A form to look for: its words and what stands before, between and after them."""

    text: str
    words: tuple[str, ...]
    gaps: tuple[str, ...]
    case_sensitive: bool


def find_terms(text: str, glossary: Glossary, locale: str) -> tuple[TermMatch, ...]:
    """The terms that stand in the text, inflected too, sorted; where two overlap the longer one counts."""
    if not glossary.terms:
        return ()
    language = language_of(locale)
    words, _ = _read(text)
    by_lemma, unspaced = _index(glossary, language)
    matches: list[TermMatch] = []
    for at, (word, _) in enumerate(words):
        for lemma in lemmas(word, language):
            for term, form in by_lemma.get(lemma, ()):
                span = _match_at(text, words, at, form, lambda a, b: has_same_lemma(a, b, language))
                if span:
                    matches.append(TermMatch(term, span))
    for term in unspaced:
        matches += [TermMatch(term, span) for span in _as_it_stands(text, term.source)]
    return _longest(matches)


def term_tokens(text: str, glossary: Glossary, source_locale: str) -> tuple[Token, ...]:
    """The terms as tokens: `target` is the required form, with the source's capitals, or None where the
    source term stays as it is. A term with several targets (senses) is no token: words around it decide."""
    tokens: list[Token] = []
    for match in find_terms(text, glossary, source_locale):
        term = match.term
        if len({other.target for other in senses(glossary, term)}) > 1:
            continue
        stays = term.do_not_translate or term.source == term.target
        tokens.append(Token(match.span, TokenKind.TERM, None if stays else _capitalised(match.span.of(text), term)))
    return tuple(tokens)


def senses(glossary: Glossary, term: Term) -> tuple[Term, ...]:
    """The entries of the same source term, this one among them."""
    return _by_source(glossary).get(term.source.casefold(), (term,))


def merge_tokens(syntax: tuple[Token, ...], terms: tuple[Token, ...]) -> tuple[Token, ...]:
    """Both, sorted; where they overlap the syntax wins."""
    return settle(syntax, terms)


def is_met(term: Term, candidate: str, target_locale: str) -> bool:
    """Whether the candidate has the target form or an accepted one, inflected or not."""
    return count_met(term, candidate, target_locale) > 0


def count_met(term: Term, candidate: str, target_locale: str) -> int:
    """How often it has them; forms that overlap count once."""
    language = language_of(target_locale)
    if term.do_not_translate:
        return len(find_forms(candidate, term.source, term.case_sensitive, _with_ending))
    spans: list[Span] = []
    for form in (term.target, *term.accepted_forms):
        spans += find_forms(
            candidate, form, term.case_sensitive,
            lambda a, b: has_same_lemma(a, b, language) or has_same_stem(a, b, language),
        )  # fmt: skip
    return len(_longest([TermMatch(term, span) for span in spans]))


def find_forms(text: str, form: str, case_sensitive: bool = False, likeness: Likeness | None = None) -> list[Span]:
    """Where one form stands in a text; `likeness` says which other words count as its words."""
    if _UNSPACED.search(form):
        return _as_it_stands(text, form)
    wanted = _form(form, case_sensitive)
    if not wanted.words:
        return []
    words, places = _read(text)
    likeness = likeness or (lambda a, b: False)
    found = (_match_at(text, words, at, wanted, likeness) for at in places.get(_key(wanted.words[0]), ()))
    return [span for span in found if span]


def is_unspaced(form: str) -> bool:
    """Whether the form is of a script without blanks between words."""
    return bool(_UNSPACED.search(form))


def language_of(locale: str) -> str:
    return locale.replace("_", "-").split("-")[0].lower()


# A process works for a few sites at a time, source and target side of each.
@lru_cache(maxsize=16)
def _index(glossary: Glossary, language: str) -> tuple[dict[str, list[tuple[Term, _Form]]], tuple[Term, ...]]:
    """Terms by the lemmas of their first word, so that a text is walked once, not once a term."""
    by_lemma: dict[str, list[tuple[Term, _Form]]] = {}
    unspaced: list[Term] = []
    for term in glossary.terms:
        if _UNSPACED.search(term.source):
            unspaced.append(term)
            continue
        form = _form(term.source, term.case_sensitive)
        for lemma in lemmas(form.words[0], language) if form.words else ():
            by_lemma.setdefault(lemma, []).append((term, form))
    return by_lemma, tuple(unspaced)


def _key(word: str) -> str:
    # Inflection changes endings and umlauts, rarely the first two letters ("better"): those are listed as forms.
    return unicodedata.normalize("NFD", word.casefold())[:1] + unicodedata.normalize("NFD", word[1:2].casefold())[:1]


@lru_cache(maxsize=16)
def _by_source(glossary: Glossary) -> dict[str, tuple[Term, ...]]:
    found: dict[str, tuple[Term, ...]] = {}
    for term in glossary.terms:
        found[term.source.casefold()] = (*found.get(term.source.casefold(), ()), term)
    return found


def _form(text: str, case_sensitive: bool) -> _Form:
    words = _words(text)
    gaps: list[str] = []
    at = 0
    for _, span in words:
        gaps.append(text[at : span.start])
        at = span.end
    gaps.append(text[at:])
    is_acronym = text.isupper() and len(text) <= _ACRONYM_CHARACTERS
    return _Form(text, tuple(w for w, _ in words), tuple(map(_gap, gaps)), case_sensitive or is_acronym)


def _gap(text: str) -> str:
    """What stands between two words; blanks and hyphens are the same ("log in", "log-in")."""
    return " ".join(text.replace("-", " ").replace("\u2011", " ").split())


# The candidate is asked for each term in turn.
@lru_cache(maxsize=8)
def _read(text: str) -> tuple[Words, dict[str, list[int]]]:
    """The words, and by their first letters where they stand among them."""
    words = _words(text)
    places: dict[str, list[int]] = {}
    for at, (word, _) in enumerate(words):
        places.setdefault(_key(word), []).append(at)
    return words, places


def _words(text: str) -> Words:
    return tuple((m.group(), Span(m.start(), m.end())) for m in _WORD.finditer(text))


def _match_at(text: str, words: Words, at: int, form: _Form, likeness: Likeness) -> Span | None:
    last = at + len(form.words) - 1
    if last >= len(words):
        return None
    for offset, wanted in enumerate(form.words):
        if not _is_same(words[at + offset][0], wanted, form, likeness):
            return None
        if offset and _gap(text[words[at + offset - 1][1].end : words[at + offset][1].start]) != form.gaps[offset]:
            return None
    start, end = words[at][1].start, words[last][1].end
    before, after = form.gaps[0], form.gaps[-1]
    if (before and not text.endswith(before, 0, start)) or (after and not text.startswith(after, end)):
        return None
    return Span(start - len(before), end + len(after))


def _is_same(word: str, wanted: str, form: _Form, likeness: Likeness) -> bool:
    if word == wanted:
        return True
    if form.case_sensitive:
        return word.startswith(wanted) and likeness(word, wanted)
    return word.casefold() == wanted.casefold() or likeness(word, wanted)


def _with_ending(word: str, name: str) -> bool:
    return word.startswith(name) and len(word) - len(name) <= _ENDING_CHARACTERS


def _as_it_stands(text: str, form: str) -> list[Span]:
    return [Span(m.start(), m.end()) for m in regex.finditer(regex.escape(form.strip()), text)] if form.strip() else []


def _longest(matches: list[TermMatch]) -> tuple[TermMatch, ...]:
    taken: set[int] = set()
    kept: list[TermMatch] = []
    for match in sorted(matches, key=lambda m: (m.span.start - m.span.end, m.span.start)):
        places = range(match.span.start, match.span.end)
        if taken.isdisjoint(places):
            taken.update(places)
            kept.append(match)
    return tuple(sorted(kept, key=lambda m: m.span.start))


def _capitalised(source: str, term: Term) -> str:
    """The target form with the capitals that the source has beyond its glossary entry."""
    letters = [sign for sign in source if sign.isalpha()]
    if len(letters) > 1 and all(sign.isupper() for sign in letters) and not term.source.isupper():
        return term.target.upper()
    if source[:1].isupper() and not term.source[:1].isupper():
        return term.target[:1].upper() + term.target[1:]
    return term.target
