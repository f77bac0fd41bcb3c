"""The scheduler's settings; ``[scheduler]`` of ``draftgate.toml`` and ``DRAFTGATE_SCHEDULER_*``."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from pydantic import Field, SecretStr, field_validator

from scheduler_service.domain.leases import LeaseTerms
from scheduler_service.working.worker import WorkerTerms
from translator_service.foundation.grpc_plumbing import split_bind
from translator_service.foundation.settings import ServiceSettings


class SchedulerSettings(ServiceSettings):
    """What one scheduler process needs to know. Only `database_url` has no default."""

    table: ClassVar[str] = "scheduler"
    prefix: ClassVar[str] = "DRAFTGATE_SCHEDULER_"
    aliases: ClassVar[dict[str, tuple[str, ...]]] = {"database_url": ("DATABASE_URL",)}

    database_url: SecretStr
    grpc_bind: str = "127.0.0.1:50051"
    http_bind: str = "127.0.0.1:8051"
    translator_address: str = "127.0.0.1:50061"
    translator_token: SecretStr | None = None
    # Lets an outside cron call POST /tasks/tick; without one that route doesn't exist.
    tick_token: SecretStr | None = None
    # Where people's browsers reach the review site; one-time links begin with it.
    review_url: str = "http://127.0.0.1:8080"
    # Items one worker process works on side by side.
    concurrency: int = Field(default=4, ge=1, le=256)
    lease_seconds: float = Field(default=120.0, ge=2)
    attempt_seconds: float = Field(default=1800.0, ge=10)
    poll_seconds: float = Field(default=1.0, gt=0)
    drain_seconds: float = Field(default=25.0, ge=0)

    @field_validator("database_url")
    @classmethod
    def _is_postgresql(cls, url: SecretStr) -> SecretStr:
        plain = url.get_secret_value()
        scheme, separator, rest = plain.partition("://")
        if not separator or scheme not in ("postgresql", "postgres", "postgresql+psycopg"):
            raise ValueError("is not a postgresql:// address")
        return SecretStr(f"postgresql+psycopg://{rest}")

    @field_validator("grpc_bind", "http_bind", "translator_address")
    @classmethod
    def _is_address(cls, bind: str) -> str:
        split_bind(bind)
        return bind

    def worker_terms(self) -> WorkerTerms:
        """Return the terms of this process's worker."""
        return WorkerTerms(
            concurrency=self.concurrency,
            poll=timedelta(seconds=self.poll_seconds),
            leases=LeaseTerms(timedelta(seconds=self.lease_seconds), timedelta(seconds=self.attempt_seconds)),
            drain=timedelta(seconds=self.drain_seconds),
        )
