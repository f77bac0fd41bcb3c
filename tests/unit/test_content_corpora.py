"""Other people's content, read and written; counted by parsers that share no code with ours."""

from __future__ import annotations

import re
import subprocess

import polib
import pytest

from scheduler_service.content.formats.gettext_po import GettextFormat, message_name
from scheduler_service.content.formats.markdown import MarkdownFormat
from scheduler_service.content.sources.folder import FolderSource

CATALOGUES = ["conf", "contrib-admin", "contrib-auth", "contrib-humanize"]
# Portuguese as Babel has it: 0 and 1, millions, all others.
FORMS = 3


def test_every_page_of_a_documentation_is_one_body_and_comes_out_byte_for_byte(shared_folder, tmp_path):
    folder = shared_folder / "corpora/fastapi-docs/en"
    source = FolderSource(folder, "en")
    pages = list(source.pages("pt-BR"))
    files = sorted(folder.rglob("*.md"))
    assert len(pages) == len(files) == 23
    assert not any(file.read_bytes().startswith(b"---") for file in files)
    assert {page.page_id: [(field.name, field.text.encode()) for field in page.fields] for page in pages} == {
        file.relative_to(folder).as_posix(): [("body", file.read_bytes())] for file in files
    }
    published = {page.page_id: {"body": page.fields[0].text} for page in pages}
    source.export(tmp_path, "pt-BR", published)
    for file in files:
        data = file.read_bytes()
        assert (tmp_path / file.relative_to(folder)).read_bytes() == data
        assert MarkdownFormat().write(data, {}, "pt-BR", "en") == data


def test_translations_beside_their_sources_are_not_content(shared_folder):
    scan = FolderSource(shared_folder / "corpora/fastapi-docs", "en").scan("pt-BR")
    assert (len(scan.pages), scan.other_locale_files, scan.errors) == (23, 23, ())
    assert len(scan.glossary) == 24
    assert sum(row.do_not_translate for row in scan.glossary) == 8
    catalogues = FolderSource(shared_folder / "corpora/django-po", "en").scan("pt-BR")
    assert [page.page_id for page in catalogues.pages] == [f"{name}.en.po" for name in CATALOGUES]


@pytest.mark.parametrize("name", CATALOGUES)
def test_every_message_of_a_catalogue_is_a_field_and_a_plural_one_has_all_forms(shared_folder, name):
    data = (shared_folder / f"corpora/django-po/{name}.en.po").read_bytes()
    entries = [entry for entry in polib.pofile(data.decode()) if not entry.obsolete]
    fields = GettextFormat().read(name, data, "pt-BR").fields
    assert len(fields) == sum(FORMS if entry.msgid_plural else 1 for entry in entries)
    assert len({field.name for field in fields}) == len(fields)
    assert {field.text for field in fields} <= {text for entry in entries for text in (entry.msgid, entry.msgid_plural)}


@pytest.mark.parametrize("locale", ["pt-BR", "ja", "ru", "ar"])
@pytest.mark.parametrize("name", CATALOGUES)
def test_a_translated_catalogue_passes_msgfmt_and_holds_exactly_the_translations(shared_folder, tmp_path, name, locale):
    data = (shared_folder / f"corpora/django-po/{name}.en.po").read_bytes()
    fields = GettextFormat().read(name, data, locale).fields
    # An invented translation keeps placeholders, and the line ends that gettext compares.
    translations = {field.name: re.sub(r"(?s)\A(\n?)(.*?)(\n?)\Z", r"\1«\2»\3", field.text) for field in fields[::2]}
    translations |= {field.name: field.text for field in fields if "#" in field.name}
    written = GettextFormat().write(data, translations, locale, "en")
    (tmp_path / "x.po").write_bytes(written)
    checked = subprocess.run(
        ["msgfmt", "--check", "-o", "/dev/null", tmp_path / "x.po"], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr
    assert len(translations) > len(fields) // 2
    for entry in polib.pofile(written.decode()):
        found = message_name(entry.msgctxt, entry.msgid)
        if entry.msgid_plural:
            forms = {f"{found}#{form}": text for form, text in entry.msgstr_plural.items()}
            assert forms.items() <= translations.items()
        else:
            assert entry.msgstr == translations.get(found, "")


@pytest.mark.parametrize("name", CATALOGUES)
def test_a_catalogue_without_translations_changes_only_in_header_and_form_count(shared_folder, name):
    data = (shared_folder / f"corpora/django-po/{name}.en.po").read_bytes()
    written = GettextFormat().write(data, {}, "pt-BR", "en")
    before, after = data.decode().split("\n"), written.decode().split("\n")
    lost = [line for line in before if line not in after]
    assert sorted(line.partition(":")[0] for line in lost) == ['"Language', '"Plural-Forms']
    added = [line for line in after if line not in before]
    assert all(line.startswith(('"Language: pt_BR', '"Plural-Forms: nplurals=3', "msgstr[2]")) for line in added)
    plurals = sum(bool(entry.msgid_plural) for entry in polib.pofile(data.decode()))
    assert len(after) - len(before) == plurals


def test_a_catalogue_made_without_changes_is_byte_for_byte_what_it_was(shared_folder):
    # Its own locale has its own forms already.
    data = (shared_folder / "corpora/django-po/contrib-auth.en.po").read_bytes()
    assert GettextFormat().write(data, {}, "en", "en") == data
