"""The scheduler as the current request may use it: with the visitor's own authority and no other."""

from __future__ import annotations

from flask import g

from review_web import session
from review_web.mounting import mounted
from scheduler_service.answers import PersonSummary
from scheduler_service.answers_operations import Site
from scheduler_service.client import SchedulerClient
from scheduler_service.errors import Reason, Refused

def anyone() -> SchedulerClient:
    """Return a client without a token: enough for signing in."""
    return mounted().client


def scheduler() -> SchedulerClient:
    """Return a client with the visitor's session.

    Raises:
        Refused: NOT_SIGNED_IN, when the visitor has none.
    """
    token = session.token()
    if not token:
        raise Refused(Reason.NOT_SIGNED_IN, "Sign in first.")
    return mounted().client.with_token(token)


def person() -> PersonSummary:
    """Return the visitor, asked for once a request."""
    if "draftgate_person" not in g:
        g.draftgate_person = scheduler().who_am_i().person
    return g.draftgate_person


def sites() -> tuple[Site, ...]:
    """Return the visitor's sites, asked for once a request."""
    if "draftgate_sites" not in g:
        g.draftgate_sites = scheduler().list_sites()
    return g.draftgate_sites


def site(site_id: str) -> Site:
    """Return one of the visitor's sites.

    Raises:
        Refused: NOT_FOUND, for an unknown site and for one the visitor has no role on alike.
    """
    for each in sites():
        if each.site_id == site_id:
            return each
    raise Refused(Reason.NOT_FOUND, "No such site, or none of yours. Your sites are on the start page.")
