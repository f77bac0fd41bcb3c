"""What a model says beside the translation: preambles, refusals, its own marks and delimiters."""

from __future__ import annotations

import regex

from translator_service.domain.gates.rules import Rule, in_candidate
from translator_service.domain.values import GateContext, GateResult, Span

MODEL_CHATTER = Rule("model_chatter")
REFUSAL = Rule("refusal")
MASK_LEAK = Rule("mask_leak", is_structural=True)

# A preamble names the translation and ends in a colon or a line end; the words alone are ordinary language.
_PREAMBLE = regex.compile(
    r"\A\W*(?:(?:sure|certainly|of course|okay|ok)\b[^\n]{0,40}?[,.!:]\s*)?(?:"
    r"(?:here(?:’|')?s|here (?:is|are)|below (?:is|are))\b[^\n]{0,60}?\btranslat\w*[^\n]{0,60}?(?:[:.]|\n)"
    r"|(?:the )?(?:\w+ )?translat(?:ion|ed text)\s*(?:\([^)\n]*\))?\s*:"
    r"|(?:we|i) (?:need to|should|must|will|have to) translate\b"
    r"|aquí (?:está|tienes?)\b[^\n]{0,40}?\btraducci[^\n]{0,40}?(?::|\n)"
    r"|aqui (?:está|estão|vai)\b[^\n]{0,40}?\btradu[^\n]{0,40}?(?::|\n)"
    r"|voici\b[^\n]{0,40}?\btraduction[^\n]{0,40}?(?::|\n)"
    r"|hier (?:ist|sind)\b[^\n]{0,40}?\bübersetzung[^\n]{0,40}?(?::|\n)"
    r"|ecco\b[^\n]{0,40}?\btraduzion[^\n]{0,40}?(?::|\n)"
    r"|вот\b[^\n]{0,40}?\bперевод[^\n]{0,40}?(?::|\n)"
    r"|以下是[^\n]{0,20}?(?:翻译|翻譯|译文)[^\n]{0,10}?(?:[:：]|\n)"
    r")",
    regex.IGNORECASE,
)
# A text that is about translating may well begin like that.
_ABOUT_TRANSLATION = regex.compile(
    r"translat|tradu|traduz|traducc|übersetz|vertal|översätt|oversett|oversæt|tłumacz|překlad|перевод|переклад|çevir"
    r"|翻译|翻譯|译文|翻訳|번역|ترجم|תרגום|μετάφρασ|fordít|kääntä|terjemah|dịch",
    regex.IGNORECASE,
)
_POSTSCRIPT = regex.compile(
    r"\n\W*(?:(?:i )?hope this helps|let me know if|note: (?:i|this translation|the translation))[^\n]*\s*\Z",
    regex.IGNORECASE,
)
_REFUSAL = regex.compile(
    r"\A\W*(?:"
    r"(?:i(?:’|')m sorry|i am sorry|sorry|i apologi[sz]e)\b[^.\n]{0,20}?,?\s*"
    r"(?:but )?i (?:can(?:’|')?t|cannot|am unable|(?:’|')m unable)"
    r"|(?:i (?:can(?:’|')?t|cannot)|i(?:’|')m (?:not able|unable)|i am unable) (?:to )?"
    r"(?:help|assist|translate|comply|fulfil)"
    r"|as an ai\b"
    r"|(?:es )?tut mir leid,? (?:aber )?(?:dabei |das |damit )?(?:kann|darf) ich"
    r"|lo siento,? (?:pero )?no puedo (?:ayudar|traducir|cumplir)"
    r"|(?:desculpe|sinto muito|lamento),? (?:mas )?não posso (?:ajudar|traduzir|atender)"
    r"|(?:je suis )?désolée?,? (?:mais )?je ne (?:peux|puis) pas"
    r"|mi dispiace,? (?:ma )?non posso (?:aiutar|tradurre)"
    r"|抱歉，?我(?:无法|不能)|申し訳ありませんが、"
    r")",
    regex.IGNORECASE,
)
# Where the source itself apologises, so may its translation.
_APOLOGY = regex.compile(
    r"sorry|apolog|can(?:’|')?t help|cannot help|désolé|pardon|excus|lo siento|perd[oó]n|disculp|desculp|lament|sinto muito"
    r"|tut mir|leid|entschuldig|verzeih|dispiace|scus|извин|прост|жаль|сожале|ごめん|すみません|すまない|申し訳|悪い"
    r"|抱歉|对不起|對不起|不好意思|죄송|미안|przeprasz|przykro|spijt|sorri|förlåt|ledsen|beklag|undskyld|üzgün|özür|آسف|عذر",
    regex.IGNORECASE,
)
# Marks of masking systems, ours among them, and delimiters of prompts.
_MARKS = regex.compile(
    r"<m\d+/>|\bZ\d+Z\b|\bNN\d+\b|⟦[^⟧\n]{0,20}⟧|\b__[A-Z]+(?:_[A-Z]+)*_?\d+_*\b|\bX[A-Z]{4,}\d+X\b"
    r"|\{\{\s*[mx]\d+\s*\}\}|<<\s*/?\s*(?:end|begin|start)[\w -]*>>|<\|[\w ]{1,30}\|>|\[/?INST\]"
    r"|</?(?:translation|text_to_translate)>",
    regex.IGNORECASE,
)


def model_chatter(source: str, candidate: str, context: GateContext) -> GateResult:
    """No sentence about the translation before or after it, and no fence around it."""
    if not candidate.strip():
        return MODEL_CHATTER.not_applicable()
    match = None if _ABOUT_TRANSLATION.search(source) else _PREAMBLE.search(candidate)
    if not match and _count_lines(candidate) > _count_lines(source):
        match = _POSTSCRIPT.search(candidate)
    if match:
        return MODEL_CHATTER.failed("a model talks about its answer", in_candidate(Span(*match.span())))
    if candidate.lstrip().startswith("```") and not source.lstrip().startswith(("```", "~~~")):
        return MODEL_CHATTER.failed("the text is wrapped in a code fence", in_candidate(Span(0, len(candidate))))
    return MODEL_CHATTER.passed()


def _count_lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if line.strip())


def refusal(source: str, candidate: str, context: GateContext) -> GateResult:
    """No apology in place of a translation."""
    match = _REFUSAL.search(candidate)
    if match and not _APOLOGY.search(source) and not _REFUSAL.search(source):
        return REFUSAL.failed("a model refuses instead of translating", in_candidate(Span(*match.span())))
    return REFUSAL.passed()


def mask_leak(source: str, candidate: str, context: GateContext) -> GateResult:
    """No mark of a mask and no delimiter that isn't in the source."""
    own = {m[0].casefold() for m in _MARKS.finditer(source)}
    leaked = [Span(*m.span()) for m in _MARKS.finditer(candidate) if m[0].casefold() not in own]
    if leaked:
        return MASK_LEAK.failed("a mark of our own or a prompt's was left in the text", in_candidate(*leaked))
    return MASK_LEAK.passed()


GATES = (model_chatter, refusal, mask_leak)
