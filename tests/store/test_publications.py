"""What the public may read: the approved text, exactly, whatever code would like to publish; and how it is served."""

from __future__ import annotations

import pytest
from stocked_site import LOCALE, PAGE, StockedSite

from scheduler_service.domain.items import text_hash
from scheduler_service.store import decisions, reader
from scheduler_service.store.engine import StoreError


@pytest.fixture
def approved(site: StockedSite) -> StockedSite:
    """A site whose only item, ``title``, is approved as "Um"."""
    site.scan({"title": "One"})
    approve(site, "title", "Um")
    return site


def approve(site: StockedSite, field_name: str, target: str, **where: str) -> None:
    candidate_id = site.drafted(field_name, target, **where)
    item_id = site.item_id(field_name, **where)
    person = site.one("insert into people (name) values (:name) on conflict (name) do update set name = excluded.name "
                      "returning person_id", name="Ana")

    def decide(connection):
        item = decisions.lock(connection, item_id)
        chosen = decisions.candidate(connection, item_id, candidate_id)
        approval_id = decisions.approve(
            connection, item, chosen, person_id=person, override_reason="", overridden_gates=[], note="")
        decisions.move(connection, item_id, "approved", candidate_id=candidate_id, approval_id=approval_id)

    site.database.transact(decide)


def publish(site: StockedSite, field_name: str = "title", **where: str) -> int | None:
    item_id = site.item_id(field_name, **where)

    def release(connection):
        published = decisions.publish(connection, decisions.lock(connection, item_id), 1)
        decisions.move(connection, item_id, "published", keeps_approval=True)
        return published

    return site.database.transact(release)


PUT = """
insert into publications (item_id, approval_id, source_revision, text, text_hash, person_id)
select item_id, approval_id, source_revision, :text, :hash, person_id from approvals
"""


@pytest.mark.parametrize(("text", "hashed", "sqlstate"), [
    ("Outro", "Um", "23514"),      # another text under the approved hash
    ("Outro", "Outro", "23503"),   # another text with its own hash, which nobody approved
    ("Um", "Outro", "23514"),      # the approved text under another hash
])
def test_the_database_publishes_no_text_but_the_approved_one(approved, text: str, hashed: str, sqlstate: str):
    with pytest.raises(StoreError) as refused:
        approved.change(PUT, text=text, hash=text_hash(hashed))
    assert refused.value.sqlstate == sqlstate
    assert approved.one("select count(*) from publications") == 0


def test_the_approved_text_itself_is_published_whatever_its_line_ends(site):
    site.scan({"title": "One"})
    approve(site, "title", "Um\r\nDois")
    assert publish(site) is not None
    assert site.one("select text from publications") == "Um\r\nDois"


def test_an_approval_of_one_item_publishes_no_other(approved):
    approved.scan({"title": "One", "body": "Two"})
    with pytest.raises(StoreError) as refused:
        approved.change(PUT.replace("select item_id", "select item_id + 1"), text="Um", hash=text_hash("Um"))
    assert refused.value.sqlstate == "23503"


def test_a_revoked_approval_publishes_nothing(approved):
    approval = approved.one("select approval_id from approvals")
    approved.database.transact(lambda connection: decisions.revoke(connection, approval, 1))
    item_id = approved.item_id("title")
    assert approved.database.transact(
        lambda connection: decisions.publish(connection, decisions.lock(connection, item_id), 1)) is None


def test_an_item_has_one_publication_at_a_time(approved):
    assert publish(approved) is not None
    with pytest.raises(StoreError) as refused:
        approved.change(PUT, text="Um", hash=text_hash("Um"))
    assert (refused.value.sqlstate, refused.value.constraint) == ("23505", "publications_current")


def read(site: StockedSite, field_name: str = "title"):
    return site.database.read(lambda connection: reader.read_text(
        connection, site_id=site.site_id, page_id=PAGE, field_name=field_name, target_locale=LOCALE))


def test_neither_a_draft_nor_an_approved_text_is_read_and_a_published_one_is(site):
    site.scan({"title": "One"})
    assert read(site) is None
    approve(site, "title", "Um")
    assert read(site) is None
    publish(site)
    row = read(site)
    assert (row.text, row.text_hash, row.is_current) == ("Um", text_hash("Um"), True)


def test_a_published_text_says_that_it_is_no_longer_current_and_stays_until_another_is_published(approved):
    publish(approved)
    approved.scan({"title": "Two"})
    assert (read(approved).text, read(approved).is_current) == ("Um", False)
    approve(approved, "title", "Dois")
    assert (read(approved).text, read(approved).is_current) == ("Um", False)
    publish(approved)
    assert (read(approved).text, read(approved).is_current) == ("Dois", True)
    assert approved.one("select count(*) from publications where superseded_at is not null") == 1


def test_a_field_that_is_gone_is_not_current_and_leaves_the_export(approved):
    publish(approved)
    approved.scan({})
    assert not read(approved).is_current
    assert listed(approved) == []


def listed(site: StockedSite, *, most: int = 3, most_bytes: int = 10_000) -> list[str]:
    """Return every published text, following `has_more`."""
    texts, after = [], 0
    while True:
        rows = site.database.read(lambda connection, after=after: reader.list_published(
            connection, site_id=site.site_id, target_locale=LOCALE, after=after, most=most, most_bytes=most_bytes))
        texts += [row.text for row in rows]
        assert len({row.has_more for row in rows}) <= 1
        if not rows or not rows[-1].has_more:
            return texts
        after = rows[-1].item_id


@pytest.mark.parametrize(("most", "most_bytes"), [(1, 10_000), (2, 10_000), (3, 10_000), (4, 10_000), (100, 1), (100, 3),
                                                  (100, 7), (2, 5)])
def test_an_export_lists_each_text_once_however_it_is_cut(site, most: int, most_bytes: int):
    names = "abcd"
    site.scan(dict.fromkeys(names, "One"))
    for number, name in enumerate(names):
        approve(site, name, "é" * (number + 1))
        publish(site, name)
    assert listed(site, most=most, most_bytes=most_bytes) == ["é", "éé", "ééé", "éééé"]


def test_a_page_of_an_export_ends_once_it_has_its_bytes(site):
    site.scan({"a": "One", "b": "Two", "c": "Three"})
    for name in "abc":
        approve(site, name, "x" * 100)
        publish(site, name)
    rows = site.database.read(lambda connection: reader.list_published(
        connection, site_id=site.site_id, target_locale=LOCALE, after=0, most=100, most_bytes=150))
    assert len(rows) == 2 and rows[-1].has_more
