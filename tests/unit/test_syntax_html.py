"""HTML and plain text: tags, entities, addresses, people's attributes."""

from __future__ import annotations

import pytest

from translator_service.domain.syntax import find_blocks, find_prose, find_tokens
from translator_service.domain.values import TextFormat, TokenKind

H, P = TextFormat.HTML, TextFormat.PLAIN


def tokens(text, text_format=H, *kinds):
    return [t.span.of(text) for t in find_tokens(text, text_format) if not kinds or t.kind in kinds]


def prose(text, text_format=H):
    return [span.of(text) for span in find_prose(text, text_format)]


def test_a_sentence_keeps_its_inline_tags_and_blocks_part_it():
    text = '<p>See <a href="/x">the page</a>.</p><ul><li>One</li><li>Two <b>three</b></li></ul>'
    assert prose(text) == ['See <a href="/x">the page</a>.', "One", "Two <b>three</b>"]


def test_attributes_that_people_read_are_prose_where_the_tag_stands_alone():
    assert prose('<p><img src="a.png" alt="A red door"></p>') == ["A red door"]
    assert prose("<input placeholder='Your name' name='n'>") == ["Your name"]


def test_script_style_and_code_are_no_prose():
    assert prose("<script>var a = 'words';</script><style>p {x: y}</style><pre>in code</pre><p>Text</p>") == ["Text"]
    assert tokens("a <code>b</code> c", H, TokenKind.CODE) == ["<code>b</code>"]


def test_tags_of_any_name_comments_and_entities_are_tokens():
    text = "Run <name> now <!-- why > --> &lt;x&gt; <color=#FFCC00>a</color> 1 < 2 > 0"
    assert tokens(text) == ["<name>", "<!-- why > -->", "&lt;", "&gt;", "<color=#FFCC00>", "</color>"]


def test_quoted_signs_in_attributes_dont_end_a_tag():
    assert tokens("<a title=\"a > b\" href='/x'>y</a>") == ["<a title=\"a > b\" href='/x'>", "</a>"]


def test_blocks_of_html_are_cut_behind_outermost_elements():
    text = "<div><p>a</p></div>\n<p>b</p>tail"
    assert [b.of(text) for b in find_blocks(text, H)] == ["<div><p>a</p></div>", "\n<p>b</p>", "tail"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("go to https://a.example/x_(y)?q=1#z.", ["https://a.example/x_(y)?q=1#z"]),
        ("(see http://a.example/b)", ["http://a.example/b"]),
        ("www.a.example, and a@b.example!", ["www.a.example", "a@b.example"]),
        ("«https://a.example»", ["https://a.example"]),
        ("www. is short, a@b isn't", []),
    ],
)
def test_addresses_end_where_the_sentence_goes_on(text, expected):
    assert tokens(text, P, TokenKind.LINK) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("🍔🍔 x", ["🍔", "🍔"]),
        ("👨‍👩‍👧 👍🏽 🇧🇷 1️⃣ ❤️ ☕", ["👨‍👩‍👧", "👍🏽", "🇧🇷", "1️⃣", "❤️", "☕"]),
        ("1 # * © ™ → ✓ a", []),
    ],
)
def test_emoji_are_whole_sequences_and_signs_of_text_are_none(text, expected):
    assert tokens(text, P, TokenKind.EMOJI) == expected


def test_plain_prose_is_each_line_and_blocks_are_paragraphs():
    text = "  One line\n\ntwo\nthree  \n"
    assert prose(text, P) == ["One line", "two", "three"]
    assert [b.of(text) for b in find_blocks(text, P)] == ["  One line\n\n", "two\nthree  \n"]
