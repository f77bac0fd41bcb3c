"""Who may do what, by site: the roles of the design, written down a second time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_service import authorising
from scheduler_service.authorising import RULES, methods_of_contract, require_rules
from scheduler_service.domain.authority import ALLOWED, EVERY_SITE, NOBODY, Action, Caller, Role
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations.identify import require

MAY = {
    Action.READ_PUBLISHED: "reviewer publisher operator admin service",
    Action.PUSH_CONTENT: "operator admin service",
    Action.SEE_ITEMS: "reviewer publisher operator admin",
    Action.DECIDE: "reviewer admin",
    Action.OVERRIDE_GATE: "publisher admin",
    Action.PUBLISH: "publisher admin",
    Action.OPERATE: "operator admin",
    Action.ADMINISTER: "admin",
}
SITES = st.sampled_from(["harbour", "garden", "mill"])
ROLES = st.frozensets(st.sampled_from(Role), max_size=5)


@pytest.mark.parametrize("action", ALLOWED)
def test_an_action_is_open_to_exactly_its_roles(action: Action):
    able = {role.value for role in Role if Caller(1, roles={"harbour": frozenset({role})}).may(action, "harbour")}
    assert able == set(MAY[action].split())


def test_every_action_is_in_the_table_or_open_by_its_meaning():
    assert set(Action) - set(ALLOWED) == {Action.ANYONE, Action.SIGNED_IN}


@given(roles=st.dictionaries(SITES, ROLES), site=SITES, action=st.sampled_from(sorted(ALLOWED)))
def test_a_role_on_one_site_says_nothing_about_another(roles: dict[str, frozenset[Role]], site: str, action: Action):
    elsewhere = {other: held for other, held in roles.items() if other != site}
    assert not Caller(1, roles=elsewhere).may(action, site)
    assert Caller(1, roles=roles).may(action, site) == bool(ALLOWED[action] & roles.get(site, frozenset()))


@given(held=ROLES, site=SITES, action=st.sampled_from(sorted(ALLOWED)))
def test_a_role_on_every_site_counts_on_each(held: frozenset[Role], site: str, action: Action):
    assert Caller(1, roles={EVERY_SITE: held}).may(action, site) == bool(ALLOWED[action] & held)


@given(roles=st.dictionaries(SITES, ROLES), action=st.sampled_from(sorted(ALLOWED)))
def test_roles_on_some_sites_are_no_role_on_every_site(roles: dict[str, frozenset[Role]], action: Action):
    assert not Caller(1, roles=roles).may(action, EVERY_SITE)


@given(roles=st.dictionaries(SITES | st.just(EVERY_SITE), ROLES), site=SITES, action=st.sampled_from(sorted(ALLOWED)))
def test_the_audit_names_a_role_that_lets_the_caller_act_or_none(roles, site: str, action: Action):
    caller = Caller(1, roles=roles)
    role = caller.role_for(action, site)
    assert (role is not None) == caller.may(action, site)
    assert role is None or role in ALLOWED[action] & caller.roles_on(site)


@pytest.mark.parametrize("action", ALLOWED)
def test_nobody_may_nothing(action: Action):
    assert not NOBODY.may(action, "harbour") and not NOBODY.may(Action.SIGNED_IN, "harbour")


def test_a_site_that_isnt_the_callers_looks_like_one_that_doesnt_exist():
    caller = Caller(1, roles={"harbour": frozenset({Role.ADMIN})})
    with pytest.raises(Refused) as refused:
        require(caller, Action.SEE_ITEMS, "garden")
    assert refused.value.reason is Reason.NOT_FOUND


@pytest.mark.parametrize("site", ["harbour", EVERY_SITE])
def test_a_missing_role_is_named(site: str):
    caller = Caller(1, roles={"harbour": frozenset({Role.REVIEWER})})
    with pytest.raises(Refused) as refused:
        require(caller, Action.ADMINISTER, site)
    assert refused.value.reason is Reason.NOT_ALLOWED and "admin" in refused.value.remedy


def test_every_method_of_the_contract_has_a_rule():
    assert set(RULES) == methods_of_contract()
    require_rules()


@pytest.mark.parametrize("odd", ["without a rule", "without a method"])
def test_a_method_without_a_rule_keeps_the_server_from_starting(monkeypatch, odd: str):
    rules = dict(RULES)
    if odd == "without a rule":
        del rules["/scheduler_service.v1.Review/Publish"]
    else:
        rules["/scheduler_service.v1.Review/Burn"] = rules["/scheduler_service.v1.Review/Publish"]
    monkeypatch.setattr(authorising, "RULES", rules)
    with pytest.raises(RuntimeError, match="Review/(Publish|Burn)"):
        require_rules()
