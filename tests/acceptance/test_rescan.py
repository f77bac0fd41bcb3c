"""Scanning again: what didn't change is not written, what changed is the only work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from opened_site import LOCALE, Opened, Published
from watching import WalWatch, item_versions

from scheduler_service.answers_content import ScanPagesResponse
from scheduler_service.content.pushing import push
from scheduler_service.domain.items import ItemStatus
from scheduler_service.embedded.demo import SITE_ID

pytestmark = pytest.mark.slow

# Heartbeats of workers, and when a token was last used: no part of a scan.
BESIDE_SCANS = {"workers", "service_tokens", "sessions"}


def change(path: Path, before: str, after: str) -> None:
    """Replace one passage of a file, as an editor does."""
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, after), encoding="utf-8")


def log_since(opened: Opened, log_id: int) -> list[tuple[int, str, str | None, str | None]]:
    return opened.database.execute(
        "select item_id, event, from_status, to_status from item_log where log_id > %s order by log_id", (log_id,)
    ).fetchall()


def last_log_id(opened: Opened) -> int:
    (log_id,) = opened.database.execute("select max(log_id) from item_log").fetchone() or (0,)
    return int(log_id)


def worked_on_since(opened: Opened, moment: object) -> set[int]:
    rows = opened.database.execute(
        "select distinct item_id from call_parts join calls using (call_id) where reserved_at > %s", (moment,)
    )
    return {item_id for (item_id,) in rows}


def now(opened: Opened) -> object:
    (moment,) = opened.database.execute("select clock_timestamp()").fetchone() or (None,)
    return moment


def test_scanning_again_without_a_change_writes_no_row(published: Published) -> None:
    opened = published.opened
    opened.settle()
    before, log_id = item_versions(opened.database), last_log_id(opened)
    watch = WalWatch(opened.database)
    # The same bytes with a new time: the demo sees a change, reads every file and scans them all.
    os.utime(opened.demo.source.folder / "async.md")
    opened.settle()
    scan = opened.demo.source.scan(LOCALE)
    counts = push(opened.demo.installation.scheduler(), SITE_ID, LOCALE, scan.pages)
    assert counts == ScanPagesResponse(0, 0, len(opened.items), 0, 0)
    writes = [(table, kind) for table, kind in watch.writes() if table not in BESIDE_SCANS]
    assert item_versions(opened.database) == before
    assert log_since(opened, log_id) == []
    # The lock lets one scan of a site wait for another; it makes no new version of the row.
    assert set(writes) <= {("sites", "LOCK")}, f"a scan without a change wrote {writes}"


def test_the_watch_on_the_log_sees_a_single_row(published: Published) -> None:
    connection = published.opened.database
    watch = WalWatch(connection)
    connection.execute("update items set label = label where item_id = (select min(item_id) from items)")
    writes = watch.writes()
    assert writes["items", "UPDATE"] + writes["items", "HOT_UPDATE"] == 1
    assert {table for table, _kind in writes} - BESIDE_SCANS == {"items"}


def test_one_changed_paragraph_of_a_published_page_makes_work_of_that_field_alone(published: Published) -> None:
    opened = published.opened
    page_id = "environment-variables.md"
    item = opened.item(page_id)
    reader = opened.demo.installation.scheduler()
    served = reader.read_text(item.summary.key)
    assert served.is_current
    before, log_id, moment = item_versions(opened.database), last_log_id(opened), now(opened)
    paragraph = item.source_text.split("\n\n")[-1].strip()
    change(opened.demo.source.folder / page_id, paragraph, "You will find more about them in the next chapter.")
    opened.settle()

    after = item_versions(opened.database)
    item_id = item.summary.item_id
    assert after.keys() == before.keys()
    assert {key for key in before if after[key] != before[key]} == {item_id}
    assert worked_on_since(opened, moment) == {item_id}
    log = log_since(opened, log_id)
    assert {row[0] for row in log} == {item_id}
    assert log[0][1:] == ("source_changed", "published", "stale")

    changed = opened.item(page_id)
    assert changed.summary.source_revision == item.summary.source_revision + 1
    assert changed.summary.status in (ItemStatus.DRAFT, ItemStatus.NEEDS_REVIEW)
    assert changed.published_text == served.text
    still = reader.read_text(item.summary.key)
    assert still.text == served.text and not still.is_current


def test_a_changed_text_that_nobody_approved_is_missing_and_its_neighbours_stay(small: Opened) -> None:
    page_id = "rescanned.md"
    body, title = small.item(page_id), small.item(page_id, "title")
    before, log_id, moment = item_versions(small.database), last_log_id(small), now(small)
    change(
        small.demo.source.folder / page_id,
        "The children pick apples in the autumn.", "The neighbours bring baskets for the pears.",
    )  # fmt: skip
    small.settle()
    after = item_versions(small.database)
    assert {key for key in before if after[key] != before[key]} == {body.summary.item_id}
    assert worked_on_since(small, moment) == {body.summary.item_id}
    assert log_since(small, log_id)[0][1:] == ("source_changed", "draft", "missing")
    changed = small.item(page_id)
    assert changed.source_text != body.source_text and changed.candidate is not None
    assert changed.candidate.source_revision == body.summary.source_revision + 1
    assert small.item(page_id, "title") == title
    closed = [candidate for candidate in changed.candidates if candidate.source_revision == 1]
    assert [candidate.closed_reason for candidate in closed] == ["source_changed"]


def test_a_published_text_of_an_untouched_page_stays_current(published: Published) -> None:
    reader = published.opened.demo.installation.scheduler()
    (served,) = reader.read_page(SITE_ID, "benchmarks.md", LOCALE)
    assert served.is_current
