"""The audit is only ever added to, and each row proves the one before it: checked here by our own recomputation."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from scheduler_service.domain.authority import NOBODY
from scheduler_service.store import audit
from scheduler_service.store.engine import StoreError

ROWS = """
select site_id, ordinal, person_id, token_id, session_id, role, action, object_kind, object_id, before_hash, after_hash,
       reason, extract(epoch from at)::text as at, previous_hash, row_hash
from audit where site_id = :site_id order by ordinal
"""


def add(site, action: str = "approve", *, site_id: str = "harbour", reason: str = "", object_id: str = "1") -> None:
    site.database.transact(lambda connection: audit.add(
        connection, NOBODY, site_id=site_id, role="reviewer", action=action, object_kind="item", object_id=object_id,
        before_hash="", after_hash="", reason=reason))


def broken_at(site, site_id: str = "harbour") -> int | None:
    """Return the ordinal of the first row that the chain doesn't prove, None when all hold, 0 when the end is cut."""
    before = b""
    rows = site.all(ROWS.replace(":site_id", ":chain"), chain=site_id)
    for number, row in enumerate(rows, 1):
        said = json.dumps(list(row[:13]), ensure_ascii=False, separators=(", ", ": "))
        proof = hashlib.sha256(before + said.encode("utf-8")).digest()
        if (row.ordinal, bytes(row.previous_hash), bytes(row.row_hash)) != (number, before, proof):
            return row.ordinal
        before = proof
    head = site.all("select ordinal, row_hash from audit_heads where site_id = :chain", chain=site_id)
    return None if [(row.ordinal, bytes(row.row_hash)) for row in head] == [(len(rows), before)] else 0


def test_the_chain_of_a_site_verifies_by_recomputation(site):
    for action in ("approve", "publish", "reject"):
        add(site, action)
    add(site, "approve", site_id="garden")
    # The site itself was put, which is a row too.
    assert site.one("select count(*) from audit where site_id = 'harbour'") == 4
    assert broken_at(site) is None and broken_at(site, "garden") is None


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(reason=st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=60))
def test_it_verifies_whatever_somebody_wrote_as_their_reason(site, reason: str):
    add(site, reason=reason)
    assert broken_at(site) is None


def test_where_one_field_ends_and_the_next_begins_is_part_of_the_proof(site):
    add(site, reason="b", object_id="a\x1f")
    add(site, reason="\x1fb", object_id="a")
    first, second = site.all("select object_id, reason, row_hash from audit where object_kind = 'item' order by ordinal")
    assert (first.object_id + first.reason, first.row_hash) != (second.object_id + second.reason, second.row_hash)
    assert broken_at(site) is None


@pytest.mark.parametrize("statement", [
    "update audit set reason = 'another'", "delete from audit", "truncate audit",
    "update audit set at = now() where ordinal = 1",
])
def test_a_row_is_never_changed_removed_or_emptied(site, statement: str):
    add(site)
    with pytest.raises(StoreError) as refused:
        site.change(statement)
    assert refused.value.sqlstate == "DG003"
    assert broken_at(site) is None


FORGED = {
    "a changed row": ("update audit set reason = 'another' where ordinal = 2", 2),
    "a removed row": ("delete from audit where ordinal = 2", 3),
    "a removed end": ("delete from audit where ordinal = 4", 0),
    "another person": ("update audit set session_id = null, role = 'admin' where ordinal = 3", 3),
    "a row out of order": ("update audit set ordinal = 9 - ordinal where ordinal in (2, 3)", None),
}


@pytest.mark.parametrize("how", FORGED)
def test_what_somebody_forges_with_the_trigger_off_shows(site, how: str):
    for number in range(3):
        add(site, reason=str(number))
    statement, where = FORGED[how]

    def forge(connection):
        connection.execute(text("alter table audit disable trigger audit_append_only"))
        connection.execute(text(statement))

    site.database.transact(forge)
    found = broken_at(site)
    assert found is not None and where in (found, None)


def test_a_row_says_nothing_of_its_place_but_gets_it(site):
    site.change("insert into audit (site_id, ordinal, role, action, object_kind, object_id, previous_hash, row_hash) "
                "values ('harbour', 700, '', 'forged', 'item', '1', '\\x01', '\\x02')")
    assert site.one("select ordinal from audit where action = 'forged'") == 2
    assert broken_at(site) is None


def test_rows_added_at_once_form_one_chain(site):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: add(site, reason=str(number)), range(20)))
    assert site.one("select count(*) from audit") == 21
    assert broken_at(site) is None


def test_a_decision_that_is_rolled_back_leaves_no_row_and_no_gap(site):
    with pytest.raises(RuntimeError):
        def fail(connection):
            audit.add(connection, NOBODY, site_id="harbour", role="", action="lost", object_kind="item", object_id=1)
            raise RuntimeError

        site.database.transact(fail)
    add(site)
    assert site.one("select max(ordinal) from audit") == 2
    assert broken_at(site) is None
