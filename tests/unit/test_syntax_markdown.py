"""Markdown: what is prose, what must survive, and which blocks there are."""

from __future__ import annotations

import pytest
import regex
from generated_texts import texts
from hypothesis import given, settings

from translator_service.domain.syntax import find_blocks, find_prose, find_tokens, markdown
from translator_service.domain.values import TextFormat, TokenKind

M = TextFormat.MARKDOWN


def prose(text):
    return [span.of(text) for span in find_prose(text, M)]


def tokens(text, *kinds):
    return [t.span.of(text) for t in find_tokens(text, M) if not kinds or t.kind in kinds]


def labels(text):
    return [block.label for block in markdown.read(text).outline]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Big news { #news }\n", ["Big news"]),
        ("Under it\n===\n", ["Under it"]),
        ("- one\n- two\n\n1. three\n", ["one", "two", "three"]),
        ("- [x] done thing\n", ["done thing"]),
        ("| Key | Use |\n|-----|:---:|\n| F1  | Help me |\n", ["Key", "Use", "F1", "Help me"]),
        ("| `a \\| b` | either one |\n|---|---|\n", ["either one"]),
        ("/// tip | Mind this\n\nSome text\n\n///\n", ["Mind this", "Some text"]),
        ('!!! note "Look here"\n    Inside it\n', ["Look here", "Inside it"]),
        ("::: warning Take care\nNow\n:::\n", ["Take care", "Now"]),
        (":::note[Take care]\nNow\n:::\n", ["Take care", "Now"]),
        ("> [!NOTE]\n> Read me\n", ["Read me"]),
        ("See [the page](a.md) and ![a cat](c.png)\n", ["See [the page](a.md) and ![a cat](c.png)"]),
        ('<div class="x">\n<p>Hello there</p>\n</div>\n', ["Hello there"]),
        ('<img src="a.png" alt="A red door">\n', ["A red door"]),
        ("One cell <br> and more\n", ["One cell", "and more"]),
        ("[^1]: The small print\n", ["The small print"]),
        ("---\ntitle: My page\nlayout: wide\n---\n\nBody\n", ["My page", "Body"]),
        ("```py\nprint('words')\n```\n", []),
        ("    indented code\n", []),
        ("{* ../src/a.py hl[2] *}\n", []),
        ("[ref]: https://a.example/x 'Title'\n", []),
        ("<!-- a remark -->\n", []),
        ("`code` https://a.example 404 💬\n", []),
    ],
)
def test_prose_is_the_words_of_a_block_without_its_markup(text, expected):
    assert prose(text) == expected


def test_a_paragraph_over_several_quoted_lines_is_one_stretch_whose_line_marks_are_tokens():
    text = "> A quote that\n> goes on\n"
    assert prose(text) == ["A quote that\n> goes on"]
    assert "\n> " in tokens(text)


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("a `x` b ``y ` z``", TokenKind.CODE, ["`x`", "``y ` z``"]),
        ("```py\nx = 1\n```\ntext", TokenKind.CODE, ["```py\nx = 1\n```"]),
        ("- a\n\n  ```\n  x\n  ```\n", TokenKind.CODE, ["```\n  x\n  ```"]),
        ("a <code>b c</code> d", TokenKind.CODE, ["<code>b c</code>"]),
        ("see [a](b.md 'T') or <https://c.example>", TokenKind.LINK, ["](b.md 'T')", "<https://c.example>"]),
        ("[a](x_(y).md)", TokenKind.LINK, ["](x_(y).md)"]),
        ("bare https://a.example/b. End", TokenKind.LINK, ["https://a.example/b"]),
        ("[a][r]\n\n[r]: /x\n", TokenKind.LINK, ["][r]", "[r]: /x"]),
        ("the [ref] key\n\n[ref]: /x\n", TokenKind.LINK, ["[ref]", "[ref]: /x"]),
        ("an [x][elsewhere] link", TokenKind.LINK, ["[elsewhere]"]),
        ("a <b>c</b> <br/>", TokenKind.TAG, ["<b>", "</b>", "<br/>"]),
        ("*a* **b** ~~c~~ snake_case_word 2 * 3", TokenKind.MARKUP, ["*", "*", "**", "**", "~~", "~~"]),
        ("a\\* b &nbsp; c  \nd", TokenKind.MARKUP, ["\\*", "&nbsp;", "  \n"]),
        ("## T {#t .c}\n", TokenKind.MARKUP, [" {#t .c}"]),
        ("hi 👨‍🍳 and :rocket: at 10:30:15", TokenKind.EMOJI, ["👨‍🍳", ":rocket:"]),
        ('use {{< card "x" >}} and {% raw %}', TokenKind.PLACEHOLDER, ['{{< card "x" >}}', "{% raw %}"]),
    ],
)
def test_what_must_survive_is_a_token(text, kind, expected):
    assert tokens(text, kind) == expected


