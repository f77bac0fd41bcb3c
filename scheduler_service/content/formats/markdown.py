"""Markdown pages: title and description from the front matter, and the body.

The front matter may be YAML between ``---`` lines. TOML between ``+++`` lines is kept but not translated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode
from ruamel.yaml.reader import ReaderError

from scheduler_service.content.formats.encoding import decode, encode, line_of, with_line_ends_of
from scheduler_service.content.formats.splicing import Edit, splice
from scheduler_service.content.values import BrokenFrontMatter, Field, Page, UnknownFields

# Front matter values that readers see; everything else there (dates, tags, layouts) drives the site.
_TRANSLATED_KEYS = ("title", "description")
_BODY = "body"
_STRING_TAG = "tag:yaml.org,2002:str"

_YAML_OPEN = re.compile(r"---[ \t]*(?:\r?\n|\Z)")
_YAML_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_TOML = re.compile(r"\+\+\+[ \t]*\r?\n.*?^\+\+\+[ \t]*(?:\r?\n|\Z)", re.MULTILINE | re.DOTALL)

# A value that no YAML reader, old or new, takes for anything but this text: starts with a letter and has no
# character with a meaning; the words are YAML 1.1's booleans and nulls.
_SAFE_PLAIN = re.compile(r"[^\W\d_][\w ,.()/;'–—’“”¡¿!?+-]*")
_RESERVED = frozenset("y n yes no on off true false null none inf nan".split())
# What an escape can write but no UTF-8 text and no database can hold.
_NOT_TEXT = re.compile("[\0\ud800-\udfff]")
# What a YAML reader folds, refuses or may not see raw inside double quotes.
_ESCAPED = re.compile("[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class _Value:
    """A front matter value: its text, and where its spelling stands in the file."""

    text: str
    start: int
    end: int


class MarkdownFormat:
    name = "markdown"
    suffixes = (".md", ".markdown")
    allows_untranslated = False

    def read(self, path_label: str, data: bytes, target_locale: str) -> Page:
        """Return title and description (where the front matter has them) and the body.

        The body is everything after the front matter, byte for byte. Blank texts are no fields.

        Raises:
            NotUtf8, BrokenFrontMatter
        """
        text = decode(path_label, data)
        values, body_start = _parts(path_label, text)
        texts = {key: value.text for key, value in values.items()}
        texts[_BODY] = text[body_start:]
        return Page(
            path_label,
            tuple(
                Field(name, value, "markdown" if name == _BODY else "plain", position=position)
                for position, (name, value) in enumerate(texts.items())
                if value.strip()
            ),
        )

    def write(
        self, data: bytes, translations: Mapping[str, str], target_locale: str, source_locale: str
    ) -> bytes:
        """Return `data` with the given texts in place.

        A body gets the line ends of the file. Front matter keeps its own quoting where the new value is safe
        in it, and gets double quotes where it isn't.

        Raises:
            UnknownFields, NotUtf8, BrokenFrontMatter
        """
        text = decode(self.name, data)
        values, body_start = _parts(self.name, text)
        unknown = translations.keys() - values.keys() - {_BODY}
        if unknown:
            raise UnknownFields(unknown)
        head = text[:body_start]
        # Last first: a replacement moves nothing that stands before it.
        for key, value in sorted(values.items(), key=lambda pair: -pair[1].start):
            if translations.get(key, value.text) != value.text:
                head = _with_value(head, key, value, translations[key])
        body = text[body_start:]
        if _BODY in translations:
            body = with_line_ends_of(translations[_BODY], text)
        return encode(head + body, data)


def _parts(path_label: str, text: str) -> tuple[dict[str, _Value], int]:
    """Return the translatable front matter values by key, and where the body starts."""
    toml = _TOML.match(text)
    if toml:
        return {}, toml.end()
    opening = _YAML_OPEN.match(text)
    if not opening:
        return {}, 0
    closing = _YAML_CLOSE.search(text, opening.end())
    if not closing:
        raise BrokenFrontMatter(
            path_label, 1, "the front matter is opened but never closed",
            "Close it with a line of three dashes, or write *** if the first line is meant as a rule",
        )
    front = text[opening.end() : closing.start()]
    values: dict[str, _Value] = {}
    for key, node in _entries(path_label, front, first_line=2):
        if key not in _TRANSLATED_KEYS:
            continue
        start, end = opening.end() + node.start_mark.index, opening.end() + node.end_mark.index
        line = line_of(text, start)
        if key in values:
            raise BrokenFrontMatter(path_label, line, f"{key} is given twice", "Keep one of the two")
        if not isinstance(node, ScalarNode) or node.tag != _STRING_TAG:
            continue
        spelling = text[start:end]
        if spelling.startswith(("&", "!")):
            raise BrokenFrontMatter(
                path_label, line, f"{key} uses a YAML anchor or tag", "Write the value out as plain text"
            )
        if _NOT_TEXT.search(node.value):
            raise BrokenFrontMatter(
                path_label, line, f"{key} holds \\0 or half of a surrogate pair, which UTF-8 text can't carry", "Remove it"
            )
        # A block scalar's end is the start of what follows it; the line ends between are not its spelling.
        values[key] = _Value(node.value, start, end - (len(spelling) - len(spelling.rstrip())))
    return values, closing.end()


def _entries(path_label: str, front: str, first_line: int) -> Iterator[tuple[str, Node]]:
    """Yield the top-level keys of the YAML text `front` with the nodes of their values."""
    try:
        root = YAML(typ="safe", pure=True).compose(front)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + mark.line if mark else None
        raise BrokenFrontMatter(
            path_label, line, "the front matter is not valid YAML",
            "Check quotes, colons and indentation; a value with a colon needs quotes",
        ) from None
    except ReaderError as error:
        raise BrokenFrontMatter(
            path_label, first_line + front.count("\n", 0, error.position),
            "the front matter has a control character", "Remove it",
        ) from None
    except YAMLError:
        raise BrokenFrontMatter(
            path_label, first_line, "the front matter is not one YAML document", "Keep one mapping of keys to values"
        ) from None
    if root is None:
        return
    if not isinstance(root, MappingNode):
        raise BrokenFrontMatter(
            path_label, first_line, "the front matter is not a mapping of keys to values",
            "Write lines like title: A page, or use *** if a rule is meant",
        )
    for key_node, value_node in root.value:
        # An alias composes to the node of its anchor, which stands earlier in the file.
        if value_node.start_mark.index < key_node.end_mark.index:
            if key_node.value in _TRANSLATED_KEYS:
                raise BrokenFrontMatter(
                    path_label, first_line + key_node.start_mark.line, f"{key_node.value} is a YAML alias",
                    "Write the value out as plain text",
                )
            continue
        if isinstance(key_node, ScalarNode):
            yield key_node.value, value_node


def _with_value(head: str, key: str, value: _Value, new: str) -> str:
    """Return the front matter `head` with `new` as the value of `key`, in the first quoting that reads back right."""
    before = {name: found.text for name, found in _parts("", head)[0].items()}
    for spelling in _spellings(head[value.start : value.end], new):
        changed = splice(head, [Edit(value.start, value.end, spelling)])
        try:
            after, body_start = _parts("", changed)
        except BrokenFrontMatter:
            continue
        if body_start == len(changed) and {name: found.text for name, found in after.items()} == before | {key: new}:
            return changed
    raise AssertionError("double quotes can hold any text")


def _spellings(old: str, new: str) -> Iterator[str]:
    is_plain = old[:1] not in ("'", '"', "|", ">")
    if is_plain and _SAFE_PLAIN.fullmatch(new) and new == new.strip() and new.casefold() not in _RESERVED:
        yield new
    if old.startswith("'") and "\n" not in new and "\r" not in new:
        yield "'" + new.replace("'", "''") + "'"
    quoted = json.dumps(new, ensure_ascii=False)
    yield _ESCAPED.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)
