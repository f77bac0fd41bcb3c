"""Single gates, family by family: where the case file is silent."""

from __future__ import annotations

import pytest

from translator_service.domain.gates import GATES, check, failures
from translator_service.domain.gates.icu import plural_categories
from translator_service.domain.values import (
    GateContext,
    GateOutcome,
    GateSeverity,
    Glossary,
    Term,
    TextFormat,
)

M, H, P = TextFormat.MARKDOWN, TextFormat.HTML, TextFormat.PLAIN


def result(gate, source, candidate, text_format=P, target_locale="pt-BR", **settings):
    results = check(source, candidate, GateContext(text_format, "en", target_locale, **settings))
    (found,) = [r for r in results if r.gate == gate]
    return found


def outcome(*arguments, **settings):
    return result(*arguments, **settings).outcome.value


def test_names_are_stable_and_each_gate_answers_once():
    results = check("Hello world", "Olá mundo", GateContext(P, "en", "pt-BR"))
    assert [r.gate for r in results] == [
        "placeholder_set", "printf_percent", "icu_syntax", "icu_structure", "icu_plurals", "markup_skeleton",
        "emphasis", "edge_whitespace", "newline_style", "tags", "unsafe_markup", "tag_spacing", "link_targets",
        "code_verbatim", "anchors", "front_matter", "do_not_translate", "forbidden_term", "glossary",
        "completeness", "invented_text", "repetition", "model_chatter", "refusal", "mask_leak",
        "control_characters", "invisible_characters", "html_entities", "copied_source", "numbers", "max_length",
    ]  # fmt: skip
    assert len(results) == len(GATES)
    assert failures(results) == ()


def test_structural_gates_are_hard_and_flags_are_four():
    results = check("a", "b", GateContext(P, "en", "pt-BR"))
    assert all(r.severity is GateSeverity.HARD for r in results if r.is_structural)
    flags = {r.gate for r in results if r.severity is GateSeverity.FLAG}
    assert flags == {"emphasis", "tag_spacing", "glossary", "numbers"}


def test_a_failure_points_at_what_is_missing_and_what_came_in():
    found = result("placeholder_set", "Hi {name} and {name}", "Oi {name} e {nome}", TextFormat.BRACE)
    assert found.explanation == "placeholders missing: {name}; placeholders added: {nome}"
    assert [(e.source, e.candidate) for e in found.evidence][0][0].of("Hi {name} and {name}") == "{name}"
    assert found.evidence[1].candidate.of("Oi {name} e {nome}") == "{nome}"


@pytest.mark.parametrize(
    ("source", "candidate", "text_format", "expected"),
    [
        ("%s has %d", "%d tem %s", TextFormat.PRINTF, "fail"),
        ("%s has %d", "%2$d de %1$s", TextFormat.PRINTF, "pass"),
        ("%1$s %2$s", "%2$s %1$s", TextFormat.PRINTF, "pass"),
        ("%i items", "%d itens", TextFormat.PRINTF, "pass"),
        ("%ld items", "%d itens", TextFormat.PRINTF, "fail"),
        ("%(a)s and %(b)d", "%(b)d e %(a)s", TextFormat.PYTHON_FORMAT, "pass"),
        ("%(a)s", "%(a)d", TextFormat.PYTHON_FORMAT, "fail"),
        ("%*d", "%d", TextFormat.PRINTF, "fail"),
        ("{a} {b}", "{b} {a}", TextFormat.BRACE, "pass"),
        ("{a:>5}", "{a}", TextFormat.BRACE, "fail"),
        ("{{n}} $t(x)", "$t(x) {{n}}", TextFormat.I18NEXT, "pass"),
        ("[hero]!", "[herói]!", TextFormat.RENPY, "fail"),
        ("{n, plural, one {# a} other {# b}}", "{n, plural, one {um a} other {# b}}", TextFormat.ICU, "pass"),
        ("{d, date, short}", "{d, time, short}", TextFormat.ICU, "fail"),
        ("Hi", "Oi", TextFormat.BRACE, "not_applicable"),
    ],
)
def test_placeholder_set(source, candidate, text_format, expected):
    assert outcome("placeholder_set", source, candidate, text_format) == expected


