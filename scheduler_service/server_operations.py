"""Status, fields and people over gRPC."""

from __future__ import annotations

from typing import Any

import grpc
from sqlalchemy.engine import Connection

from scheduler_service import wire
from scheduler_service.domain.authority import EVERY_SITE, Action, Caller, Role
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations import require, sign_in
from scheduler_service.operations.reset import reset_items
from scheduler_service.server import Servicer, after_of, optional_locale, page_size, page_token
from scheduler_service.store import counts, queues, sites
from scheduler_service.v1 import (
    operations_pb2,
    operations_pb2_grpc,
    people_pb2,
    people_pb2_grpc,
    resources_pb2,
)


class OperationsServicer(Servicer, operations_pb2_grpc.OperationsServicer):
    service = "Operations"

    def GetStatus(self, request: Any, context: grpc.ServicerContext) -> Any:
        caller = self.caller("GetStatus", request, context)
        found = self.database.snapshot(
            lambda connection: counts.status(connection, _seen_by(connection, caller, request.site_id)))
        if request.site_id and not found["by_status"]:
            self.require_site(request.site_id)
        answer = operations_pb2.GetStatusResponse(
            total=sum(row.count for row in found["by_status"]), inactive=found["inactive"],
            by_status=[
                operations_pb2.StatusCount(
                    status=wire.status(row.status), count=row.count, oldest_at=wire.moment(row.oldest_at))
                for row in found["by_status"]
            ],
            by_work_state=[
                operations_pb2.WorkStateCount(work_state=wire.work_state(row.work_state), count=row.count)
                for row in found["by_work_state"]
            ],
            failures=[
                operations_pb2.FailureCluster(
                    field_name=row.field_name, target_locale=row.target_locale, code=row.code, count=row.count)
                for row in found["failures"]
            ],
            credentials=[
                operations_pb2.CredentialStatus(
                    credential=row.credential_id, provider=row.provider, is_halted=row.is_halted,
                    halt_code=row.halt_code or "", cooling_until=wire.moment(row.cooling_until),
                    waiting_items=row.waiting_items, spent_today_micros=int(row.spent_today_micros))
                for row in found["credentials"]
            ],
            workers=[
                operations_pb2.WorkerStatus(
                    worker=row.worker, started_at=wire.moment(row.started_at), beat_at=wire.moment(row.beat_at),
                    held_items=row.held_items, is_alive=row.is_alive)
                for row in found["workers"]
            ],
            unknown_calls=found["unknown_calls"],
        )
        answer.at.GetCurrentTime()
        return answer

    def ListFields(self, request: Any, context: grpc.ServicerContext) -> Any:
        self.caller("ListFields", request, context)
        size = page_size(request.page_size, 200, 500)
        after = after_of(request.page_token, (str, int, int), queues.BEGINNING)
        target = optional_locale(request.target_locale)
        rows = self.database.read(lambda connection: queues.list_items(
            connection, site_id=request.site_id, statuses=wire.EVERY_STATUS, target_locale=target, after=after,
            most=size))
        if not rows:
            self.require_site(request.site_id)
        return operations_pb2.ListFieldsResponse(
            items=[wire.item_summary(row) for row in rows],
            next_page_token=page_token(rows[-1].page_id, rows[-1].position, rows[-1].item_id)
            if len(rows) == size else "",
        )

    def ListSites(self, request: Any, context: grpc.ServicerContext) -> Any:
        caller = self.caller("ListSites", request, context)
        rows = self.database.read(lambda connection: sites.list_sites(
            connection, list(caller.roles), every=EVERY_SITE in caller.roles))
        return operations_pb2.ListSitesResponse(sites=[
            operations_pb2.Site(
                site_id=row.site_id, name=row.name, source_locale=row.source_locale,
                target_locales=row.target_locales, credential=row.credential_id,
                roles=sorted(role.value for role in caller.roles_on(row.site_id)),
                paused_until=wire.moment(row.paused_until))
            for row in rows
        ])

    def ResetItems(self, request: Any, context: grpc.ServicerContext) -> Any:
        caller = self.caller("ResetItems", request, context)
        reset = reset_items(self.database, caller, site_id=request.site_id, item_ids=list(request.item_ids),
                            reason=request.reason)
        if not reset:
            self.require_site(request.site_id)
        return operations_pb2.ResetItemsResponse(
            reset_items=reset, refused_items=max(len(set(request.item_ids)) - reset, 0))


class PeopleServicer(Servicer, people_pb2_grpc.PeopleServicer):
    service = "People"

    def SignIn(self, request: Any, context: grpc.ServicerContext) -> Any:
        self.caller("SignIn", request, context)
        session = sign_in.sign_in(self.database, request.link_token, request.name)
        return people_pb2.SignInResponse(
            session_token=session.token, expires_at=wire.moment(session.expires_at),
            person=wire.person(session.caller))

    def SignOut(self, request: Any, context: grpc.ServicerContext) -> Any:
        sign_in.sign_out(self.database, self.caller("SignOut", request, context))
        return people_pb2.SignOutResponse()

    def WhoAmI(self, request: Any, context: grpc.ServicerContext) -> Any:
        return people_pb2.WhoAmIResponse(person=wire.person(self.caller("WhoAmI", request, context)))

    def Invite(self, request: Any, context: grpc.ServicerContext) -> Any:
        caller = self.caller("Invite", request, context)
        # Who comes in decides later: a machine that could invite could approve.
        require.person(caller)
        token, expires_at = sign_in.invite(
            self.database, caller, request.name, [_role(grant) for grant in request.roles])
        return people_pb2.InviteResponse(link_token=token, expires_at=wire.moment(expires_at))


def _seen_by(connection: Connection, caller: Caller, site_id: str) -> list[str]:
    """Return the site asked for, or for an empty one every site whose items the caller may see."""
    if site_id:
        return [site_id]
    rows = sites.list_sites(connection, list(caller.roles), every=EVERY_SITE in caller.roles)
    return [row.site_id for row in rows if caller.may(Action.SEE_ITEMS, row.site_id)]


def _role(grant: resources_pb2.RoleGrant) -> tuple[str, Role]:
    try:
        return grant.site_id, Role(grant.role)
    except ValueError:
        raise Refused(Reason.INVALID_FIELD, "Use one of: " + ", ".join(Role), "roles") from None
