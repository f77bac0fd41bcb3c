"""People, sessions, links and service tokens. Only hashes of tokens are stored."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.engine import Connection

# An idle session ends after the first, any session after the second (ASVS 5, 7.3.1 and 7.3.2).
SESSION_IDLE = timedelta(minutes=60)
SESSION_LONGEST = timedelta(hours=12)

_SESSION = text("""
update sessions s set last_seen_at = now()
from people p
where s.token_hash = :token_hash and p.person_id = s.person_id and p.disabled_at is null
  and s.ended_at is null and s.expires_at > now() and s.last_seen_at > now() - cast(:idle as interval)
  and s.last_seen_at < now() - interval '30 seconds'
returning s.session_id
""")
_WHO = text("""
select s.session_id, s.person_id, p.name, s.expires_at,
    coalesce((select jsonb_agg(jsonb_build_array(r.site_id, r.role)) from roles r
              where r.person_id = s.person_id), '[]') as roles
from sessions s join people p using (person_id)
where s.token_hash = :token_hash and p.disabled_at is null and s.ended_at is null and s.expires_at > now()
  and s.last_seen_at > now() - cast(:idle as interval)
""")
_WHICH_SERVICE = text("""
select t.token_id, t.name,
    coalesce((select jsonb_agg(jsonb_build_array(r.site_id, r.role)) from service_token_roles r
              where r.token_id = t.token_id), '[]') as roles
from service_tokens t
where t.token_hash = :token_hash and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
""")
_SIGN_OUT = text("update sessions set ended_at = now() where session_id = :session_id and ended_at is null")
_TAKE_LINK = text("""
update sign_in_links set used_at = now()
where token_hash = :token_hash and used_at is null and expires_at > now()
returning token_hash, person_id
""")
_LINK = text("""
insert into sign_in_links (token_hash, person_id, expires_at)
values (:token_hash, :person_id, now() + cast(:lasts as interval)) returning expires_at
""")
_DROP_FIRST_LINKS = text("delete from sign_in_links where person_id is null and used_at is null")
_PERSON = text("insert into people (name) values (:name) on conflict (name) do nothing returning person_id")
_PERSON_NAMED = text("select person_id, name, disabled_at from people where name = :name")
_PERSON_BY_ID = text("select person_id, name from people where person_id = :person_id and disabled_at is null")
_GRANT = text("""
insert into roles (person_id, site_id, role, granted_by) values (:person_id, :site_id, :role, :granted_by)
on conflict do nothing
""")
# Any number that no other program uses on the same database; makes of two first sign-ins one after the other.
_FIRST_ADMIN_LOCK = text("select pg_advisory_xact_lock(7201451187)")
_HAS_ADMIN = text("select exists (select from roles where role = 'admin')")
_NEW_SESSION = text("""
insert into sessions (token_hash, person_id, expires_at)
values (:token_hash, :person_id, now() + cast(:lasts as interval)) returning session_id, expires_at
""")
_SERVICE = text("""
insert into service_tokens (token_hash, name, created_by) values (:token_hash, :name, :created_by) returning token_id
""")
_SERVICE_ROLE = text("""
insert into service_token_roles (token_id, site_id, role) values (:token_id, :site_id, :role)
""")
_REVOKE_NAMED = text("update service_tokens set revoked_at = now() where name = :name and revoked_at is null")


def touch_session(connection: Connection, token_hash: bytes) -> None:
    """Note that a session is in use, at most twice a minute."""
    connection.execute(_SESSION, {"token_hash": token_hash, "idle": SESSION_IDLE})


def session(connection: Connection, token_hash: bytes) -> Any | None:
    """Return who a live session belongs to, with roles as [[site, role], …]; None for none."""
    return connection.execute(_WHO, {"token_hash": token_hash, "idle": SESSION_IDLE}).first()


def service(connection: Connection, token_hash: bytes) -> Any | None:
    """Return which service a live token belongs to, with its roles; None for none."""
    return connection.execute(_WHICH_SERVICE, {"token_hash": token_hash}).first()


def sign_out(connection: Connection, session_id: int) -> None:
    connection.execute(_SIGN_OUT, {"session_id": session_id})


def take_link(connection: Connection, token_hash: bytes) -> Any | None:
    """Use up a link and return its row; None when it is unknown, used or too old. Only one caller gets it."""
    return connection.execute(_TAKE_LINK, {"token_hash": token_hash}).first()


def add_link(connection: Connection, token_hash: bytes, person_id: int | None, lasts: timedelta) -> datetime:
    """Store a one-time link and return until when it can be used. `person_id` None is the first admin's, of
    which there is only one at a time."""
    if person_id is None:
        connection.execute(_DROP_FIRST_LINKS)
    return connection.execute(
        _LINK, {"token_hash": token_hash, "person_id": person_id, "lasts": lasts}
    ).scalar_one()


def add_person(connection: Connection, name: str) -> int | None:
    """Create a person and return the id; None when the name is taken."""
    return connection.execute(_PERSON, {"name": name}).scalar()


def person_named(connection: Connection, name: str) -> Any | None:
    return connection.execute(_PERSON_NAMED, {"name": name}).first()


def person(connection: Connection, person_id: int) -> Any | None:
    """Return an enabled person's row."""
    return connection.execute(_PERSON_BY_ID, {"person_id": person_id}).first()


def grant(connection: Connection, person_id: int, site_id: str, role: str, granted_by: int | None) -> None:
    connection.execute(
        _GRANT, {"person_id": person_id, "site_id": site_id, "role": role, "granted_by": granted_by}
    )


def lock_first_admin(connection: Connection) -> None:
    """Let nobody else make or invite the first admin until this transaction ends."""
    connection.execute(_FIRST_ADMIN_LOCK)


def has_admin(connection: Connection) -> bool:
    return bool(connection.execute(_HAS_ADMIN).scalar_one())


def add_session(connection: Connection, token_hash: bytes, person_id: int) -> Any:
    """Start a session; return its id and end."""
    return connection.execute(
        _NEW_SESSION, {"token_hash": token_hash, "person_id": person_id, "lasts": SESSION_LONGEST}
    ).one()


def add_service_token(
    connection: Connection, token_hash: bytes, name: str, roles: list[tuple[str, str]], created_by: int | None
) -> int:
    """Store a service token with its roles, revoking an older one of the same name."""
    connection.execute(_REVOKE_NAMED, {"name": name})
    token_id = connection.execute(
        _SERVICE, {"token_hash": token_hash, "name": name, "created_by": created_by}
    ).scalar_one()
    for site, role in sorted(set(roles)):
        connection.execute(_SERVICE_ROLE, {"token_id": token_id, "site_id": site, "role": role})
    return token_id


_FIRST_ADMIN = text("""
select r.person_id from roles r join people p using (person_id)
where r.role = 'admin' and r.site_id = '*' and p.disabled_at is null order by r.granted_at, r.person_id limit 1
""")


def first_admin(connection: Connection) -> int | None:
    """Return the enabled admin of every site who was there first."""
    return connection.execute(_FIRST_ADMIN).scalar()
