"""Placeholders of the string formats: percent, curly, ICU, Ren'Py."""

from __future__ import annotations

import pytest
from generated_texts import formats, texts
from hypothesis import given, settings

from translator_service.domain.syntax import find_blocks, find_prose, find_tokens
from translator_service.domain.syntax.icu_messages import Fault, parse
from translator_service.domain.values import TextFormat, TokenKind


def tokens(text, text_format, *kinds):
    return [t.span.of(text) for t in find_tokens(text, text_format) if not kinds or t.kind in kinds]


def prose(text, text_format):
    return [span.of(text) for span in find_prose(text, text_format)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ask %s and %d%%", ["%s", "%d", "%%"]),
        ("%1$s then %2$.3f and %-5ld", ["%1$s", "%2$.3f", "%-5ld"]),
        ("%(count)d items by %(the name)s", ["%(count)d", "%(the name)s"]),
        ("by %*d and %.*f", ["%*d", "%.*f"]),
        ("tell %@ and %1$@", ["%@", "%1$@"]),
        ("100% of it, 50% done", []),
        ("%(broken) here", []),
        ("Use <b>%s</b>", ["<b>", "%s", "</b>"]),
    ],
)
def test_percent_placeholders(text, expected):
    assert tokens(text, TextFormat.PRINTF) == expected
    assert tokens(text, TextFormat.PYTHON_FORMAT) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hi {name}, {0} of {n:>5}", ["{name}", "{0}", "{n:>5}"]),
        ("nested {a:{b}} end", ["{a:{b}}"]),
        ("{{count}} and ${total} and %{ruby}", ["{{count}}", "${total}", "%{ruby}"]),
        ('$t(key, {"n": 1}) now', ['$t(key, {"n": 1})']),
        ("a <0>b</0> <icon/>", ["<0>", "</0>", "<icon/>"]),
        ("{{- raw }} and {{#each}}x{{/each}}", ["{{- raw }}", "{{#each}}", "{{/each}}"]),
    ],
)
def test_curly_placeholders(text, expected):
    assert tokens(text, TextFormat.BRACE) == expected
    assert tokens(text, TextFormat.I18NEXT) == expected


def test_renpy_variables_tags_and_escapes():
    text = "[hero]! {w=0.5}{b}No{/b} [[literal] {{x 100%% \\n"
    assert tokens(text, TextFormat.RENPY) == ["[hero]", "{w=0.5}", "{b}", "{/b}", "[[", "{{", "%%", "\\n"]
    assert tokens(text, TextFormat.RENPY, TokenKind.PLACEHOLDER) == ["[hero]"]


def test_an_icu_message_keeps_its_frame_and_gives_its_branches_as_prose():
    text = (
        "{who, select, me {{n, plural, =0 {No file} one {My file} other {# files of {name}}}} other {Files}} in {place}"
    )
    assert prose(text, TextFormat.ICU) == ["No file", "My file", "# files of {name}", "Files", "in {place}"]
    assert tokens(text, TextFormat.ICU) == [
        "{who, select, me {", "{n, plural, =0 {", "} one {", "} other {", "#", "{name}", "}}", "} other {", "}}", "{place}",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("it's {n} o''clock '{quoted}'", ["n"]),
        ("{when, date, yyyy-MM-dd} {n, number, ::currency/EUR}", ["when", "n"]),
        ("{n, plural, offset:1 one {#} other {#}}", ["n"]),
        ("Ouvrir l'{name}", []),
    ],
)
def test_icu_arguments_and_apostrophes(text, arguments):
    message = parse(text)
    assert [a.name for a in message.arguments] == arguments


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{n, plural, one {a}", "brace"),
        ("{n, plural, one {a} {b} other {c}}", "selector"),
        ("{n, plural, one {a}}", "other"),
        ("{n, selezione, a {b} other {c}}", "type"),
        ("{a b}", "between"),
        ("a } b", "opens nowhere"),
        ("{}", "name"),
        ("{a, select, " + "x {{a, select, " * 40, "nested"),
    ],
)
def test_a_broken_icu_message_is_a_fault_with_a_place_and_a_reason(text, reason):
    fault = parse(text)
    assert isinstance(fault, Fault)
    assert reason in fault.reason
    assert 0 <= fault.at <= len(text)


@settings(max_examples=150, deadline=None)
@given(texts, formats)
def test_every_dialect_keeps_its_promises_on_any_text(text, text_format):
    at = 0
    for token in find_tokens(text, text_format):
        assert at <= token.span.start < token.span.end <= len(text)
        at = token.span.end
    at = 0
    for span in find_prose(text, text_format):
        assert at <= span.start < span.end <= len(text)
        at = span.end
    assert "".join(block.of(text) for block in find_blocks(text, text_format)) == text
