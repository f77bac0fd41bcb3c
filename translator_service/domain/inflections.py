"""Whether two words are forms of one word. Dictionaries load at first use: they cost tens of megabytes
a language, which a process without a glossary never needs."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock

# Words of a page repeat; a vocabulary of this size covers a large site in one language.
_CACHED_WORDS = 50_000
# A stemmer keeps the word it works on in itself; gates and judges run in different threads.
_ONE_AT_A_TIME = Lock()


def has_same_lemma(word: str, other: str, language: str) -> bool:
    """By dictionary. False for a language without one, unless the words are equal but for capitals."""
    return not lemmas(word, language).isdisjoint(lemmas(other, language))


def has_same_stem(word: str, other: str, language: str) -> bool:
    """By suffix rules, which know words that no dictionary has, and confuse some that one tells apart."""
    return stem(word.casefold(), language) == stem(other.casefold(), language)


@lru_cache(maxsize=_CACHED_WORDS)
def lemmas(word: str, language: str) -> frozenset[str]:
    """The dictionary forms of a word as it stands and in small letters (a capital opens a sentence, or
    makes a German noun), and the word itself; all case-folded."""
    import simplemma

    forms = {word.casefold()}
    try:
        forms |= {simplemma.lemmatize(form, lang=language).casefold() for form in {word, word.lower()}}
    except ValueError:
        pass
    return frozenset(forms)


@lru_cache(maxsize=_CACHED_WORDS)
def stem(word: str, language: str) -> str:
    stemmer = _stemmer(language)
    if stemmer is None:
        return word
    with _ONE_AT_A_TIME:
        return stemmer.stemWord(word)


@lru_cache(maxsize=None)
def _stemmer(language: str):
    import snowballstemmer

    name = _ALGORITHMS.get(language)
    return snowballstemmer.stemmer(name) if name in snowballstemmer.algorithms() else None


# Snowball names its algorithms in English.
_ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
