"""JSON strings files in and out."""

from __future__ import annotations

import codecs
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scheduler_service.content.formats.json_scanner import MAX_DEPTH
from scheduler_service.content.formats.json_strings import JsonStringsFormat, field_name
from scheduler_service.content.values import BrokenStrings, NotUtf8, UnknownFields

FORMAT = JsonStringsFormat()
PLURALS = b'{\n  "item_one": "{{count}} item",\n  "item_other": "{{count}} items",\n  "end": "End"\n}\n'


def fields(data, target_locale="pt-BR", path="strings.json"):
    return {field.name: field for field in FORMAT.read(path, data, target_locale).fields}


def texts(data, target_locale="pt-BR"):
    return {name: field.text for name, field in fields(data, target_locale).items()}


def write(data, translations, target_locale="pt-BR"):
    return FORMAT.write(data, translations, target_locale, "en")


def test_every_string_is_a_field_named_by_its_path():
    data = b'{"a": "A", "b": {"c.d": "B", "e\\\\f": "C", "": "D"}, "g": ["E", {"h": "F"}], "n": 1, "x": null, "y": " "}'
    assert texts(data) == {
        "a": "A", r"b.c\.d": "B", r"b.e\\f": "C", r"b.\e": "D", "g.0": "E", "g.1.h": "F",
    }  # fmt: skip
    assert [field.position for field in fields(data).values()] == list(range(6))


def test_a_sentence_used_as_a_key_is_named_by_a_hash():
    key = "A very long sentence. " * 10
    (name,) = texts(json.dumps({key: "Text"}).encode())
    assert name == field_name(key)
    assert len(name) == 14
    assert json.loads(write(json.dumps({key: "Text"}).encode(), {name: "Texto"})) == {key: "Texto"}


@pytest.mark.parametrize(
    ("text", "text_format"),
    [
        ("Save", "plain"),
        ("100% sure", "plain"),
        ("50%off", "plain"),
        ("{n, plural, one {# cat} other {# cats}}", "icu"),
        ("{day, date, short}", "icu"),
        ("Hello {{name}}", "i18next"),
        ("See $t(nav.home)", "i18next"),
        ("Hello {name}", "brace"),
        ("Hello %(name)s", "python-format"),
        ("Hello %s", "printf"),
        ("in %ds", "printf"),
        ("Hello %1$s", "printf"),
        ("100%s", "printf"),
        ("A <b>bold</b> move", "html"),
        ("Fish &amp; chips", "html"),
        ("1 < 2 and 3 > 2", "plain"),
    ],
)
def test_the_text_format_follows_the_placeholders(text, text_format):
    assert fields(json.dumps({"k": text}).encode())["k"].text_format == text_format


def test_braces_of_an_arb_file_are_icu():
    assert fields(b'{"k": "Hello {name}"}', path="app_en.arb")["k"].text_format == "icu"


def test_notes_are_no_fields_but_context():
    data = json.dumps(
        {
            "_comment": "All.", "a": "A", "@a": {"description": "About a", "max_length": 12},
            "b": "B", "_comment_b": "About b", "c": {"d": "D"}, "@@locale": "en",
        }  # fmt: skip
    ).encode()
    assert {name: (field.note, field.max_length) for name, field in fields(data).items()} == {
        "a": ("About a", 12), "b": ("About b", None), "c.d": ("All.", None),
    }  # fmt: skip


def test_only_the_changed_values_are_replaced():
    data = b'{ "a" :"A" ,\r\n\t"b": [ "x\\u0041", "Y"],"n":1e3 }\r\n'
    assert write(data, {"a": "\u00c1", "b.1": 'say "i"\n'}) == (
        '{ "a" :"\u00c1" ,\r\n\t"b": [ "x\\u0041", "say \\"i\\"\\n"],"n":1e3 }\r\n'.encode()
    )


def test_a_value_that_does_not_change_keeps_its_spelling():
    data = b'{"a": "\\u0041\\/"}'
    assert write(data, {"a": "A/"}) == data


def test_a_file_that_escapes_all_but_ascii_goes_on_doing_so():
    assert write(b'{"a": "caf\\u00e9", "b": "x"}', {"b": "\u00e7"}) == b'{"a": "caf\\u00e9", "b": "\\u00e7"}'


