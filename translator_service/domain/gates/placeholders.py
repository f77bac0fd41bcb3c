"""Placeholders: every one that the source fills at run time, with the same type, and no other."""

from __future__ import annotations

from translator_service.domain.gates.rules import Parts, Rule, compare, in_candidate
from translator_service.domain.syntax import find_tokens, icu, printf
from translator_service.domain.syntax.icu_messages import Fault, parse
from translator_service.domain.values import (
    GateContext,
    GateResult,
    Span,
    TextFormat,
    TokenKind,
)

PLACEHOLDER_SET = Rule("placeholder_set", is_structural=True)
PRINTF_PERCENT = Rule("printf_percent", is_structural=True)

_PERCENT_FORMATS = (TextFormat.PRINTF, TextFormat.PYTHON_FORMAT)
# What stands for the same argument type at run time.
_SAME_TYPE = {"i": "d", "D": "d", "E": "e", "F": "f", "G": "g", "X": "x", "u": "d"}


def placeholder_set(source: str, candidate: str, context: GateContext) -> GateResult:
    """The same placeholders the same number of times; order is free where they carry names or numbers."""
    if context.text_format is TextFormat.ICU:
        return _icu_arguments(source, candidate)
    if context.text_format in _PERCENT_FORMATS:
        is_numbered = any(m["number"] for m in printf.find_placeholders(source))
        sides = [_percent_parts(text, is_numbered) for text in (source, candidate)]
        return compare(PLACEHOLDER_SET, sides[0], sides[1], "placeholders")
    parts = [
        [(t.span.of(text), t.span) for t in find_tokens(text, context.text_format) if t.kind is TokenKind.PLACEHOLDER]
        for text in (source, candidate)
    ]
    return compare(PLACEHOLDER_SET, parts[0], parts[1], "placeholders")


def _percent_parts(text: str, is_numbered: bool) -> Parts:
    """Each placeholder as (which argument, which type); unnumbered ones take the arguments in order. A
    source that numbers its arguments wants numbers back: without them words in another order would lie."""
    parts: Parts = []
    position = 0
    for match in printf.find_placeholders(text):
        if match["percent"]:
            continue
        span = Span(match.start(), match.end())
        kind = (match["length"] or "") + _SAME_TYPE.get(match["type"], match["type"])
        if match["name"]:
            parts.append((f"%({match['name']}){kind}", span))
            continue
        for star in (match["width"], match["precision"]):
            if star == "*":
                position += 1
                parts.append((f"%{position}$*", span))
        if match["number"]:
            parts.append((f"%{match['number']}${kind}", span))
        else:
            position += 1
            parts.append((f"%{kind} (number {position})" if is_numbered else f"%{position}${kind}", span))
    return parts


def _icu_arguments(source: str, candidate: str) -> GateResult:
    """Arguments by name and type. Inside choices a branch may leave one out, so each counts once there."""
    messages = (parse(source), parse(candidate))
    if isinstance(messages[0], Fault) or isinstance(messages[1], Fault):
        return PLACEHOLDER_SET.not_applicable()
    sides: list[Parts] = []
    for message in messages:
        outer: Parts = [(_icu_key(a), a.span) for a in message.arguments]
        inner: dict[str, Span] = {}
        for argument in message.arguments:
            for branch in argument.branches:
                for found in icu.find_arguments(branch.message):
                    inner.setdefault(f"{_icu_key(found)} in a branch of {argument.name}", found.span)
                if branch.message.hashes:
                    inner.setdefault(f"# in a branch of {argument.name}", branch.message.hashes[0])
        sides.append(outer + list(inner.items()))
    return compare(PLACEHOLDER_SET, sides[0], sides[1], "arguments")


def _icu_key(argument: icu.Argument) -> str:
    return "{" + ", ".join(part for part in (argument.name, argument.type) if part) + "}"


def printf_percent(source: str, candidate: str, context: GateContext) -> GateResult:
    """A percent sign in a format string must start a placeholder or be doubled, as far as the source does so."""
    if context.text_format not in _PERCENT_FORMATS or "%" not in source:
        return PRINTF_PERCENT.not_applicable()
    loose = _loose_percents(candidate)
    if not loose or _loose_percents(source):
        return PRINTF_PERCENT.passed()
    return PRINTF_PERCENT.failed("a percent sign must be doubled or start a placeholder", in_candidate(*loose))


def _loose_percents(text: str) -> list[Span]:
    inside = {at for m in printf.find_placeholders(text) for at in range(m.start(), m.end())}
    return [Span(at, at + 1) for at, sign in enumerate(text) if sign == "%" and at not in inside]


GATES = (placeholder_set, printf_percent)
