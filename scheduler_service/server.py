"""The scheduler's gRPC methods: authorise, call one operation, answer. No rule lives here."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import grpc
from google.protobuf.message import Message

from scheduler_service.authorising import NO_SUCH_SITE, authorise
from scheduler_service.domain.authority import Caller
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations import configure
from scheduler_service.store import sites
from scheduler_service.store.engine import CommitUnknown, Database, StoreError, StoreUnavailable
from translator_service.foundation import logs
from translator_service.foundation.grpc_plumbing import ERROR_ID_KEY, Guard, Refusal, bearer_token

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
    Reason.OUTCOME_UNKNOWN: grpc.StatusCode.UNAVAILABLE,
    Reason.INTERNAL: grpc.StatusCode.INTERNAL,
}


class ReasonedRefusal(Refusal):
    """A refusal with its reason as trailing metadata; the remedy is percent-encoded, as metadata is ASCII."""

    def metadata(self) -> tuple[tuple[str, str | bytes], ...]:
        pairs = (("draftgate-reason", self.message), ("draftgate-field", self.field),
                 ("draftgate-remedy", quote(self.remedy)))
        return (*pairs, (ERROR_ID_KEY, self.error_id)) if self.error_id else pairs


class ReasonedGuard(Guard):
    """The guard of this server: what it refuses before or after a method carries its reason too."""

    def __init__(self) -> None:
        super().__init__(explain=explain)

    def refuse_deadline(self, method: str, remaining: float | None) -> Refusal | None:
        return _reasoned(super().refuse_deadline(method, remaining), Reason.INVALID_FIELD)

    def parse(self, deserialize: Callable[[bytes], Any] | None, raw: bytes) -> Any:
        return _reasoned(super().parse(deserialize, raw), Reason.INVALID_FIELD)

    def explain(self, method: str, error: Exception) -> Refusal:
        return _reasoned(super().explain(method, error), Reason.INTERNAL)


def _reasoned(said: Any, reason: Reason) -> Any:
    """Return `said` with its reason if it is a refusal without one, else as it is."""
    if not isinstance(said, Refusal) or isinstance(said, ReasonedRefusal):
        return said
    return ReasonedRefusal(said.status, reason.value, said.field, said.remedy, said.error_id)


def explain(error: Exception) -> Refusal | None:
    """Return what a client is told of an expected error; None for a surprise."""
    if isinstance(error, StoreUnavailable):
        logs.event("rpc.database_unavailable", sqlstate=error.sqlstate)
        error = Refused(Reason.DATABASE_UNAVAILABLE, "The database can't be reached. Try again in a moment")
    if isinstance(error, CommitUnknown):
        logs.event("rpc.commit_unknown", sqlstate=error.sqlstate)
        error = Refused(
            Reason.OUTCOME_UNKNOWN, "The database broke off while saving. Look whether it took effect first")
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
        """Return who calls `method`, if they may and the request can be stored; raises `Refused` otherwise."""
        require_storable(request)
        token = bearer_token(context.invocation_metadata())
        return authorise(self.database, f"/scheduler_service.v1.{self.service}/{method}", token, request)

    def require_site(self, site_id: str) -> None:
        """Let pass sites that exist: who works on every site could otherwise mistake a typing error for an
        empty site."""
        if not self.database.read(lambda connection: sites.exists(connection, site_id)):
            raise Refused(Reason.NOT_FOUND, NO_SUCH_SITE)


def require_storable(request: Message, where: str = "") -> None:
    """Let pass a message without NUL characters, which PostgreSQL can't store.

    Raises:
        Refused: INVALID_FIELD naming the field.
    """
    if b"\0" not in request.SerializeToString():
        return
    for descriptor, value in request.ListFields():
        for number, one in enumerate(value if descriptor.is_repeated else [value]):
            place = where + descriptor.name + (f"[{number}]" if descriptor.is_repeated else "")
            if isinstance(one, Message):
                require_storable(one, place + ".")
            elif isinstance(one, str) and "\0" in one:
                raise Refused(Reason.INVALID_FIELD, "Remove the NUL character from it", place)


def optional_locale(tag: str) -> str:
    """Return the canonical tag, empty for an empty one.

    Raises:
        Refused: INVALID_FIELD for an unknown locale.
    """
    return configure.locale(tag, "target_locale") if tag else ""


def page_token(*values: Any) -> str:
    """Return an opaque token for "after this row"."""
    return base64.urlsafe_b64encode(json.dumps(values).encode("utf-8")).decode("ascii")


def after_of(token: str, kinds: tuple[type, ...], default: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the values in a page token, `default` for an empty one.

    Raises:
        Refused: INVALID_FIELD when the token isn't one of ours.
    """
    if not token:
        return default
    try:
        values = json.loads(base64.urlsafe_b64decode(token.encode("ascii")))
        if isinstance(values, list) and list(map(type, values)) == list(kinds) and all(map(_is_storable, values)):
            return tuple(values)
    except (ValueError, RecursionError):
        pass
    raise Refused(Reason.INVALID_FIELD, "Use a token of the answer before, or none", "page_token")


def _is_storable(value: int | str) -> bool:
    if isinstance(value, str):
        return "\0" not in value and value.encode("utf-8", "replace").decode("utf-8") == value
    return -(2**63) <= value < 2**63


def page_size(asked: int, default: int, most: int) -> int:
    """Return the page size in force.

    Raises:
        Refused: INVALID_FIELD for a negative or too large one.
    """
    if asked < 0 or asked > most:
        raise Refused(Reason.INVALID_FIELD, f"Use 0 for {default}, or at most {most}", "page_size")
    return asked or default
