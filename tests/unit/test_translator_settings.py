"""The translator's settings: an engine without any, keys never written down, errors that name the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_service.working.translating import PAID
from translator_service.foundation.settings import SettingsError
from translator_service.providers.openai_chat import DEADLINE_SECONDS, MOST_DEADLINE_SECONDS, WAIT_SECONDS
from translator_service.settings import TranslatorSettings


def _load(text: str, tmp_path: Path, **environ: str) -> TranslatorSettings:
    config = tmp_path / "draftgate.toml"
    config.write_text(text, encoding="utf-8")
    return TranslatorSettings.load(environ=environ, config_file=config)


def test_without_any_setting_the_offline_profile_exists():
    settings = TranslatorSettings.load(environ={})
    assert set(settings.profiles({})) == {"offline"}
    assert settings.grpc_bind == "127.0.0.1:50061"
    assert settings.profiles({})["offline"].options["threads"] == 2


def test_a_profile_takes_its_key_from_the_named_variable_and_never_shows_it(tmp_path: Path):
    settings = _load(
        """
        [translator.credentials.main]
        provider = "openai"
        model = "writer"
        judge_model = "reader"
        base_url = "https://llm.example.org/v1"
        api_key_env = "MAIN_KEY"
        input_price_per_million = 0.25
        output_price_per_million = 2
        judge_input_price_per_million = 0.5
        judge_output_price_per_million = 4
        options = { reasoning_tokens = 0 }
        """,
        tmp_path,
    )
    profile = settings.profiles({"MAIN_KEY": "s3cret"})["main"]
    assert profile.api_key == "s3cret"
    assert (profile.input_price_micros, profile.output_price_micros) == (250_000, 2_000_000)
    assert (profile.judge_input_price_micros, profile.judge_output_price_micros) == (500_000, 4_000_000)
    assert profile.options["reasoning_tokens"] == 0
    assert "s3cret" not in repr(profile) + repr(settings)
    assert settings.profiles({})["main"].api_key is None
    assert "offline" in settings.profiles({})


def test_a_key_file_is_read_and_a_missing_one_is_named(tmp_path: Path):
    key = tmp_path / "key"
    text = f'[translator.credentials.main]\nprovider = "openai"\napi_key_file = "{key}"\n'
    settings = _load(text, tmp_path)
    with pytest.raises(SettingsError, match="api_key_file"):
        settings.profiles({})
    key.write_text("\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="empty"):
        settings.profiles({})
    key.write_text("from-file\n", encoding="utf-8")
    assert settings.profiles({})["main"].api_key == "from-file"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('grpc_bind = "0.0.0.0:50061"', "token"),
        ('grpc_bind = "50061"', "host:port"),
        ('http_bind = "localhost:99999"', "host:port"),
        ("offline_threads = 0", "offline_threads"),
        ('credentials = { a = { provider = "openai", api_key = "x" } }', "credentials"),
        ('credentials = { a = { provider = "openai", base_url = "https://u:p@h/v1" } }', "password"),
        ('credentials = { a = { provider = "openai", base_url = "h:1" } }', "http"),
        ('credentials = { a = { provider = "openai", judge_input_price_per_million = 1 } }', "set both"),
        ('offline_journal = "/nowhere/at/all/journal"', "existing folder"),
        ('ofline_journal = "x"', "offline_journal"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_is_wrong(tmp_path: Path, text: str, says: str):
    with pytest.raises(SettingsError, match=says):
        _load(f"[translator]\n{text}\n", tmp_path)


def test_a_token_opens_the_bind_to_other_machines(tmp_path: Path):
    token = tmp_path / "token"
    token.write_text("t0ken\n", encoding="utf-8")
    settings = _load(
        '[translator]\ngrpc_bind = "0.0.0.0:50061"\n', tmp_path, DRAFTGATE_TRANSLATOR_TOKEN_FILE=str(token)
    )
    assert settings.token is not None and settings.token.get_secret_value() == "t0ken"
    assert "t0ken" not in repr(settings)


def test_an_offline_profile_of_ones_own_keeps_the_process_options(tmp_path: Path):
    settings = _load(
        'translator.offline_threads = 3\n[translator.credentials.free]\nprovider = "offline"\n', tmp_path
    )
    assert settings.profiles({})["free"].options["threads"] == 3


def test_deadlines_nest_from_the_provider_over_the_drain_to_the_scheduler():
    assert DEADLINE_SECONDS + WAIT_SECONDS < TranslatorSettings().drain_seconds
    assert MOST_DEADLINE_SECONDS + WAIT_SECONDS < PAID.total_seconds()