def test_code_wins_over_everything_that_stands_in_it():
    text = "`**a** [b](c) https://d.example {{e}} <f>`"
    assert tokens(text) == [text]


def test_emphasis_without_a_partner_is_no_token():
    assert tokens("2 * 3 and **open", TokenKind.MARKUP) == []


def test_the_outline_names_blocks_levels_tables_and_directives():
    text = (
        "# A\n\n- b\n- c\n\n7. d\n\n> e\n\n```py hl=1\nf\n```\n\n***\n\n| g | h |\n|--|:-:|\n| i | j |\n\n"
        "/// tip | K\n\n///\n\n!!! note\n    l\n"
    )
    assert labels(text) == [
        "h1", "bullet list", "list item", "paragraph", "list item", "paragraph", "ordered list from 7", "list item",
        "paragraph", "blockquote", "paragraph", "fence py hl=1", "hr", "table -|:-:", "row of 2", "row of 2",
        "/// tip (titled)", "///", "!!! note", "paragraph",
    ]  # fmt: skip


def test_a_directive_line_ends_a_paragraph():
    assert labels("words\n/// tip\nmore\n///\n") == ["paragraph", "/// tip", "paragraph", "///"]


def test_offsets_hold_with_windows_line_ends_tabs_and_a_byte_order_mark():
    text = "\ufeff# Big news\r\n\r\n-\tone `x`\r\n\r\n> two\r\n> three\r\n"
    assert prose(text) == ["Big news", "one `x`", "two\r\n> three"]
    assert tokens(text, TokenKind.CODE) == ["`x`"]


@settings(max_examples=150, deadline=None)
@given(texts)
def test_tokens_prose_and_blocks_keep_their_promises_on_any_text(text):
    at = 0
    for token in find_tokens(text, M):
        assert at <= token.span.start < token.span.end <= len(text)
        at = token.span.end
    at = 0
    for span in find_prose(text, M):
        assert at <= span.start < span.end <= len(text)
        assert regex.search(r"\p{L}", span.of(text))
        at = span.end
    assert "".join(block.of(text) for block in find_blocks(text, M)) == text


def test_no_word_of_the_pages_is_lost_between_prose_and_tokens(shared_folder):
    """Every letter outside code, links and markup belongs to some prose."""
    for page in sorted((shared_folder / "corpora/fastapi-docs/en").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        covered = bytearray(len(text))
        for span in (*find_prose(text, M), *(t.span for t in find_tokens(text, M))):
            covered[span.start : span.end] = b"\1" * (span.end - span.start)
        left = [text[i] for i in range(len(text)) if not covered[i] and text[i].isalpha()]
        assert left == [], page.name


def test_a_deeply_nested_or_hostile_text_is_read_in_linear_time():
    import time

    for text in ("[" * 5000, "{" * 20000, "a" + " " * 30000 + "b", "*a " * 5000, "<a " * 5000, "> " * 2000 + "a"):
        start = time.process_time()
        find_tokens(text, M)
        assert time.process_time() - start < 3, text[:5]
