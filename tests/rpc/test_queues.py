"""A reviewer's lists: every item once, whatever happens meanwhile; neighbours, places, counts, search."""

from __future__ import annotations

import random

import pytest
from running_scheduler import RunningScheduler
from stocked_site import LOCALE, OPEN_GATE, PAGE, StockedSite

from scheduler_service.answers import ItemSummary, Queue
from scheduler_service.client import SchedulerClient
from scheduler_service.domain.authority import NOBODY
from scheduler_service.domain.items import TEXT_MOST_BYTES, ItemStatus, WorkState, text_hash
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations.configure import put_site


@pytest.fixture
def site(scheduler: RunningScheduler) -> StockedSite:
    return scheduler.site()


@pytest.fixture
def ana(scheduler: RunningScheduler, site: StockedSite):
    with scheduler.client(scheduler.person("Ana", "reviewer")) as client:
        yield client


def stock(site: StockedSite, status: str = "draft", *, pages: int = 5, fields: int = 4) -> list[int]:
    """Make items on several pages, all in one state; return their ids in page order."""
    for page in range(pages):
        site.scan({f"field {field}": f"Text {page} {field}" for field in range(fields)}, page_id=f"page {page}")
    site.change("update items set status = :status", status=status)
    return [row.item_id for row in site.all("select item_id from items order by page_id, position, item_id")]


def walk(ana: SchedulerClient, page_size: int, between=lambda number: None, **filters) -> list[ItemSummary]:
    """Return everything that paging lists; `between` may change what it likes before each further page."""
    found: list[ItemSummary] = []
    token, number = "", 0
    while True:
        answer = ana.list_items("harbour", page_size=page_size, page_token=token, **filters)
        assert len(answer.items) <= page_size
        found += answer.items
        token, number = answer.next_page_token, number + 1
        if not token:
            return found
        between(number)


@pytest.mark.parametrize("page_size", [1, 3, 7, 20, 21, 200])
def test_paging_lists_every_item_once_and_in_page_order(site, ana, page_size: int):
    expected = stock(site)
    assert [item.item_id for item in walk(ana, page_size, queue=Queue.TO_REVIEW)] == expected


@pytest.mark.parametrize("seed", range(4))
def test_while_items_come_and_go_what_stays_is_listed_exactly_once(site, ana, seed: int):
    items = stock(site)
    choose = random.Random(seed)
    leaving = set(choose.sample(items, 8))
    staying = set(items) - leaving

    def disturb(number: int) -> None:
        site.change("update items set status = 'needs_review', status_changed_at = now(), version = version + 1 "
                    "where item_id = any(:ids)", ids=[item for item in leaving if item % 3 == number % 3])
        site.scan({"new": f"New {number}"}, page_id=f"page {choose.randrange(9)} {number}")
        site.change("update items set status = 'draft' where field_name = 'new' and status = 'missing'")

    listed = [item.item_id for item in walk(ana, 3, disturb, queue=Queue.TO_REVIEW)]
    assert len(listed) == len(set(listed))
    assert staying <= set(listed)


def test_list_fields_covers_every_status_and_leaves_out_what_is_gone(site, ana):
    items = stock(site, pages=2)
    for item_id, status in zip(items, ItemStatus, strict=True):
        site.change("alter table items disable trigger items_move")
        site.change("update items set status = :status where item_id = :id", status=status.value, id=item_id)
    site.scan({"field 0": "Text 0 0"}, page_id="page 0")
    found, token = [], ""
    while True:
        answer = ana.list_fields("harbour", page_size=2, page_token=token)
        found += [item.item_id for item in answer.items]
        token = answer.next_page_token
        if not token:
            break
    assert found == [items[0], *items[4:]]


