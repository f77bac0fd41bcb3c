"""Files with words of their own in every place that a format has for words; and files that can't be read."""

from __future__ import annotations

import json
from pathlib import Path

import canaries


def write_content(folder: Path) -> None:
    """One file of each format, with words of its own in every place that a format has for words."""
    folder.mkdir(parents=True)
    (folder / "page.md").write_text(
        f"---\ntitle: {canaries.TITLE}\n---\n# {canaries.TITLE}\n\n{canaries.PARAGRAPH}\n\n- {canaries.SECOND_PARAGRAPH}\n",
        encoding="utf-8")
    (folder / "strings.json").write_text(json.dumps({"eaten": canaries.STRING}), encoding="utf-8")
    (folder / "messages.en.po").write_text(
        f'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        f'#. {canaries.MESSAGE_NOTE}\nmsgid "{canaries.MESSAGE}"\nmsgstr ""\n', encoding="utf-8")
    (folder / "scene.dialogue.jsonl").write_text(json.dumps({
        "id": "garden_01", "speaker": canaries.SPEAKER, "text": canaries.LINE, "note": canaries.LINE_NOTE}) + "\n",
        encoding="utf-8")
    (folder / "glossary.csv").write_text(
        f'source,target,note\n{canaries.TERM},trombone esmeralda,"{canaries.TERM_NOTE}"\n', encoding="utf-8")


BROKEN = {
    "broken.json": f'{{"a": "{canaries.STRING}", {canaries.PARAGRAPH}',
    "broken.en.po": f'msgid "{canaries.MESSAGE}"\nmsgstr "{canaries.PARAGRAPH}\n{canaries.TITLE}\n',
    "broken.md": f"---\ntitle: [{canaries.TITLE}\n {canaries.PARAGRAPH}: {{\n---\n{canaries.PARAGRAPH}\n",
    "broken.dialogue.jsonl": f'{{"id": 7, "text": "{canaries.LINE}"}}\n{{"{canaries.SPEAKER}"\n',
    "glossary.csv": f'source,target\n"{canaries.TERM_NOTE}",\n,"{canaries.PARAGRAPH}"\n"{canaries.TITLE}\n',
}


def grow(page: Path) -> None:
    """Add a few paragraphs to a page, new ones each time, so that there is work again."""
    text = page.read_text(encoding="utf-8")
    number = text.count("once more") + 1
    page.write_text(text + f"\n{canaries.PARAGRAPH} And once more, number {number}.\n" * 8, encoding="utf-8")
