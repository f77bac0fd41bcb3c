"""Terms: what must stay as it is, what must not appear, and which form the glossary asks for."""

from __future__ import annotations

from collections import defaultdict

import regex

from translator_service.domain.gates.readings import readable
from translator_service.domain.gates.rules import Rule, in_candidate, in_source, quoted
from translator_service.domain.glossary import (
    TermMatch,
    count_met,
    find_terms,
    is_unspaced,
    senses,
)
from translator_service.domain.values import (
    Evidence,
    GateContext,
    GateResult,
    GateSeverity,
    Glossary,
    Span,
    Term,
)

DO_NOT_TRANSLATE = Rule("do_not_translate")
FORBIDDEN_TERM = Rule("forbidden_term")
GLOSSARY = Rule("glossary", GateSeverity.FLAG)

# Up to here each mention counts; in a long text a pronoun may stand for some of many.
_EACH_COUNTS = 3
_ENOUGH = 0.7


def do_not_translate(source: str, candidate: str, context: GateContext) -> GateResult:
    """Names that must stay are still there. Fewer mentions than in the source are doubtful, none is wrong."""
    names = [Term(name, name, do_not_translate=True, case_sensitive=True) for name in context.do_not_translate]
    names += [term for term in context.glossary.terms if term.do_not_translate]
    words = readable(source, context.text_format)
    found = _by_term(find_terms(words, Glossary("", tuple(names)), context.source_locale))
    if not found:
        return DO_NOT_TRANSLATE.not_applicable()
    candidate = readable(candidate, context.text_format)
    gone: dict[str, list[Evidence]] = {}
    fewer: dict[str, list[Evidence]] = {}
    for term, matches in found.items():
        have = count_met(term, candidate, context.target_locale)
        if have < len(matches):
            side = gone if not have else fewer
            side[term.source] = in_source(*(match.span for match in matches))
    if gone:
        return DO_NOT_TRANSLATE.failed(f"must stay as it is: {quoted(gone)}", sum(gone.values(), []))
    if fewer:
        return DO_NOT_TRANSLATE.unsure(
            f"stands less often than in the source: {quoted(fewer)}", sum(fewer.values(), [])
        )
    return DO_NOT_TRANSLATE.passed()


def forbidden_term(source: str, candidate: str, context: GateContext) -> GateResult:
    """Nothing that the site forbids, nor a form that the glossary forbids for a term of this source."""
    forms = list(context.forbidden_terms)
    words = readable(source, context.text_format)
    for match in find_terms(words, _with_forbidden(context.glossary), context.source_locale):
        forms += match.term.forbidden_forms
    if not forms:
        return FORBIDDEN_TERM.not_applicable()
    words = readable(candidate, context.text_format)
    hits = {form: spans for form in dict.fromkeys(forms) if (spans := _exact(words, form))}
    if not hits:
        return FORBIDDEN_TERM.passed()
    return FORBIDDEN_TERM.failed(
        f"must not appear: {quoted(hits)}", in_candidate(*(span for spans in hits.values() for span in spans))
    )


def _with_forbidden(glossary: Glossary) -> Glossary:
    return Glossary(glossary.version, tuple(term for term in glossary.terms if term.forbidden_forms))


def _exact(text: str, form: str) -> list[Span]:
    form = form.strip()
    if not form:
        return []
    pattern = regex.escape(form)
    if not is_unspaced(form):
        pattern = rf"(?<![\p{{L}}\p{{N}}]){pattern}(?![\p{{L}}\p{{N}}])"
    return [Span(m.start(), m.end()) for m in regex.finditer(pattern, text, regex.IGNORECASE)]


def glossary(source: str, candidate: str, context: GateContext) -> GateResult:
    """The forms that the glossary asks for, inflected or not. A person should look; language is richer than lists."""
    wanted = Glossary("", tuple(t for t in context.glossary.terms if not t.do_not_translate))
    found = _by_term(find_terms(readable(source, context.text_format), wanted, context.source_locale))
    if not found:
        return GLOSSARY.not_applicable()
    candidate = readable(candidate, context.text_format)
    short: dict[str, list[Evidence]] = {}
    for term, matches in found.items():
        have = sum(count_met(sense, candidate, context.target_locale) for sense in senses(wanted, term))
        want = len(matches)
        if have < (want if want <= _EACH_COUNTS else _ENOUGH * want):
            short[f"{term.source} → {term.target}"] = in_source(*(match.span for match in matches))
    if not short:
        return GLOSSARY.passed()
    return GLOSSARY.failed(f"glossary forms missing: {quoted(short)}", sum(short.values(), []))


def _by_term(matches: tuple[TermMatch, ...]) -> dict[Term, list[TermMatch]]:
    found: dict[Term, list[TermMatch]] = defaultdict(list)
    for match in matches:
        found[match.term].append(match)
    return found


GATES = (do_not_translate, forbidden_term, glossary)
