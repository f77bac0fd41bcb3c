"""ICU messages: readable, the same choices with the same selectors, and every plural form of the target."""

from __future__ import annotations

from functools import lru_cache

from translator_service.domain.gates.rules import Rule, in_candidate, quoted
from translator_service.domain.syntax import icu
from translator_service.domain.syntax.icu_messages import (
    Argument,
    Fault,
    Message,
    parse,
)
from translator_service.domain.values import GateContext, GateResult, Span, TextFormat

ICU_SYNTAX = Rule("icu_syntax", is_structural=True)
ICU_STRUCTURE = Rule("icu_structure", is_structural=True)
ICU_PLURALS = Rule("icu_plurals", is_structural=True)

_PLURAL_TYPES = ("plural", "selectordinal")
_CATEGORIES = frozenset({"zero", "one", "two", "few", "many", "other"})
_EXACT = {"zero": "=0", "one": "=1", "two": "=2"}
# CLDR has `many` in these languages for compact numbers ("1 million") only; messages don't need it.
_COMPACT_MANY = frozenset({"ca", "es", "fr", "it", "pt"})


def icu_syntax(source: str, candidate: str, context: GateContext) -> GateResult:
    """A message that the source's parser can read must stay readable."""
    if context.text_format is not TextFormat.ICU or isinstance(parse(source), Fault):
        return ICU_SYNTAX.not_applicable()
    message = parse(candidate)
    if not isinstance(message, Fault):
        return ICU_SYNTAX.passed()
    at = min(message.at, max(0, len(candidate) - 1))
    return ICU_SYNTAX.failed(
        f"the message can't be read: {message.reason}", in_candidate(Span(at, min(at + 1, len(candidate))))
    )


def icu_structure(source: str, candidate: str, context: GateContext) -> GateResult:
    """Selects keep their selectors; exact plural cases (`=0`) stay too, new ones may come."""
    messages = _both(source, candidate, context)
    if messages is None:
        return ICU_STRUCTURE.not_applicable()
    want, have = (_selectors(message) for message in messages)
    missing = sorted(want.keys() - have.keys())
    extra = sorted(key for key in have.keys() - want.keys() if ": =" not in key)
    if not missing and not extra:
        return ICU_STRUCTURE.passed() if want else ICU_STRUCTURE.not_applicable()
    phrases = [f"branches missing: {quoted(missing)}"] if missing else []
    phrases += [f"branches added: {quoted(extra)}"] if extra else []
    return ICU_STRUCTURE.failed("; ".join(phrases), in_candidate(*(have[key] for key in extra)))


def icu_plurals(source: str, candidate: str, context: GateContext) -> GateResult:
    """Each plural has the categories that CLDR asks of the target language; an exact case counts for its word."""
    messages = _both(source, candidate, context)
    if messages is None:
        return ICU_PLURALS.not_applicable()
    plurals = [a for a in icu.find_arguments(messages[1]) if a.type in _PLURAL_TYPES]
    if not plurals:
        return ICU_PLURALS.not_applicable()
    single = {(a.name, a.type) for a in icu.find_arguments(messages[0]) if _is_single(a)}
    faults: list[str] = []
    places: list[Span] = []
    for argument in plurals:
        needed = plural_categories(context.target_locale, argument.type == "selectordinal")
        if not needed or (argument.name, argument.type) in single:
            continue
        given = {branch.selector for branch in argument.branches}
        missing = sorted(c for c in needed if c not in given and _EXACT.get(c, c) not in given)
        unknown = sorted(s for s in given if s not in _CATEGORIES and not s.startswith("="))
        if missing or unknown:
            faults += [f"{argument.name} lacks {quoted(missing)}"] * bool(missing)
            faults += [f"{argument.name} has no form {quoted(unknown)}"] * bool(unknown)
            places.append(argument.span)
    if not faults:
        return ICU_PLURALS.passed()
    return ICU_PLURALS.failed(f"plural forms of {context.target_locale}: " + "; ".join(faults), in_candidate(*places))


def _is_single(argument: Argument) -> bool:
    """A plural with only `other` (and exact cases) is the author's choice, in any language."""
    return argument.type in _PLURAL_TYPES and not any(
        b.selector in _CATEGORIES and b.selector != "other" for b in argument.branches
    )


def _both(source: str, candidate: str, context: GateContext) -> tuple[Message, Message] | None:
    if context.text_format is not TextFormat.ICU:
        return None
    first, second = parse(source), parse(candidate)
    return None if isinstance(first, Fault) or isinstance(second, Fault) else (first, second)


def _selectors(message: Message) -> dict[str, Span]:
    found: dict[str, Span] = {}
    for argument in icu.find_arguments(message):
        for branch in argument.branches:
            if argument.type == "select" or branch.selector.startswith("="):
                found.setdefault(f"{argument.name}: {branch.selector}", branch.opening)
    return found


@lru_cache(maxsize=256)
def plural_categories(locale: str, is_ordinal: bool = False) -> frozenset[str]:
    """The plural categories that texts in this locale need, `other` among them; empty for a locale that
    CLDR doesn't know. Source: CLDR through Babel."""
    from babel import Locale, UnknownLocaleError

    try:
        found = Locale.parse(locale.replace("-", "_"))
    except (ValueError, UnknownLocaleError):
        return frozenset()
    rule = found.ordinal_form if is_ordinal else found.plural_form
    categories = set(rule.tags) | {"other"}
    if found.language in _COMPACT_MANY and not is_ordinal:
        categories.discard("many")
    return frozenset(categories)


GATES = (icu_syntax, icu_structure, icu_plurals)
