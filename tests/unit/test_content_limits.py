"""What the scheduler would refuse is refused where the file's name is known."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_service.content import limits, pushing
from scheduler_service.content.glossary_csv import read_glossary
from scheduler_service.content.sources.folder import FolderSource
from scheduler_service.content.values import BrokenFrontMatter, BrokenGlossary, Field, Page, TooLarge
from scheduler_service.domain import items
from scheduler_service.operations import configure, scan
from scheduler_service.v1 import content_pb2
from translator_service.foundation.grpc_plumbing import MAX_MESSAGE_BYTES


def test_the_numbers_are_the_schedulers():
    assert limits.TEXT_MOST_BYTES == items.TEXT_MOST_BYTES
    assert limits.ASIDE_MOST_BYTES == scan.ASIDE_MOST_BYTES
    assert limits.FIELD_NAME_MOST_BYTES == scan.FIELD_NAME_MOST_BYTES
    assert limits.PAGE_ID_MOST_BYTES == scan.PAGE_ID_MOST_BYTES
    assert limits.TERMS_MOST == configure.TERMS_MOST
    assert pushing.CHUNK_PAGES <= scan.PAGES_MOST
    # Names and locale of the request itself, beside its pages.
    assert pushing.CHUNK_BYTES <= limits.REQUEST_MOST_BYTES <= MAX_MESSAGE_BYTES - 10_000


def wire_bytes(page: Page) -> int:
    """Return what the page really adds to a request."""
    request = content_pb2.ScanPagesRequest(pages=[content_pb2.SourcePage(**asdict(pushing._source_page(page)))])
    return len(request.SerializeToString())


FIELDS = st.builds(
    Field, st.text(max_size=9), st.text(max_size=300), st.sampled_from(["plain", "python-format"]), st.text(max_size=200),
    st.one_of(st.none(), st.integers(1, limits.MAX_LENGTH_MOST)), st.text(max_size=9), st.integers(0, 2**31 - 1),
    st.text(max_size=9),
)  # fmt: skip


@given(st.builds(Page, st.text(max_size=9), st.lists(FIELDS, max_size=4).map(tuple)))
def test_a_page_is_never_larger_in_a_request_than_it_is_counted(page):
    assert wire_bytes(page) <= limits.page_bytes(page)


PLAIN = Field("key", "Text")


@pytest.mark.parametrize(
    ("attribute", "most", "what"),
    [
        ("text", limits.TEXT_MOST_BYTES, "the text of 'key'"),
        ("note", limits.ASIDE_MOST_BYTES, "the note of 'key'"),
        ("speaker", limits.ASIDE_MOST_BYTES, "the speaker of 'key'"),
        ("name", limits.FIELD_NAME_MOST_BYTES, "the name of 'ééé"),
    ],
)
def test_the_last_allowed_byte_passes_and_the_next_is_told_with_file_and_field(attribute, most, what):
    most_text = "é" * (most // 2)
    limits.require_page(Page("a.json", (replace(PLAIN, **{attribute: most_text}),)))
    with pytest.raises(TooLarge) as caught:
        limits.require_page(Page("a.json", (PLAIN, replace(PLAIN, **{attribute: most_text + "!"}))))
    assert caught.value.path == "a.json" and caught.value.remedy
    assert caught.value.problem.startswith(what) and f"{most:,}" in caught.value.problem
    assert len(str(caught.value)) < 300


def test_a_length_limit_and_a_path_beyond_the_contract_are_told():
    with pytest.raises(TooLarge, match="max_length of 'key'"):
        limits.require_page(Page("a.json", (replace(PLAIN, max_length=2**31),)))
    with pytest.raises(TooLarge, match="the path"):
        limits.require_page(Page("é" * 501, (PLAIN,)))


def test_a_page_that_fits_no_request_is_told_and_one_below_fits(tmp_path):
    strings = {f"key{number}": "x" * 400_000 for number in range(8)}
    (tmp_path / "fits.json").write_text(json.dumps(strings))
    (tmp_path / "large.json").write_text(json.dumps(strings | {"more": "x" * 400_000}))
    found = FolderSource(tmp_path, "en").scan("pt-BR")
    (page,), (error,) = found.pages, found.errors
    assert wire_bytes(page) < MAX_MESSAGE_BYTES - 10_000
    assert isinstance(error, TooLarge) and error.path == "large.json" and "several files" in error.remedy


def test_a_scan_names_every_file_with_too_much_and_takes_the_others(tmp_path):
    (tmp_path / "good.md").write_text("Good.\n")
    (tmp_path / "long.md").write_text("x" * 500_001)
    (tmp_path / "line.dialogue.jsonl").write_text(json.dumps({"id": "a", "text": "Hi", "note": "x" * 20_001}))
    found = FolderSource(tmp_path, "en").scan("pt-BR")
    assert [page.page_id for page in found.pages] == ["good.md"]
    assert {(type(error), error.path) for error in found.errors} == {
        (TooLarge, "long.md"), (TooLarge, "line.dialogue.jsonl"),
    }  # fmt: skip


@pytest.mark.parametrize("escape", ["\\0", "\\ud800", "\\x00"])
def test_front_matter_that_escapes_what_no_text_holds_is_told_with_its_line(tmp_path, escape):
    (tmp_path / "a.md").write_text(f'---\nlayout: page\ntitle: "a{escape}b"\n---\nText.\n')
    (error,) = FolderSource(tmp_path, "en").scan("pt-BR").errors
    assert isinstance(error, BrokenFrontMatter) and (error.path, error.line) == ("a.md", 3)


def test_a_glossary_beyond_the_schedulers_is_told_with_its_line():
    most = "".join(f"term{number},termo\n" for number in range(limits.TERMS_MOST))
    limits.require_glossary("glossary.csv", read_glossary("glossary.csv", most.encode()))
    with pytest.raises(BrokenGlossary, match=r"glossary\.csv:2001: .*2,000"):
        limits.require_glossary("glossary.csv", read_glossary("glossary.csv", f"{most}one,um".encode()))
    long = "".join(f"term{number},termo,{'x' * 100_000}\n" for number in range(40))
    with pytest.raises(BrokenGlossary, match=r"glossary\.csv:3\d: "):
        limits.require_glossary("glossary.csv", read_glossary("glossary.csv", long.encode()))
