"""Characters that no one should see: controls, damaged ones, invisible ones, entities in plain text."""

from __future__ import annotations

import regex

from translator_service.domain.gates.rules import Rule, in_candidate
from translator_service.domain.syntax import html
from translator_service.domain.values import GateContext, GateResult, Span, TextFormat

CONTROL_CHARACTERS = Rule("control_characters", is_structural=True)
INVISIBLE_CHARACTERS = Rule("invisible_characters")
HTML_ENTITIES = Rule("html_entities")

# Also lone surrogates, the replacement character, and escapes of half a character written out.
_CONTROL = regex.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd\ufffe\uffff\ud800-\udfff]|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
# Zero-width space, word joiner, byte-order mark inside, tags; the joiners belong to some scripts and emoji.
_INVISIBLE = regex.compile(r"[\u200b\u2060\ufeff\u00ad\u180e]")
_JOINER = regex.compile(r"[\u200c\u200d]")
_JOINED = regex.compile(
    r"[\p{Arabic}\p{Syriac}\p{Nko}\p{Mongolian}\p{Extended_Pictographic}\ufe0f\p{Emoji_Modifier}]"
    r"|[\u0900-\u0dff\u1000-\u109f\u1780-\u17ff]"
)
_WRITTEN_FORMATS = (TextFormat.HTML, TextFormat.MARKDOWN)


def control_characters(source: str, candidate: str, context: GateContext) -> GateResult:
    """No control or damaged character that the source hasn't."""
    return _no_new(CONTROL_CHARACTERS, _CONTROL, source, candidate, "a control or damaged character came in")


def invisible_characters(source: str, candidate: str, context: GateContext) -> GateResult:
    """No zero-width character that the source hasn't; joiners only where a script or an emoji uses them."""
    result = _no_new(INVISIBLE_CHARACTERS, _INVISIBLE, source, candidate, "an invisible character came in")
    if result.explanation:
        return result
    stray = [
        Span(*m.span())
        for m in _JOINER.finditer(candidate)
        if not _JOINED.match(candidate[m.start() - 1 : m.start()] or " ") and m[0] not in source
    ]
    return INVISIBLE_CHARACTERS.failed("an invisible joiner came in", in_candidate(*stray)) if stray else result


def html_entities(source: str, candidate: str, context: GateContext) -> GateResult:
    """No entity in a text that isn't HTML, unless the source has some."""
    if context.text_format in _WRITTEN_FORMATS or html.ENTITY.search(source):
        return HTML_ENTITIES.not_applicable()
    return _no_new(HTML_ENTITIES, html.ENTITY, source, candidate, "an HTML entity came into a text that isn't HTML")


def _no_new(rule: Rule, pattern: regex.Pattern[str], source: str, candidate: str, what: str) -> GateResult:
    known = {m[0] for m in pattern.finditer(source)}
    new = [Span(*m.span()) for m in pattern.finditer(candidate) if m[0] not in known]
    return rule.failed(what, in_candidate(*new)) if new else rule.passed()


GATES = (control_characters, invisible_characters, html_entities)