@pytest.mark.parametrize(
    ("locale", "expected"),
    [
        ("pt-BR", {"one", "other"}),
        ("fr", {"one", "other"}),
        ("ru", {"one", "few", "many", "other"}),
        ("ar", {"zero", "one", "two", "few", "many", "other"}),
        ("ja", {"other"}),
        ("xx-YY", set()),
    ],
)
def test_plural_categories_follow_cldr_without_the_compact_many(locale, expected):
    assert plural_categories(locale) == expected


@pytest.mark.parametrize(
    ("source", "candidate", "locale", "expected"),
    [
        ("{n, plural, =0 {none} one {#} other {#}}", "{n, plural, =0 {nada} one {#} other {#}}", "pt-BR", "pass"),
        ("{n, plural, one {#} other {#}}", "{n, plural, =1 {um} other {#}}", "pt-BR", "pass"),
        ("{n, plural, other {#}}", "{n, plural, other {#}}", "ru", "pass"),
        ("{n, plural, one {#} other {#}}", "{n, plural, one {#} muitos {#} other {#}}", "pt-BR", "fail"),
        ("{n, selectordinal, one {#st} other {#th}}", "{n, selectordinal, other {#º}}", "pt-BR", "pass"),
        ("{n, plural, one {#} other {#}}", "{n, plural, other {#}}", "ja", "pass"),
    ],
)
def test_icu_plurals(source, candidate, locale, expected):
    assert outcome("icu_plurals", source, candidate, TextFormat.ICU, locale) == expected


@pytest.mark.parametrize(
    ("source", "candidate", "expected"),
    [
        ("# A\n\nb\n", "# C\n\nd\n", "pass"),
        ("# A\n\nb\n", "## C\n\nd\n", "fail"),
        ("- a\n- b\n", "- c\n", "fail"),
        ("a\n\nb\n", "c d\n", "fail"),
        ("/// tip\n\na\n\n///\n", "/// tip | Dica\n\nb\n\n///\n", "pass"),
        ("/// tip | Hint\n\na\n\n///\n", "/// tip\n\nb\n\n///\n", "fail"),
        ("/// tip\n\na\n\n///\n", "/// dica\n\nb\n\n///\n", "fail"),
        ("| a | b |\n|---|---|\n| c | d |\n", "| e | f |\n|--|--|\n| g | h |\n", "pass"),
        ("| a | b |\n|---|---|\n| c | d |\n", "| e | f |\n|---|---|\n| g | h | i |\n", "fail"),
        ("| a | b |\n|---|---|\n", "| c | d |\n|:--|---|\n", "fail"),
        ("2. a\n", "1. b\n", "fail"),
        ("> a\n", "b\n", "fail"),
        ("```py\nx\n```\n", "```python\nx\n```\n", "fail"),
    ],
)
def test_markup_skeleton(source, candidate, expected):
    assert outcome("markup_skeleton", source, candidate, M) == expected


@pytest.mark.parametrize(
    ("source", "candidate", "expected"),
    [
        ('<a href="/x" title="Hi">a</a>', '<a title="Oi" href="/x">b</a>', "pass"),
        ('<a href="/x">a</a>', '<a href="/y">b</a>', "fail"),
        ("<b>a</b> <i>c</i>", "<i>c</i> <b>a</b>", "pass"),
        ("<b>a</b> <i>c</i>", "<b>a <i></b>c</i>", "fail"),
        ("a<br>b", "c<br>d", "pass"),
        ("<p>a<p>b", "<p>c<p>d", "pass"),
        ("a", "b", "not_applicable"),
    ],
)
def test_tags(source, candidate, expected):
    assert outcome("tags", source, candidate, H) == expected


