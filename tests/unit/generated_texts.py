"""Texts for property tests: fragments of every dialect in any order, so that one meets the other's signs."""

from __future__ import annotations

from hypothesis import strategies as st

from translator_service.domain.values import TextFormat

FRAGMENTS = (
    "word", "Two words. ", "A b", "# ", "## H {#x}\n", "- ", "1. ", "> ", "\n", "\n\n", "    ", "\t",
    "```\n", "```py\nx=1\n```\n", "~~~\n", "`code`", "``", "`", "*", "**", "_", "~~", "[t](http://a.b/c)",
    "[t](/x 'T')", "![alt](i.png)", "[ref]", "[ref]: http://x.y\n", "[a][ref]", "<b>", "</b>", "<br>", "<div>\n",
    "</div>\n", "<!-- c -->", "<img alt=\"Blue door\" src='a'>", "&amp;", "&lt;", "{name}", "{{x}}", "{0}",
    "{n, plural, one {# a} other {# b}}", "{", "}", "'", "''", "#", "%s", "%1$d", "%%", "%", "%(a)s", "$t(k)",
    "[var]", "{w=0.5}", "[[", "\\", "\\*", "|", "| a | b |\n", "|---|---|\n", "/// tip | Title\n", "///\n",
    "!!! note \"T\"\n", "    body\n", ":::", "{* x *}", "{.c}", "💬", "👨‍🍳", "é", "中文。", "\r\n", "\r", "\0", "\u200b",
    "\u2028", "---\n", "title: Foo bar\n", "***\n", "===\n", "http://ex.com/a(b).", "me@ex.com", "Z1Z", "NN2", "V1",
    "9001", "<m1/>", "[^1]", "[^1]: foo bar\n", "[!NOTE]", "> [!TIP]\n", "|a\\|b|c|\n", "<https://a.b>",
    "<code>x y</code>", "  \n", "\xa0", "1,250", "3.5",
)  # fmt: skip

texts = st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join) | st.text(max_size=30)
formats = st.sampled_from(list(TextFormat))
