"""Flags, then environment, then the file, then defaults; for every service's model the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from review_web.config import ReviewSettings
from scheduler_service.settings import SchedulerSettings
from translator_service.foundation.settings import ServiceSettings, SettingsError
from translator_service.settings import TranslatorSettings

MODELS = (SchedulerSettings, TranslatorSettings, ReviewSettings)
URL = "postgresql://somebody@localhost/some"
# What a model can't do without, and its http bind under whatever name it has.
NEEDED = {SchedulerSettings: {"DATABASE_URL": URL}, TranslatorSettings: {}, ReviewSettings: {}}
BIND = {SchedulerSettings: "http_bind", TranslatorSettings: "http_bind", ReviewSettings: "bind"}
NUMBER = {SchedulerSettings: "concurrency", TranslatorSettings: "offline_threads", ReviewSettings: "threads"}


def secrets_of(model: type[ServiceSettings]) -> list[str]:
    return [name for name, field in model.model_fields.items() if "SecretStr" in str(field.annotation)]


SECRETS = [(model, name) for model in MODELS for name in secrets_of(model)]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "draftgate.toml"


def load(model, config: Path | None = None, flags: dict | None = None, **environ: str):
    return model.load(flags, environ={**NEEDED[model], **environ}, config_file=config)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch):
    """No draftgate.toml of the working directory takes part."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("model", MODELS)
def test_flags_win_over_environment_over_file_over_default(model, config: Path):
    name, variable = BIND[model], f"{model.prefix}{BIND[model].upper()}"
    default = getattr(load(model), name)
    config.write_text(f'[{model.table}]\n{name} = "127.0.0.1:1001"\n')
    assert default != "127.0.0.1:1001"
    assert getattr(load(model, config), name) == "127.0.0.1:1001"
    assert getattr(load(model, config, **{variable: "127.0.0.1:1002"}), name) == "127.0.0.1:1002"
    flagged = load(model, config, {name: "127.0.0.1:1003"}, **{variable: "127.0.0.1:1002"})
    assert getattr(flagged, name) == "127.0.0.1:1003"


@pytest.mark.parametrize("model", MODELS)
def test_a_flag_that_wasnt_given_and_an_empty_variable_change_nothing(model, config: Path):
    name = BIND[model]
    config.write_text(f'[{model.table}]\n{name} = "127.0.0.1:1001"\n')
    loaded = load(model, config, {name: None}, **{f"{model.prefix}{name.upper()}": ""})
    assert getattr(loaded, name) == "127.0.0.1:1001"


@pytest.mark.parametrize("model", MODELS)
def test_a_file_in_the_working_directory_is_read_and_the_variable_names_another(model, tmp_path: Path):
    name = NUMBER[model]
    (tmp_path / "draftgate.toml").write_text(f"[{model.table}]\n{name} = 3\n")
    other = tmp_path / "other.toml"
    other.write_text(f"[{model.table}]\n{name} = 5\n")
    assert getattr(load(model), name) == 3
    assert getattr(load(model, DRAFTGATE_CONFIG=str(other)), name) == 5


@pytest.mark.parametrize("model", MODELS)
def test_a_services_table_is_its_own(model, config: Path):
    config.write_text('[elsewhere]\nanything = 1\n')
    assert load(model, config) == load(model)


@pytest.mark.parametrize("model", MODELS)
def test_an_unknown_key_names_file_and_nearest_setting(model, config: Path):
    name = NUMBER[model]
    config.write_text(f"[{model.table}]\n{name}s = 4\n")
    with pytest.raises(SettingsError) as error:
        load(model, config)
    assert str(config) in str(error.value) and f"Did you mean {name}?" in str(error.value)


@pytest.mark.parametrize("model", MODELS)
def test_a_key_that_resembles_nothing_lists_what_there_is(model, config: Path):
    config.write_text(f"[{model.table}]\nzzz = 4\n")
    with pytest.raises(SettingsError, match=NUMBER[model]):
        load(model, config)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("value", ["many", "0", "-1"])
