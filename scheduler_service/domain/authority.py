"""Who may do what, by site. The table is closed: a method without an entry refuses to start."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

EVERY_SITE = "*"


class Role(StrEnum):
    REVIEWER = "reviewer"
    PUBLISHER = "publisher"
    OPERATOR = "operator"
    ADMIN = "admin"
    SERVICE = "service"


class Action(StrEnum):
    ANYONE = "anyone"            # no token at all
    SIGNED_IN = "signed_in"      # any valid token; the operation itself filters by site
    READ_PUBLISHED = "read_published"
    PUSH_CONTENT = "push_content"
    SEE_ITEMS = "see_items"
    DECIDE = "decide"
    OVERRIDE_GATE = "override_gate"
    PUBLISH = "publish"
    OPERATE = "operate"
    ADMINISTER = "administer"


ALLOWED: dict[Action, frozenset[Role]] = {
    Action.READ_PUBLISHED: frozenset(Role),
    Action.PUSH_CONTENT: frozenset({Role.SERVICE, Role.OPERATOR, Role.ADMIN}),
    Action.SEE_ITEMS: frozenset({Role.REVIEWER, Role.PUBLISHER, Role.OPERATOR, Role.ADMIN}),
    Action.DECIDE: frozenset({Role.REVIEWER, Role.ADMIN}),
    Action.OVERRIDE_GATE: frozenset({Role.PUBLISHER, Role.ADMIN}),
    Action.PUBLISH: frozenset({Role.PUBLISHER, Role.ADMIN}),
    Action.OPERATE: frozenset({Role.OPERATOR, Role.ADMIN}),
    Action.ADMINISTER: frozenset({Role.ADMIN}),
}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a token belongs to: a person's session or a service token, with roles by site."""

    person_id: int | None = None
    session_id: int | None = None
    token_id: int | None = None
    name: str = ""
    roles: dict[str, frozenset[Role]] = field(default_factory=dict)

    def roles_on(self, site_id: str) -> frozenset[Role]:
        return self.roles.get(site_id, frozenset()) | self.roles.get(EVERY_SITE, frozenset())

    def may(self, action: Action, site_id: str) -> bool:
        """Return whether this caller may do `action` on site `site_id`."""
        if action is Action.ANYONE:
            return True
        if action is Action.SIGNED_IN:
            return self.person_id is not None or self.token_id is not None
        return bool(ALLOWED[action] & self.roles_on(site_id))

    def role_for(self, action: Action, site_id: str) -> Role | None:
        """Return the least role that lets the caller do `action`, for the audit."""
        held = ALLOWED.get(action, frozenset()) & self.roles_on(site_id)
        return next((role for role in Role if role in held), None)


NOBODY = Caller()
