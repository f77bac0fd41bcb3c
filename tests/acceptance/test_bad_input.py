"""What can be wrong from outside: each says what, where and what to do, ends with its own code, changes nothing."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from demo_command import run_demo, snapshot
from refusals import AS_ANYBODY, GOOD_PAGE, assert_refused

from scheduler_service.cli.exits import Exit

GOOD_CATALOGUE = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "Good morning"\nmsgstr ""\n'


@contextmanager
def nothing_changes(content: Path, data: Path) -> Iterator[None]:
    """Check that the content folder and everything at the data folder's place are afterwards what they were."""
    before = snapshot(content), snapshot(data.parent)
    yield
    assert (snapshot(content), snapshot(data.parent)) == before


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """A good page and a good catalogue; what a test adds is all that is wrong."""
    folder = tmp_path / "site" / "content"
    (folder / "pages").mkdir(parents=True)
    (folder / "pages" / "good.md").write_text(GOOD_PAGE, encoding="utf-8")
    (folder / "good.po").write_text(GOOD_CATALOGUE, encoding="utf-8")
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Where the data folder would be: below folders that don't exist either."""
    (tmp_path / "place").mkdir()
    return tmp_path / "place" / "of" / "data"


def not_utf8(folder: Path) -> None:
    (folder / "pages" / "old.md").write_bytes("# Café\n\nOpen.\n".encode("latin-1"))


def unreadable(folder: Path) -> None:
    (folder / "pages" / "closed.md").write_text(GOOD_PAGE, encoding="utf-8")
    (folder / "pages" / "closed.md").chmod(0)


def leads_nowhere(folder: Path) -> None:
    (folder / "pages" / "moved.md").symlink_to(folder / "gone.md")


def front_matter_open(folder: Path) -> None:
    (folder / "pages" / "open.md").write_text("---\ntitle: The harbour\n\n# The harbour\n", encoding="utf-8")


def front_matter_wrong(folder: Path) -> None:
    (folder / "pages" / "wrong.md").write_text('---\nauthor: me\ntitle: "The harbour\n---\n# A\n', encoding="utf-8")


def catalogue_broken(folder: Path) -> None:
    (folder / "bad.po").write_text(GOOD_CATALOGUE + '\nmsgid "Good night\nmsgstr ""\n', encoding="utf-8")


def catalogue_doubled(folder: Path) -> None:
    (folder / "bad.po").write_text(GOOD_CATALOGUE + '\nmsgid "Good morning"\nmsgstr ""\n', encoding="utf-8")


def strings_broken(folder: Path) -> None:
    (folder / "app.json").write_text('{\n  "hello": "Hello",\n  "bye": "Goodbye"', encoding="utf-8")


def glossary_broken(folder: Path) -> None:
    (folder / "glossary.csv").write_text("source,target\nharbour\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "code", "where", "what"),
    [
        (not_utf8, Exit.NOT_UTF8, "pages/old.md:1", "UTF-8"),
        (unreadable, Exit.UNREADABLE_FILE, "pages/closed.md", "can't be read"),
        (leads_nowhere, Exit.UNREADABLE_FILE, "pages/moved.md", "can't be read"),
        (front_matter_open, Exit.BROKEN_FRONT_MATTER, "pages/open.md:1", "never closed"),
        (front_matter_wrong, Exit.BROKEN_FRONT_MATTER, "pages/wrong.md:", "not valid YAML"),
        (catalogue_broken, Exit.BROKEN_CATALOGUE, "bad.po:7", ""),
        (catalogue_doubled, Exit.BROKEN_CATALOGUE, "bad.po:7", ""),
        (strings_broken, Exit.BAD_CONTENT, "app.json:", ""),
        (glossary_broken, Exit.BAD_CONTENT, "glossary.csv:2", "column"),
    ],
    ids=lambda value: value.__name__ if callable(value) else None,
)
def test_a_file_that_cannot_be_used_is_named_and_stops_everything(
    content: Path, data: Path, spoil: Callable[[Path], None], code: Exit, where: str, what: str
) -> None:
    spoil(content)
    with nothing_changes(content, data):
        ended = run_demo(content, data, "--once", "--json", before=AS_ANYBODY)
    assert_refused(ended, code, f"draftgate: {where}", what)
    # What, and then what to do about it, in sentences of their own.
    assert len(ended.stderr.strip().split(". ")) >= 2, ended.stderr