@pytest.mark.parametrize(
    ("source", "candidate", "gate", "expected"),
    [
        ("see [a](x.md 'T')", "veja [b](x.md 'U')", "link_targets", "pass"),
        ("see [a](x.md)", "veja [b](y.md)", "link_targets", "fail"),
        ("see [a][r]\n\n[r]: /x", "veja [b][r]\n\n[r]: /x", "link_targets", "pass"),
        ("see [a][r]\n\n[r]: /x", "veja [b][s]\n\n[r]: /x", "link_targets", "fail"),
        ("mail a@b.example", "escreva a b@b.example", "link_targets", "fail"),
        ("use `x`", "use `x` e `x`", "code_verbatim", "unsure"),
        ("use `x` and `x`", "use `x`", "code_verbatim", "fail"),
        ("use `x`", "use x", "code_verbatim", "fail"),
        ("```\na\n```\n\n```\nb\n```\n", "```\nb\n```\n\n```\na\n```\n", "code_verbatim", "fail"),
        ("## Setup\n\n[go](#setup)", "## Início\n\n[ir](#setup)", "anchors", "fail"),
        ("## Setup\n\n[go](#setup)", "## Início { #setup }\n\n[ir](#setup)", "anchors", "pass"),
        ("## A { #a }\n", "## B { #a }\n", "anchors", "pass"),
        ("## A { #a }\n", "## B\n", "anchors", "fail"),
        ("[go](#far)\n", "[ir](#far)\n", "anchors", "pass"),
        ("---\ntitle: A b\ntags: [x]\n---\nc", "---\ntitle: D e\ntags: [x]\n---\nf", "front_matter", "pass"),
        ("---\ntitle: A b\ntags: [x]\n---\nc", "---\ntitle: D e\ntags: [y]\n---\nf", "front_matter", "fail"),
        ("---\ntitle: A b\n---\nc", "f", "front_matter", "fail"),
        ("---\ntitle: A b\n---\nc", "---\ntitle: D: e\n---\nf", "front_matter", "fail"),
        ("---\ntitle: 'A b'\n---\nc", "---\ntitle: 'D'e'\n---\nf", "front_matter", "fail"),
        ("a **b** c", "a ** b** c", "emphasis", "fail"),
        ("a **b** c", "a **b** c", "emphasis", "pass"),
    ],
)
def test_links_code_anchors_and_front_matter(source, candidate, gate, expected):
    assert outcome(gate, source, candidate, M) == expected


@pytest.mark.parametrize(
    ("source", "candidate", "expected"),
    [
        ("text\n", "texto\n", "pass"),
        ("text\r\n", "texto\n", "pass"),
        ("text\n", "texto", "fail"),
        ("text", " texto", "fail"),
        ("text", "", "not_applicable"),
    ],
)
def test_edge_whitespace(source, candidate, expected):
    assert outcome("edge_whitespace", source, candidate) == expected


def test_a_language_with_fewer_plurals_is_not_incomplete():
    source = "{n, plural, one {# file is here} other {# files are here}}, {m, plural, one {# page} other {# pages}}"
    candidate = "{n, plural, other {#ファイルがここにあります}}、{m, plural, other {#ページ}}"
    assert outcome("completeness", source, candidate, TextFormat.ICU, "ja") == "pass"
    assert outcome("completeness", source, "{n, plural, other {#}}、{m, plural, other {#}}", TextFormat.ICU, "ja") == "fail"


def test_a_name_that_is_gone_fails_and_one_that_stands_less_often_is_doubtful():
    names = {"do_not_translate": ("Slate",)}
    assert outcome("do_not_translate", "Slate and Slate", "Slate e Slate", **names) == "pass"
    assert outcome("do_not_translate", "Slate and Slate", "Slate e ela", **names) == "unsure"
    assert outcome("do_not_translate", "Slate and Slate", "Ardósia e ela", **names) == "fail"
    assert outcome("do_not_translate", "A slate roof", "Um telhado", **names) == "not_applicable"
    assert outcome("do_not_translate", "Use `Slate` now", "Use `Slate` já", M, **names) == "not_applicable"