def test_an_arb_file_says_the_locale_it_is_in():
    assert write(b'{"@@locale": "en", "a": "A"}', {"a": "B"}) == b'{"@@locale": "pt_BR", "a": "B"}'


def test_a_plural_has_a_field_for_each_form_of_the_target():
    assert texts(PLURALS, "pl") == {
        "item_one": "{{count}} item", "item_few": "{{count}} items", "item_many": "{{count}} items",
        "item_other": "{{count}} items", "end": "End",
    }  # fmt: skip
    assert list(texts(PLURALS, "ja")) == ["item_other", "end"]
    assert fields(PLURALS, "pl")["item_few"].note == "plural form few, for numbers such as 2, 3, 4"


def test_forms_that_only_the_target_has_are_added_beside_the_others():
    names = ["item_one", "item_few", "item_many", "item_other"]
    assert write(PLURALS, {name: name.upper() for name in names}, "pl").decode() == (
        '{\n  "item_one": "ITEM_ONE",\n  "item_few": "ITEM_FEW",\n  "item_many": "ITEM_MANY",\n'
        '  "item_other": "ITEM_OTHER",\n  "end": "End"\n}\n'
    )


def test_added_forms_stand_in_the_order_of_cldr_also_on_one_line():
    data = b'{"i_other":"{{count}} i"}'
    written = write(data, {f"i_{name}": name for name in ("zero", "one", "two", "few", "many", "other")}, "ar")
    assert list(json.loads(written)) == ["i_zero", "i_one", "i_two", "i_few", "i_many", "i_other"]
    assert b"\n" not in written


@pytest.mark.parametrize(
    "keys",
    [
        ["i_one", "i_other", "z"], ["i_other", "i_one"], ["a", "i_one", "i_few", "i_other"],
        ["a", "i_other", "i_one", "i_few"], ["i_one", "a", "i_few", "b", "i_other"],
    ],
)  # fmt: skip
def test_forms_that_the_target_does_not_have_are_dropped_once_the_rest_is_translated(keys):
    data = json.dumps({"in": {key: key for key in keys}, "last": ["x"]}, indent=2).encode()
    written = json.loads(write(data, {"in.i_other": "X"}, "ja"))
    assert written == {
        "in": {key: "X" if key == "i_other" else key for key in keys if key in ("a", "b", "z", "i_other")},
        "last": ["x"],
    }


def test_a_plural_of_which_nothing_is_translated_stays():
    assert json.loads(write(PLURALS, {"end": "Fim"}, "ja")) == json.loads(PLURALS) | {"end": "Fim"}


def test_a_special_text_for_zero_stays_in_every_locale():
    data = b'{"i_zero": "None", "i_one": "{{count}}", "i_other": "{{count}}s"}'
    assert list(texts(data, "ja")) == ["i_zero", "i_other"]


def test_a_singular_without_the_number_is_no_source_where_it_serves_zero_too():
    data = b'{"i_one": "One item", "i_other": "{{count}} items"}'
    assert texts(data, "de")["i_one"] == "One item"
    assert texts(data, "pt-BR")["i_one"] == "{{count}} items"


def test_ordinals_follow_their_own_rules():
    data = b'{"p_ordinal_one": "{{count}}st", "p_ordinal_two": "{{count}}nd", "p_ordinal_other": "{{count}}th"}'
    assert list(texts(data, "pt-BR")) == ["p_ordinal_other"]
    assert list(texts(data, "it")) == ["p_ordinal_many", "p_ordinal_other"]


def test_a_key_that_merely_ends_like_a_plural_is_none():
    assert texts(b'{"sort_other": "Other", "pick_one": "One"}', "pl") == {"sort_other": "Other", "pick_one": "One"}


@pytest.mark.parametrize(
    ("data", "line", "problem"),
    [
        (b"", 1, "empty"),
        (b'{"a": "b",\n\n"a": "c"}', 3, "twice"),
        (b'{"a": "b",\n}', 2, "key in double quotes"),
        (b'{"a": "b"\n"c": "d"}', 2, "comma"),
        (b'{"a"\n"b"}', 2, "colon"),
        (b'{"a": [1,\n]}', 2, "missing or misspelled"),
        (b'{"a": "b\n"}', 1, "not closed"),
        (b'{"a":\n"\\x"}', 2, "wrong escape"),
        (b'{\n// no\n"a": "b"}', 2, "key in double quotes"),
        (b'{"a": NaN}', 1, "missing or misspelled"),
        (b'{"a": 01}', 1, "comma"),
        (b'{"a": "b"}\n{', 2, "follows the end"),
        (b'\n"text"', 2, "single value"),
        (b'{"a":\n"\\ud800"}', 2, "surrogate"),
        (b'{"a":\n"\\u0000"}', 2, "u0000"),
        (b"[" * (MAX_DEPTH + 2), 1, "nested"),
    ],
)
def test_broken_json_is_reported_with_its_line(data, line, problem):
    with pytest.raises(BrokenStrings, match=problem) as caught:
        FORMAT.read("strings.json", data, "pt-BR")
    assert (caught.value.path, caught.value.line) == ("strings.json", line)
    assert caught.value.remedy


