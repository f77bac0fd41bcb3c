"""The translator's settings; ``[translator]`` of ``draftgate.toml`` and ``DRAFTGATE_TRANSLATOR_*``."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from translator_service.foundation.grpc_plumbing import split_bind
from translator_service.foundation.settings import CONFIG_FILE, ServiceSettings, SettingsError
from translator_service.providers import CredentialProfile

OFFLINE = "offline"


class CredentialSettings(BaseModel):
    """One ``[translator.credentials.NAME]``. A key is named, never written: `api_key_env` is the variable
    and `api_key_file` the file that holds it. Prices are in the profile's currency per million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: str
    model: str = ""
    judge_model: str = ""
    base_url: str = ""
    api_key_env: str = ""
    api_key_file: Path | None = None
    input_price_per_million: Decimal | None = Field(default=None, ge=0)
    output_price_per_million: Decimal | None = Field(default=None, ge=0)
    # The first two are the price of `model`. A `judge_model` that is another one has a price of its own: without
    # these two its calls count as unpriced, with a bound of 0 and a cost that is marked as estimated.
    judge_input_price_per_million: Decimal | None = Field(default=None, ge=0)
    judge_output_price_per_million: Decimal | None = Field(default=None, ge=0)
    options: dict[str, str | int | float | bool] = {}

    @model_validator(mode="after")
    def _has_both_judge_prices(self) -> CredentialSettings:
        one, other = self.judge_input_price_per_million, self.judge_output_price_per_million
        if (one is None) != (other is None):
            raise ValueError("judge_input_price_per_million and judge_output_price_per_million belong together: set both")
        return self

    @field_validator("base_url")
    @classmethod
    def _is_http(cls, url: str) -> str:
        parts = urlsplit(url)
        if url and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("is not an http(s) address")
        if parts.username or parts.password or parts.query:
            raise ValueError("must not carry a user, a password or a query")
        return url


class TranslatorSettings(ServiceSettings):
    """What one translator process needs to know. Without any of it, it serves the offline engine to this
    machine only."""

    table: ClassVar[str] = "translator"
    prefix: ClassVar[str] = "DRAFTGATE_TRANSLATOR_"

    grpc_bind: str = "127.0.0.1:50061"
    http_bind: str = "127.0.0.1:8061"
    # Callers must send it; without one only this machine can call.
    token: SecretStr | None = None
    # Two halve a page's time on two cores; more than the cores only queue.
    offline_threads: int = Field(default=2, ge=1, le=64)
    offline_journal: Path | None = None
    # A paid call that runs when the process is asked to stop gets this long to end; with none, it ends at once.
    # Longer than a call can take: its provider's deadline_seconds (120) and the wait for a connection (10).
    # Raise it with them.
    drain_seconds: float = Field(default=135.0, ge=0)
    credentials: dict[str, CredentialSettings] = {}

    @field_validator("grpc_bind", "http_bind")
    @classmethod
    def _is_bind(cls, bind: str) -> str:
        split_bind(bind)
        return bind

    @field_validator("offline_journal")
    @classmethod
    def _is_in_a_folder(cls, journal: Path | None) -> Path | None:
        if journal is not None and (not journal.parent.is_dir() or journal.is_dir()):
            raise ValueError(f"{journal} is not a file in an existing folder")
        return journal

    @model_validator(mode="after")
    def _is_closed_to_others(self) -> TranslatorSettings:
        host, _port = split_bind(self.grpc_bind)
        if self.token is None and not _is_loopback(host):
            raise ValueError(
                f"grpc_bind {self.grpc_bind} is reachable from other machines, so a token is needed: "
                f"set {self.prefix}TOKEN_FILE"
            )
        return self

    def profiles(self, environ: Mapping[str, str] | None = None) -> dict[str, CredentialProfile]:
        """Return the credential profiles with their keys read; `offline` is always among them.

        Raises:
            SettingsError: a named key file can't be read or is empty. A variable that isn't set leaves the
                profile without a key: its provider says NotConfigured when it needs one.
        """
        environ = os.environ if environ is None else environ
        profiles = {name: _profile(name, one, environ) for name, one in self.credentials.items()}
        engine = {"threads": self.offline_threads, "journal": self.offline_journal}
        for name, profile in list(profiles.items()):
            if profile.provider == OFFLINE:
                options = MappingProxyType({**engine, **profile.options})
                profiles[name] = CredentialProfile(name=name, provider=OFFLINE, options=options)
        profiles.setdefault(
            OFFLINE, CredentialProfile(name=OFFLINE, provider=OFFLINE, options=MappingProxyType(engine))
        )
        return profiles


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _profile(name: str, one: CredentialSettings, environ: Mapping[str, str]) -> CredentialProfile:
    return CredentialProfile(
        name=name,
        provider=one.provider,
        model=one.model,
        judge_model=one.judge_model,
        base_url=one.base_url,
        api_key=_key(name, one, environ),
        api_key_name=one.api_key_env or str(one.api_key_file or ""),
        input_price_micros=_micros(one.input_price_per_million),
        output_price_micros=_micros(one.output_price_per_million),
        judge_input_price_micros=_micros(one.judge_input_price_per_million),
        judge_output_price_micros=_micros(one.judge_output_price_per_million),
        options=MappingProxyType(dict[str, Any](one.options)),
    )


def _key(name: str, one: CredentialSettings, environ: Mapping[str, str]) -> str | None:
    setting = f"translator.credentials.{name}.api_key_file"
    if one.api_key_env and one.api_key_file:
        raise SettingsError(setting, "is set beside api_key_env", f"Keep one of the two in {CONFIG_FILE}")
    if one.api_key_file is None:
        return environ.get(one.api_key_env) or None if one.api_key_env else None
    try:
        key = one.api_key_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise SettingsError(
            setting, f"{one.api_key_file} cannot be read", "Check the path and its permissions"
        ) from None
    if not key:
        raise SettingsError(setting, f"{one.api_key_file} is empty", "Write the key into it")
    return key


def _micros(price: Decimal | None) -> int | None:
    return None if price is None else int(price * 1_000_000)
