"""How alike two sentences of one language are: characters, content words, negation, numbers, length.

Used on a source and the round trip of its translation. Each measure is blind to something (a swapped noun
barely moves any of them), so together they find gross errors and nothing finer.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import regex

from translator_service.domain.inflections import stem

_WORD = regex.compile(r"[\p{L}\p{N}]+(?:['’]\p{L}+)?")
_NUMBER = regex.compile(r"\p{Nd}+(?:[.,\u00a0\u202f ]\p{Nd}+)*")

# chrF2: characters up to six in a row, recall weighted twice. Source: Popović 2015, "chrF: character n-gram
# F-score for automatic MT evaluation", and 2016 for beta = 2.
CHRF_ORDER = 6
CHRF_BETA = 2.0

# Closed-class words: they carry no content, and a round trip changes them freely.
_STOP = {
    "en": frozenset(
        """a an the this that these those some any each every all both such same other another own
        i me my mine you your yours he him his she her hers it its we us our ours they them their theirs one
        who whom whose which what when where why how be am is are was were been being do does did done doing
        have has had having can could may might must shall should will would need let get got
        and or but nor so yet if then else than because while although though as until unless since whether
        of to in on at by for from with about into over under after before between through during against
        up down out off above below near upon within across along around toward towards via per
        here there now just also too very more most much many few less least only even still again ever
        always often well however therefore thus instead rather quite already yes etc
        itself himself herself themselves yourself myself ourselves something anything everything way thing
        'll 're 've 's 'd 'm""".split()
    ),
    "pt": frozenset(
        """o a os as um uma uns umas este esta estes estas isto esse essa esses essas isso aquele aquela aquilo
        eu me mim meu minha você vocês te teu tua seu sua seus suas ele ela eles elas lhe lhes nós nos nosso
        nossa que quem qual quais cujo cuja onde quando como porque por pelo pela pelos pelas para pra de do da
        dos das em no na num numa nas com até entre sobre sob após antes depois durante contra desde
        e ou mas se então pois embora enquanto caso ser é são era eram foi foram sendo sido será seria estar
        está estão estava ter tem têm tinha tendo haver há fazer faz feito poder pode podem deve devem vai vão
        ir mais menos muito muita muitos muitas pouco tão também já ainda só apenas mesmo mesma outro outra
        todo toda todos todas cada algum alguma alguns algo aqui ali lá agora sempre bem assim sim à às ao aos
        isto coisa coisas""".split()
    ),
}
_NEGATIONS = {
    "en": regex.compile(r"(?i)\b(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|nowhere)\b|n['’]t\b"),
    "pt": regex.compile(r"(?i)\b(?:não|nunca|jamais|nenhum(?:a|as|s)?|nada|ninguém|nem|sem)\b"),
}


def chrf(candidate: str, reference: str) -> float:
    """Return the chrF2 of two sentences, 0 to 100, blind to blanks and capitals; 100 for two empty ones."""
    one, other = ("".join(text.casefold().split()) for text in (candidate, reference))
    if not one or not other:
        return 100.0 if one == other else 0.0
    precisions: list[float] = []
    recalls: list[float] = []
    for length in range(1, CHRF_ORDER + 1):
        have, want = _grams(one, length), _grams(other, length)
        if not have or not want:
            break
        common = (have & want).total()
        precisions.append(common / have.total())
        recalls.append(common / want.total())
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    if precision + recall == 0:
        return 0.0
    weight = CHRF_BETA**2
    return 100 * (1 + weight) * precision * recall / (weight * precision + recall)


def _grams(text: str, length: int) -> Counter[str]:
    return Counter(text[at : at + length] for at in range(len(text) - length + 1))


def words(text: str) -> list[str]:
    """Return the words and numbers of `text`, in small letters."""
    return [word.casefold().replace("’", "'") for word in _WORD.findall(text)]


def content_recall(candidate: str, reference: str, language: str) -> float | None:
    """Return the share of the reference's content words, by lemma or stem, that the candidate has too.

    None when the reference has fewer than two: a share of one word says nothing.
    """
    wanted = _content(reference, language)
    if wanted.total() < 2:
        return None
    return (wanted & _content(candidate, language)).total() / wanted.total()


def _content(text: str, language: str) -> Counter[str]:
    stop = _STOP.get(language, frozenset())
    return Counter(
        _root(word.removesuffix("'s"), language)
        for word in words(text)
        if word not in stop and len(word) > 1 and not word[0].isdigit()
    )


@lru_cache(maxsize=20_000)
def _root(word: str, language: str) -> str:
    """Return the stem of the lemma: dictionaries keep "growing" as a noun, stemmers don't know "went"."""
    # Imported at first use: the dictionaries cost 60 MB a language, which only a judge needs.
    import simplemma

    return stem(simplemma.lemmatize(word, lang=language).casefold(), language)


def negations(text: str, language: str) -> int | None:
    """Return how many words of negation `text` has; None for a language without a list."""
    pattern = _NEGATIONS.get(language)
    return None if pattern is None else len(pattern.findall(text))


def numbers(text: str) -> Counter[str]:
    """Return the numbers written in digits, without their separators."""
    return Counter(regex.sub(r"\P{Nd}", "", match) for match in _NUMBER.findall(text))
