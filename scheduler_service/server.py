"""The scheduler's gRPC methods: authorise, call one operation, answer. No rule lives here."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import grpc

from scheduler_service.authorising import authorise
from scheduler_service.domain.authority import Caller
from scheduler_service.errors import Reason, Refused
from scheduler_service.store.engine import Database, StoreError, StoreUnavailable
from translator_service.foundation import logs
from translator_service.foundation.grpc_plumbing import Refusal, bearer_token

_STATUS = {
    Reason.NOT_SIGNED_IN: grpc.StatusCode.UNAUTHENTICATED,
    Reason.NOT_ALLOWED: grpc.StatusCode.PERMISSION_DENIED,
    Reason.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.INVALID_FIELD: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.VERSION_CONFLICT: grpc.StatusCode.ABORTED,
    Reason.TEXT_CHANGED: grpc.StatusCode.ABORTED,
    Reason.OPEN_HARD_GATE: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NOTHING_TO_DECIDE: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NOT_APPROVED: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.LINK_USED: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.CHECK_UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
    Reason.DATABASE_UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
    Reason.INTERNAL: grpc.StatusCode.INTERNAL,
}


class ReasonedRefusal(Refusal):
    """A refusal with its reason as trailing metadata; the remedy is percent-encoded, as metadata is ASCII."""

    def metadata(self) -> tuple[tuple[str, str | bytes], ...]:
        return (("draftgate-reason", self.message), ("draftgate-field", self.field),
                ("draftgate-remedy", quote(self.remedy)))


def explain(error: Exception) -> Refusal | None:
    """Return what a client is told of an expected error; None for a surprise."""
    if isinstance(error, StoreUnavailable):
        logs.event("rpc.database_unavailable", sqlstate=error.sqlstate)
        error = Refused(Reason.DATABASE_UNAVAILABLE, "The database can't be reached. Try again in a moment")
    if isinstance(error, Refused):
        return ReasonedRefusal(_STATUS[error.reason], error.reason.value, field=error.field, remedy=error.remedy)
    if isinstance(error, StoreError):
        logs.failure("rpc.refused_by_store", error, sqlstate=error.sqlstate, constraint=error.constraint)
    return None


class Servicer:
    """Base of the four services: what each method needs before its operation."""

    service: str

    def __init__(self, database: Database) -> None:
        self.database = database

    def caller(self, method: str, request: Any, context: grpc.ServicerContext) -> Caller:
        """Return who calls `method`, if they may; raises `Refused` otherwise."""
        token = bearer_token(context.invocation_metadata())
        return authorise(self.database, f"/scheduler_service.v1.{self.service}/{method}", token, request)


def page_token(*values: Any) -> str:
    """Return an opaque token for "after this row"."""
    return base64.urlsafe_b64encode(json.dumps(values).encode("utf-8")).decode("ascii")


def after_of(token: str, kinds: tuple[Callable[[Any], Any], ...], default: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the values in a page token, `default` for an empty one.

    Raises:
        Refused: INVALID_FIELD when the token isn't one of ours.
    """
    if not token:
        return default
    try:
        values = json.loads(base64.urlsafe_b64decode(token.encode("ascii")))
        return tuple(kind(value) for kind, value in zip(kinds, values, strict=True))
    except (ValueError, TypeError):
        raise Refused(Reason.INVALID_FIELD, "Use a token of the answer before, or none", "page_token") from None


def page_size(asked: int, default: int, most: int) -> int:
    """Return the page size in force.

    Raises:
        Refused: INVALID_FIELD for a negative or too large one.
    """
    if asked < 0 or asked > most:
        raise Refused(Reason.INVALID_FIELD, f"Use 0 for {default}, or at most {most}", "page_size")
    return asked or default
