"""Sentences that nobody else would write, one for each place where people's words come in; and the search for them."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable
from urllib.parse import unquote_plus

# Shorter stretches meet by chance; longer ones would let half a sentence through.
WINDOW = 20

TITLE = "Nine velvet otters audit the lighthouse ledger"
PARAGRAPH = "Grandmother Ilse hid her emerald trombone under the frozen waterwheel in February."
SECOND_PARAGRAPH = "Please tell the crooked pharmacist that his blue herring sings better than mine."
STRING = "Your purple umbrella has been eaten by a polite crocodile."
MESSAGE = "Forty one suspicious gherkins marched into the observatory."
MESSAGE_NOTE = "Translators: the gherkins are a metaphor for our landlord."
LINE = "I buried the harpsichord where the seven foxes meet."
SPEAKER = "Countess Wilhelmina Drizzlethorpe the Younger"
LINE_NOTE = "She whispers this because the butler listens behind the tapestry."
TERM = "emerald trombone"
TERM_NOTE = "The trombone was stolen from the museum in Antwerp by her uncle."
EDITED = "Nove lontras de veludo conferem em segredo os livros do velho farol."
PERSON_NOTE = "Too stiff: my aunt Rosalind would laugh at this wording for a week."
OVERRIDE = "The counsel for the orchard said this phrase is right all the same."
TYPED = "A lembrança do trompete congelado pertence somente a quem a digitou aqui."
PROVIDED = "Twelve nervous beekeepers rehearse their confession beside the canal."
ECHOED = "The magistrate keeps a marmalade sculpture of his former rival indoors."

PEOPLES_WORDS = {name: value for name, value in list(globals().items()) if name.isupper() and isinstance(value, str)}

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\([nrt])")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{24,}={0,2}")


class Search:
    """Finds any stretch of `WINDOW` characters of `texts`, however the place where it lies has encoded it."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._windows: set[str] = set()
        for text in texts:
            plain = _spaced(text)
            self._windows.update(plain[at : at + WINDOW] for at in range(len(plain) - WINDOW + 1))

    def __len__(self) -> int:
        return len(self._windows)

    def find(self, data: bytes) -> list[str]:
        """Return the stretches that occur in `data`, at most three."""
        found: list[str] = []
        for text in _readings(data):
            plain = _spaced(text)
            for at in range(len(plain) - WINDOW + 1):
                if plain[at : at + WINDOW] in self._windows:
                    found.append(plain[max(at - 30, 0) : at + WINDOW + 30])
                    if len(found) == 3:
                        return found
        return found


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _readings(data: bytes) -> set[str]:
    """Return `data` as it is, and as somebody would read it who undoes one encoding."""
    text = data.decode("utf-8", "replace")
    readings = {text, _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else " ", text), unquote_plus(text), html.unescape(text)}
    for token in _BASE64.findall(data):
        for start in range(4):
            part = token[start:].translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
            decoded = base64.b64decode(part[: len(part) // 4 * 4])
            readings.add(decoded.decode("utf-8", "replace"))
    return readings
