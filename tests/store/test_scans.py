"""A scan makes work of what changed, and of nothing else."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stocked_site import LOCALE, PAGE, StockedSite

from scheduler_service.domain.authority import NOBODY
from scheduler_service.domain.items import TEXT_MOST_BYTES, text_hash
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations.configure import put_site
from scheduler_service.operations.scan import FORMATS, PAGES_MOST, SourceField, SourcePage, scan_pages
from scheduler_service.store import scans
from scheduler_service.store.scans import ScanCounts, ScannedField
from translator_service.domain.values import TextFormat


def versions(site: StockedSite) -> list:
    """Where every row stands and by whose transaction it was written: any write shows."""
    return site.all("select item_id, ctid::text, xmin::text, cmax::text from items order by item_id")


def test_a_new_page_makes_an_item_of_every_field(site):
    assert site.scan({"title": "One", "body": "Two"}) == ScanCounts(new=2)
    row = site.row(site.item_id("body"))
    assert (row["status"], row["source_text"], row["source_revision"], row["position"]) == ("missing", "Two", 1, 1)
    assert row["source_hash"] == text_hash("Two")
    assert row["turns_granted"] == 3


def test_unchanged_text_writes_no_row_at_all(site):
    site.scan({"title": "One", "body": "Two"})
    before, log = versions(site), site.one("select count(*) from item_log")
    assert site.scan({"title": "One", "body": "Two"}) == ScanCounts(unchanged=2)
    assert versions(site) == before
    assert site.one("select count(*) from item_log") == log


def test_unchanged_text_forgives_no_retry_history(site):
    site.scan({"title": "One"})
    site.change("update items set attempt_count = 3, last_error_code = 'Translation.InvalidText', "
                "next_attempt_at = now() + interval '4 minutes'")
    before = site.row(site.item_id("title"))
    site.scan({"title": "One"})
    assert site.row(site.item_id("title")) == before


def test_other_line_ends_are_the_same_text(site):
    site.scan({"body": "One\nTwo\n"})
    before = versions(site)
    assert site.scan({"body": "One\r\nTwo\r\n"}) == ScanCounts(unchanged=1)
    assert site.scan({"body": "One\rTwo\r"}) == ScanCounts(unchanged=1)
    assert versions(site) == before


def test_changing_one_field_makes_work_of_that_field_alone(site):
    site.scan({"title": "One", "body": "Two"})
    site.drafted("title")
    site.drafted("body")
    title = site.row(site.item_id("title"))
    assert site.scan({"title": "One", "body": "Three"}) == ScanCounts(changed=1, unchanged=1)
    assert site.row(site.item_id("title")) == title
    body = site.row(site.item_id("body"))
    assert (body["status"], body["source_revision"], body["source_text"]) == ("missing", 2, "Three")


def test_changed_text_gets_a_fresh_budget_in_the_same_statement(site):
    site.scan({"title": "One"})
    claim = site.claim(site.item_id("title"))
    site.change("update items set attempt_count = 4, next_attempt_at = 'infinity', unknown_count = 3, turns = 3, "
                "turns_granted = 4, waiting_since = now(), last_error_code = 'Worker.Timeout', person_note = 'again', "
                "progress_claim_seq = claim_seq")
    site.scan({"title": "Two"})
    row = site.row(claim.item_id)
    fresh = {"attempt_count": 0, "lease_until": None, "worker_id": None, "claimed_hash": None, "claimed_revision": None,
             "last_error_code": None, "waiting_since": None, "unknown_count": 0, "turns": 0, "turns_granted": 3,
             "person_note": "", "progress_claim_seq": None, "score": None, "reasons": []}
    assert {name: row[name] for name in fresh} == fresh
    assert row["claim_seq"] == claim.claim_seq + 1
    assert site.one("select work_state from item_work where item_id = :item_id", item_id=claim.item_id) == "ready"


def test_text_that_changes_back_is_a_new_revision_and_old_candidates_stay_old(site):
    site.scan({"title": "One"})
    candidate_id = site.drafted("title", "Um")
    site.scan({"title": "Two"})
    site.scan({"title": "One"})
    row = site.row(site.item_id("title"))
    assert (row["source_revision"], row["status"], row["candidate_id"]) == (3, "missing", None)
    assert site.one("select closed_reason from candidates where candidate_id = :id", id=candidate_id) == "source_changed"


def test_after_an_approval_changed_text_is_stale_and_the_approved_text_stays(site):
    site.scan({"title": "One"})
    candidate_id = site.drafted("title", "Um")
    item_id = site.item_id("title")
    person = site.one("insert into people (name) values ('Ana') returning person_id")
    site.change("insert into approvals (item_id, source_revision, source_hash, source_text, candidate_id, text_hash, "
                "person_id) select item_id, 1, source_hash, source_text, :candidate, :hash, :person from items",
                candidate=candidate_id, hash=text_hash("Um"), person=person)
    site.change("update items set status = 'approved', approval_id = (select approval_id from approvals)")
    site.scan({"title": "Two"})
    assert site.row(item_id)["status"] == "stale"
    assert site.one("select count(*) from approvals where revoked_at is null") == 1
    assert site.one("select text from candidates where candidate_id = :id", id=candidate_id) == "Um"


def test_another_format_is_another_text(site):
    site.scan({"title": "{name}"})
    assert site.scan({"title": "{name}"}, text_format="brace") == ScanCounts(changed=1)
    assert site.row(site.item_id("title"))["source_revision"] == 2


def test_another_note_or_place_is_no_other_text(site):
    site.scan({"title": "One", "body": "Two"})
    site.drafted("title")
    version = site.row(site.item_id("title"))["version"]
    assert site.scan({"body": "Two", "title": "One"}, note="A heading") == ScanCounts(unchanged=2)
    row = site.row(site.item_id("title"))
    assert (row["status"], row["source_revision"], row["version"]) == ("draft", 1, version)
    assert (row["position"], row["context"]) == (1, {"note": "A heading"})


def test_a_field_that_disappears_goes_inactive_and_comes_back_with_its_history(site):
    site.scan({"title": "One", "body": "Two"})
    candidate_id = site.drafted("body", "Dois")
    assert site.scan({"title": "One"}) == ScanCounts(unchanged=1, deactivated=1)
    gone = site.row(site.item_id("body"))
    assert (gone["is_active"], gone["status"]) == (False, "draft")
    assert site.scan({"title": "One", "body": "Two"}) == ScanCounts(unchanged=1, reactivated=1)
    back = site.row(site.item_id("body"))
    assert (back["is_active"], back["status"], back["candidate_id"]) == (True, "draft", candidate_id)
    assert (back["source_revision"], back["deactivated_at"]) == (1, None)
    events = [row.event for row in site.all("select event from item_log where item_id = :id order by log_id",
                                            id=back["item_id"])]
    assert events == ["found", "drafted", "deactivated", "reactivated"]


def test_a_field_that_comes_back_with_another_text_is_changed(site):
    site.scan({"title": "One"})
    site.scan({})
    assert site.scan({"title": "Two"}) == ScanCounts(changed=1)
    assert site.row(site.item_id("title"))["is_active"] is True


def test_work_on_a_field_that_disappears_is_fenced_off_and_costs_no_attempt(site):
    site.scan({"title": "One"})
    claim = site.claim(site.item_id("title"))
    for _ in range(5):
        site.scan({})
        site.scan({"title": "One"})
        assert site.row(claim.item_id)["claim_seq"] > claim.claim_seq
        assert site.row(claim.item_id)["attempt_count"] == 0
        claim = site.claim(claim.item_id)


def test_a_complete_scan_deactivates_pages_that_it_doesnt_name_and_others_leave_them(site):
    site.scan({"title": "One"}, page_id="a.md")
    site.scan({"title": "Two"}, page_id="b.md")
    assert site.scan({"title": "One"}, page_id="a.md") == ScanCounts(unchanged=1)
    assert site.row(site.item_id("title", page_id="b.md"))["is_active"]
    assert site.scan({"title": "One"}, page_id="a.md", is_complete=True) == ScanCounts(unchanged=1, deactivated=1)
    assert not site.row(site.item_id("title", page_id="b.md"))["is_active"]


def test_a_scan_touches_neither_other_locales_nor_other_sites(database):
    site = StockedSite(database, target_locales=(LOCALE, "de"))
    other = StockedSite(database, "garden")
    site.scan({"title": "One"})
    site.scan({"title": "One"}, target_locale="de")
    other.scan({"title": "One"})
    assert site.scan({}, is_complete=True) == ScanCounts(deactivated=1)
    assert site.row(site.item_id("title", target_locale="de"))["is_active"]
    assert other.row(other.item_id("title"))["is_active"]


def test_of_two_first_scans_at_once_the_later_text_is_not_lost(site):
    for number in range(12):
        barrier = threading.Barrier(2)

        def scan(text: str, page_id: str = f"page {number}", barrier=barrier) -> ScanCounts:
            barrier.wait()
            return site.scan({"title": text}, page_id=page_id)

        with ThreadPoolExecutor(2) as pool:
            counts = list(pool.map(scan, ("One", "Two")))
        # The second to come finds another text than its own: that is a change, never "unchanged".
        assert sorted((one.new, one.changed) for one in counts) == [(0, 1), (1, 0)]


def test_a_scan_that_is_refused_leaves_everything_as_it_was(site):
    site.scan({"title": "One"})
    before = versions(site)
    pages = [SourcePage(PAGE, [SourceField("title", "Two")]), SourcePage("b.md", [SourceField("title", "x\x00")])]
    with pytest.raises(Refused) as refused:
        scan_pages(site.database, site_id=site.site_id, target_locale=LOCALE, pages=pages)
    assert (refused.value.reason, refused.value.field) == (Reason.INVALID_FIELD, "pages[1].fields[0].text")
    assert versions(site) == before


BAD_FIELDS = {
    "an empty name": (SourceField("", "One"), "field_name"),
    "a name with NUL": (SourceField("a\x00", "One"), "field_name"),
    "a name that no index can hold": (SourceField("ä" * 251, "One"), "field_name"),
    "half a character": (SourceField("title", "\ud83d"), "text"),
    "a text of a book": (SourceField("title", "a" * (TEXT_MOST_BYTES + 1)), "text"),
    "a note with NUL": (SourceField("title", "One", note="\x00"), "note"),
    "an endless note": (SourceField("title", "One", note="a" * 20_001), "note"),
    "an unknown format": (SourceField("title", "One", text_format="docx"), "text_format"),
    "a negative limit": (SourceField("title", "One", max_length=-1), "max_length"),
}


@pytest.mark.parametrize("what", BAD_FIELDS)
def test_a_field_that_cant_be_taken_is_named_by_page_and_number(site, what: str):
    field, name = BAD_FIELDS[what]
    with pytest.raises(Refused) as refused:
        scan_pages(site.database, site_id=site.site_id, target_locale=LOCALE, pages=[SourcePage(PAGE, [field])])
    assert (refused.value.reason, refused.value.field) == (Reason.INVALID_FIELD, f"pages[0].fields[0].{name}")


@pytest.mark.parametrize("page_id", ["", "a\x00", "p" * 1_001, "\udc00"])
def test_a_page_that_cant_be_named_is_refused_even_without_fields(site, page_id: str):
    with pytest.raises(Refused) as refused:
        scan_pages(site.database, site_id=site.site_id, target_locale=LOCALE, pages=[SourcePage(page_id, [])])
    assert refused.value.field == "pages[0].page_id"


def test_two_fields_of_one_name_are_refused_also_across_two_mentions_of_the_page(site):
    field = SourceField("title", "One")
    for pages in ([SourcePage(PAGE, [field, field])], [SourcePage(PAGE, [field]), SourcePage(PAGE, [field])]):
        with pytest.raises(Refused, match="two fields"):
            scan_pages(site.database, site_id=site.site_id, target_locale=LOCALE, pages=pages)


def test_the_longest_names_that_are_let_pass_can_be_stored(site):
    site.scan({"f" * 500: "One"}, page_id="p" * 1_000)
    assert site.one("select count(*) from items") == 1


@pytest.mark.parametrize(("values", "reason", "field"), [
    ({"site_id": "nowhere"}, Reason.NOT_FOUND, "site_id"),
    ({"target_locale": "de"}, Reason.INVALID_FIELD, "target_locale"),
    ({"target_locale": "xx-nonsense"}, Reason.INVALID_FIELD, "target_locale"),
    ({"pages": [SourcePage(f"{n}", []) for n in range(PAGES_MOST + 1)]}, Reason.INVALID_FIELD, "pages"),
])
def test_a_scan_of_what_isnt_there_says_what(site, values, reason: Reason, field: str):
    with pytest.raises(Refused) as refused:
        scan_pages(site.database, **{"site_id": site.site_id, "target_locale": LOCALE, "pages": []} | values)
    assert (refused.value.reason, refused.value.field) == (reason, field)


def test_a_locale_may_be_spelled_in_any_way(site):
    site.scan({"title": "One"}, target_locale="pt_br")
    assert site.row(site.item_id("title"))["target_locale"] == "pt-BR"


def test_a_blank_text_is_no_item(site):
    assert site.scan({"title": " \n", "body": "Two"}) == ScanCounts(new=1)


def test_the_formats_are_those_of_the_translator():
    assert FORMATS == {one.value for one in TextFormat}


def test_another_source_language_makes_everything_new_work(site):
    site.scan({"title": "One"})
    put_site(site.database, NOBODY, site_id=site.site_id, name="", source_locale="de", target_locales=[LOCALE],
             credential="offline")
    assert site.scan({"title": "One"}) == ScanCounts(changed=1)


# A text that COPY or JSON could mistake for something else must come back as it was.
AWKWARD = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1, max_size=40).filter(
    lambda one: one.strip())


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=AWKWARD, note=AWKWARD)
def test_any_text_comes_back_as_it_was_sent(site, value: str, note: str):
    site.scan({"title": value}, note=note)
    row = site.one("select jsonb_build_array(source_text, source_hash, context->>'note') from items")
    assert row[1] == text_hash(value)
    assert row[0].replace("\r\n", "\n").replace("\r", "\n") == value.replace("\r\n", "\n").replace("\r", "\n")
    assert row[2] == note


def test_a_connection_cut_in_the_middle_of_copying_is_a_passing_fault(site):
    """COPY's errors come from the driver itself: they too are repeated, and the scan takes effect once."""
    field = ScannedField(PAGE, "title", "title", "plain", {}, 0, "One", text_hash("One"))
    cuts = []

    def scan_and_cut(connection):
        def fields():
            yield field
            if not cuts:
                cuts.append(connection.connection.driver_connection.info.backend_pid)
                assert site.one("select pg_terminate_backend(:pid, 5000)", pid=cuts[0])
            yield ScannedField(PAGE, "body", "body", "plain", {}, 1, "Two", text_hash("Two"))

        return scans.scan(connection, site_id=site.site_id, source_locale="en", target_locale=LOCALE,
                          page_ids=[PAGE], fields=fields(), is_complete=False)

    assert site.database.transact(scan_and_cut) == ScanCounts(new=2)
    assert len(cuts) == 1 and site.one("select count(*) from items") == 2
