"""gettext catalogues in and out, with polib and msgfmt as witnesses."""

from __future__ import annotations

import codecs
import subprocess

import polib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_service.content.formats.gettext_po import GettextFormat, message_name
from scheduler_service.content.formats.plurals import gettext_plurals
from scheduler_service.content.values import BrokenCatalogue, NotUtf8, UnknownFields

FORMAT = GettextFormat()
HEADER = (
    'msgid ""\nmsgstr ""\n"Project-Id-Version: x 1\\n"\n"Language: en\\n"\n'
    '"Content-Type: text/plain; charset=UTF-8\\n"\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n'
)
CATALOGUE = (
    "# Licence.\n"
    + HEADER
    + '\n# for the menu\n#. a verb\n#: app.py:3\nmsgctxt "menu"\nmsgid "Open"\nmsgstr ""\n'
    + '\n#, fuzzy, python-format\nmsgid "%(n)d cat"\nmsgid_plural "%(n)d cats"\nmsgstr[0] "old"\nmsgstr[1] ""\n'
    + '\nmsgid ""\n"Two\\n"\n"lines"\nmsgstr ""\n"kept\\n"\n"once"\n'
    + '\n#~ msgid "Gone"\n#~ msgstr "Weg"\n'
)
OPEN, CAT, TWO = message_name("menu", "Open"), message_name(None, "%(n)d cat"), message_name(None, "Two\nlines")


def fields(text, target_locale="pt-BR"):
    return FORMAT.read("site.po", text.encode(), target_locale).fields


def write(text, translations, target_locale="pt-BR"):
    return FORMAT.write(text.encode(), translations, target_locale, "en").decode()


def msgfmt(text, tmp_path):
    path = tmp_path / "x.po"
    path.write_bytes(text.encode())
    return subprocess.run(["msgfmt", "--check", "-o", "/dev/null", path], capture_output=True, text=True)


def test_a_message_is_a_field_and_a_plural_one_a_field_for_each_form_of_the_target():
    assert [(field.name, field.text, field.text_format) for field in fields(CATALOGUE, "de")] == [
        (OPEN, "Open", "plain"),
        (f"{CAT}#0", "%(n)d cat", "python-format"),
        (f"{CAT}#1", "%(n)d cats", "python-format"),
        (TWO, "Two\nlines", "plain"),
    ]
    assert len(fields(CATALOGUE, "ru")) == 5
    assert [field.text for field in fields(CATALOGUE, "ja")][1:2] == ["%(n)d cats"]


def test_names_tell_nothing_of_the_text_and_contexts_tell_messages_apart():
    assert OPEN.startswith("m-") and len(OPEN) == 14
    assert len({message_name(None, "Open"), OPEN, message_name("", "Open")}) == 3


def test_the_note_holds_context_comments_and_the_numbers_of_a_form():
    by_name = {field.name: field.note for field in fields(CATALOGUE, "pl")}
    assert by_name[OPEN] == "context: menu\nfor the menu\na verb"
    assert by_name[f"{CAT}#1"] == "plural form 1, for numbers such as 2, 3, 4"


@pytest.mark.parametrize(
    ("flag", "message", "text_format"),
    [
        ("python-format", "%s left", "python-format"),
        ("c-format", "%s left", "printf"),
        ("python-brace-format", "{n} left", "brace"),
        ("", "%(n)s left", "python-format"),
        ("no-python-format", "%(n)s left", "plain"),
        ("", "50% sure", "plain"),
        ("fuzzy", "<b>x</b>", "html"),
    ],
)
def test_the_text_format_follows_the_flags_first(flag, message, text_format):
    comment = f"#, {flag}\n" if flag else ""
    assert fields(f'{HEADER}\n{comment}msgid "{message}"\nmsgstr ""\n')[0].text_format == text_format


def test_without_translations_only_what_the_target_needs_changes():
    assert write(CATALOGUE, {}, "ru") == (
        CATALOGUE.replace("Language: en", "Language: ru")
        .replace("nplurals=2; plural=(n != 1);", gettext_plurals("ru").header)
        .replace('msgstr[0] "old"\nmsgstr[1] ""\n', 'msgstr[0] ""\nmsgstr[1] ""\nmsgstr[2] ""\n')
        .replace('msgstr ""\n"kept\\n"\n"once"\n', 'msgstr ""\n')
    )


def test_a_catalogue_in_the_language_of_the_target_keeps_what_it_has():
    text = HEADER.replace("Language: en", "Language: de") + '\nmsgid "a"\nmsgstr "A"\n\nmsgid "b"\nmsgstr "B"\n'
    written = polib.pofile(write(text, {message_name(None, "b"): "Neu"}, "de"))
    assert {entry.msgid: entry.msgstr for entry in written} == {"a": "A", "b": "Neu"}