def test_a_wrong_value_names_setting_variable_and_table(model, value: str):
    variable = f"{model.prefix}{NUMBER[model].upper()}"
    with pytest.raises(SettingsError) as error:
        load(model, **{variable: value})
    assert variable in str(error.value) and f"[{model.table}]" in str(error.value)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("bind", ["nowhere", ":80", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:http"])
def test_an_address_needs_host_and_port(model, bind: str):
    with pytest.raises(SettingsError, match="host:port"):
        load(model, flags={BIND[model]: bind})


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("text", ["[scheduler", b"\xff\xfe", None])
def test_a_file_that_cant_be_read_is_named(model, config: Path, text):
    if text is not None:
        config.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SettingsError) as error:
        load(model, config)
    assert str(config) in str(error.value) and "DRAFTGATE_CONFIG" in str(error.value)


def _good(name: str) -> str:
    return URL if name == "database_url" else "x" * 40


@pytest.mark.parametrize(("model", "name"), SECRETS)
def test_every_secret_can_come_from_a_file(model, name: str, tmp_path: Path):
    (tmp_path / "secret").write_text(f"{_good(name)}\n")
    environ = {f"{model.prefix}{name.upper()}_FILE": str(tmp_path / "secret")}
    loaded = model.load(environ={**environ, **({} if name == "database_url" else NEEDED[model])})
    secret = getattr(loaded, name)
    assert isinstance(secret, SecretStr) and secret.get_secret_value().endswith(_good(name).partition("://")[2])


@pytest.mark.parametrize(("model", "name"), SECRETS)
def test_a_secret_never_shows_in_a_representation_or_an_error(model, name: str, tmp_path: Path):
    canary = "canary-" + "x" * 40
    value = f"postgresql://u:{canary}@localhost/d" if name == "database_url" else canary
    variable = f"{model.prefix}{name.upper()}"
    loaded = load(model, **{variable: value})
    assert canary not in repr(loaded) + str(loaded)
    with pytest.raises(SettingsError) as error:
        load(model, **{variable: value, f"{model.prefix}{NUMBER[model].upper()}": "many"})
    assert canary not in str(error.value) + repr(error.value.__dict__)


@pytest.mark.parametrize(("model", "name"), SECRETS)
def test_a_secret_given_twice_is_an_error(model, name: str, tmp_path: Path):
    (tmp_path / "secret").write_text(_good(name))
    variable = f"{model.prefix}{name.upper()}"
    with pytest.raises(SettingsError, match=f"{variable}_FILE"):
        load(model, **{variable: _good(name), f"{variable}_FILE": str(tmp_path / "secret")})


@pytest.mark.parametrize(("model", "name"), SECRETS)
@pytest.mark.parametrize("content", [None, "", " \n"])
def test_a_secret_file_that_is_missing_or_empty_names_its_variable(model, name: str, content, tmp_path: Path):
    if content is not None:
        (tmp_path / "secret").write_text(content)
    variable = f"{model.prefix}{name.upper()}_FILE"
    with pytest.raises(SettingsError, match=variable):
        load(model, **{variable: str(tmp_path / "secret")})


def test_an_empty_file_variable_is_as_none():
    loaded = load(SchedulerSettings, DRAFTGATE_SCHEDULER_TICK_TOKEN_FILE="", DATABASE_URL_FILE="")
    assert loaded.tick_token is None


def _host(settings: SchedulerSettings) -> str:
    return settings.database_url.get_secret_value().split("@")[1].split("/")[0]


def _url(host: str) -> str:
    return f"postgresql://u@{host}/d"


def test_the_well_known_database_url_is_taken_in_either_form(tmp_path: Path):
    (tmp_path / "url").write_text(_url("file"))
    assert _host(SchedulerSettings.load(environ={"DATABASE_URL": _url("known")})) == "known"
    assert _host(SchedulerSettings.load(environ={"DATABASE_URL_FILE": str(tmp_path / "url")})) == "file"


def test_the_schedulers_own_variable_wins_over_the_well_known_one_in_every_form(tmp_path: Path):
    (tmp_path / "url").write_text(_url("file"))
    own, known = "DRAFTGATE_SCHEDULER_DATABASE_URL", "DATABASE_URL"
    file = str(tmp_path / "url")
    assert _host(SchedulerSettings.load(environ={own: _url("own"), known: _url("known")})) == "own"
    assert _host(SchedulerSettings.load(environ={own: _url("own"), f"{known}_FILE": file})) == "own"
    assert _host(SchedulerSettings.load(environ={f"{own}_FILE": file, known: _url("known")})) == "file"


def test_a_scheduler_without_a_database_says_which_setting_is_missing():
    with pytest.raises(SettingsError, match="DRAFTGATE_SCHEDULER_DATABASE_URL"):
        SchedulerSettings.load(environ={})


@pytest.mark.parametrize("url", ["mysql://u@h/d", "localhost:5432", "postgresql:/d", ""])
def test_another_kind_of_database_is_refused_without_showing_its_address(url: str):
    with pytest.raises(SettingsError) as error:
        SchedulerSettings.load({"database_url": url}, environ={})
    assert "postgresql://" in str(error.value) and "u@h" not in str(error.value)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_every_spelling_of_postgresql_leads_to_one_driver(scheme: str):
    settings = SchedulerSettings.load(environ={"DATABASE_URL": f"{scheme}://u:p@h:1/d?sslmode=require"})
    assert settings.database_url.get_secret_value() == "postgresql+psycopg://u:p@h:1/d?sslmode=require"


def test_a_schedulers_terms_come_from_its_settings():
    terms = load(SchedulerSettings, flags={"lease_seconds": 8, "attempt_seconds": 60, "concurrency": 2}).worker_terms()
    assert (terms.concurrency, terms.leases.lease.total_seconds(), terms.leases.renew_every.total_seconds()) == (2, 8, 2)
    assert terms.leases.attempt_time.total_seconds() == 60
