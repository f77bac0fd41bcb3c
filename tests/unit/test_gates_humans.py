"""Human translations against the gates: what people rightly do must not be called a fault.

The failures named here were looked at one by one and are faults or deliberate changes of code.
"""

from __future__ import annotations

import json
from collections import Counter

import polib

from translator_service.domain.gates import check, failures
from translator_service.domain.values import GateContext, GateSeverity, TextFormat


def hard(source, candidate, text_format, source_locale="en", target_locale="pt-BR"):
    results = check(source, candidate, GateContext(text_format, source_locale, target_locale))
    return [r.gate for r in failures(results, GateSeverity.HARD)]


def test_human_pages_keep_the_skeleton_links_tags_and_anchors(shared_folder):
    folder = shared_folder / "corpora/fastapi-docs"
    seen = Counter()
    pages = sorted((folder / "en").rglob("*.md"))
    for page in pages:
        candidate = (folder / "pt" / page.relative_to(folder / "en")).read_text(encoding="utf-8")
        seen.update(hard(page.read_text(encoding="utf-8"), candidate, TextFormat.MARKDOWN))
    assert len(pages) == 23
    # Comments and names inside code that were translated, and one pasted zero-width blank.
    assert seen == {"code_verbatim": 4, "invisible_characters": 1}


def test_human_catalogues_fail_only_where_edge_blanks_differ(shared_folder):
    seen, checked = Counter(), 0
    for path in sorted((shared_folder / "corpora/django-po").glob("*.pt_BR.po")):
        for entry in polib.pofile(str(path)):
            text_format = TextFormat.PYTHON_FORMAT if "python-format" in entry.flags else TextFormat.PLAIN
            if "python-brace-format" in entry.flags:
                text_format = TextFormat.BRACE
            forms = [entry.msgstr_plural[n] for n in sorted(entry.msgstr_plural)] or [entry.msgstr]
            pairs = [(entry.msgid, forms[0])] + [(entry.msgid_plural, form) for form in forms[1:]]
            for source, candidate in pairs:
                if candidate and not entry.obsolete:
                    checked += 1
                    seen.update(hard(source, candidate, text_format))
    assert checked > 740
    assert seen == {"edge_whitespace": 5}


def test_human_game_dialogue_fails_nowhere_in_either_direction(shared_folder):
    checked = 0
    lines = (shared_folder / "corpora/game-dialogue/the-question.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        for locale in ("fr", "es"):
            for source, target in (("en", locale), (locale, "en")):
                if row[source] and row[target]:
                    checked += 1
                    assert hard(row[source], row[target], TextFormat.RENPY, source, target) == [], row["id"]
    assert checked > 300