def test_a_translated_message_is_no_longer_fuzzy_and_all_else_stays():
    written = write(CATALOGUE, {f"{CAT}#0": "%(n)d Katze", f"{CAT}#1": "%(n)d Katzen", TWO: "Zwei\nZeilen"}, "de")
    assert written == (
        CATALOGUE.replace("Language: en", "Language: de")
        .replace("#, fuzzy, python-format", "#, python-format")
        .replace('msgstr[0] "old"\nmsgstr[1] ""', 'msgstr[0] "%(n)d Katze"\nmsgstr[1] "%(n)d Katzen"')
        .replace('"kept\\n"\n"once"\n', '"Zwei\\n"\n"Zeilen"\n')
    )


def test_a_plural_message_with_a_form_missing_stays_untranslated():
    written = polib.pofile(write(CATALOGUE, {f"{CAT}#0": "%(n)d Katze"}, "de"))
    assert written.find("%(n)d cat").msgstr_plural == {0: "", 1: ""}


def test_a_locale_with_fewer_forms_drops_the_others():
    text = CATALOGUE.replace('msgstr[1] ""', 'msgstr[1] "more"')
    written = write(text, {f"{CAT}#0": "猫%(n)d匹"}, "ja")
    assert polib.pofile(written).find("%(n)d cat").msgstr_plural == {0: "猫%(n)d匹"}
    assert "msgstr[1]" not in written


def test_a_singular_without_the_number_is_no_source_where_it_serves_zero_too(tmp_path):
    text = HEADER + '\n#, python-format\nmsgid "One cat"\nmsgid_plural "%d cats"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    assert [field.text for field in fields(text, "de")] == ["One cat", "%d cats"]
    in_portuguese = fields(text, "pt-BR")
    assert [field.text for field in in_portuguese] == ["%d cats"] * 3
    checked = msgfmt(write(text, {field.name: field.text for field in in_portuguese}), tmp_path)
    assert checked.returncode == 0, checked.stderr


def test_line_ends_and_byte_order_mark_stay():
    text = CATALOGUE.replace("\n", "\r\n")
    data = codecs.BOM_UTF8 + text.encode()
    written = FORMAT.write(data, {TWO: "Zwei\nZeilen", f"{CAT}#0": "a", f"{CAT}#1": "b", f"{CAT}#2": "c"}, "ru", "en")
    assert written.startswith(codecs.BOM_UTF8)
    assert written.count(b"\n") == written.count(b"\r\n")
    assert 'msgstr[1] "b"\r\nmsgstr[2] "c"\r\n' in written.decode("utf-8-sig")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ('msgid ""\nmsgstr "Language: en\\nX-A: b\\n"\n', ["Language: de", "X-A: b"]),
        ('#, fuzzy\nmsgid ""\nmsgstr ""\n"X-A: b\\n"\n"Content-Type: text/plain; charset=CHARSET\\n"\n', ["X-A: b"]),
        ('msgid ""\nmsgstr ""\n"Language: \\n"\n"Plural-Forms: nplurals=INTEGER; "\n"plural=EXPRESSION;\\n"\n', []),
        ('msgid ""\nmsgstr ""\n', []),
        ('msgid ""\nmsgstr ""\n"X-A: b"\n', ["X-A: b"]),
        ("", []),
    ],
)
def test_the_header_becomes_one_of_the_target_whatever_it_was(header, expected, tmp_path):
    written = write(f'{header}\nmsgid "a"\nmsgstr ""\n', {message_name(None, "a"): "\u00e4"}, "de")
    lines = polib.pofile(written).metadata
    assert lines["Language"] == "de"
    assert lines["Plural-Forms"] == "nplurals=2; plural=(n != 1);"
    assert lines["Content-Type"] == "text/plain; charset=UTF-8"
    assert [f"{key}: {lines[key]}" for key in ("Language", "X-A") if f"{key}: {lines.get(key)}" in expected] == expected
    assert "fuzzy" not in written
    checked = msgfmt(written, tmp_path)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('msgid "a"\nmsgstr "b\n', 2, "not closed"),
        ('msgid "a"\nmsgstr "b" c"\n', 2, "not escaped"),
        ('msgid "a"\n\nmsgid "b"\nmsgstr ""\n', 1, "no msgstr"),
        ('msgid "a"\nmsgstr ""\nhello\n', 3, "neither a comment"),
        ('"a"\n', 1, "without a keyword"),
        ('msgstr "a"\n', 1, "without a msgid"),
        ('msgctxt "a"\n', 1, "without a msgid after"),
        ('msgid "a"\nmsgstr ""\nmsgstr ""\n', 3, "twice or out of order"),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr[1] ""\n', 3, "twice or out of order"),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr ""\n', 3, "goes with"),
        ('msgid "a"\nmsgstr[0] ""\n', 2, "goes with"),
        ('msgid "a"\nmsgstr ""\nmsgid_plural "b"\n', 3, "right after msgid"),
        ('msgid "a"\nmsgstr ""\n\nmsgid "a"\nmsgstr ""\n', 4, "line 1 already"),
    ],
)
def test_a_broken_catalogue_is_reported_with_its_line(text, line, problem):
    with pytest.raises(BrokenCatalogue, match=problem) as caught:
        fields(text)
    assert (caught.value.path, caught.value.line) == ("site.po", line)
    assert caught.value.remedy


