"""A folder of content files, scanned and exported."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from scheduler_service.content.formats import format_for, format_named
from scheduler_service.content.sources import tree
from scheduler_service.content.sources.folder import ExportedFile, FolderSource, IncompletePage
from scheduler_service.content.values import (
    BrokenCatalogue,
    BrokenFrontMatter,
    BrokenGlossary,
    BrokenStrings,
    EmptyFolder,
    NotUtf8,
    SameTarget,
    Unreadable,
    UnsafeExport,
    Unwritable,
)
from translator_service.foundation.locales import LocaleError

PO = (
    'msgid ""\nmsgstr ""\n"Language: en\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    'msgid "Yes"\nmsgstr ""\n\nmsgid "Maybe"\nmsgstr ""\n'
)


@pytest.fixture
def folder(tmp_path):
    """A small tree with one file of each kind, and some that are no content."""
    files = {
        "site/en/index.md": "---\ntitle: Home\n---\nWelcome.\n",
        "site/en/deep/er/page.md": "Deep.\n",
        "site/en/strings.json": '{"yes": "Yes", "no": "No"}\n',
        "site/en/app.po": PO,
        "site/en/intro.dialogue.jsonl": '{"id": "a", "text": "Hi"}\n',
        "site/pt/index.md": "Bem-vindo.\n",
        "site/en/logo.svg": "<svg/>",
        "site/en/rows.jsonl": "not content",
        "site/.git/config.md": "hidden",
        "site/glossary.csv": "house,casa\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path / "site"


@pytest.fixture
def source(folder):
    return FolderSource(folder, "en")


def everything(source, target_locale="pt-BR"):
    """Publish every field as its own text with a mark."""
    return {
        page.page_id: {field.name: f"«{field.text}»" for field in page.fields} for page in source.pages(target_locale)
    }


def snapshot(folder):
    return {
        str(path): (path.read_bytes() if path.is_file() else None, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.md", "markdown"), ("a.MARKDOWN", "markdown"), ("a.json", "json-strings"), ("a.arb", "json-strings"),
        ("a.po", "gettext"), ("a.pot", "gettext"), ("a.dialogue.jsonl", "dialogue"),
    ],
)  # fmt: skip
def test_the_format_follows_the_ending_of_the_name(name, expected):
    assert format_for(name).name == expected
    assert format_named(expected) is format_for(name)


def test_other_names_have_no_format():
    assert [format_for(name) for name in ("a.jsonl", "a.txt", "md", "a.md.bak")] == [None] * 4
    with pytest.raises(LookupError, match="markdown"):
        format_named("docx")


def test_a_scan_lists_every_page_once_and_counts_what_it_leaves_out(source):
    scan = source.scan("pt-BR")
    assert [page.page_id for page in scan.pages] == [
        "en/app.po", "en/deep/er/page.md", "en/index.md", "en/intro.dialogue.jsonl", "en/strings.json",
    ]  # fmt: skip
    assert [row.source for row in scan.glossary] == ["house"]
    assert (scan.errors, scan.ignored_files, scan.other_locale_files) == ((), 2, 1)
    assert list(source.pages("pt-BR")) == list(scan.pages)
    assert source.glossary() == scan.glossary


def test_an_export_writes_the_same_tree_under_the_name_of_the_target(source, folder, tmp_path):
    before = snapshot(folder)
    summary = source.export(tmp_path / "out", "pt-BR", everything(source))
    assert {file.path for file in summary.written} == {
        "pt-BR/app.po", "pt-BR/deep/er/page.md", "pt-BR/index.md", "pt-BR/intro.dialogue.jsonl", "pt-BR/strings.json",
    }  # fmt: skip
    assert (summary.incomplete, summary.errors) == ((), ())
    out = tmp_path / "out"
    written = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert written == {file.path for file in summary.written}
    assert (tmp_path / "out/pt-BR/index.md").read_text() == '---\ntitle: "«Home»"\n---\n«Welcome.\n»'
    assert (tmp_path / "out/pt-BR/strings.json").read_text() == '{"yes": "«Yes»", "no": "«No»"}\n'
    assert snapshot(folder) == before


def test_a_file_goes_out_only_when_all_its_fields_are_published(source, tmp_path):
    published = everything(source)
    del published["en/index.md"]["title"]
    del published["en/strings.json"]
    summary = source.export(tmp_path / "out", "pt-BR", published)
    assert summary.incomplete == (IncompletePage("en/index.md", 1), IncompletePage("en/strings.json", 2))
    assert not (tmp_path / "out/pt-BR/index.md").exists()
    assert (tmp_path / "out/pt-BR/deep/er/page.md").exists()


def test_a_catalogue_goes_out_with_untranslated_messages_once_it_has_a_translated_one(source, tmp_path):
    published = everything(source)
    first, second = published["en/app.po"]
    del published["en/app.po"][second]
    summary = source.export(tmp_path / "out", "pt-BR", published)
    assert ExportedFile("en/app.po", "pt-BR/app.po", untranslated=1) in summary.written
    text = (tmp_path / "out/pt-BR/app.po").read_text()
    assert 'msgid "Yes"\nmsgstr "«Yes»"' in text
    assert 'msgid "Maybe"\nmsgstr ""' in text
    assert "Language: pt_BR" in text
    published["en/app.po"] = {}
    assert IncompletePage("en/app.po", 2) in source.export(tmp_path / "out2", "pt-BR", published).incomplete


def test_texts_of_fields_that_are_gone_are_left_alone(source, tmp_path):
    published = everything(source)
    published["en/index.md"]["old"] = "x"
    published["en/gone.md"] = {"body": "x"}
    assert len(source.export(tmp_path / "out", "pt-BR", published).written) == 5


def test_a_second_export_replaces_the_first(source, tmp_path):
    source.export(tmp_path / "out", "pt-BR", everything(source))
    published = everything(source)
    published["en/deep/er/page.md"]["body"] = "Outro.\n"
    source.export(tmp_path / "out", "pt-BR", published)
    assert (tmp_path / "out/pt-BR/deep/er/page.md").read_text() == "Outro.\n"
    assert not list((tmp_path / "out").rglob("*.part"))


def test_an_exported_file_has_the_mode_of_any_new_file(source, tmp_path):
    source.export(tmp_path / "out", "pt-BR", everything(source))
    (tmp_path / "plain").write_text("")
    modes = {stat.S_IMODE((tmp_path / path).stat().st_mode) for path in ("plain", "out/pt-BR/index.md")}
    assert len(modes) == 1


@pytest.mark.parametrize("into", ["site", "site/export", "site/../site/en/..", "."])
def test_an_export_never_touches_the_source_folder(source, folder, tmp_path, into):
    before = snapshot(folder)
    if into == ".":
        (tmp_path / "pt-BR").symlink_to(folder / "en")
    with pytest.raises(UnsafeExport):
        source.export(tmp_path / into, "pt-BR", everything(source))
    assert snapshot(folder) == before


def test_a_full_disk_leaves_the_export_folder_as_it_was(source, tmp_path, monkeypatch):
    out = tmp_path / "out"
    out.mkdir()
    (out / "kept").write_text("kept")
    real_fsync, calls = os.fsync, []

    def fsync(descriptor):
        calls.append(descriptor)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        real_fsync(descriptor)

    monkeypatch.setattr(tree.os, "fsync", fsync)
    with pytest.raises(Unwritable, match="No space left") as caught:
        source.export(out, "pt-BR", everything(source))
    assert "free space" in caught.value.remedy
    assert [path.name for path in out.rglob("*")] == ["kept"]


def test_a_folder_in_the_place_of_a_file_is_reported(source, tmp_path):
    (tmp_path / "out/pt-BR/strings.json").mkdir(parents=True)
    with pytest.raises(Unwritable, match="strings.json"):
        source.export(tmp_path / "out", "pt-BR", everything(source))
    assert not list((tmp_path / "out").rglob("*.part"))


def test_a_broken_file_is_reported_with_path_and_line_and_the_good_ones_are_listed(source, folder):
    (folder / "en/bad.md").write_text("---\na: 1\ntitle: 'x\n---\n")
    (folder / "en/bad.json").write_text('{"a": "b",\n "a": "c"}')
    (folder / "en/bad.po").write_text('msgid "a"\nmsgstr "b\n')
    (folder / "en/bytes.md").write_bytes(b"ok\ncaf\xe9\n")
    (folder / "glossary.csv").write_text("house\n")
    scan = source.scan("pt-BR")
    assert {(type(error), error.path, error.line) for error in scan.errors} >= {
        (BrokenStrings, "en/bad.json", 2), (BrokenCatalogue, "en/bad.po", 2), (NotUtf8, "en/bytes.md", 2),
        (BrokenGlossary, "glossary.csv", 1),
    }  # fmt: skip
    assert any(isinstance(error, BrokenFrontMatter) and error.path == "en/bad.md" for error in scan.errors)
    assert len(scan.errors) == 5
    assert len(scan.pages) == 5
    with pytest.raises(BrokenStrings):
        next(source.pages("pt-BR"))


def test_an_export_with_broken_files_writes_the_good_ones_and_names_the_others(source, folder, tmp_path):
    published = everything(source)
    (folder / "en/strings.json").write_text("{")
    summary = source.export(tmp_path / "out", "pt-BR", published)
    assert [error.path for error in summary.errors] == ["en/strings.json"]
    assert len(summary.written) == 4
    assert not (tmp_path / "out/pt-BR/strings.json").exists()


def test_what_cannot_be_read_is_reported_by_name(source, folder):
    (folder / "en/folder.md").mkdir()
    (folder / "en/dangling.md").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "en/pipe.md")
    with open(folder / "en/huge.md", "wb") as file:
        file.truncate(tree.MAX_FILE_BYTES + 1)
    errors = source.scan("pt-BR").errors
    assert all(isinstance(error, Unreadable) and error.remedy for error in errors)
    assert {error.path for error in errors} == {f"en/{name}.md" for name in ("folder", "dangling", "pipe", "huge")}


def test_a_name_that_is_not_utf8_is_reported(source, folder):
    with open(os.fsencode(folder / "en") + b"/caf\xe9.md", "w") as file:
        file.write("x")
    (error,) = source.scan("pt-BR").errors
    assert isinstance(error, Unreadable)
    assert error.path == "en/caf\\udce9.md"


@pytest.mark.parametrize("content", [{}, {"a.txt": "x"}, {"glossary.csv": "house,casa\n"}])
def test_a_folder_without_content_is_reported_with_what_would_be_content(tmp_path, content):
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(EmptyFolder) as caught:
        FolderSource(tmp_path, "en").scan("pt-BR")
    assert ".md" in caught.value.remedy and ".dialogue.jsonl" in caught.value.remedy


def test_a_folder_that_is_missing_or_none_is_reported(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(Unreadable, match="does not exist"):
        FolderSource(tmp_path / "no", "en").scan("pt-BR")
    with pytest.raises(Unreadable, match="not a folder"):
        FolderSource(tmp_path / "file", "en").scan("pt-BR")


def test_an_unknown_locale_is_refused(tmp_path, source):
    with pytest.raises(LocaleError):
        FolderSource(tmp_path, "qq")
    with pytest.raises(LocaleError):
        source.scan("xx-YY")


def test_a_file_that_changes_during_the_export_changes_nothing(source, folder, tmp_path, monkeypatch):
    published = everything(source)
    real = tree.read_file

    def read_changed(root, path):
        return b"Title gone\n" if path == "en/index.md" else real(root, path)

    scan = source.scan("pt-BR")
    monkeypatch.setattr(source, "scan", lambda target_locale: scan)
    monkeypatch.setattr("scheduler_service.content.sources.folder.read_file", read_changed)
    with pytest.raises(Unreadable, match="changed during the export"):
        source.export(tmp_path / "out", "pt-BR", published)
    assert not (tmp_path / "out").exists()


def test_two_files_whose_translations_would_have_one_name_are_told_and_nothing_is_written(source, folder, tmp_path):
    published = everything(source)
    (folder / "en/app.pot").write_text(PO)
    (error,) = source.scan("pt-BR").errors
    assert isinstance(error, SameTarget) and error.path == "en/app.pot"
    assert "pt-BR/app.po" in error.problem and "en/app.po" in error.problem and "Rename" in error.remedy
    with pytest.raises(SameTarget):
        source.export(tmp_path / "out", "pt-BR", published)
    assert not (tmp_path / "out").exists()


def test_a_translation_of_an_earlier_wording_is_not_written_into_the_new_one(source, folder, tmp_path):
    before = source.scan("pt-BR").pages
    published = everything(source)
    (folder / "en/index.md").write_text("---\ntitle: Home\n---\nGoodbye.\n")
    summary = source.export(tmp_path / "out", "pt-BR", published, before)
    assert summary.incomplete == (IncompletePage("en/index.md", 1),)
    assert not (tmp_path / "out/pt-BR/index.md").exists()
    assert len(summary.written) == 4


def test_a_file_that_changes_between_two_looks_of_an_export_changes_nothing(source, folder, tmp_path, monkeypatch):
    published, real, looks = everything(source), tree.read_file, []

    def read_changing(root, path):
        looks.append(path)
        return b"---\ntitle: Home\n---\nGoodbye.\n" if looks.count("en/index.md") > 1 else real(root, path)

    monkeypatch.setattr("scheduler_service.content.sources.folder.read_file", read_changing)
    with pytest.raises(Unreadable, match="changed during the export"):
        source.export(tmp_path / "out", "pt-BR", published)
    assert not (tmp_path / "out").exists()


def test_the_fingerprint_follows_what_a_scan_reads_and_nothing_else(source, folder):
    prints = [source.fingerprint()]
    assert source.fingerprint() == prints[0]
    (folder / ".draftgate/cluster").mkdir(parents=True)
    (folder / ".draftgate/cluster/log.md").write_text("not content")
    (folder / "en/notes.txt").write_text("not content")
    (folder / "pt/index.md").write_text("A translation.\n")
    assert source.fingerprint() == prints[0]
    for change in (
        lambda: (folder / "en/index.md").write_text("Welcome to all.\n"), lambda: (folder / "en/new.md").write_text("New.\n"),
        lambda: (folder / "glossary.csv").write_text("house,lar\n"), lambda: (folder / "en/new.md").chmod(0o600),
        lambda: (folder / "glossary.csv").unlink(), lambda: (folder / "en/new.md").unlink(),
    ):  # fmt: skip
        change()
        prints.append(source.fingerprint())
    assert len(set(prints)) == len(prints)


def test_a_folder_that_vanishes_while_it_is_looked_at_changes_the_fingerprint_and_no_more(source, folder, monkeypatch):
    before, real = source.fingerprint(), os.scandir

    def scandir(path):
        if str(path).endswith("deep"):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(path))
        return real(path)

    monkeypatch.setattr(tree.os, "scandir", scandir)
    assert source.fingerprint() != before
    monkeypatch.undo()
    (folder / "en/dangling.md").symlink_to(folder / "nowhere")
    assert source.fingerprint() != before