def test_the_queues_counts_add_up_to_the_active_items_of_that_locale(scheduler, site, ana):
    put_site(scheduler.database, NOBODY, site_id="harbour", name="", source_locale="en", target_locales=[LOCALE, "de"],
             credential="offline")
    items = stock(site, pages=3)
    site.scan({"title": "One"}, target_locale="de")
    site.change("alter table items disable trigger items_move")
    for item_id, status in zip(items, [*ItemStatus, *ItemStatus], strict=False):
        site.change("update items set status = :status where item_id = :id", status=status.value, id=item_id)
    site.change("update items set is_active = false where item_id = :id", id=items[0])
    for locale, total in (("", len(items)), (LOCALE, len(items) - 1), ("pt_br", len(items) - 1), ("de", 1)):
        answer = ana.list_items("harbour", target_locale=locale)
        counted = {count.queue: count.count for count in answer.counts}
        assert sum(counted.values()) == total
        for queue in Queue:
            assert counted[queue] == len(walk(ana, 50, queue=queue, target_locale=locale))


def test_search_finds_parts_of_source_and_of_translation_in_any_case(site, ana):
    site.scan({"title": "The Harbour is open", "body": "Read the table", "note": "100% wool_"})
    site.drafted("title", "O Porto está ABERTO")
    site.drafted("body", "Leia a tabela")

    def found(query: str, **filters) -> set[str]:
        return {item.key.field_name for item in ana.list_items("harbour", query=query, **filters).items}

    assert found("HARBOUR") == {"title"} and found("aberto") == {"title"} and found("tab") == {"body"}
    # What other systems take for a pattern is only text here.
    assert found("100%") == {"note"} and found("_") == {"note"} and found("%") == {"note"}
    assert found("nothing like it") == set() and found("'; drop table items; --") == set()
    assert found("tab", page_id=PAGE) == {"body"} and found("tab", page_id="elsewhere") == set()
    assert found("tab", queue=Queue.IN_WORK) == set()


def test_neighbours_lead_through_the_whole_queue_and_back(site, ana):
    items = stock(site)
    site.change("update items set status = 'needs_review' where item_id = any(:ids)", ids=items[::3])
    expected = [item for number, item in enumerate(items) if number % 3]
    forward, item_id = [], expected[0]
    while item_id:
        found = ana.get_item(item_id, Queue.TO_REVIEW)
        forward.append(item_id)
        assert (found.queue_position, found.queue_count) == (len(forward), len(expected))
        assert found.previous_item_id == (forward[-2] if len(forward) > 1 else 0)
        item_id = found.next_item_id
    assert forward == expected


def test_an_item_that_has_left_the_queue_still_knows_where_to_go_on(site, ana):
    items = stock(site)
    site.change("update items set status = 'needs_review' where item_id = :id", id=items[5])
    found = ana.get_item(items[5], Queue.TO_REVIEW)
    assert (found.queue_position, found.queue_count) == (0, len(items) - 1)
    assert (found.previous_item_id, found.next_item_id) == (items[4], items[6])
    # Without a queue, the one that it is in.
    assert ana.get_item(items[5]).queue_count == 1


def test_a_line_of_the_list_says_what_a_reviewer_needs(site, ana):
    site.scan({"title": "x" * 1_000, "body": "Two", "note": "Three"}, note="A heading", speaker="Mila", max_length=12)
    site.drafted("title", "y" * 1_000, verdict="fail", score=4.5, gates=[OPEN_GATE])
    site.change("update items set attempt_count = 4, last_error_code = 'Translation.TooLong' where field_name = 'body'")
    lines = {item.key.field_name: item for item in ana.list_items("harbour").items}
    title, body, note = lines["title"], lines["body"], lines["note"]
    assert (len(title.source_excerpt), len(title.target_excerpt), title.score) == (300, 300, 4.5)
    assert (title.hard_gates_failed, title.status, title.work_state) == (1, ItemStatus.NEEDS_REVIEW, None)
    assert (body.work_state, body.last_error_code, body.attempt_count) == (WorkState.FAILED, "Translation.TooLong", 4)
    assert (note.work_state, note.target_excerpt, note.score) == (WorkState.READY, "", None)
    item = ana.get_item(title.item_id)
    assert (item.note, item.speaker, item.max_length, item.source_text) == ("A heading", "Mila", 12, "x" * 1_000)
    assert (item.may_review, item.may_publish, item.may_override) == (True, False, False)


