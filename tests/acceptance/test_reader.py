"""What the public can read: what was published, and nothing else."""

from __future__ import annotations

import pytest
from deciding import approve, publish
from opened_site import LOCALE, Opened

from scheduler_service.domain.items import ItemKey, ItemStatus, text_hash
from scheduler_service.embedded.demo import SITE_ID
from scheduler_service.errors import Reason, Refused

pytestmark = pytest.mark.slow

PAGE = "reader.md"


def key(field_name: str) -> ItemKey:
    return ItemKey(SITE_ID, PAGE, field_name, LOCALE)


def assert_not_served(opened: Opened, field_name: str) -> None:
    """Neither by its key, nor with its page, nor in the list of what is published."""
    reader = opened.demo.installation.scheduler()
    with pytest.raises(Refused) as refusal:
        reader.read_text(key(field_name))
    assert refusal.value.reason is Reason.NOT_FOUND
    assert field_name not in [text.key.field_name for text in reader.read_page(SITE_ID, PAGE, LOCALE)]
    assert key(field_name) not in [text.key for text in reader.list_published(SITE_ID, LOCALE).texts]


def test_a_draft_is_not_served(small: Opened) -> None:
    assert small.item(PAGE, "title").summary.status is ItemStatus.DRAFT
    assert_not_served(small, "title")


def test_an_approved_text_is_not_served_before_it_is_published(small: Opened) -> None:
    item = small.item(PAGE, "description")
    approve(small.person, item)
    assert small.item(PAGE, "description").summary.status is ItemStatus.APPROVED
    assert_not_served(small, "description")


def test_a_published_text_is_served_as_it_was_approved(small: Opened) -> None:
    item = small.item(PAGE)
    assert_not_served(small, "body")
    assert item.candidate is not None
    publish(small.person, item, approve(small.person, item))
    reader = small.demo.installation.scheduler()
    served = reader.read_text(key("body"))
    assert served.text == item.candidate.text
    assert served.text_hash == item.candidate.text_hash == text_hash(served.text)
    assert served.is_current and served.published_at is not None
    assert reader.read_page(SITE_ID, PAGE, LOCALE) == (served,)
    assert served in reader.list_published(SITE_ID, LOCALE).texts


def test_a_text_of_nowhere_is_not_found(small: Opened) -> None:
    reader = small.demo.installation.scheduler()
    unknown_keys = key("no-such-field"), ItemKey(SITE_ID, PAGE, "body", "fr"), ItemKey(SITE_ID, "x", "body", LOCALE)
    for unknown in unknown_keys:
        with pytest.raises(Refused) as refusal:
            reader.read_text(unknown)
        assert refusal.value.reason is Reason.NOT_FOUND
