"""After everything is approved and published: the files that come out have the sources' very structure."""

from __future__ import annotations

import difflib
import re
import subprocess
from pathlib import Path

import polib
import pytest
from opened_site import MainRun, Published
from skeletons import prose_words, skeleton

pytestmark = pytest.mark.slow


def pages(files: dict[str, bytes]) -> dict[str, str]:
    return {name: data.decode("utf-8") for name, data in files.items() if name.endswith(".md")}


def test_each_page_comes_out_under_its_own_path_and_nothing_else(published: Published, main_run: MainRun) -> None:
    wanted = set(pages(published.sources)) | {"conf.pt_BR.po"}
    assert len(wanted) == 24
    assert set(published.exported) == wanted
    assert main_run.last_line["export"] == str(published.opened.demo.export_folder)


def test_each_page_keeps_the_skeleton_of_its_source(published: Published) -> None:
    differences: list[str] = []
    for name, source in pages(published.sources).items():
        exported = published.exported[name].decode("utf-8")
        differences += difflib.unified_diff(
            skeleton(source).splitlines(), skeleton(exported).splitlines(), name, f"exported {name}", lineterm="", n=1
        )
    assert differences == [], "\n".join(differences)


def test_each_page_is_really_translated(published: Published) -> None:
    for name, source in pages(published.sources).items():
        before = set(prose_words(source))
        after = set(prose_words(published.exported[name].decode("utf-8")))
        # Names, code words in prose and a few cognates stay: measured between a twentieth and a sixth.
        kept = len(before & after) / len(before)
        assert kept < 0.3, f"{name}: {kept:.0%} of its words came out as they went in"


def test_the_sources_are_as_they_were(published: Published, shared_folder: Path) -> None:
    corpus = shared_folder / "corpora" / "fastapi-docs" / "en"
    for name in pages(published.sources):
        assert published.sources[name] == (corpus / name).read_bytes(), name


def test_the_catalogue_passes_msgfmt_with_the_forms_that_its_header_counts(
    published: Published, tmp_path: Path
) -> None:
    catalogue = tmp_path / "conf.pt_BR.po"
    catalogue.write_bytes(published.exported["conf.pt_BR.po"])
    checked = subprocess.run(
        ["msgfmt", "--check", "--statistics", "-o", str(tmp_path / "conf.mo"), str(catalogue)],
        capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert checked.returncode == 0, checked.stderr
    source = polib.pofile(published.sources["conf.en.po"].decode("utf-8"))
    translated = polib.pofile(str(catalogue))
    assert re.match(r"(\d+) translated messages\.", checked.stderr), checked.stderr
    assert translated.metadata["Language"] == "pt_BR"
    count = re.match(r"nplurals=(\d+);", translated.metadata["Plural-Forms"])
    assert count is not None
    assert [entry.msgid for entry in translated] == [entry.msgid for entry in source]
    for entry in translated:
        if entry.msgid_plural:
            assert sorted(entry.msgstr_plural) == list(range(int(count[1]))), entry.msgid
            assert all(entry.msgstr_plural.values()), entry.msgid
        else:
            assert entry.msgstr, entry.msgid


def test_placeholders_of_the_catalogue_come_out_as_they_went_in(published: Published, tmp_path: Path) -> None:
    placeholder = re.compile(r"%(?:\(\w+\))?[sdif]|\{\w*\}")
    catalogue = tmp_path / "conf.pt_BR.po"
    catalogue.write_bytes(published.exported["conf.pt_BR.po"])
    seen = 0
    for entry in polib.pofile(str(catalogue)):
        wanted = sorted(placeholder.findall(entry.msgid))
        for text in entry.msgstr_plural.values() or [entry.msgstr]:
            assert sorted(placeholder.findall(text)) == wanted, entry.msgid
        seen += bool(wanted)
    assert seen >= 20
