"""A credential that can't be used says which setting to correct, and proves that nothing was sent."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from translator_service.credentials import Credentials
from translator_service.domain.requests import SourceText
from translator_service.domain.values import TextFormat
from translator_service.errors import Code, ProviderFailed
from translator_service.generating import plan_text
from translator_service.providers import CredentialProfile, Registry
from translator_service.providers.offline import OfflineProvider
from translator_service.providers.openai_chat import OpenAIChatProvider


class Broken:
    """A plugin whose constructor fails."""

    def __init__(self, profile: CredentialProfile) -> None:
        raise LookupError("canary")


REGISTRY = Registry({"openai": OpenAIChatProvider, "offline": OfflineProvider, "broken": Broken})  # type: ignore[dict-item]


def _credentials(provider: str, **options: Any) -> Credentials:
    profile = CredentialProfile("main", provider, model="writer", api_key="key-1", options=options)
    return Credentials({"main": profile}, REGISTRY)


@pytest.mark.parametrize(
    ("provider", "option", "value", "says"),
    [
        ("openai", "deadline_seconds", "abc", "number from 0.1 to 600"),
        ("openai", "deadline_seconds", 601, "number from 0.1 to 600"),
        ("openai", "deadline_seconds", float("nan"), "number from 0.1 to 600"),
        ("openai", "deadline_seconds", True, "number from 0.1 to 600"),
        ("openai", "concurrency", 0, "from 1"),
        ("openai", "concurrency", 1.5, "whole number"),
        ("openai", "reasoning_tokens", -1, "from 0"),
        ("openai", "temperature", "hot", "number from 0 to 2"),
        ("openai", "json_mode", "no", "true or false"),
        ("openai", "store", 1, "true or false"),
        ("openai", "output_limit_parameter", "messages", "max_completion_tokens, max_tokens"),
        ("openai", "deadline_second", 5, "Did you mean deadline_seconds?"),
        ("offline", "threads", "two", "number from 1"),
        ("offline", "journal", 5, "path"),
        ("offline", "deadline", 5, "Known: threads, journal"),
    ],
)
def test_a_wrong_option_is_named_with_its_profile_and_what_it_may_be(provider: str, option: str, value: Any, says: str):
    with pytest.raises(ProviderFailed) as failed:
        _credentials(provider, **{option: value}).provider("main")
    ending = failed.value.ending
    assert (ending.code, ending.was_sent) == (Code.NOT_CONFIGURED, False)
    assert f"options.{option} of [translator.credentials.main]" in ending.remedy
    assert says in ending.remedy


def test_right_options_open_the_provider_once():
    credentials = _credentials(
        "openai", deadline_seconds=30, concurrency=2, reasoning_tokens=0, temperature=0.2, json_mode=False, store=True,
        output_limit_parameter="max_tokens",
    )  # fmt: skip
    assert credentials.provider("main") is credentials.provider("main")


def test_a_plan_with_a_plugin_that_can_not_be_made_ends_typed_and_without_its_words():
    source = SourceText("Good morning", TextFormat.PLAIN, "en", "de")
    plan = asyncio.run(plan_text(source, "main", _credentials("broken"), "boot"))
    assert plan.ending is not None
    assert (plan.ending.code, plan.ending.was_sent) == (Code.NOT_CONFIGURED, False)
    assert "translator.credentials.main" in plan.ending.remedy and "canary" not in plan.ending.remedy