def test_the_longest_texts_fit_into_an_answer(scheduler, site, ana):
    """Source, shown text, approved and published text and its source, all as long as they may be, in any script."""
    longest = "文" * (TEXT_MOST_BYTES // 3)
    eva = scheduler.client(scheduler.person("Eva", "reviewer", "publisher"))
    site.scan({"body": longest})
    candidate_id = site.drafted("body", longest)
    item_id = site.item_id("body")
    version = eva.approve(item_id, version=site.row(item_id)["version"], candidate_id=candidate_id,
                          text_hash=text_hash(longest)).version
    eva.publish(item_id, version=version, text_hash=text_hash(longest))
    changed = longest[:-1] + "本"
    site.scan({"body": changed})
    for number in range(3):
        site.drafted("body", longest[:-2] + f"{number}")
        site.change("update items set status = 'stale' where item_id = :id", id=item_id)
    shown = site.drafted("body", changed)
    item = ana.get_item(item_id)
    assert (item.candidate.candidate_id, item.candidate.text, item.source_text) == (shown, changed, changed)
    assert item.previous_text == item.previous_source_text == item.published_text == longest
    assert [one.candidate_id for one in item.candidates] == [shown, shown - 1]
    eva.close()


def test_the_shown_text_is_among_the_candidates_however_many_came_after(site, ana):
    site.scan({"title": "One"})
    first = site.drafted("title", "Um")
    site.change("""insert into candidates (item_id, source_revision, turn, origin, text, text_hash)
        select item_id, 1, 1, 'person', text, text_hash from candidates, generate_series(1, 30)""")
    found = ana.get_item(site.item_id("title"))
    assert found.candidate.candidate_id == first
    assert len(found.candidates) == 20 and found.candidates[-1].candidate_id == first
    ids = [one.candidate_id for one in found.candidates]
    assert ids == sorted(ids, reverse=True)


def test_a_long_export_comes_in_answers_that_fit(scheduler, site, ana):
    """Forty texts of a fifth of a megabyte: no answer may be larger than gRPC lets through."""
    names = [f"field {number:02}" for number in range(40)]
    site.scan({name: f"Text of {name}" for name in names})
    site.change("""
        with made as (
            insert into candidates (item_id, source_revision, turn, origin, text, text_hash)
            select item_id, 1, 1, 'model', t, encode(sha256(convert_to(t, 'UTF8')), 'hex')
            from items, lateral (select field_name || repeat('x', 200000) as t) made_up
            returning candidate_id, item_id, text, text_hash
        ), approved as (
            insert into approvals (item_id, source_revision, source_hash, source_text, candidate_id, text_hash, person_id)
            select item_id, 1, '', '', candidate_id, text_hash, (select min(person_id) from people) from made
            returning approval_id, item_id, text_hash
        )
        insert into publications (item_id, approval_id, source_revision, text, text_hash, person_id)
        select item_id, approval_id, 1, made.text, text_hash, (select min(person_id) from people)
        from approved join made using (item_id, text_hash)""")
    texts, token, answers = [], "", 0
    while True:
        answer = ana.list_published("harbour", LOCALE, page_size=500, page_token=token)
        texts += answer.texts
        token, answers = answer.next_page_token, answers + 1
        if not token:
            break
    assert [text.key.field_name for text in texts] == names
    assert answers > 1 and all(text.text == text.key.field_name + "x" * 200_000 for text in texts)
    # One page of that size has to be read field by field, and says so.
    with pytest.raises(Refused) as refused:
        ana.read_page("harbour", PAGE, LOCALE)
    assert (refused.value.reason, refused.value.field) == (Reason.INVALID_FIELD, "page_id")
