"""What a text is made of: one module a dialect, each with the same three questions.

Offsets are of the text as given; nothing is normalised. A dialect never raises on bad input: what it
can't read is prose, and the gates compare.
"""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType

from translator_service.domain.syntax import (
    brace,
    html,
    icu,
    markdown,
    plain,
    printf,
    renpy,
)
from translator_service.domain.values import Span, TextFormat, Token

DIALECTS: dict[TextFormat, ModuleType] = {
    TextFormat.PLAIN: plain,
    TextFormat.MARKDOWN: markdown,
    TextFormat.HTML: html,
    TextFormat.ICU: icu,
    TextFormat.PRINTF: printf,
    TextFormat.PYTHON_FORMAT: printf,
    TextFormat.BRACE: brace,
    TextFormat.I18NEXT: brace,
    TextFormat.RENPY: renpy,
}


# Gates ask the same two texts a dozen times in a row; more would only keep texts in memory.
@lru_cache(maxsize=16)
def find_tokens(text: str, text_format: TextFormat) -> tuple[Token, ...]:
    """Everything that must survive a translation, sorted and without overlap."""
    return DIALECTS[text_format].find_tokens(text)


@lru_cache(maxsize=16)
def find_prose(text: str, text_format: TextFormat) -> tuple[Span, ...]:
    """The stretches of natural language, sorted and without overlap; each may contain tokens but no
    block markup, so replacing what is between the tokens leaves the structure as it is."""
    return DIALECTS[text_format].find_prose(text)


def find_blocks(text: str, text_format: TextFormat) -> tuple[Span, ...]:
    """The blocks in order; joined they equal the text."""
    return DIALECTS[text_format].find_blocks(text)
