"""Calls the scheduler: one method an RPC, plain values in and out.

Every call has a deadline and none is repeated here: whether to try again is the caller's decision.
The channel is opened at the first call, so a client may be made before a process forks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Self, TypeVar

from google.protobuf.message import Message

from scheduler_service import answers, answers_content, answers_operations
from scheduler_service.client_line import Line
from scheduler_service.v1 import content_pb2, content_pb2_grpc, operations_pb2, operations_pb2_grpc
from scheduler_service.v1 import people_pb2, people_pb2_grpc, resources_pb2, review_pb2, review_pb2_grpc

# A page of a list or one item comes in milliseconds; past this a person has stopped waiting.
READ_SECONDS = 10.0
# A decision may run the gates of an edited text through the translator first.
DECIDE_SECONDS = 20.0
# A scan of a thousand pages is one transaction.
SCAN_SECONDS = 120.0

Value = TypeVar("Value")


class SchedulerClient:
    """Speaks to the scheduler at `address` with the authority of `token`; safe to share between threads.

    Every method raises:
        Refused: the scheduler said no; the error has its reason, remedy and field.
        SchedulerUnreachable: no scheduler answered in time.
    """

    def __init__(self, address: str, token: str | None = None) -> None:
        self._line = Line(address)
        self._token = token

    @property
    def address(self) -> str:
        return self._line.address

    def with_token(self, token: str | None) -> SchedulerClient:
        """Return a client with another authority over the same channel; costs nothing."""
        other = SchedulerClient.__new__(SchedulerClient)
        other._line, other._token = self._line, token
        return other

    def close(self) -> None:
        """Close the channel, for every client that shares it; the next call opens a new one."""
        self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def is_ready(self, timeout_seconds: float = 2.0) -> bool:
        """Return whether a scheduler can be reached now; it is not asked what it can do."""
        return self._line.is_ready(timeout_seconds)

    def _call(self, kind: type[Value], stub: type[Any], method: str, request: Message, seconds: float) -> Value:
        return self._line.call(kind, stub, method, request, seconds, self._token)

    # People

    def sign_in(self, link_token: str, name: str = "") -> answers.SignInResponse:
        """Exchange a one-time link for a session; needs no token."""
        request = people_pb2.SignInRequest(link_token=link_token, name=name)
        return self._call(answers.SignInResponse, people_pb2_grpc.PeopleStub, "SignIn", request, DECIDE_SECONDS)

    def sign_out(self) -> None:
        """End the session whose token this client carries."""
        request = people_pb2.SignOutRequest()
        self._call(answers.Nothing, people_pb2_grpc.PeopleStub, "SignOut", request, READ_SECONDS)

    def who_am_i(self) -> answers.WhoAmIResponse:
        request = people_pb2.WhoAmIRequest()
        return self._call(answers.WhoAmIResponse, people_pb2_grpc.PeopleStub, "WhoAmI", request, READ_SECONDS)

    def invite(self, name: str, roles: Iterable[answers.RoleGrant]) -> answers.InviteResponse:
        """Make a one-time sign-in link for a person, who is created when new."""
        request = people_pb2.InviteRequest(name=name)
        for grant in roles:
            request.roles.add(site_id=grant.site_id, role=grant.role)
        return self._call(answers.InviteResponse, people_pb2_grpc.PeopleStub, "Invite", request, READ_SECONDS)

    # Review

    def list_items(
        self,
        site_id: str,
        *,
        queue: answers.Queue | None = None,
        target_locale: str = "",
        page_id: str = "",
        query: str = "",
        page_size: int = 0,
        page_token: str = "",
    ) -> answers.ListItemsResponse:
        """List items, keyset-paged; `queue` None lists all of them."""
        request = review_pb2.ListItemsRequest(
            site_id=site_id,
            queue=_queue(queue),
            target_locale=target_locale,
            page_id=page_id,
            query=query,
            page_size=page_size,
            page_token=page_token,
        )
        return self._call(answers.ListItemsResponse, review_pb2_grpc.ReviewStub, "ListItems", request, READ_SECONDS)

    def get_item(self, item_id: int, queue: answers.Queue | None = None) -> answers.GetItemResponse:
        """Return one item with all that a reviewer needs; neighbours are those in `queue`."""
        request = review_pb2.GetItemRequest(item_id=item_id, queue=_queue(queue))
        return self._call(answers.GetItemResponse, review_pb2_grpc.ReviewStub, "GetItem", request, READ_SECONDS)

    def approve(
        self,
        item_id: int,
        *,
        version: int,
        candidate_id: int,
        text_hash: str,
        override_reason: str = "",
        note: str = "",
    ) -> answers.DecisionResponse:
        """Approve exactly the text whose hash is `text_hash`."""
        request = review_pb2.ApproveRequest(
            item_id=item_id,
            version=version,
            candidate_id=candidate_id,
            text_hash=text_hash,
            override_reason=override_reason,
            note=note,
        )
        return self._decide("Approve", request)

    def edit(
        self,
        item_id: int,
        *,
        version: int,
        candidate_id: int,
        text: str,
        approve: bool,
        override_reason: str = "",
        note: str = "",
    ) -> answers.EditResponse:
        """Store a person's text and approve it, or only store it as the draft.

        With `approve` and an open hard gate without a reason, nothing is stored and the gates come back.
        """
        request = review_pb2.EditRequest(
            item_id=item_id,
            version=version,
            candidate_id=candidate_id,
            text=text,
            approve=approve,
            override_reason=override_reason,
            note=note,
        )
        return self._call(answers.EditResponse, review_pb2_grpc.ReviewStub, "Edit", request, DECIDE_SECONDS)

    def reject(
        self, item_id: int, *, version: int, candidate_id: int, note: str, ask_again: bool
    ) -> answers.DecisionResponse:
        """Refuse a text; `ask_again` has a new one made."""
        request = review_pb2.RejectRequest(
            item_id=item_id, version=version, candidate_id=candidate_id, note=note, ask_again=ask_again
        )
        return self._decide("Reject", request)

    def publish(self, item_id: int, *, version: int, text_hash: str) -> answers.DecisionResponse:
        """Release the approved text whose hash is `text_hash`."""
        return self._decide(
            "Publish", review_pb2.PublishRequest(item_id=item_id, version=version, text_hash=text_hash)
        )

    def reopen(self, item_id: int, *, version: int, note: str = "") -> answers.DecisionResponse:
        """Take back what the caller approved or rejected."""
        return self._decide("Reopen", review_pb2.ReopenRequest(item_id=item_id, version=version, note=note))

    def _decide(self, method: str, request: Message) -> answers.DecisionResponse:
        return self._call(answers.DecisionResponse, review_pb2_grpc.ReviewStub, method, request, DECIDE_SECONDS)

    # Operations

    def get_status(self, site_id: str = "") -> answers_operations.GetStatusResponse:
        """Return the counts of a site, or of every site the caller may see."""
        request = operations_pb2.GetStatusRequest(site_id=site_id)
        return self._operate(answers_operations.GetStatusResponse, "GetStatus", request)

    def list_fields(
        self, site_id: str, *, target_locale: str = "", page_size: int = 0, page_token: str = ""
    ) -> answers_operations.ListFieldsResponse:
        request = operations_pb2.ListFieldsRequest(
            site_id=site_id, target_locale=target_locale, page_size=page_size, page_token=page_token
        )
        return self._operate(answers_operations.ListFieldsResponse, "ListFields", request)

    def list_sites(self) -> tuple[answers_operations.Site, ...]:
        """Return the sites on which the caller has a role."""
        request = operations_pb2.ListSitesRequest()
        return self._operate(answers_operations.ListSitesResponse, "ListSites", request).sites

    def reset_items(
        self, site_id: str, *, item_ids: Iterable[int] = (), reason: str
    ) -> answers_operations.ResetItemsResponse:
        """Give failed items a fresh budget; without `item_ids`, every failed one of the site."""
        request = operations_pb2.ResetItemsRequest(site_id=site_id, item_ids=item_ids, reason=reason)
        return self._operate(answers_operations.ResetItemsResponse, "ResetItems", request)

    def _operate(self, kind: type[Value], method: str, request: Message) -> Value:
        return self._call(kind, operations_pb2_grpc.OperationsStub, method, request, READ_SECONDS)

    # Content

    def put_site(
        self,
        site_id: str,
        *,
        name: str,
        source_locale: str,
        target_locales: Iterable[str],
        credential: str,
        judge_credential: str = "",
    ) -> None:
        """Create the site, or update what is given."""
        request = content_pb2.PutSiteRequest(
            site_id=site_id,
            name=name,
            source_locale=source_locale,
            target_locales=target_locales,
            credential=credential,
            judge_credential=judge_credential,
        )
        self._content(answers.Nothing, "PutSite", request)

    def put_glossary(
        self,
        site_id: str,
        target_locale: str,
        *,
        terms: Iterable[answers_content.GlossaryTerm],
        forbidden_terms: Iterable[str] = (),
    ) -> answers_content.PutGlossaryResponse:
        """Replace the glossary of a language pair; the same terms keep their version."""
        request = content_pb2.PutGlossaryRequest(
            site_id=site_id,
            target_locale=target_locale,
            terms=[content_pb2.GlossaryTerm(**asdict(term)) for term in terms],
            forbidden_terms=forbidden_terms,
        )
        return self._content(answers_content.PutGlossaryResponse, "PutGlossary", request)

    def scan_pages(
        self, site_id: str, target_locale: str, pages: Iterable[answers_content.SourcePage], *, is_complete: bool
    ) -> answers_content.ScanPagesResponse:
        """Upsert the items of whole pages, at most 1,000, in one transaction.

        With `is_complete`, items of pages that are absent go inactive.
        """
        request = content_pb2.ScanPagesRequest(
            site_id=site_id,
            target_locale=target_locale,
            pages=[content_pb2.SourcePage(**asdict(page)) for page in pages],
            is_complete=is_complete,
        )
        return self._content(answers_content.ScanPagesResponse, "ScanPages", request, SCAN_SECONDS)

    def read_text(self, key: answers.ItemKey) -> answers_content.PublishedText:
        """Return one published text; anything else is Refused with NOT_FOUND."""
        request = content_pb2.ReadTextRequest(key=resources_pb2.ItemKey(**asdict(key)))
        return self._content(answers_content.ReadTextResponse, "ReadText", request).text

    def read_page(
        self, site_id: str, page_id: str, target_locale: str
    ) -> tuple[answers_content.PublishedText, ...]:
        request = content_pb2.ReadPageRequest(site_id=site_id, page_id=page_id, target_locale=target_locale)
        return self._content(answers_content.ReadPageResponse, "ReadPage", request).texts

    def list_published(
        self, site_id: str, target_locale: str, *, page_size: int = 0, page_token: str = ""
    ) -> answers_content.ListPublishedResponse:
        request = content_pb2.ListPublishedRequest(
            site_id=site_id, target_locale=target_locale, page_size=page_size, page_token=page_token
        )
        return self._content(answers_content.ListPublishedResponse, "ListPublished", request)

    def _content(
        self, kind: type[Value], method: str, request: Message, seconds: float = READ_SECONDS
    ) -> Value:
        return self._call(kind, content_pb2_grpc.ContentStub, method, request, seconds)


def _queue(queue: answers.Queue | None) -> int:
    return review_pb2.Queue.Value(f"QUEUE_{queue.name}") if queue else review_pb2.QUEUE_UNSPECIFIED
