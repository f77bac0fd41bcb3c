"""Reported faults as cases: the named gate fires on the bad text, and no hard gate on the good one.

`GATES_OF_CASES` maps the names in the case file to ours; `NOT_YET` lists the kinds that no gate covers.
"""

from __future__ import annotations

import json

from translator_service.domain.gates import check, failures
from translator_service.domain.values import GateContext, GateSeverity, Glossary, Term, TextFormat

FORMATS = {
    "text": TextFormat.PLAIN,
    "game-text": TextFormat.PLAIN,
    "wiki": TextFormat.PLAIN,
    "markdown": TextFormat.MARKDOWN,
    "html": TextFormat.HTML,
    "unity": TextFormat.HTML,
    "icu": TextFormat.ICU,
    "printf": TextFormat.PRINTF,
    "po": TextFormat.PRINTF,
    "python-format": TextFormat.PYTHON_FORMAT,
    "brace": TextFormat.BRACE,
    "fluent": TextFormat.BRACE,
    "renpy": TextFormat.RENPY,
}

GATES_OF_CASES = {
    "placeholder_set": ("placeholder_set",),
    "printf_percent": ("printf_percent",),
    "icu_syntax": ("icu_syntax",),
    "icu_structure": ("icu_structure",),
    "icu_quoting": ("placeholder_set",),
    "plural_categories": ("icu_plurals",),
    "html_tags": ("tags",),
    "html_attributes": ("tags",),
    "html_entities": ("html_entities", "tags"),
    "html_unsafe": ("unsafe_markup",),
    "tag_spacing": ("tag_spacing",),
    "md_links": ("link_targets",),
    "md_anchor": ("anchors",),
    "md_fences": ("markup_skeleton", "model_chatter"),
    "md_code": ("code_verbatim",),
    "md_table": ("markup_skeleton",),
    "md_frontmatter": ("front_matter",),
    "whitespace_edges": ("edge_whitespace",),
    "newline_edges": ("edge_whitespace",),
    "newline_style": ("newline_style",),
    "control_codes": ("tags",),
    "invisible_chars": ("invisible_characters",),
    "control_chars": ("control_characters",),
    "unicode_damage": ("control_characters",),
    "mask_leak": ("mask_leak",),
    "delimiter_leak": ("mask_leak",),
    "chatter": ("model_chatter",),
    "refusal": ("refusal",),
    "prompt_obeyed": ("completeness",),
    "completeness": ("completeness",),
    "empty_output": ("completeness",),
    "empty_source": ("invented_text",),
    "repetition": ("repetition",),
    "untranslated": ("copied_source",),
    "glossary": ("glossary",),
    "dnt": ("do_not_translate",),
    "numbers": ("numbers",),
    "max_length": ("max_length",),
}

# Gates or formats that a later piece of work brings.
NOT_YET = frozenset({
    "accelerator", "code_tokens", "foreign_script", "format_pattern", "json_keys", "json_parse", "line_width",
    "locale_code", "locale_variant", "mdx_expression", "po_plural_forms", "quote_balance", "quotes",
    "segment_count", "truncated", "wiki_links", "wrong_language", "wrong_script", "xliff_inline", "xml_escaping",
})  # fmt: skip


def context_of(row):
    settings = {}
    if row["gate"] == "glossary":
        source, target = row["parameter"].split("=")
        settings["glossary"] = Glossary("1", (Term(source, target),))
    elif row["gate"] == "dnt":
        settings["do_not_translate"] = (row["parameter"],)
    elif row["gate"] == "max_length":
        settings["max_length"] = int(row["parameter"])
    return GateContext(FORMATS[row["format"]], row["source_locale"], row["target_locale"], **settings)


def rows(shared_folder):
    lines = (shared_folder / "cases/text-gates.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_every_covered_case_holds(shared_folder):
    covered = [r for r in rows(shared_folder) if r["gate"] in GATES_OF_CASES and r["format"] in FORMATS]
    broken = []
    for row in covered:
        context = context_of(row)
        fired = {r.gate for r in failures(check(row["source"], row["bad_output"], context))}
        alarms = failures(check(row["source"], row["good_output"], context), GateSeverity.HARD)
        if not fired & set(GATES_OF_CASES[row["gate"]]) or alarms:
            broken.append((row["id"], row["gate"], sorted(fired), [a.gate for a in alarms]))
    assert broken == []
    assert len(covered) >= 95


def test_every_case_is_either_covered_or_listed_as_missing(shared_folder):
    kinds = {row["gate"] for row in rows(shared_folder)}
    assert kinds <= GATES_OF_CASES.keys() | NOT_YET
    assert not GATES_OF_CASES.keys() & NOT_YET


def test_every_alarm_on_a_bad_text_says_why_and_hard_ones_are_content_of_one_line(shared_folder):
    for row in rows(shared_folder):
        if row["format"] not in FORMATS or row["gate"] in NOT_YET:
            continue
        for result in failures(check(row["source"], row["bad_output"], context_of(row))):
            assert result.explanation and "\n" not in result.explanation, (row["id"], result.gate)
            for evidence in result.evidence:
                for span, text in ((evidence.source, row["source"]), (evidence.candidate, row["bad_output"])):
                    assert span is None or 0 <= span.start <= span.end <= len(text)
