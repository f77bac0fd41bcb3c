"""The review site's settings."""

from __future__ import annotations

from typing import ClassVar
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator

from translator_service.foundation.grpc_plumbing import split_bind
from translator_service.foundation.settings import ServiceSettings, SettingsError

# Below this a signature could be guessed; `secrets.token_urlsafe(32)` makes 43.
SHORTEST_SECRET = 32
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class ReviewSettings(ServiceSettings):
    """Table ``[review]``, variables ``DRAFTGATE_REVIEW_…``.

    `base_url` is how browsers reach the site: it decides over Secure cookies and HSTS. `secret_key`
    signs the form tokens and must be the same for every worker; it holds no identity.
    """

    table: ClassVar[str] = "review"
    prefix: ClassVar[str] = "DRAFTGATE_REVIEW_"

    bind: str = "127.0.0.1:8080"
    scheduler_address: str = "127.0.0.1:50051"
    secret_key: SecretStr | None = None
    base_url: str = "http://127.0.0.1:8080"
    threads: int = Field(default=16, ge=1, le=256)
    workers: int = Field(default=1, ge=1, le=64)

    @field_validator("bind")
    @classmethod
    def _is_bind(cls, bind: str) -> str:
        split_bind(bind)
        return bind

    @field_validator("base_url")
    @classmethod
    def _is_base_url(cls, base_url: str) -> str:
        parts = urlsplit(base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("is not a URL such as https://review.example.org")
        if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
            raise ValueError("must be https, unless it is this machine: a session would cross the network in the clear")
        return base_url.rstrip("/")

    @property
    def is_https(self) -> bool:
        return self.base_url.startswith("https:")

    def signing_key(self) -> str:
        """Return the key that signs form tokens.

        Raises:
            SettingsError: it is missing or too short to be safe.
        """
        secret = self.secret_key.get_secret_value() if self.secret_key else ""
        if len(secret) < SHORTEST_SECRET:
            raise SettingsError(
                "review.secret_key",
                f"has {len(secret)} characters, and at least {SHORTEST_SECRET} are needed" if secret else "is not set",
                f"Set {self.prefix}SECRET_KEY, or {self.prefix}SECRET_KEY_FILE to a file that holds it; "
                "every worker needs the same",
            )
        return secret
