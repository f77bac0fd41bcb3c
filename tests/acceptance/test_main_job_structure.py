"""A text that breaks the structure of its source can't be approved, except by somebody who may and says why."""

from __future__ import annotations

import pytest
from opened_site import Opened

from scheduler_service.answers import Candidate, GetItemResponse, RoleGrant
from scheduler_service.client import SchedulerClient
from scheduler_service.domain.items import ItemStatus
from scheduler_service.embedded.demo import SITE_ID
from scheduler_service.errors import Reason, Refused

pytestmark = pytest.mark.slow

PAGE = "shaped.md"
FENCE = '```python\nprint("Count the nails")\n```\n'


def person_with(opened: Opened, name: str, *roles: str) -> SchedulerClient:
    """Return a client with the session of a person who has these roles on the site."""
    invitation = opened.person.invite(name, [RoleGrant(SITE_ID, role) for role in roles])
    session = opened.person.with_token(None).sign_in(invitation.link_token)
    return opened.person.with_token(session.session_token)


def shown(item: GetItemResponse) -> Candidate:
    assert item.candidate is not None
    return item.candidate


@pytest.mark.parametrize(
    ("part", "damage"),
    [
        (FENCE, ""),
        ("| Hammer | The top shelf |\n", None),
        ("# ", "## "),
        ("///\n\n|", "|"),
    ],
    ids=["a code fence", "a table's row", "a heading's level", "an admonition's end"],
)
def test_an_edit_that_loses_structure_is_not_stored_as_approved(small: Opened, part: str, damage: str | None) -> None:
    item = small.item(PAGE)
    text = shown(item).text
    if damage is None:
        # The row is translated; its place is known by the row of dashes before it.
        lines = text.split("\n")
        del lines[next(at for at, line in enumerate(lines) if line.startswith("|--")) + 1]
        broken = "\n".join(lines)
    else:
        assert part in text
        broken = text.replace(part, damage, 1)
    answer = small.person.edit(
        item.summary.item_id, version=item.summary.version, candidate_id=shown(item).candidate_id,
        text=broken, approve=True,
    )  # fmt: skip
    assert not answer.is_stored
    failed = [gate for gate in answer.gates if gate.is_open and gate.is_structural]
    assert failed and all(gate.explanation for gate in failed)
    after = small.item(PAGE)
    assert (after.summary.version, after.summary.status) == (item.summary.version, item.summary.status)
    assert shown(after).text == text


def test_a_broken_structure_needs_an_override_by_somebody_who_may(small: Opened) -> None:
    before = small.item(PAGE)
    text = shown(before).text
    assert FENCE in text
    edited = small.person.edit(
        before.summary.item_id, version=before.summary.version, candidate_id=shown(before).candidate_id,
        text=text.replace(FENCE, ""), approve=False,
    )  # fmt: skip
    assert edited.is_stored and edited.status is ItemStatus.NEEDS_REVIEW
    item = small.item(PAGE)
    assert item.candidate is not None and item.candidate.open_gates
    assert {f"gate:{gate.gate}" for gate in item.candidate.open_gates} <= set(item.summary.reasons)
    reviewer = person_with(small, "Reviewer of structure", "reviewer")
    publisher = person_with(small, "Publisher of structure", "reviewer", "publisher")

    def approve(client: SchedulerClient, override_reason: str) -> ItemStatus:
        assert item.candidate is not None
        return client.approve(
            item.summary.item_id, version=item.summary.version, candidate_id=item.candidate.candidate_id,
            text_hash=item.candidate.text_hash, override_reason=override_reason,
        ).status  # fmt: skip

    for client, reason in ((publisher, ""), (publisher, "  "), (reviewer, ""), (reviewer, "I have looked at it")):
        with pytest.raises(Refused) as refusal:
            approve(client, reason)
        assert refusal.value.reason is Reason.OPEN_HARD_GATE
        assert small.item(PAGE).summary.status is ItemStatus.NEEDS_REVIEW

    assert approve(publisher, "The example moved to its own page") is ItemStatus.APPROVED
    overridden = small.database.execute(
        "select override_reason, overridden_gates from approvals where item_id = %s and revoked_at is null",
        (item.summary.item_id,),
    ).fetchall()
    assert overridden == [
        ("The example moved to its own page", [gate.gate for gate in item.candidate.open_gates])
    ]
    # Give the page back as it was, for the other tests of this file.
    approved = small.item(PAGE)
    reopened = small.person.reopen(item.summary.item_id, version=approved.summary.version)
    assert reopened.status is ItemStatus.NEEDS_REVIEW
    restored = small.person.edit(
        item.summary.item_id, version=reopened.version, candidate_id=item.candidate.candidate_id, text=text,
        approve=False,
    )  # fmt: skip
    assert restored.status is ItemStatus.DRAFT