def test_forbidden_words_are_found_as_words_and_not_in_code():
    words = {"forbidden_terms": ("grátis", "免费")}
    assert outcome("forbidden_term", "For free", "Tudo Grátis!", **words) == "fail"
    assert outcome("forbidden_term", "For free", "Gratuito, gratisol", **words) == "pass"
    assert outcome("forbidden_term", "For free", "现在免费试用", **words) == "fail"
    assert outcome("forbidden_term", "Run `grátis`", "Rode `grátis`", M, **words) == "pass"


def test_forbidden_forms_of_a_term_count_only_where_the_term_stands():
    terms = {"glossary": Glossary("1", (Term("library", "biblioteca", forbidden_forms=("livraria",)),))}
    assert outcome("forbidden_term", "The libraries", "As livrarias e a livraria", **terms) == "fail"
    assert outcome("forbidden_term", "The bookshop", "A livraria", **terms) == "not_applicable"


def test_a_missing_glossary_form_is_a_flag_and_any_sense_of_a_term_meets_it():
    terms = Glossary("1", (Term("bank", "banco", sense="money"), Term("bank", "margem", sense="river")))
    assert outcome("glossary", "The bank", "A margem", glossary=terms) == "pass"
    assert outcome("glossary", "The bank", "A beira", glossary=terms) == "fail"
    assert result("glossary", "The bank", "A beira", glossary=terms).severity is GateSeverity.FLAG


@pytest.mark.parametrize(
    ("source", "candidate", "expected"),
    [
        ("A text of some length that says quite a lot.", "Um texto.", "fail"),
        ("One thing is here. Another thing is there.", "Uma coisa está aqui e outra está lá.", "pass"),
        ("One thing is here. Another thing is there.", "Uma coisa aqui.", "fail"),
        ("OK", "Tá", "pass"),
        ("Something", "  ", "fail"),
        ("404", "", "not_applicable"),
        ("This is a rather long English sentence.", "这是一个相当长的英文句子。", "pass"),
        ("Stop. Stop. Go on then.", "Pare. Pare. Siga então.", "pass"),
    ],
)
def test_completeness(source, candidate, expected):
    assert outcome("completeness", source, candidate) == expected


@pytest.mark.parametrize(
    ("source", "candidate", "target_locale", "expected"),
    [
        ("Save your changes now", "Save your changes now", "pt-BR", "fail"),
        ("Save changes", "Save changes", "pt-BR", "not_applicable"),
        ("Save changes", "Save changes", "ru", "fail"),
        ("Save your changes now", "Save your changes now", "en-GB", "not_applicable"),
        ("Visual Studio Code", "Visual Studio Code", "ru", "not_applicable"),
        ("Save your changes now", "Salve suas alterações já", "pt-BR", "pass"),
    ],
)
def test_copied_source(source, candidate, target_locale, expected):
    assert outcome("copied_source", source, candidate, P, target_locale) == expected


def test_a_copied_paragraph_of_a_translated_page_is_found_and_a_name_is_not():
    source = "# Visual Studio Code\n\nThe first text is here.\n\nThe second one is there.\n"
    candidate = "# Visual Studio Code\n\nO primeiro texto está aqui.\n\nThe second one is there.\n"
    found = result("copied_source", source, candidate, M)
    assert found.outcome is GateOutcome.FAIL
    assert [e.source.of(source) for e in found.evidence] == ["The second one is there."]


@pytest.mark.parametrize(
    ("copied", "expected"),
    [
        ("FastAPI's `HTTPException` vs Starlette's `HTTPException`", "unsure"),
        ("Lord of the Rings", "unsure"),
        ("Django, Flask and Starlette", "unsure"),
        ("Open the Settings menu", "fail"),
        ("Go home now", "fail"),
        ("about the old tools", "fail"),
        ("Running Background Tasks", "pass"),
    ],
)
def test_a_copied_heading_of_names_is_unsure_and_a_copied_sentence_fails(copied, expected):
    source = f"# {copied}\n\nThe first text is here, and it says quite a lot.\n\nThe second one is there, and says more.\n"
    candidate = f"# {copied}\n\nO primeiro texto está aqui, e diz bastante.\n\nO segundo está lá, e diz mais.\n"
    found = result("copied_source", source, candidate, M)
    assert found.outcome == expected
    assert [e.source.of(source) for e in found.evidence] == ([copied] if expected != "pass" else [])


