"""The reading that the exported pages are compared by notices what must not happen to them."""

from __future__ import annotations

import pytest
from skeletons import prose_words, skeleton
from small_site import SHAPED

TRANSLATED = """# A oficina { #the-workshop }

Traga um martelo e leia [as regras](rules.md#tools)
antes de começar.

```python
print("Count the nails")
```

/// tip | Bom saber

A lâmpada está ao lado da porta.

///

| Ferramenta | Lugar |
|------|-------|
| Martelo | A prateleira de cima |
| Escada | Atrás da porta |

Chame a função `open_door` quando sair.
"""


def test_a_translation_that_changes_only_prose_has_the_same_skeleton() -> None:
    assert skeleton(TRANSLATED) == skeleton(SHAPED)
    # The kind of an admonition is no prose, but reads like a word.
    assert set(prose_words(TRANSLATED)) & set(prose_words(SHAPED)) == {"tip"}


@pytest.mark.parametrize(
    ("part", "damage"),
    [
        ("# A oficina", "## A oficina"),
        ("{ #the-workshop }", "{ #a-oficina }"),
        (" { #the-workshop }", ""),
        ("rules.md#tools", "regras.md#tools"),
        ("[as regras](rules.md#tools)", "as regras"),
        ('print("Count the nails")', 'print("Conte os pregos")'),
        ("```python\n", "```\n"),
        ("/// tip | Bom saber", "/// dica | Bom saber"),
        ("/// tip | Bom saber", "/// tip"),
        ("A lâmpada está ao lado da porta.\n\n///", "A lâmpada está ao lado da porta."),
        ("| Escada | Atrás da porta |\n", ""),
        ("| Escada | Atrás da porta |", "| Escada |"),
        ("|------|-------|", "|------|:-----:|"),
        ("`open_door`", "`abrir_porta`"),
        ("`open_door`", "open_door"),
        ("antes de começar.", "antes de <b>começar</b>."),
        ("Traga um martelo", "- Traga um martelo"),
        ("Chame a função", "> Chame a função"),
        ("antes de começar.", "antes de começar. Veja https://example.com/a"),
    ],
)
def test_damage_to_the_structure_shows(part: str, damage: str) -> None:
    assert part in TRANSLATED
    assert skeleton(TRANSLATED.replace(part, damage)) != skeleton(SHAPED)