def test_a_catalogue_in_another_charset_is_refused():
    with pytest.raises(NotUtf8, match="ISO-8859-1") as caught:
        fields(HEADER.replace("UTF-8", "ISO-8859-1"))
    assert caught.value.line == 1


def test_a_translation_for_a_message_that_is_not_there_is_refused():
    with pytest.raises(UnknownFields):
        write(CATALOGUE, {"m-000000000000": "x"})


def test_a_catalogue_without_messages_stays():
    assert write("# nothing here\n", {}) == "# nothing here\n"


# polib reads a text through str.splitlines, which also breaks at these.
BREAKS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\r"
TEXTS = st.text(st.characters(exclude_characters="\0" + BREAKS, exclude_categories=["Cs"]), max_size=20)
TEXTS = TEXTS.filter(str.strip)
MESSAGES = st.dictionaries(
    st.tuples(st.none() | TEXTS, TEXTS), st.tuples(st.none() | TEXTS, st.booleans(), st.none() | TEXTS), max_size=5
)


@settings(deadline=None, max_examples=60)
@given(MESSAGES, st.sampled_from(["de", "pt-BR", "ja", "ru", "ar"]), st.sampled_from(["\n", "\r\n"]), st.data())
def test_what_is_written_is_what_polib_reads_back(messages, target_locale, newline, data):
    source = polib.POFile(wrapwidth=40)
    source.metadata = {"Language": "en", "Content-Type": "text/plain; charset=UTF-8"}
    for (context, message), (plural, is_fuzzy, comment) in messages.items():
        entry = polib.POEntry(msgid=message, msgctxt=context, msgid_plural=plural or "")
        entry.comment = (comment or "").strip()
        entry.msgstr_plural = {0: "old", 1: ""} if plural else {}
        entry.flags = ["fuzzy"] if is_fuzzy else []
        source.append(entry)
    text = str(source).replace("\n", newline) + newline
    names = [field.name for field in fields(text, target_locale)]
    forms = len(gettext_plurals(target_locale).forms)
    assert len(names) == sum(forms if plural else 1 for plural, _, _ in messages.values())
    chosen = data.draw(st.sets(st.sampled_from([name.split("#")[0] for name in names]))) if names else set()
    given_texts = {name: data.draw(TEXTS) for name in names if name.split("#")[0] in chosen}
    written = polib.pofile(write(text, given_texts, target_locale))
    assert [(entry.msgctxt, entry.msgid) for entry in written] == list(messages)
    for entry in written:
        name = message_name(entry.msgctxt, entry.msgid)
        if entry.msgid_plural:
            assert entry.msgstr_plural == {form: given_texts.get(f"{name}#{form}", "") for form in range(forms)}
        else:
            assert entry.msgstr == given_texts.get(name, "")
        assert ("fuzzy" in entry.flags) == (messages[entry.msgctxt, entry.msgid][1] and name not in chosen)
        assert entry.comment == (messages[entry.msgctxt, entry.msgid][2] or "").strip()


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30).filter(str.strip))
def test_any_character_survives_in_a_translation(text):
    name = message_name(None, "a")
    written = write('msgid "a"\nmsgstr ""\n', {name: text})
    again = FORMAT.read("x.po", written.encode(), "pt-BR")
    assert [field.name for field in again.fields] == [name]
    # Read as the msgid of another catalogue, since a reader of sources doesn't look at translations.
    swapped = written[written.rindex('msgid "a"') :].replace("msgstr", "msgid", 1).replace('msgid "a"\n', "", 1)
    assert FORMAT.read("y.po", f'{swapped}msgstr ""\n'.encode(), "pt-BR").fields[0].text == text