def test_copied_titles_that_make_up_much_of_a_page_fail_together():
    titles = "\n\n".join(f"# {name} of the Rings" for name in ("Lord", "Keeper", "Maker"))
    source, candidate = f"{titles}\n\nThe only text is here.\n", f"{titles}\n\nO único texto está aqui.\n"
    found = result("copied_source", source, candidate, M)
    assert found.outcome is GateOutcome.FAIL and len(found.evidence) == 3


def test_one_copied_sentence_makes_a_copied_title_beside_it_part_of_the_failure():
    source = "# Lord of the Rings\n\nThe first text is here.\n\n" + "Another text says much more of it. " * 9
    candidate = "# Lord of the Rings\n\nThe first text is here.\n\n" + "Outro texto diz bem mais sobre isso. " * 9
    found = result("copied_source", source, candidate, M)
    assert found.outcome is GateOutcome.FAIL and len(found.evidence) == 2


def test_terms_that_stay_do_not_make_a_copy():
    names = {"do_not_translate": ("Northwind Origin",)}
    assert outcome("copied_source", "Northwind Origin Cloud", "Northwind Origin Cloud", **names) == "not_applicable"


@pytest.mark.parametrize(
    ("source", "candidate", "locale", "expected"),
    [
        ("It costs 1,250.50 now", "Custa 1.250,50 agora", "pt-BR", "pass"),
        ("It costs 1,250.50 now", "Custa 1.250,05 agora", "pt-BR", "fail"),
        ("Python 3.10 and 3.9.1", "Python 3.10 e 3.9.1", "pt-BR", "pass"),
        ("Wait 2 days", "Espere dois dias", "pt-BR", "not_applicable"),
        ("Wait 30 days", "Espere trinta dias", "pt-BR", "fail"),
        ("In 1999", "عام ١٩٩٩", "ar", "pass"),
        ("No digits", "Sem algarismos", "pt-BR", "not_applicable"),
    ],
)
def test_numbers(source, candidate, locale, expected):
    assert outcome("numbers", source, candidate, P, locale) == expected


@pytest.mark.parametrize(
    ("source", "candidate"),
    [
        ("Say hello", "Sure! Here is the translation:\n\nDiga olá"),
        ("Say hello", "Aqui está a tradução:\nDiga olá"),
        ("Say hello", "Translation: Diga olá"),
        ("Say hello", "Diga olá\n\nLet me know if you need anything else!"),
    ],
)
def test_chatter_is_a_hard_failure(source, candidate):
    assert outcome("model_chatter", source, candidate) == "fail"


@pytest.mark.parametrize(
    ("source", "candidate"),
    [
        ("Here is the map: look", "Aqui está o mapa: veja"),
        ("Translation: a craft", "Tradução: um ofício"),
        ("Desculpe, não posso ajudar.", "Sorry, I can't help."),
        ("Note: read this", "Nota: leia isto"),
        ("Tradução: um ofício", "Translation: a craft"),
        ("Olá\nEspero que ajude", "Hello\nHope this helps"),
        ("Of course, go on", "Claro, siga"),
    ],
)
def test_ordinary_language_is_no_chatter_and_no_refusal(source, candidate):
    assert outcome("model_chatter", source, candidate) == "pass"
    assert outcome("refusal", source, candidate) == "pass"


def test_max_length_counts_code_points():
    assert outcome("max_length", "Up", "Subir", max_length=5) == "pass"
    assert outcome("max_length", "Up", "Subirá", max_length=5) == "fail"


def test_joiners_pass_where_scripts_and_emoji_use_them():
    assert outcome("invisible_characters", "New books", "کتاب\u200cهای جدید", P, "fa") == "pass"
    assert outcome("invisible_characters", "Cook", "Chef 👨\u200d🍳") == "pass"
    assert outcome("invisible_characters", "New books", "Livros\u200c novos") == "fail"
    assert outcome("invisible_characters", "New\u200bbooks", "Livros\u200bnovos") == "pass"
