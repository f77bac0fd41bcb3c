"""Rules that put the small engine's slips right, and leave right answers alone."""

from __future__ import annotations

import pytest

from translator_service.providers.offline_repairs import mended


@pytest.mark.parametrize(
    ("source", "answer", "expected"),
    [
        ("Sat", "Sat (s)", "Sat"),
        ("Jan.", "Jan. (-)", "Jan."),
        ("Page not found", "Página não encontrada -", "Página não encontrada"),
        ("Hello world", "Olá, mundo!", "Olá, mundo"),
        ("Wait…", "Espere...", "Espere…"),
        ("Enter a name:", "Digite um nome", "Digite um nome:"),
        ("and", "e e", "e"),
        ("when it rains,", "quando chove.", "quando chove,"),
        ("Arabic", "árabe", "Árabe"),
        ("editor support", "Suporte ao editor", "suporte ao editor"),
    ],
)
def test_what_the_source_does_not_show_is_put_right(source: str, answer: str, expected: str):
    assert mended(source, answer) == expected


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ("The cat (a tom) sleeps", "O gato (um macho) dorme"),
        ("Is it open?", "Está aberto?"),
        ("it had had time", "ele tinha tinha tempo"),
        ("read the FAQ", "leia o FAQ"),
        ("url of NASA", "NASA"),
        ("See (a)", "Veja (a)"),
    ],
)
def test_a_right_answer_stays_as_it_is(source: str, answer: str):
    assert mended(source, answer) == answer
