"""The example site holds what its README promises, and goes through whole."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from scheduler_service.content.sources.folder import FolderSource

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "community-site"


@pytest.fixture(scope="module")
def scan():
    return FolderSource(FOLDER, "en").scan("pt-BR")


def test_the_example_site_has_a_dozen_pages_strings_messages_dialogue_and_terms(scan):
    pages = [page for page in scan.pages if page.page_id.endswith(".md")]
    assert scan.errors == ()
    assert len(pages) >= 12
    assert all([field.name for field in page.fields] == ["title", "description", "body"] for page in pages)
    assert {page.page_id for page in scan.pages} > {"en/strings.json", "en/booking.po", "en/screwdriver.dialogue.jsonl"}
    assert len(scan.glossary) >= 12
    assert sum(row.do_not_translate for row in scan.glossary) >= 3


def test_the_example_site_shows_every_kind_of_placeholder(scan):
    formats = {field.text_format for page in scan.pages for field in page.fields}
    assert formats >= {"plain", "markdown", "html", "icu", "i18next", "python-format", "brace", "renpy"}


def test_the_links_between_example_pages_lead_somewhere(scan):
    for page in scan.pages:
        for field in page.fields:
            for target in re.findall(r"\]\(([\w./-]+\.md)", field.text):
                assert (FOLDER / page.page_id).parent.joinpath(target).resolve().is_file(), (page.page_id, target)


def test_the_terms_of_the_example_glossary_occur_in_its_texts(scan):
    texts = "\n".join(field.text + field.speaker for page in scan.pages for field in page.fields).casefold()
    assert [row.source for row in scan.glossary if row.source.casefold() not in texts] == []


def test_the_example_site_comes_out_whole(scan, tmp_path):
    published = {page.page_id: {field.name: field.text for field in page.fields} for page in scan.pages}
    summary = FolderSource(FOLDER, "en").export(tmp_path, "pt-BR", published)
    assert len(summary.written) == len(scan.pages)
    for file in summary.written:
        if file.path.endswith((".md", ".jsonl")):
            assert (tmp_path / file.path).read_bytes() == (FOLDER / file.page_id).read_bytes()
    strings = json.loads((tmp_path / "pt-BR/strings.json").read_text())
    assert list(strings["tools"])[1:4] == ["available_one", "available_many", "available_other"]
    checked = subprocess.run(
        ["msgfmt", "--check", "-o", "/dev/null", tmp_path / "pt-BR/booking.po"], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr
