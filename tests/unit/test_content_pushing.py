"""How pages are cut into requests, and what is taken back of published texts."""

from __future__ import annotations

from dataclasses import asdict

from scheduler_service.answers import ItemKey
from scheduler_service.answers_content import ListPublishedResponse, PublishedText, ScanPagesResponse
from scheduler_service.answers_operations import ListFieldsResponse
from scheduler_service.content import limits, pushing
from scheduler_service.content.values import Field, Page
from scheduler_service.v1 import content_pb2
from translator_service.foundation.grpc_plumbing import MAX_MESSAGE_BYTES


class Scheduler:
    """Keeps the requests it gets, and has `texts` published, two a page of its list."""

    def __init__(self, *texts: PublishedText) -> None:
        self.requests: list[tuple[list, bool]] = []
        self.texts = texts

    def scan_pages(self, site_id, target_locale, pages, *, is_complete):
        pages = list(pages)
        self.requests.append((pages, is_complete))
        return ScanPagesResponse(sum(len(page.fields) for page in pages), 0, 0, 0, 0)

    def list_fields(self, site_id, **_paging):
        return ListFieldsResponse((), "")

    def list_published(self, site_id, target_locale, *, page_size, page_token):
        begin = int(page_token or 0)
        rest = len(self.texts) > begin + 2
        return ListPublishedResponse(self.texts[begin : begin + 2], str(begin + 2) if rest else "")


def request_bytes(pages) -> int:
    request = content_pb2.ScanPagesRequest(
        site_id="demo", target_locale="pt-BR", pages=[content_pb2.SourcePage(**asdict(page)) for page in pages])
    return len(request.SerializeToString())


def test_no_request_is_larger_than_a_message_may_be_whatever_makes_the_pages_large():
    noted = [Page(f"{number}.json", (Field("key", "Text", note="é" * 10_000),)) for number in range(400)]
    large = Page("large.json", tuple(Field(f"key{number}", "x" * 450_000) for number in range(7)))
    limits.require_page(large)
    scheduler = Scheduler()
    counts = pushing.push(scheduler, "demo", "pt-BR", [*noted, large])
    assert len(scheduler.requests) > 2
    assert max(request_bytes(pages) for pages, _complete in scheduler.requests) < MAX_MESSAGE_BYTES
    sent = [page.page_id for pages, _complete in scheduler.requests for page in pages]
    assert sent == [page.page_id for page in (*noted, large)]
    assert counts.new_items == 407
    assert not any(is_complete for _pages, is_complete in scheduler.requests), "each would end the others' pages"


def test_what_fits_into_one_request_is_the_whole_site():
    scheduler = Scheduler()
    pushing.push(scheduler, "demo", "pt-BR", [Page("a.md", (Field("body", "Text"),))])
    ((pages, is_complete),) = scheduler.requests
    assert is_complete and [page.page_id for page in pages] == ["a.md"]


def published(field_name: str, text: str = "Texto", *, is_current: bool = True) -> PublishedText:
    return PublishedText(ItemKey("demo", "a.md", field_name, "pt-BR"), text, f"hash of {text}", is_current, None)


def test_a_text_of_an_earlier_source_is_counted_and_left_out():
    found = pushing.pull(
        Scheduler(published("title"), published("body", is_current=False), published("lead")), "demo", "pt-BR")
    assert found.texts == {"a.md": {"title": "Texto", "lead": "Texto"}}
    assert found.outdated == 1


def test_the_digest_is_another_when_anything_published_is():
    def digest(*texts: PublishedText) -> str:
        return pushing.pull(Scheduler(*texts), "demo", "pt-BR").digest

    same = digest(published("a"), published("b"))
    assert same == digest(published("a"), published("b"))
    others = [
        digest(published("a")), digest(published("a"), published("c")), digest(published("a"), published("b", "Outro")),
        digest(published("a"), published("b", is_current=False)),
    ]  # fmt: skip
    assert len({same, *others}) == 5
