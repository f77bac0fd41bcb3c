"""A real scheduler in this process: gRPC and HTTP on free ports, people with roles, calls by raw message or client."""

from __future__ import annotations

from typing import Any, Self

import grpc
from stocked_site import StockedSite

from scheduler_service import serving
from scheduler_service.client import SchedulerClient
from scheduler_service.domain.authority import EVERY_SITE, NOBODY, Role
from scheduler_service.operations import sign_in
from scheduler_service.settings import SchedulerSettings
from scheduler_service.store.engine import Database
from translator_service.foundation.grpc_plumbing import channel

SECONDS = 20


class RunningScheduler:
    """Serves until the block ends. `translator_address` may be nobody's: then gates can't run."""

    def __init__(self, database_url: str, translator_address: str = "127.0.0.1:9", **settings: Any) -> None:
        self.database = Database(database_url, seed=1)
        self._settings = SchedulerSettings(
            database_url=database_url, grpc_bind="127.0.0.1:0", http_bind="127.0.0.1:0",
            translator_address=translator_address, **settings)

    def __enter__(self) -> Self:
        self.running = serving.start(self._settings, serves_grpc=True)
        self.address = f"127.0.0.1:{self.running.grpc_port}"
        self.http = f"http://127.0.0.1:{self.running.http_port}"
        self.channel = channel(self.address)
        return self

    def __exit__(self, *_raised: object) -> None:
        self.channel.close()
        self.running.stop()
        self.database.close()

    def site(self, site_id: str = "harbour", **about: Any) -> StockedSite:
        return StockedSite(self.database, site_id, **about)

    def person(self, name: str, *roles: str, site_id: str = "harbour") -> str:
        """Return the session token of a person with these roles on a site."""
        link, _ = sign_in.invite(self.database, NOBODY, name, [(site_id, Role(role)) for role in roles])
        return sign_in.sign_in(self.database, link, "").token

    def service(self, *roles: str, site_id: str = EVERY_SITE, name: str = "pusher") -> str:
        """Return the token of a service with these roles."""
        return sign_in.issue_service_token(self.database, name, [(site_id, Role(role)) for role in roles])

    def client(self, token: str | None = None) -> SchedulerClient:
        return SchedulerClient(self.address, token)

    def send(
        self, method: str, request: Any, token: str | None = None, *, timeout: float | None = SECONDS
    ) -> tuple[grpc.StatusCode, dict[str, Any], bytes]:
        """Send a message, or raw bytes, to ``Service/Method``; return status, trailing metadata and raw answer."""
        call = self.channel.unary_unary(f"/scheduler_service.v1.{method}")
        raw = request if isinstance(request, bytes) else request.SerializeToString()
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        try:
            answer, done = call.with_call(raw, timeout=timeout, metadata=metadata)
        except grpc.RpcError as error:
            return error.code(), dict(error.trailing_metadata() or ()) | {"details": error.details()}, b""
        return grpc.StatusCode.OK, dict(done.trailing_metadata() or ()), answer
