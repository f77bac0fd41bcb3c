"""What no careful client sends: each gets its status and reason, changes nothing, and echoes no content."""

from __future__ import annotations

import base64
import json
from urllib.parse import unquote

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from running_scheduler import RunningScheduler
from stocked_site import LOCALE

from scheduler_service.authorising import methods_of_contract
from scheduler_service.errors import Reason
from scheduler_service.store.engine import CommitUnknown, StoreError, StoreUnavailable
from scheduler_service.v1 import content_pb2, operations_pb2, people_pb2, resources_pb2, review_pb2

S = grpc.StatusCode
CANARY = "canary-of-somebodys-text"
METHODS = sorted(method.removeprefix("/scheduler_service.v1.") for method in methods_of_contract())


@pytest.fixture(scope="module")
def scheduler(shared_scheduler: RunningScheduler) -> RunningScheduler:
    shared_scheduler.site().scan({"title": CANARY})
    return shared_scheduler


@pytest.fixture
def root(scheduler: RunningScheduler) -> str:
    """A session of somebody with every role on every site."""
    return scheduler.person("Root", "admin", "reviewer", "publisher", "operator", site_id="*")


def requests() -> dict[str, type[Message]]:
    """Return every method with the class of its request."""
    found = {}
    for module in (content_pb2, operations_pb2, people_pb2, review_pb2):
        for service in module.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                found[f"{service.name}/{method.name}"] = getattr(module, method.input_type.name)
    return found


