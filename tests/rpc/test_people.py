"""Who may come in: links that work once, one first admin, sessions that end."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from running_scheduler import RunningScheduler
from sqlalchemy import text

from scheduler_service.answers import RoleGrant
from scheduler_service.client import SchedulerClient
from scheduler_service.domain.authority import Role
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations import sign_in
from scheduler_service.operations.identify import token_hash
from scheduler_service.store import people

ALL_ROLES = {Role.ADMIN, Role.REVIEWER, Role.PUBLISHER, Role.OPERATOR}


@pytest.fixture
def anybody(scheduler: RunningScheduler):
    with scheduler.client() as client:
        yield client


@pytest.fixture
def root(scheduler: RunningScheduler):
    """The first admin, signed in."""
    token = sign_in.sign_in(scheduler.database, sign_in.first_admin_link(scheduler.database), "Root").token
    with scheduler.client(token) as client:
        yield client


def refused(act, *arguments, **values) -> Refused:
    with pytest.raises(Refused) as error:
        act(*arguments, **values)
    return error.value


def is_in(client: SchedulerClient, token: str) -> bool:
    try:
        return bool(client.with_token(token).who_am_i().person.person_id)
    except Refused as no:
        assert no.reason is Reason.NOT_SIGNED_IN
        return False


def change(scheduler: RunningScheduler, statement: str, **values) -> None:
    scheduler.database.transact(lambda connection: connection.execute(text(statement), values) and None)


def one(scheduler: RunningScheduler, query: str):
    return scheduler.database.read(lambda connection: connection.execute(text(query)).scalar_one())


def at_once(act, times: int = 2) -> list:
    """Run `act` in so many threads that begin together; return what each returned or raised."""
    barrier = threading.Barrier(times)

    def run(number: int):
        barrier.wait()
        try:
            return act(number)
        except Refused as error:
            return error.reason

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(run, range(times)))


# The first admin -----------------------------------------------------------------------------


def test_the_first_link_makes_the_first_admin_under_the_name_they_choose(scheduler, anybody):
    answer = anybody.sign_in(sign_in.first_admin_link(scheduler.database), " Marta ")
    assert answer.person.name == "Marta"
    assert {Role(grant.role) for grant in answer.person.roles} == ALL_ROLES
    assert {grant.site_id for grant in answer.person.roles} == {"*"}
    assert sign_in.first_admin_link(scheduler.database) is None


def test_a_new_first_link_replaces_the_one_before(scheduler, anybody):
    first = sign_in.first_admin_link(scheduler.database)
    second = sign_in.first_admin_link(scheduler.database)
    assert refused(anybody.sign_in, first).reason is Reason.LINK_USED
    assert anybody.sign_in(second).person.name == "admin"


def test_of_two_who_use_the_first_link_at_once_one_becomes_admin(scheduler, anybody):
    link = sign_in.first_admin_link(scheduler.database)
    told = at_once(lambda number: anybody.sign_in(link, f"Admin {number}").person.name)
    assert sorted(map(str, told))[-1] == "LINK_USED" and len(set(told)) == 2
    assert one(scheduler, "select count(*) from people") == 1


def test_there_is_one_first_admin_however_many_links_there_were(scheduler, anybody):
    """Two processes that start at once could each have printed a link of their own."""
    links = ["dgl_first", "dgl_second"]
    for link in links:
        change(scheduler, "insert into sign_in_links (token_hash, expires_at) values (:hash, now() + interval '1 hour')",
               hash=token_hash(link))
    told = at_once(lambda number: anybody.sign_in(links[number], f"Admin {number}").person.name)
    assert told.count(Reason.LINK_USED) == 1
    assert one(scheduler, "select count(*) from roles where role = 'admin'") == 1


def test_a_name_that_cant_be_taken_leaves_the_link_good(scheduler, anybody):
    link = sign_in.first_admin_link(scheduler.database)
    change(scheduler, "insert into people (name) values ('Marta')")
    for name in ("x" * 81, "Marta"):
        problem = refused(anybody.sign_in, link, name)
        assert (problem.reason, problem.field) == (Reason.INVALID_FIELD, "name")
    assert anybody.sign_in(link, "Nora").person.name == "Nora"


# Links ---------------------------------------------------------------------------------------


def test_a_link_signs_in_once_also_when_used_twice_at_once(scheduler, root, anybody):
    scheduler.site()
    link = root.invite("Ana", [RoleGrant("harbour", "reviewer")]).link_token
    told = at_once(lambda _number: anybody.sign_in(link).person.name, 3)
    assert sorted(map(str, told)) == ["Ana", "LINK_USED", "LINK_USED"]
    assert one(scheduler, "select count(*) from sessions s join people p using (person_id) where name = 'Ana'") == 1


def test_a_link_that_is_too_old_or_unknown_looks_like_one_that_was_used(scheduler, root, anybody):
    link = root.invite("Ana", []).link_token
    change(scheduler, "update sign_in_links set expires_at = now() - interval '1 second'")
    used = root.invite("Rui", []).link_token
    anybody.sign_in(used)
    told = [refused(anybody.sign_in, one) for one in (link, used, "dgl_unknown", "")]
    assert {(one.reason, one.field, one.remedy) for one in told} == {(told[0].reason, told[0].field, told[0].remedy)}
    assert told[0].reason is Reason.LINK_USED


def test_only_hashes_of_tokens_are_kept(scheduler, root, anybody):
    link = root.invite("Ana", []).link_token
    session = anybody.sign_in(link).session_token
    service = scheduler.service("service")
    dumped = one(scheduler, """select concat((select json_agg(t) from sign_in_links t), (select json_agg(t) from sessions t),
        (select json_agg(t) from service_tokens t), (select json_agg(t) from audit t))""")
    for token in (link, session, service):
        assert token not in dumped and token[4:] not in dumped
        assert token_hash(token).hex() in dumped


def test_an_invitation_makes_a_person_with_these_roles_and_no_others(scheduler, root, anybody):
    scheduler.site()
    answer = root.invite("Ana", [RoleGrant("harbour", "reviewer"), RoleGrant("harbour", "publisher")])
    assert timedelta(hours=23) < answer.expires_at - datetime.now(UTC) <= timedelta(hours=24)
    person = anybody.sign_in(answer.link_token, "ignored").person
    assert (person.name, {(grant.site_id, grant.role) for grant in person.roles}) == (
        "Ana", {("harbour", "reviewer"), ("harbour", "publisher")})
    assert one(scheduler, "select reason from audit where action = 'invite'") == "harbour:reviewer,harbour:publisher"


def test_inviting_somebody_again_is_the_same_person_with_more_roles(scheduler, root, anybody):
    scheduler.site()
    first = anybody.sign_in(root.invite("Ana", [RoleGrant("harbour", "reviewer")]).link_token).person
    again = anybody.sign_in(root.invite(" Ana ", [RoleGrant("harbour", "publisher")]).link_token).person
    assert again.person_id == first.person_id and len(again.roles) == 2


@pytest.mark.parametrize(("name", "site_id", "role", "field"), [
    ("", "harbour", "reviewer", "name"), ("x" * 81, "harbour", "reviewer", "name"), (" ", "harbour", "reviewer", "name"),
    ("Ana", "harbour", "owner", "roles"), ("Ana", "harbour", "", "roles"), ("Ana", "nowhere", "reviewer", "roles"),
    ("Ana", "", "reviewer", "roles")])
def test_an_invitation_that_makes_no_sense_names_the_field(scheduler, root, name, site_id, role, field):
    scheduler.site()
    problem = refused(root.invite, name, [RoleGrant(site_id, role)])
    assert (problem.reason, problem.field) == (Reason.INVALID_FIELD, field)
    assert one(scheduler, "select count(*) from people") == 1


def test_a_disabled_person_comes_in_by_no_link_and_no_session(scheduler, root, anybody):
    link = root.invite("Ana", []).link_token
    session = anybody.sign_in(root.invite("Ana", []).link_token).session_token
    change(scheduler, "update people set disabled_at = now() where name = 'Ana'")
    assert not is_in(anybody, session)
    assert refused(anybody.sign_in, link).reason is Reason.NOT_ALLOWED
    assert refused(root.invite, "Ana", []).reason is Reason.INVALID_FIELD


# Sessions ------------------------------------------------------------------------------------


@pytest.fixture
def session(scheduler, anybody) -> str:
    return scheduler.person("Ana")


def test_a_session_ends_when_it_was_idle_for_too_long(scheduler, anybody, session):
    change(scheduler, "update sessions set last_seen_at = now() - :idle", idle=people.SESSION_IDLE - timedelta(seconds=30))
    assert is_in(anybody, session)
    change(scheduler, "update sessions set last_seen_at = now() - :idle", idle=people.SESSION_IDLE)
    assert not is_in(anybody, session)


def test_a_session_in_use_doesnt_become_idle_and_writes_at_most_twice_a_minute(scheduler, anybody, session):
    change(scheduler, "update sessions set last_seen_at = now() - interval '50 minutes'")
    assert is_in(anybody, session)
    seen_at = one(scheduler, "select last_seen_at from sessions")
    assert one(scheduler, "select last_seen_at > now() - interval '1 minute' from sessions")
    assert is_in(anybody, session)
    assert one(scheduler, "select last_seen_at from sessions") == seen_at


def test_a_session_ends_after_its_longest_time_however_busy_it_is(scheduler, anybody, session):
    lasts = one(scheduler, "select expires_at - created_at from sessions")
    assert timedelta(0) <= people.SESSION_LONGEST - lasts < timedelta(minutes=1)
    change(scheduler, "update sessions set expires_at = now()")
    assert not is_in(anybody, session)


def test_a_session_ends_at_once_when_signing_out(scheduler, anybody, session):
    anybody.with_token(session).sign_out()
    assert not is_in(anybody, session)
    assert refused(anybody.with_token(session).sign_out).reason is Reason.NOT_SIGNED_IN


def test_a_role_that_is_taken_away_counts_from_the_next_call(scheduler, anybody):
    scheduler.site()
    client = anybody.with_token(scheduler.person("Ana", "reviewer"))
    assert client.list_items("harbour").items == ()
    change(scheduler, "delete from roles where person_id = (select person_id from people where name = 'Ana')")
    assert refused(client.list_items, "harbour").reason is Reason.NOT_FOUND


# Service tokens ------------------------------------------------------------------------------


def test_a_service_has_one_token_at_a_time_and_it_can_be_revoked_or_run_out(scheduler, anybody):
    scheduler.site()

    def works(token: str) -> bool:
        try:
            return anybody.with_token(token).list_published("harbour", "pt-BR").texts == ()
        except Refused as no:
            assert no.reason is Reason.NOT_SIGNED_IN
            return False

    first, other = scheduler.service("service"), scheduler.service("service", name="other")
    second = scheduler.service("service", "service")
    assert (works(first), works(second), works(other)) == (False, True, True)
    change(scheduler, "update service_tokens set revoked_at = now() where name = 'other'")
    assert not works(other)
    change(scheduler, "update service_tokens set expires_at = now()")
    assert not works(second)


@pytest.mark.parametrize(("name", "site_id"), [("", "*"), ("x" * 81, "*"), ("pusher", "nowhere")])
def test_a_service_token_needs_a_name_and_a_site_that_exists(scheduler, name: str, site_id: str):
    assert refused(sign_in.issue_service_token, scheduler.database, name, [(site_id, Role.SERVICE)]).reason is (
        Reason.INVALID_FIELD)


def test_who_owns_the_database_gets_a_link_for_the_admin_and_nobody_before_there_is_one(scheduler, anybody):
    assert refused(sign_in.admin_link, scheduler.database).reason is Reason.NOT_FOUND
    anybody.sign_in(sign_in.first_admin_link(scheduler.database), "Root")
    assert anybody.sign_in(sign_in.admin_link(scheduler.database)).person.name == "Root"
