"""Tells who a token belongs to, and refuses who may not."""

from __future__ import annotations

import hashlib
import secrets

from sqlalchemy.engine import Connection

from scheduler_service.domain.authority import ALLOWED, EVERY_SITE, NOBODY, Action, Caller, Role
from scheduler_service.errors import Reason, Refused
from scheduler_service.store import people
from scheduler_service.store.engine import Database

# 256 random bits; the prefixes let a secret scanner name what it found.
SESSION_PREFIX, SERVICE_PREFIX, LINK_PREFIX = "dgs_", "dgt_", "dgl_"


NO_SUCH_SITE = "There is no such site or item for you"


def new_token(prefix: str) -> str:
    """Return a fresh 256-bit token."""
    return prefix + secrets.token_urlsafe(32)


def token_hash(token: str) -> bytes:
    """Return what the database keeps of a token. The token is random, so one fast hash is enough."""
    return hashlib.sha256(token.encode("utf-8")).digest()


def caller_of(database: Database, token: str | None) -> Caller:
    """Return who presents `token`; nobody without one.

    Raises:
        Refused: NOT_SIGNED_IN when the token is unknown, ended, idle too long or revoked.
    """
    if not token:
        return NOBODY
    hashed = token_hash(token)

    def look(connection: Connection) -> Caller | None:
        row = people.session(connection, hashed)
        if row is not None:
            return Caller(row.person_id, row.session_id, None, row.name, _roles(row.roles))
        row = people.service(connection, hashed)
        return Caller(None, None, row.token_id, row.name, _roles(row.roles)) if row else None

    found = database.read(look)
    if found is None:
        raise Refused(Reason.NOT_SIGNED_IN, "The session or token is unknown or has ended. Sign in again")
    if found.session_id is not None:
        database.statement(lambda connection: people.touch_session(connection, hashed))
    return found


def require(caller: Caller, action: Action, site_id: str) -> None:
    """Let pass who may do `action` on `site_id`.

    Raises:
        Refused: NOT_SIGNED_IN without a token; NOT_FOUND for a site the caller has no role on (it answers
            like one that doesn't exist); NOT_ALLOWED, naming the roles that could, otherwise.
    """
    if caller.may(action, site_id):
        return
    if not caller.may(Action.SIGNED_IN, site_id):
        raise Refused(Reason.NOT_SIGNED_IN, "Sign in first")
    if site_id != EVERY_SITE and not caller.roles_on(site_id):
        raise Refused(Reason.NOT_FOUND, NO_SUCH_SITE)
    able = " or ".join(sorted(role.value for role in ALLOWED[action]))
    where = "every site" if site_id == EVERY_SITE else "this site"
    raise Refused(Reason.NOT_ALLOWED, f"This needs the role {able} on {where}")


def _roles(pairs: list[list[str]]) -> dict[str, frozenset[Role]]:
    roles: dict[str, frozenset[Role]] = {}
    for site_id, role in pairs:
        roles[site_id] = roles.get(site_id, frozenset()) | {Role(role)}
    return roles
