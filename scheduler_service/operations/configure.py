"""Sites and glossaries: what an admin sets up."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy.engine import Connection

from scheduler_service.domain.authority import Action, Caller
from scheduler_service.errors import Reason, Refused
from scheduler_service.store import audit, credentials, sites
from scheduler_service.store.engine import Database
from translator_service.foundation.locales import LocaleError, canonical

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\Z")
# It is a heading on every page of the review site.
NAME_MOST_CHARACTERS = 200
# A glossary goes into each request: beyond this it would not fit a model's window anyway.
TERMS_MOST = 2_000


def put_site(
    database: Database,
    caller: Caller,
    *,
    site_id: str,
    name: str,
    source_locale: str,
    target_locales: Sequence[str],
    credential: str,
    judge_credential: str = "",
) -> None:
    """Create a site, or update the one of this id.

    Raises:
        Refused: INVALID_FIELD naming what is malformed.
    """
    for field, value in (("site_id", site_id), ("credential", credential),
                         ("judge_credential", judge_credential or credential)):
        if not _NAME.match(value):
            raise Refused(Reason.INVALID_FIELD, "Use 1 to 64 of a-z, 0-9, - and _", field)
    source = locale(source_locale, "source_locale")
    targets = list(dict.fromkeys(locale(tag, "target_locales") for tag in target_locales))
    if not targets:
        raise Refused(Reason.INVALID_FIELD, "Name at least one locale", "target_locales")
    if len(name) > NAME_MOST_CHARACTERS:
        raise Refused(Reason.INVALID_FIELD, f"Use at most {NAME_MOST_CHARACTERS} characters", "name")
    if source in targets:
        raise Refused(Reason.INVALID_FIELD, "The source locale can't be a target too", "target_locales")

    wanted = {
        "site_id": site_id, "name": name.strip() or site_id, "source_locale": source,
        "target_locales": targets, "credential_id": credential,
        "judge_credential_id": judge_credential or credential,
    }

    def put(connection: Connection) -> None:
        found = sites.get(connection, site_id)
        # Each scan says again what its site is: what is so already is neither written nor audited.
        if found is not None and all(getattr(found, column) == value for column, value in wanted.items()):
            return
        for credential_id in sorted({credential, judge_credential or credential}):
            credentials.ensure(connection, credential_id)
        sites.put(connection, wanted)
        sites.deactivate_other_locales(connection, site_id)
        _audit(connection, caller, site_id, "put_site", "site", site_id)

    database.transact(put)


def put_glossary(
    database: Database,
    caller: Caller,
    *,
    site_id: str,
    target_locale: str,
    terms: Sequence[dict[str, Any]],
    forbidden_terms: Sequence[str],
) -> tuple[str, bool]:
    """Make these terms the glossary of a pair; return (version, whether it is new). The same terms are the same
    version. Approved texts stay; what is generated from now on uses it.

    Raises:
        Refused: INVALID_FIELD for an empty term or too many, NOT_FOUND for an unknown site.
    """
    target = locale(target_locale, "target_locale")
    for field, given in (("terms", terms), ("forbidden_terms", forbidden_terms)):
        if len(given) > TERMS_MOST:
            raise Refused(Reason.INVALID_FIELD, f"Give at most {TERMS_MOST} terms", field)
    if not all(term.strip() for term in forbidden_terms):
        raise Refused(Reason.INVALID_FIELD, "Leave out the empty term", "forbidden_terms")
    for number, term in enumerate(terms, 1):
        if not term["source"].strip() or not (term["target"].strip() or term["do_not_translate"]):
            raise Refused(Reason.INVALID_FIELD, f"Term {number} needs a source and a target", "terms")
    content = json.dumps([list(terms), list(forbidden_terms)], sort_keys=True, ensure_ascii=False)
    version = "g-" + hashlib.sha256(content.encode("utf-8")).hexdigest()[:12]

    def put(connection: Connection) -> bool:
        # Locked, so that of two at once the later one is in force afterwards.
        if not sites.lock(connection, site_id):
            raise Refused(Reason.NOT_FOUND, "There is no such site", "site_id")
        if sites.current_glossary(connection, site_id, target).version == version:
            return False
        is_new = sites.put_glossary(
            connection, site_id=site_id, target_locale=target, version=version, terms=terms,
            forbidden_terms=forbidden_terms, person_id=caller.person_id)
        _audit(connection, caller, site_id, "put_glossary", "glossary", f"{target} {version}")
        return is_new

    return version, database.transact(put)


def locale(tag: str, field: str) -> str:
    """Return the canonical tag.

    Raises:
        Refused: INVALID_FIELD naming `field`.
    """
    try:
        return canonical(tag)
    except LocaleError:
        raise Refused(Reason.INVALID_FIELD, "Use a BCP 47 tag such as en, pt-BR or zh-Hans", field) from None


def _audit(connection: Connection, caller: Caller, site_id: str, action: str, kind: str, object_id: str) -> None:
    role = caller.role_for(Action.ADMINISTER, site_id) or caller.role_for(Action.PUSH_CONTENT, site_id)
    audit.add(connection, caller, site_id=site_id, role=role.value if role else "", action=action,
              object_kind=kind, object_id=object_id)