def refused(scheduler: RunningScheduler, token: str | None, method: str, request, **options):
    """Send what must be refused; return (status, reason, field). What was said is content-free and helps."""
    status, said, answer = scheduler.send(method, request, token, **options)
    assert status is not S.OK and answer == b""
    everything = str(said)
    assert CANARY not in everything and "Traceback" not in everything and "SQLSTATE" not in everything
    assert said["draftgate-reason"] in Reason.__members__
    assert unquote(said["draftgate-remedy"]) or said.get("draftgate-error-id")
    return status, said["draftgate-reason"], said["draftgate-field"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("raw", [b"\xff\xff\xff\xff", b"\x0a\x05ab", b"\x0a\x03\xed\xa0\x80", b"\x0a\x02\xc3\x28"],
                         ids=["no message", "cut off", "half a character", "not UTF-8"])
def test_bytes_that_are_no_message_are_refused(scheduler, root, method: str, raw: bytes):
    first = requests()[method].DESCRIPTOR.fields_by_number.get(1)
    if raw[0] == 0x0A and (first is None or first.type == FieldDescriptor.TYPE_INT64):
        # An unknown field, or of another kind: protobuf takes it along, and what is missing is refused.
        assert scheduler.send(method, raw, root)[0] in {S.OK, S.NOT_FOUND, S.INVALID_ARGUMENT, S.PERMISSION_DENIED}
        return
    assert refused(scheduler, root, method, raw)[:2] == (S.INVALID_ARGUMENT, "INVALID_FIELD")


@pytest.mark.parametrize("method", METHODS)
def test_a_call_without_a_deadline_is_refused(scheduler, root, method: str):
    assert refused(scheduler, root, method, b"", timeout=None) == (S.INVALID_ARGUMENT, "INVALID_FIELD", "deadline")


@pytest.mark.parametrize("method", METHODS)
def test_an_empty_message_is_answered_or_refused_and_never_an_error_of_ours(scheduler, root, method: str):
    status = scheduler.send(method, b"", root)[0]
    assert status in {S.OK, S.NOT_FOUND, S.INVALID_ARGUMENT, S.FAILED_PRECONDITION, S.PERMISSION_DENIED}


def texts_of(kind: type[Message], path: str = "") -> list[str]:
    """Return the path of every text of a message, the first of each repeated field."""
    found = []
    for field in kind.DESCRIPTOR.fields:
        place = path + field.name + ("[0]" if field.is_repeated else "")
        if field.type == FieldDescriptor.TYPE_STRING:
            found.append(place)
        elif field.type == FieldDescriptor.TYPE_MESSAGE and "google.protobuf" not in field.message_type.full_name:
            found += texts_of(field.message_type._concrete_class, place + ".")
    return found


def with_text(kind: type[Message], path: str, value: str) -> Message:
    request = kind()
    message = request
    *parents, last = path.split(".")
    for name in parents:
        message = getattr(message, name.removesuffix("[0]")).add() if name.endswith("[0]") else getattr(message, name)
    if last.endswith("[0]"):
        getattr(message, last.removesuffix("[0]")).append(value)
    else:
        setattr(message, last, value)
    return request


@pytest.mark.parametrize(("method", "path"), [(method, path) for method, kind in requests().items() for path in texts_of(kind)])
def test_a_nul_character_anywhere_names_its_field(scheduler, root, method: str, path: str):
    request = with_text(requests()[method], path, f"{CANARY}\x00")
    assert refused(scheduler, root, method, request) == (S.INVALID_ARGUMENT, "INVALID_FIELD", path)


def test_zero_bytes_that_are_no_text_are_no_nul_character(scheduler, root):
    # An empty text in a repeated field has a length of zero.
    request = content_pb2.PutGlossaryRequest(site_id="harbour", target_locale=LOCALE, forbidden_terms=[""])
    assert b"\0" in request.SerializeToString()
    assert refused(scheduler, root, "Content/PutGlossary", request)[2] == "forbidden_terms"


def test_a_message_that_is_too_large_is_refused_before_it_is_read(scheduler, root):
    request = review_pb2.EditRequest(item_id=1, text=CANARY * 200_000)
    status, said, answer = scheduler.send("Review/Edit", request, root)
    assert (status, answer) == (S.RESOURCE_EXHAUSTED, b"") and CANARY not in str(said)


def token(*values) -> str:
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode()


LISTS = {
    "Review/ListItems": lambda **values: review_pb2.ListItemsRequest(site_id="harbour", **values),
    "Operations/ListFields": lambda **values: operations_pb2.ListFieldsRequest(site_id="harbour", **values),
    "Content/ListPublished": lambda **values: content_pb2.ListPublishedRequest(
        site_id="harbour", target_locale=LOCALE, **values),
}
BAD_TOKENS = {
    "no base64": "%%%", "not ASCII": "é", "no JSON": base64.urlsafe_b64encode(b"{").decode(),
    "nothing": token(), "too many": token("a", 1, 2, 3), "another kind": token([], {}, None), "numbers as text": token("1"),
    "an object": base64.urlsafe_b64encode(b'{"a": 1}').decode(), "a number": base64.urlsafe_b64encode(b"1").decode(),
    "infinite": base64.urlsafe_b64encode(b'["a", Infinity, 1]').decode(), "NUL": token("\x00", 1, 2),
    "half a character": base64.urlsafe_b64encode(b'["\\ud800", 1, 2]').decode(), "beyond any number": token("a", 1, 2**63),
    "a truth": token(True), "so deep": base64.urlsafe_b64encode(b"[" * 100_000).decode(),
    "a number of another list": token(2**63),
}


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("what", BAD_TOKENS)
def test_a_page_token_that_isnt_ours_is_refused(scheduler, root, method: str, what: str):
    request = LISTS[method](page_token=BAD_TOKENS[what])
    assert refused(scheduler, root, method, request) == (S.INVALID_ARGUMENT, "INVALID_FIELD", "page_token")


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("size", [-1, -(2**31), 501, 2**31 - 1])
def test_a_page_size_beyond_its_bounds_is_refused(scheduler, root, method: str, size: int):
    request = LISTS[method](page_size=size)
    assert refused(scheduler, root, method, request) == (S.INVALID_ARGUMENT, "INVALID_FIELD", "page_size")


PLACE = {"site_id": "harbour", "page_id": "page.md", "field_name": "title"}
LOCALES = {
    "Content/ScanPages": (lambda tag: content_pb2.ScanPagesRequest(site_id="harbour", target_locale=tag), "target_locale"),
    "Content/PutGlossary": (lambda tag: content_pb2.PutGlossaryRequest(site_id="harbour", target_locale=tag), "target_locale"),
    "Content/ListPublished": (lambda tag: content_pb2.ListPublishedRequest(site_id="harbour", target_locale=tag), "target_locale"),
    "Content/ReadPage": (lambda tag: content_pb2.ReadPageRequest(site_id="harbour", page_id="a", target_locale=tag), "target_locale"),
    "Content/ReadText": (lambda tag: content_pb2.ReadTextRequest(
        key=resources_pb2.ItemKey(**PLACE, target_locale=tag)), "key.target_locale"),
    "Review/ListItems": (lambda tag: review_pb2.ListItemsRequest(site_id="harbour", target_locale=tag), "target_locale"),
    "Operations/ListFields": (lambda tag: operations_pb2.ListFieldsRequest(site_id="harbour", target_locale=tag), "target_locale"),
    "Content/PutSite": (lambda tag: content_pb2.PutSiteRequest(
        site_id="mill", source_locale="en", target_locales=[LOCALE, tag], credential="offline"), "target_locales"),
}


@pytest.mark.parametrize("method", LOCALES)
@pytest.mark.parametrize("tag", ["zz", "nonsense", "pt-BR-x-y-z-", "../../etc", "*"])
def test_an_unknown_locale_is_refused_wherever_one_is_named(scheduler, root, method: str, tag: str):
    make, field = LOCALES[method]
    assert refused(scheduler, root, method, make(tag)) == (S.INVALID_ARGUMENT, "INVALID_FIELD", field)


SITE = {"site_id": "mill", "name": "Mill", "source_locale": "en", "target_locales": [LOCALE], "credential": "offline"}


@pytest.mark.parametrize(("values", "field"), [
    ({"site_id": ""}, "site_id"), ({"site_id": "Mill"}, "site_id"), ({"site_id": "a" * 65}, "site_id"),
    ({"site_id": "*"}, "site_id"), ({"site_id": "-mill"}, "site_id"), ({"site_id": "mill\n"}, "site_id"),
    ({"credential": ""}, "credential"), ({"credential": "a b"}, "credential"),
    ({"judge_credential": "a b"}, "judge_credential"), ({"source_locale": "zz"}, "source_locale"),
    ({"target_locales": []}, "target_locales"), ({"target_locales": ["en"]}, "target_locales"),
    ({"name": "a" * 201}, "name")])
def test_a_site_that_makes_no_sense_names_the_field(scheduler, root, values, field: str):
    request = content_pb2.PutSiteRequest(**SITE | values)
    assert refused(scheduler, root, "Content/PutSite", request) == (S.INVALID_ARGUMENT, "INVALID_FIELD", field)


def test_one_locale_spelled_twice_is_one_locale(scheduler, root):
    request = content_pb2.PutSiteRequest(**SITE | {"target_locales": ["pt-BR", "pt_br", "pt-br"]})
    assert scheduler.send("Content/PutSite", request, root)[0] is S.OK
    answer = operations_pb2.ListSitesResponse.FromString(
        scheduler.send("Operations/ListSites", operations_pb2.ListSitesRequest(), root)[2])
    assert [list(site.target_locales) for site in answer.sites if site.site_id == "mill"] == [["pt-BR"]]


@pytest.mark.parametrize(("terms", "forbidden", "field"), [
    ([("", "mapa")], [], "terms"), ([("map", "")], [], "terms"), ([(" ", "mapa")], [], "terms"),
    ([("map", "mapa")] * 2_001, [], "terms"), ([], ["a"] * 2_001, "forbidden_terms"), ([], ["a", " "], "forbidden_terms")])
def test_a_glossary_that_makes_no_sense_names_the_field(scheduler, root, terms, forbidden, field: str):
    request = content_pb2.PutGlossaryRequest(
        site_id="harbour", target_locale=LOCALE, forbidden_terms=forbidden,
        terms=[content_pb2.GlossaryTerm(source=source, target=target) for source, target in terms])
    assert refused(scheduler, root, "Content/PutGlossary", request) == (S.INVALID_ARGUMENT, "INVALID_FIELD", field)


def test_a_queue_that_the_contract_doesnt_know_is_refused(scheduler, root):
    for method, request in (("Review/ListItems", review_pb2.ListItemsRequest(site_id="harbour", queue=99)),
                            ("Review/GetItem", review_pb2.GetItemRequest(item_id=1, queue=99))):
        assert refused(scheduler, root, method, request) == (S.INVALID_ARGUMENT, "INVALID_FIELD", "queue")


def test_resetting_needs_a_reason(scheduler, root):
    request = operations_pb2.ResetItemsRequest(site_id="harbour", reason=" ")
    assert refused(scheduler, root, "Operations/ResetItems", request) == (S.INVALID_ARGUMENT, "INVALID_FIELD", "reason")


@pytest.mark.parametrize("raw", ["Bearer ", "Basic eHg=", "bearer", "Bearer dgs_", "Bearer " + "x" * 5_000])
def test_an_authorization_that_is_no_token_of_ours_is_nobodys(scheduler, raw: str):
    call = scheduler.channel.unary_unary("/scheduler_service.v1.People/WhoAmI")
    with pytest.raises(grpc.RpcError) as error:
        call(b"", timeout=10, metadata=(("authorization", raw),))
    assert error.value.code() is S.UNAUTHENTICATED


@pytest.mark.parametrize(("error", "status", "reason"), [
    (StoreUnavailable("57P01"), S.UNAVAILABLE, "DATABASE_UNAVAILABLE"),
    (CommitUnknown("08006"), S.UNAVAILABLE, "OUTCOME_UNKNOWN"),
    (StoreError("23505", "some_key"), S.INTERNAL, "INTERNAL"),
    (RuntimeError(CANARY), S.INTERNAL, "INTERNAL")])
def test_what_goes_wrong_inside_is_told_without_its_words(scheduler, root, monkeypatch, error, status, reason):
    def fail(*_arguments, **_values):
        raise error

    monkeypatch.setattr("scheduler_service.store.queues.list_items", fail)
    request = review_pb2.ListItemsRequest(site_id="harbour")
    assert refused(scheduler, root, "Review/ListItems", request)[:2] == (status, reason)
