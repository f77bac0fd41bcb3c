"""Glossary terms: where they stand in a source, and whether a candidate has the form it should."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import regex

from translator_service.domain.syntax.spans import settle
from translator_service.domain.values import Glossary, Span, Term, Token, TokenKind

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)?")
# Scripts that write no blanks between words: terms are looked for as substrings.
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")


@dataclass(frozen=True, slots=True)
class TermMatch:
    term: Term
    span: Span


def find_terms(text: str, glossary: Glossary, locale: str) -> tuple[TermMatch, ...]:
    """The terms that stand in the text, sorted; where two overlap the longer one counts."""
    matches: list[TermMatch] = []
    words = [(m.group(), Span(m.start(), m.end())) for m in _WORD.finditer(text)]
    for term in glossary.terms:
        matches.extend(TermMatch(term, span) for span in _find(text, words, term.source, locale, term.case_sensitive))
    matches.sort(key=lambda m: (m.span.start - m.span.end, m.span.start))
    kept: list[TermMatch] = []
    for match in matches:
        if all(match.span.end <= k.span.start or match.span.start >= k.span.end for k in kept):
            kept.append(match)
    return tuple(sorted(kept, key=lambda m: m.span.start))


def term_tokens(text: str, glossary: Glossary, source_locale: str) -> tuple[Token, ...]:
    """The terms as tokens: `target` is the required form, capitalised like the source, or None where
    the source term stays as it is."""
    tokens: list[Token] = []
    for match in find_terms(text, glossary, source_locale):
        term = match.term
        if term.do_not_translate or term.source == term.target:
            tokens.append(Token(match.span, TokenKind.TERM))
        else:
            tokens.append(Token(match.span, TokenKind.TERM, _like(match.span.of(text), term)))
    return tuple(tokens)


def merge_tokens(syntax: tuple[Token, ...], terms: tuple[Token, ...]) -> tuple[Token, ...]:
    """Both, sorted; where they overlap the syntax wins."""
    return settle(syntax, terms)


def is_met(term: Term, candidate: str, target_locale: str) -> bool:
    """Whether the candidate has the target form, inflected or not, or an accepted form."""
    return count_met(term, candidate, target_locale) > 0


def count_met(term: Term, candidate: str, target_locale: str) -> int:
    forms = (term.source,) if term.do_not_translate else (term.target, *term.accepted_forms)
    words = [(m.group(), Span(m.start(), m.end())) for m in _WORD.finditer(candidate)]
    spans: set[tuple[int, int]] = set()
    for form in forms:
        for span in _find(candidate, words, form, target_locale, term.case_sensitive, with_stems=True):
            spans.add((span.start, span.end))
    return len(spans)


def _find(text, words, form, locale, case_sensitive, with_stems=False) -> list[Span]:
    if not form.strip():
        return []
    if _UNSPACED.search(form):
        return [Span(m.start(), m.end()) for m in regex.finditer(regex.escape(form), text)]
    wanted = [m.group() for m in _WORD.finditer(form)]
    language = locale.replace("_", "-").split("-")[0].lower()
    spans: list[Span] = []
    for i in range(len(words) - len(wanted) + 1):
        if wanted and all(
            _same(words[i + k][0], wanted[k], language, case_sensitive, with_stems) for k in range(len(wanted))
        ):
            spans.append(Span(words[i][1].start, words[i + len(wanted) - 1][1].end))
    return spans


def _same(word: str, wanted: str, language: str, case_sensitive: bool, with_stems: bool) -> bool:
    if word == wanted:
        return True
    if case_sensitive:
        return False
    if word.casefold() == wanted.casefold():
        return True
    if word[0].casefold() != wanted[0].casefold():
        return False
    if _lemma(word, language) == _lemma(wanted, language):
        return True
    return with_stems and _stem(word, language) == _stem(wanted, language)


@lru_cache(maxsize=20_000)
def _lemma(word: str, language: str) -> str:
    import simplemma

    try:
        return simplemma.lemmatize(word.lower(), lang=language).casefold()
    except ValueError:
        return word.casefold()


@lru_cache(maxsize=20_000)
def _stem(word: str, language: str) -> str:
    stemmer = _stemmer(language)
    return stemmer.stemWord(word.lower()) if stemmer else word.casefold()


@lru_cache(maxsize=None)
def _stemmer(language: str):
    import snowballstemmer

    try:
        return snowballstemmer.stemmer(language)
    except KeyError:
        return None


def _like(source: str, term: Term) -> str:
    target = term.target
    letters = [c for c in source if c.isalpha()]
    if len(letters) > 1 and all(c.isupper() for c in letters) and not term.source.isupper():
        return target.upper()
    if source[:1].isupper() and not term.source[:1].isupper():
        return target[:1].upper() + target[1:]
    return target
