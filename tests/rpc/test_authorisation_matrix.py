"""Who may call what, over the wire: every method for every kind of caller, against a table of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from running_scheduler import RunningScheduler
from stocked_site import LOCALE, PAGE

from scheduler_service.authorising import methods_of_contract
from scheduler_service.domain.authority import Role
from scheduler_service.domain.items import text_hash
from scheduler_service.operations import sign_in
from scheduler_service.v1 import content_pb2, operations_pb2, people_pb2, resources_pb2, review_pb2

S = grpc.StatusCode
PEOPLE = {"reviewer", "publisher", "operator", "admin"}
EVERYBODY = PEOPLE | {"service"}


@dataclass(frozen=True)
class Expected:
    """Which roles may call a method, and how a call ends that is let in (with the request below)."""

    roles: set[str]
    ends: S = S.OK
    # Decisions are a person's: a service token of the right role is told so.
    needs_person: bool = False
    request: Callable[[Place], Message] = field(kw_only=True)


@dataclass(frozen=True)
class Place:
    """Where a request points: a site, an item of it."""

    site_id: str
    item_id: int


def key(place: Place) -> resources_pb2.ItemKey:
    return resources_pb2.ItemKey(site_id=place.site_id, page_id=PAGE, field_name="title", target_locale=LOCALE)


# Requests that come as far as they can without changing anything that another case needs.
METHODS: dict[str, Expected] = {
    "Content/PutSite": Expected({"admin"}, request=lambda place: content_pb2.PutSiteRequest(
        site_id=place.site_id, name=place.site_id, source_locale="en", target_locales=[LOCALE], credential="offline")),
    "Content/PutGlossary": Expected({"operator", "admin", "service"}, request=lambda place: content_pb2.PutGlossaryRequest(
        site_id=place.site_id, target_locale=LOCALE)),
    "Content/ScanPages": Expected({"operator", "admin", "service"}, request=lambda place: content_pb2.ScanPagesRequest(
        site_id=place.site_id, target_locale=LOCALE)),
    "Content/ReadText": Expected(EVERYBODY, request=lambda place: content_pb2.ReadTextRequest(key=key(place))),
    "Content/ReadPage": Expected(EVERYBODY, request=lambda place: content_pb2.ReadPageRequest(
        site_id=place.site_id, page_id=PAGE, target_locale=LOCALE)),
    "Content/ListPublished": Expected(EVERYBODY, request=lambda place: content_pb2.ListPublishedRequest(
        site_id=place.site_id, target_locale=LOCALE)),
    "Review/ListItems": Expected(PEOPLE, request=lambda place: review_pb2.ListItemsRequest(site_id=place.site_id)),
    "Review/GetItem": Expected(PEOPLE, request=lambda place: review_pb2.GetItemRequest(item_id=place.item_id)),
    "Review/Approve": Expected({"reviewer", "admin"}, S.ABORTED, True, request=lambda place: review_pb2.ApproveRequest(
        item_id=place.item_id, version=-1)),
    "Review/Edit": Expected({"reviewer", "admin"}, S.ABORTED, True, request=lambda place: review_pb2.EditRequest(
        item_id=place.item_id, version=-1, text="Um")),
    "Review/Reject": Expected({"reviewer", "admin"}, S.ABORTED, True, request=lambda place: review_pb2.RejectRequest(
        item_id=place.item_id, version=-1, note="No")),
    "Review/Reopen": Expected({"reviewer", "admin"}, S.ABORTED, True, request=lambda place: review_pb2.ReopenRequest(
        item_id=place.item_id, version=-1)),
    "Review/Publish": Expected({"publisher", "admin"}, S.ABORTED, True, request=lambda place: review_pb2.PublishRequest(
        item_id=place.item_id, version=-1)),
    "Operations/GetStatus": Expected(PEOPLE, request=lambda place: operations_pb2.GetStatusRequest(site_id=place.site_id)),
    "Operations/ListFields": Expected(PEOPLE, request=lambda place: operations_pb2.ListFieldsRequest(site_id=place.site_id)),
    "Operations/ResetItems": Expected({"operator", "admin"}, request=lambda place: operations_pb2.ResetItemsRequest(
        site_id=place.site_id, reason="A try")),
}
# Methods that belong to no site.
OF_NO_SITE = {"Operations/ListSites", "People/SignIn", "People/SignOut", "People/WhoAmI", "People/Invite"}


@pytest.fixture(scope="module")
def scheduler(shared_scheduler: RunningScheduler) -> RunningScheduler:
    return shared_scheduler


@pytest.fixture(scope="module")
def places(scheduler: RunningScheduler) -> dict[str, Place]:
    """Two sites with the same page; the title of each is published, so that readers find something."""
    found = {}
    admin = scheduler.client(scheduler.person("root", "admin", site_id="*"))
    for site_id in ("harbour", "garden"):
        site = scheduler.site(site_id)
        site.scan({"title": "One"})
        candidate_id = site.drafted("title", "Um")
        item_id = site.item_id("title")
        seen = text_hash("Um")
        version = admin.approve(
            item_id, version=site.row(item_id)["version"], candidate_id=candidate_id, text_hash=seen).version
        admin.publish(item_id, version=version, text_hash=seen)
        found[site_id] = Place(site_id, item_id)
    admin.close()
    return found


@pytest.fixture(scope="module")
def tokens(scheduler: RunningScheduler, places: dict[str, Place]) -> dict[str, str]:
    """Persons with one role on the harbour, one on every site, one that has left; a service token a role."""
    found = {role: scheduler.person(f"harbour {role}", role) for role in PEOPLE | {"service"}}
    found |= {f"* {role}": scheduler.person(f"everywhere {role}", role, site_id="*") for role in PEOPLE}
    found |= {
        f"token {role}": scheduler.service(role, site_id="harbour", name=f"service {role}") for role in EVERYBODY}
    found["ended"] = scheduler.person("gone", "admin", "reviewer", "publisher", "operator", "service")
    scheduler.client(found["ended"]).sign_out()
    found["roleless"] = scheduler.person("roleless")
    found["unknown"] = "dgs_" + "x" * 43
    return found


def status(scheduler: RunningScheduler, method: str, request: Any, token: str | None) -> S:
    return scheduler.send(method, request, token)[0]


def test_the_table_names_every_method_of_the_contract():
    named = {f"/scheduler_service.v1.{method}" for method in set(METHODS) | OF_NO_SITE}
    assert named == methods_of_contract()


@pytest.mark.parametrize("method", METHODS)
def test_on_their_own_site_exactly_the_roles_of_the_table_get_in(scheduler, places, tokens, method: str):
    expected, request = METHODS[method], METHODS[method].request(places["harbour"])
    told = {role: status(scheduler, method, request, tokens[role]) for role in EVERYBODY}
    assert told == {
        role: expected.ends if role in expected.roles else S.PERMISSION_DENIED for role in EVERYBODY}


@pytest.mark.parametrize("method", METHODS)
def test_another_site_looks_as_if_it_were_not_there_whatever_the_role(scheduler, places, tokens, method: str):
    request = METHODS[method].request(places["garden"])
    callers = [*EVERYBODY, "roleless", *(f"token {role}" for role in EVERYBODY)]
    answers = {caller: scheduler.send(method, request, tokens[caller]) for caller in callers}
    assert {told for told, _, _ in answers.values()} == {S.NOT_FOUND}
    # In the very words that a site or item which doesn't exist is answered with.
    nowhere = METHODS[method].request(Place("nowhere", 2**62))
    for caller, (_, said, _) in answers.items():
        assert scheduler.send(method, nowhere, tokens[caller])[1] == said


@pytest.mark.parametrize("method", METHODS)
def test_a_role_on_every_site_is_as_good_as_one_on_this(scheduler, places, tokens, method: str):
    expected = METHODS[method]
    for place in places.values():
        told = {role: status(scheduler, method, expected.request(place), tokens[f"* {role}"]) for role in PEOPLE}
        assert told == {role: expected.ends if role in expected.roles else S.PERMISSION_DENIED for role in PEOPLE}


@pytest.mark.parametrize("method", METHODS)
def test_a_service_token_does_what_its_role_does_but_decides_nothing(scheduler, places, tokens, method: str):
    expected, request = METHODS[method], METHODS[method].request(places["harbour"])
    told = {role: status(scheduler, method, request, tokens[f"token {role}"]) for role in EVERYBODY}
    lets_in = {role for role in expected.roles if not expected.needs_person}
    assert told == {role: expected.ends if role in lets_in else S.PERMISSION_DENIED for role in EVERYBODY}


@pytest.mark.parametrize("method", sorted(set(METHODS) | OF_NO_SITE - {"People/SignIn"}))
@pytest.mark.parametrize("caller", [None, "ended", "unknown"])
def test_nobody_gets_in_without_a_living_session_or_token(scheduler, places, tokens, method: str, caller: str | None):
    request = METHODS[method].request(places["harbour"]) if method in METHODS else b""
    told, said, answer = scheduler.send(method, request, caller and tokens[caller])
    assert (told, said["draftgate-reason"], answer) == (S.UNAUTHENTICATED, "NOT_SIGNED_IN", b"")


@pytest.mark.parametrize("method", [method for method in METHODS if method != "Content/PutSite"])
def test_a_site_that_doesnt_exist_is_not_found_even_by_who_works_on_every_site(scheduler, places, tokens, method: str):
    told, said, _ = scheduler.send(method, METHODS[method].request(Place("nowhere", 2**62)), tokens["* admin"])
    assert (told, said["draftgate-reason"]) == (S.NOT_FOUND, "NOT_FOUND")


def test_signing_in_needs_no_token_and_a_stale_one_is_not_in_the_way(scheduler, tokens):
    request = people_pb2.SignInRequest(link_token="dgl_unknown")
    for caller in (None, "ended", "unknown", "reviewer"):
        told, said, _ = scheduler.send("People/SignIn", request, caller and tokens[caller])
        assert (told, said["draftgate-reason"]) == (S.FAILED_PRECONDITION, "LINK_USED")


@pytest.mark.parametrize("caller", ["reviewer", "service", "* admin", "roleless", "token service"])
def test_whoever_is_signed_in_learns_who_they_are_and_which_sites_are_theirs(scheduler, places, tokens, caller: str):
    client = scheduler.client(tokens[caller])
    person, sites = client.who_am_i().person, client.list_sites()
    client.close()
    assert bool(person.person_id) is not caller.startswith("token")
    expected = {"roleless": set(), "* admin": {"harbour", "garden"}}.get(caller, {"harbour"})
    assert {one.site_id for one in sites} == expected


def test_counts_over_all_sites_leave_out_those_that_the_caller_may_not_see(scheduler, places, tokens):
    def total(caller: str) -> int:
        answer = scheduler.send("Operations/GetStatus", operations_pb2.GetStatusRequest(), tokens[caller])
        assert answer[0] is S.OK
        return operations_pb2.GetStatusResponse.FromString(answer[2]).total

    assert {caller: total(caller) for caller in ("* reviewer", "reviewer", "service", "roleless", "token service")} == {
        "* reviewer": 2, "reviewer": 1, "service": 0, "roleless": 0, "token service": 0}


def test_only_an_admin_of_every_site_invites(scheduler, places, tokens):
    request = people_pb2.InviteRequest(
        name="Newcomer", roles=[resources_pb2.RoleGrant(site_id="harbour", role="reviewer")])
    told = {caller: status(scheduler, "People/Invite", request, tokens[caller])
            for caller in [*EVERYBODY, *(f"* {role}" for role in PEOPLE), "roleless", "token admin"]}
    assert told == {caller: S.OK if caller == "* admin" else S.PERMISSION_DENIED for caller in told}


def test_signing_out_ends_that_session_alone(scheduler, places):
    link, _ = sign_in.invite(scheduler.database, sign_in.NOBODY, "Two places", [("harbour", Role.REVIEWER)])
    first = sign_in.sign_in(scheduler.database, link, "").token
    second = scheduler.person("Two places", "reviewer")
    assert status(scheduler, "People/SignOut", people_pb2.SignOutRequest(), first) is S.OK
    assert status(scheduler, "People/WhoAmI", people_pb2.WhoAmIRequest(), first) is S.UNAUTHENTICATED
    assert status(scheduler, "People/WhoAmI", people_pb2.WhoAmIRequest(), second) is S.OK


def test_an_unknown_method_is_unimplemented_and_tells_nothing(scheduler, tokens):
    told, _, answer = scheduler.send("Review/Burn", b"", tokens["* admin"])
    assert (told, answer) == (S.UNIMPLEMENTED, b"")
