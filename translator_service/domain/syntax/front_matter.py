"""Front matter of a page: which values are natural language. Keys and everything else must stay."""

from __future__ import annotations

import regex

from translator_service.domain.values import Span

# Keys whose values people read; any other value is configuration.
HUMAN_KEYS = frozenset({"title", "description", "summary", "subtitle", "excerpt", "caption", "tagline", "heading"})
_LINE = regex.compile(
    r"^(?P<key>[\w-]+)[ \t]*[:=][ \t]+(?:\"(?P<value>(?:[^\"\\\n]|\\.)*)\"|'(?P<value>(?:[^'\n]|'')*)'"
    r"|(?P<value>(?![^\n]*:[ \t])[^\s\"'\[\]{}>|&*!%@`#][^\n#]*?))[ \t]*\r?$",
    regex.MULTILINE,
)


def find_values(front_matter: str) -> tuple[Span, ...]:
    """The values of keys that people read, without their quotes; what YAML would not read as one string is none."""
    return tuple(
        Span(m.start("value"), m.end("value"))
        for m in _LINE.finditer(front_matter)
        if m["key"].lower() in HUMAN_KEYS and regex.search(r"\p{L}", m["value"])
    )
