"""Gates on any text: the source itself is a faultless candidate, and a lost or changed token is never one."""

from __future__ import annotations

import random

import regex
from generated_texts import formats, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from translator_service.domain.gates import check, failures
from translator_service.domain.syntax import find_prose, find_tokens
from translator_service.domain.values import GateContext, GateOutcome, GateSeverity, TextFormat, TokenKind

# Words that stand in no fragment and are no part of any markup.
OTHER_WORDS = ("então", "quando", "esse", "outro", "valor", "chega", "depois", "ponte")


def context(text_format):
    return GateContext(text_format, "en", "pt-BR")


def reworded(text, text_format, seed=0):
    """The text with every word of its prose replaced, tokens and all else untouched."""
    chance = random.Random(seed)

    def words(part):
        return regex.sub(r"[\p{L}\p{M}]+", lambda m: chance.choice(OTHER_WORDS), part)

    pieces, at = [], 0
    tokens = find_tokens(text, text_format)
    for span in find_prose(text, text_format):
        pieces.append(text[at : span.start])
        at = span.start
        for token in (t for t in tokens if span.start <= t.span.start and t.span.end <= span.end):
            pieces += [words(text[at : token.span.start]), token.span.of(text)]
            at = token.span.end
        pieces.append(words(text[at : span.end]))
        at = span.end
    return "".join(pieces) + text[at:]


@settings(max_examples=120, deadline=None)
@given(texts, formats)
def test_the_source_itself_passes_every_gate_but_those_about_translating(text, text_format):
    results = check(text, text, context(text_format))
    faults = [r for r in results if r.outcome in (GateOutcome.FAIL, GateOutcome.UNSURE)]
    # Numbers are written another way in the target, so a copy is rightly flagged.
    assert [r for r in faults if r.gate not in ("copied_source", "numbers")] == []


@settings(max_examples=80, deadline=None)
@given(
    texts, st.sampled_from([TextFormat.MARKDOWN, TextFormat.HTML, TextFormat.ICU, TextFormat.BRACE, TextFormat.PLAIN])
)
def test_other_words_in_the_prose_leave_every_structural_gate_passing(text, text_format):
    results = check(text, reworded(text, text_format), context(text_format))
    assert [r for r in failures(results) if r.is_structural] == []


@settings(max_examples=100, deadline=None)
@given(texts, st.sampled_from([f for f in TextFormat if f is not TextFormat.ICU]))
def test_a_lost_placeholder_tag_link_or_code_span_is_always_a_hard_failure(text, text_format):
    """All but ICU: a branch of a choice may spell its number out, its own tests say what must stay."""
    kinds = (TokenKind.PLACEHOLDER, TokenKind.TAG, TokenKind.LINK, TokenKind.CODE)
    for token in [t for t in find_tokens(text, text_format) if t.kind in kinds][:5]:
        # A doubled percent sign is a character, not an argument.
        if token.span.of(text) != "%%":
            candidate = text[: token.span.start] + "perdido" + text[token.span.end :]
            assert failures(check(text, candidate, context(text_format)), GateSeverity.HARD), token


def test_the_pages_pass_as_their_own_translation_and_with_other_words(shared_folder):
    pages = sorted((shared_folder / "corpora/fastapi-docs/en").rglob("*.md"))
    assert len(pages) == 23
    for page in pages:
        text = page.read_text(encoding="utf-8")
        same = failures(check(text, text, context(TextFormat.MARKDOWN)), GateSeverity.HARD)
        assert [r.gate for r in same] == ["copied_source"], page.name
        other = failures(check(text, reworded(text, TextFormat.MARKDOWN), context(TextFormat.MARKDOWN)))
        assert [r.gate for r in other if r.is_structural] == [], page.name


def test_the_gates_of_a_page_of_forty_kilobytes_take_well_below_a_second(shared_folder):
    import time

    text = (shared_folder / "corpora/fastapi-docs/en/async.md").read_text(encoding="utf-8") * 2
    candidate = reworded(text, TextFormat.MARKDOWN)
    check("warm", "up", context(TextFormat.MARKDOWN))
    start = time.process_time()
    check(text, candidate + " ", context(TextFormat.MARKDOWN))
    assert len(text) > 40_000
    assert time.process_time() - start < 1.5


def test_hostile_texts_are_checked_in_time():
    import time

    for text in ("<a " * 5000, "%" * 10000, "{" * 10000, "*a " * 5000, "a " * 20000, "<!--" * 5000, "Z1Z " * 3000):
        for text_format in TextFormat:
            start = time.process_time()
            check(text, text, context(text_format))
            assert time.process_time() - start < 4, (text[:5], text_format)