def test_all_broken_files_are_named_at_once(content: Path, data: Path) -> None:
    for spoil in (not_utf8, front_matter_open, catalogue_broken):
        spoil(content)
    with nothing_changes(content, data):
        ended = run_demo(content, data, "--once")
    assert_refused(ended, Exit.BAD_CONTENT, "pages/old.md:1", "pages/open.md:1", "bad.po:7")
    assert len(ended.stderr.splitlines()) == 3


@pytest.mark.parametrize("inside", [None, "notes.txt"], ids=["nothing in it", "nothing that can be translated"])
def test_an_empty_folder_says_what_could_be_in_it(tmp_path: Path, data: Path, inside: str | None) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    if inside:
        (folder / inside).write_text("Nothing to translate", encoding="utf-8")
    with nothing_changes(folder, data):
        ended = run_demo(folder, data, "--once")
    assert_refused(ended, Exit.EMPTY_FOLDER, str(folder), "no content files", ".md", ".po", ".json")


def test_a_content_folder_that_is_not_there_is_named(tmp_path: Path, data: Path) -> None:
    missing = tmp_path / "missing"
    with nothing_changes(missing, data):
        ended = run_demo(missing, data, "--once")
    assert_refused(ended, Exit.BAD_CONTENT, "--content", str(missing), "Name the folder")


@pytest.mark.parametrize("option", ["--source", "--target"])
def test_an_unknown_locale_is_named_with_examples(content: Path, data: Path, option: str) -> None:
    with nothing_changes(content, data):
        ended = run_demo(content, data, "--once", option, "xx-Nowhere")
    assert_refused(ended, Exit.UNKNOWN_LOCALE, "'xx-Nowhere'", "pt-BR")


@pytest.mark.parametrize(
    ("options", "pair"), [(("--target", "fr"), "en → fr"), (("--source", "de"), "de → pt-BR")], ids=["fr", "de"]
)
def test_a_pair_that_the_engine_cannot_do_says_what_to_configure(
    content: Path, data: Path, options: tuple[str, ...], pair: str
) -> None:
    with nothing_changes(content, data):
        ended = run_demo(content, data, "--once", *options)
    assert_refused(ended, Exit.PAIR_NOT_CONFIGURED, pair, "pt-BR", 'provider = "openai"')


def test_a_credential_that_nobody_configured_is_named(content: Path, data: Path) -> None:
    with nothing_changes(content, data):
        ended = run_demo(content, data, "--once", "--credential", "elsewhere")
    assert_refused(ended, Exit.PAIR_NOT_CONFIGURED, "elsewhere", "draftgate.toml")


def test_a_port_in_use_is_named_with_its_option(content: Path, data: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with nothing_changes(content, data):
            ended = run_demo(content, data, "--once", "--port", str(port))
    assert_refused(ended, Exit.PORT_IN_USE, str(port), "--port")


def test_the_same_locale_twice_is_refused(content: Path, data: Path) -> None:
    with nothing_changes(content, data):
        ended = run_demo(content, data, "--once", "--target", "en")
    assert_refused(ended, Exit.USAGE, "--target", "--source")


def test_each_kind_of_bad_input_has_a_code_of_its_own() -> None:
    kinds = [
        Exit.UNREADABLE_FILE, Exit.NOT_UTF8, Exit.EMPTY_FOLDER, Exit.BROKEN_FRONT_MATTER, Exit.BROKEN_CATALOGUE,
        Exit.UNKNOWN_LOCALE, Exit.PAIR_NOT_CONFIGURED, Exit.PORT_IN_USE, Exit.DATA_IS_NEWER, Exit.NO_SPACE,
        Exit.DATA_FOLDER, Exit.BAD_CONTENT,
    ]  # fmt: skip
    assert len({int(code) for code in kinds}) == len(kinds)
    assert not {int(code) for code in kinds} & {0, 1, 2, 130}
    # An alias in the enumeration would make two meanings one number without a word.
    assert len(Exit.__members__) == len(list(Exit))