def test_a_translation_for_a_field_that_is_not_there_is_refused():
    with pytest.raises(UnknownFields) as caught:
        write(PLURALS, {"item_few": "x"}, "de")
    assert caught.value.names == ("item_few",)


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
KEYS = TEXTS | st.sampled_from(["a", "a.b", "a\\", "x_one", "x_other", "x_few", "@x", "_comment", "0"])
TREES = st.recursive(
    TEXTS | st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(KEYS, children, max_size=5),
    max_leaves=12,
).filter(lambda tree: isinstance(tree, dict | list))


INDENTS = st.sampled_from([None, 0, 2, "\t"])
LOCALES = st.sampled_from(["en", "pl", "ja", "pt-BR"])


@settings(deadline=None)
@given(TREES, INDENTS, st.booleans(), st.booleans(), LOCALES, st.data())
def test_what_is_written_is_what_is_read_back(tree, indent, is_ascii, has_mark, target_locale, data):
    text = json.dumps(tree, indent=indent, ensure_ascii=is_ascii)
    original = (codecs.BOM_UTF8 if has_mark else b"") + text.replace("\n", "\r\n" if has_mark else "\n").encode()
    names = list(texts(original, target_locale))
    assert write(original, {}, target_locale) == original
    given_texts = data.draw(st.fixed_dictionaries({name: TEXTS.filter(str.strip) for name in names}))
    written = write(original, given_texts, target_locale)
    found = texts(written, target_locale)
    # A singular can be replaced as a source by its _other form; then the file itself is the witness.
    loaded = json.loads(written.decode("utf-8-sig"))
    assert {name: text for name, text in found.items() if not name.endswith("_one")} == {
        name: text for name, text in given_texts.items() if not name.endswith("_one")
    }
    assert sorted(found) == sorted(given_texts)
    assert sorted(leaves(loaded)) == sorted(leaves(tree)) or any("_" in name for name in names)


def leaves(tree):
    """The kinds of all values, whatever the strings are: what must not change but for plural forms."""
    if isinstance(tree, dict):
        return [kind for value in tree.values() for kind in leaves(value)]
    if isinstance(tree, list):
        return [kind for value in tree for kind in leaves(value)]
    return [type(tree).__name__]


@settings(deadline=None)
@given(TREES)
@example({"a": "b", "c": {"_comment": "n", "d": ["e", 1, None]}})
def test_the_fields_are_the_strings_that_the_standard_library_finds(tree):
    def strings(value):
        if isinstance(value, dict):
            value = [inner for key, inner in value.items() if not key.startswith(("@", "_comment"))]
        if isinstance(value, list):
            return [text for inner in value for text in strings(inner)]
        return [value] if isinstance(value, str) and value.strip() else []

    # In English an English plural has the forms that it has, unless the file holds foreign ones.
    found = FORMAT.read("s.json", json.dumps(tree).encode(), "en").fields
    if "x_" not in json.dumps(tree):
        assert sorted(field.text for field in found) == sorted(strings(tree))
    else:
        assert {field.text for field in found} <= set(strings(tree))


@settings(deadline=None)
@given(st.text(alphabet='{}[]",:\\ntrue01-.eE \n', max_size=15))
def test_what_is_accepted_is_json_and_what_is_not_is_refused(text):
    try:
        FORMAT.read("s.json", text.encode(), "en")
    except (BrokenStrings, NotUtf8):
        try:
            value = json.loads(text, object_pairs_hook=no_duplicates)
        except ValueError:
            value = None
        assert not isinstance(value, dict | list)
    else:
        assert isinstance(json.loads(text), dict | list)


def no_duplicates(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("duplicate")
    return dict(pairs)
