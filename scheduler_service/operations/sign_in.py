"""Invitations, sign-in by a one-time link, sign-out, service tokens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from scheduler_service.domain.authority import EVERY_SITE, NOBODY, Caller, Role
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations.identify import (
    LINK_PREFIX,
    SERVICE_PREFIX,
    SESSION_PREFIX,
    caller_of,
    new_token,
    token_hash,
)
from scheduler_service.store import audit, people, sites
from scheduler_service.store.engine import Database

# Long enough to walk over to a browser, short enough that a link in an old log is worth nothing.
LINK_LASTS = timedelta(hours=24)
FIRST_ADMIN_NAME = "admin"
NAME_MOST = 80


@dataclass(frozen=True, slots=True)
class Session:
    token: str
    expires_at: datetime
    caller: Caller


def first_admin_link(database: Database) -> str | None:
    """Return a one-time link token with which the first admin signs in; None once there is an admin.

    A new one replaces an older unused one.
    """
    token = new_token(LINK_PREFIX)

    def make(connection: Connection) -> bool:
        people.lock_first_admin(connection)
        if people.has_admin(connection):
            return False
        people.add_link(connection, token_hash(token), None, LINK_LASTS)
        return True

    return token if database.transact(make) else None


def link_url(review_url: str, link_token: str, *, is_first: bool = False) -> str:
    """Return the address that a person opens to use a one-time link; the first admin's lets them choose a name."""
    return f"{review_url.rstrip('/')}/sign-in?{'first=1&' if is_first else ''}token={link_token}"


def sign_in(database: Database, link_token: str, name: str) -> Session:
    """Exchange a one-time link for a session. The first admin is made here, called `name` (or "admin").

    Raises:
        Refused: LINK_USED when the link is unknown, used or too old; INVALID_FIELD for a name that is too long
            or taken (the link stays good).
    """
    name = name.strip() or FIRST_ADMIN_NAME
    if len(name) > NAME_MOST:
        raise Refused(Reason.INVALID_FIELD, f"Choose a name of at most {NAME_MOST} characters", "name")
    session_token = new_token(SESSION_PREFIX)

    def exchange(connection: Connection) -> datetime:
        link = people.take_link(connection, token_hash(link_token))
        if link is None:
            raise Refused(Reason.LINK_USED, "This link was used or is too old. Ask for a new one", "link_token")
        person_id = link.person_id if link.person_id is not None else _make_first_admin(connection, name)
        person = people.person(connection, person_id)
        if person is None:
            raise Refused(Reason.NOT_ALLOWED, "This account is disabled. Ask an admin")
        row = people.add_session(connection, token_hash(session_token), person_id)
        audit.add(connection, Caller(person_id=person_id, session_id=row.session_id), site_id=EVERY_SITE,
                  role="", action="sign_in", object_kind="person", object_id=person_id)
        return row.expires_at

    expires_at = database.transact(exchange)
    return Session(session_token, expires_at, caller_of(database, session_token))


def _make_first_admin(connection: Connection, name: str) -> int:
    people.lock_first_admin(connection)
    if people.has_admin(connection):
        raise Refused(Reason.LINK_USED, "There is an admin already. Ask them for a link", "link_token")
    person_id = people.add_person(connection, name)
    if person_id is None:
        raise Refused(Reason.INVALID_FIELD, "This name is taken. Choose another", "name")
    for role in (Role.ADMIN, Role.REVIEWER, Role.PUBLISHER, Role.OPERATOR):
        people.grant(connection, person_id, EVERY_SITE, role.value, None)
    return person_id


def sign_out(database: Database, caller: Caller) -> None:
    """End the caller's session at once; a service token is left as it is."""
    if caller.session_id is not None:
        database.transact(lambda connection: people.sign_out(connection, caller.session_id or 0))


def invite(
    database: Database, caller: Caller, name: str, roles: list[tuple[str, Role]]
) -> tuple[str, datetime]:
    """Return a one-time link token for `name`, who is made when new and gets `roles`, and its end.

    Raises:
        Refused: INVALID_FIELD for an empty or too long name, a disabled person or a role on an unknown site.
    """
    name = name.strip()
    if not 0 < len(name) <= NAME_MOST:
        raise Refused(Reason.INVALID_FIELD, f"Give a name of 1 to {NAME_MOST} characters", "name")
    token = new_token(LINK_PREFIX)

    def make(connection: Connection) -> datetime:
        person_id = people.add_person(connection, name)
        if person_id is None:
            known = people.person_named(connection, name)
            if known is None or known.disabled_at is not None:
                raise Refused(Reason.INVALID_FIELD, "This person is disabled", "name")
            person_id = known.person_id
        _require_sites(connection, roles)
        for site_id, role in roles:
            people.grant(connection, person_id, site_id, role.value, caller.person_id)
        role = Role.ADMIN.value if caller.person_id is not None else ""
        audit.add(connection, caller, site_id=EVERY_SITE, role=role, action="invite",
                  object_kind="person", object_id=person_id,
                  reason=",".join(f"{site}:{role.value}" for site, role in roles))
        return people.add_link(connection, token_hash(token), person_id, LINK_LASTS)

    return token, database.transact(make)


def _require_sites(connection: Connection, roles: list[tuple[str, Role]]) -> None:
    for site_id in sorted({site_id for site_id, _ in roles} - {EVERY_SITE}):
        if not sites.exists(connection, site_id):
            raise Refused(Reason.INVALID_FIELD, "Name a site that exists, or * for every site", "roles")


def issue_service_token(database: Database, name: str, roles: list[tuple[str, Role]]) -> str:
    """Return a fresh token for a service called `name`; an older one of this name ends. Shown once.

    Raises:
        Refused: INVALID_FIELD for an empty or too long name, or a role on an unknown site.
    """
    name = name.strip()
    if not 0 < len(name) <= NAME_MOST:
        raise Refused(Reason.INVALID_FIELD, f"Give a name of 1 to {NAME_MOST} characters", "name")
    token = new_token(SERVICE_PREFIX)

    def make(connection: Connection) -> int:
        _require_sites(connection, roles)
        token_id = people.add_service_token(
            connection, token_hash(token), name, [(site, role.value) for site, role in roles], None)
        audit.add(connection, NOBODY, site_id=EVERY_SITE, role="", action="issue_token",
                  object_kind="service_token", object_id=token_id,
                  reason=",".join(f"{site}:{role.value}" for site, role in roles))
        return token_id

    database.transact(make)
    return token


def admin_link(database: Database) -> str:
    """Return a one-time link token for the admin who was there first: for who owns the database itself.

    Raises:
        Refused: NOT_FOUND when there is no admin yet.
    """
    token = new_token(LINK_PREFIX)

    def make(connection: Connection) -> bool:
        admin = people.first_admin(connection)
        if admin is None:
            raise Refused(Reason.NOT_FOUND, "There is no admin yet")
        people.add_link(connection, token_hash(token), admin, LINK_LASTS)
        return True

    database.transact(make)
    return token
