"""Who may call which method: one closed table, checked before a handler sees the request.

A method of the contract without an entry keeps the server from starting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scheduler_service.domain.authority import EVERY_SITE, Action, Caller
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations.identify import NO_SUCH_SITE, caller_of, require
from scheduler_service.store import sites
from scheduler_service.store.engine import Database
from scheduler_service.v1 import content_pb2, operations_pb2, people_pb2, review_pb2

SiteOf = Callable[[Database, Any], str]


def _in_request(_database: Database, request: Any) -> str:
    return request.site_id


def _in_key(_database: Database, request: Any) -> str:
    return request.key.site_id


def _of_item(database: Database, request: Any) -> str:
    site_id = database.read(lambda connection: sites.of_item(connection, request.item_id))
    if site_id is None:
        # In the very words of `require`: what isn't the caller's and what isn't there look the same.
        raise Refused(Reason.NOT_FOUND, NO_SUCH_SITE)
    return site_id


def _every_site(_database: Database, _request: Any) -> str:
    return EVERY_SITE


@dataclass(frozen=True, slots=True)
class Rule:
    """`spans_sites`: without a site in the request it is about every site that the caller may see, and the
    operation itself leaves out the others."""

    action: Action
    site_of: SiteOf = _every_site
    spans_sites: bool = False


RULES: dict[str, Rule] = {
    "/scheduler_service.v1.Content/PutSite": Rule(Action.ADMINISTER, _in_request),
    "/scheduler_service.v1.Content/PutGlossary": Rule(Action.PUSH_CONTENT, _in_request),
    "/scheduler_service.v1.Content/ScanPages": Rule(Action.PUSH_CONTENT, _in_request),
    "/scheduler_service.v1.Content/ReadText": Rule(Action.READ_PUBLISHED, _in_key),
    "/scheduler_service.v1.Content/ReadPage": Rule(Action.READ_PUBLISHED, _in_request),
    "/scheduler_service.v1.Content/ListPublished": Rule(Action.READ_PUBLISHED, _in_request),
    "/scheduler_service.v1.Review/ListItems": Rule(Action.SEE_ITEMS, _in_request),
    "/scheduler_service.v1.Review/GetItem": Rule(Action.SEE_ITEMS, _of_item),
    "/scheduler_service.v1.Review/Approve": Rule(Action.DECIDE, _of_item),
    "/scheduler_service.v1.Review/Edit": Rule(Action.DECIDE, _of_item),
    "/scheduler_service.v1.Review/Reject": Rule(Action.DECIDE, _of_item),
    "/scheduler_service.v1.Review/Publish": Rule(Action.PUBLISH, _of_item),
    "/scheduler_service.v1.Review/Reopen": Rule(Action.DECIDE, _of_item),
    "/scheduler_service.v1.Operations/GetStatus": Rule(Action.SEE_ITEMS, _in_request, spans_sites=True),
    "/scheduler_service.v1.Operations/ListFields": Rule(Action.SEE_ITEMS, _in_request),
    "/scheduler_service.v1.Operations/ListSites": Rule(Action.SIGNED_IN),
    "/scheduler_service.v1.Operations/ResetItems": Rule(Action.OPERATE, _in_request),
    "/scheduler_service.v1.People/SignIn": Rule(Action.ANYONE),
    "/scheduler_service.v1.People/SignOut": Rule(Action.SIGNED_IN),
    "/scheduler_service.v1.People/WhoAmI": Rule(Action.SIGNED_IN),
    "/scheduler_service.v1.People/Invite": Rule(Action.ADMINISTER),
}


def methods_of_contract() -> set[str]:
    """Return every method that the contract names."""
    return {
        f"/{service.full_name}/{method.name}"
        for module in (content_pb2, review_pb2, operations_pb2, people_pb2)
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }


def require_rules() -> None:
    """Refuse to start while a method has no rule, or a rule no method.

    Raises:
        RuntimeError: names them.
    """
    odd = methods_of_contract() ^ RULES.keys()
    if odd:
        raise RuntimeError(f"methods without a rule, or rules without a method: {', '.join(sorted(odd))}")


def authorise(database: Database, method: str, token: str, request: Any) -> Caller:
    """Return who calls, if they may.

    Raises:
        Refused: NOT_SIGNED_IN, NOT_ALLOWED, or NOT_FOUND for sites that the caller may not even know of.
    """
    rule = RULES[method]
    # A stale token must not lock a person out of signing in.
    caller = caller_of(database, None if rule.action is Action.ANYONE else token)
    if rule.action is not Action.ANYONE and not caller.may(Action.SIGNED_IN, EVERY_SITE):
        raise Refused(Reason.NOT_SIGNED_IN, "Sign in first")
    site_id = rule.site_of(database, request)
    if site_id or not rule.spans_sites:
        require(caller, rule.action, site_id)
    return caller
