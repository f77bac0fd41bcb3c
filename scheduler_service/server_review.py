"""The reviewer's way over gRPC."""

from __future__ import annotations

from typing import Any

import grpc
from sqlalchemy.engine import Connection

from scheduler_service import wire
from scheduler_service.authorising import NO_SUCH_SITE
from scheduler_service.domain.authority import Action, Caller
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations import decide, require
from scheduler_service.operations.publish import publish
from scheduler_service.operations.recheck import Recheck
from scheduler_service.server import Servicer, after_of, optional_locale, page_size, page_token
from scheduler_service.store import details, queues
from scheduler_service.store.engine import Database
from scheduler_service.v1 import review_pb2, review_pb2_grpc


class ReviewServicer(Servicer, review_pb2_grpc.ReviewServicer):
    service = "Review"

    def __init__(self, database: Database, recheck: Recheck) -> None:
        super().__init__(database)
        self._recheck = recheck

    def ListItems(self, request: Any, context: grpc.ServicerContext) -> Any:
        self.caller("ListItems", request, context)
        size = page_size(request.page_size, 50, 200)
        after = after_of(request.page_token, (str, int, int), queues.BEGINNING)
        target = optional_locale(request.target_locale)
        statuses = _statuses_of(request.queue)

        def look(connection: Connection) -> Any:
            rows = queues.list_items(
                connection, site_id=request.site_id, statuses=statuses,
                target_locale=target, page_id=request.page_id, query=request.query,
                after=after, most=size,
            )
            return rows, queues.counts(connection, request.site_id, target)

        rows, counts = self.database.snapshot(look)
        if not counts:
            self.require_site(request.site_id)
        return review_pb2.ListItemsResponse(
            items=[wire.item_summary(row) for row in rows],
            next_page_token=page_token(rows[-1].page_id, rows[-1].position, rows[-1].item_id)
            if len(rows) == size else "",
            counts=[
                review_pb2.QueueCount(queue=queue, count=sum(counts.get(status, 0) for status in statuses))
                for queue, statuses in wire.QUEUES.items()
            ],
        )

    def GetItem(self, request: Any, context: grpc.ServicerContext) -> Any:
        caller = self.caller("GetItem", request, context)
        _statuses_of(request.queue)
        return self.database.snapshot(lambda connection: _item(connection, caller, request))

    def Approve(self, request: Any, context: grpc.ServicerContext) -> Any:
        caller = self.caller("Approve", request, context)
        return _decided(decide.approve(
            self.database, caller, item_id=request.item_id, version=request.version,
            candidate_id=request.candidate_id, seen_hash=request.text_hash,
            override_reason=request.override_reason, note=request.note,
        ))

    def Edit(self, request: Any, context: grpc.ServicerContext) -> Any:
        caller = self.caller("Edit", request, context)
        # Before the gates run, which costs a call.
        require.person(caller)
        require.text_to_keep(request.text)
        rechecked = self._recheck(request.item_id, request.version, request.text)
        edited = decide.edit(
            self.database, caller, item_id=request.item_id, version=request.version, based_on=request.candidate_id,
            text=request.text, gates=rechecked.gates, glossary_version=rechecked.glossary_version,
            is_approved=request.approve,
            override_reason=request.override_reason, note=request.note,
        )
        return review_pb2.EditResponse(
            version=edited.version, status=wire.status(edited.status), candidate_id=edited.candidate_id,
            gates=wire.gates(edited.gates), is_stored=edited.is_stored,
        )

    def Reject(self, request: Any, context: grpc.ServicerContext) -> Any:
        caller = self.caller("Reject", request, context)
        return _decided(decide.reject(
            self.database, caller, item_id=request.item_id, version=request.version,
            candidate_id=request.candidate_id, note=request.note, ask_again=request.ask_again,
        ))

    def Publish(self, request: Any, context: grpc.ServicerContext) -> Any:
        caller = self.caller("Publish", request, context)
        return _decided(publish(
            self.database, caller, item_id=request.item_id, version=request.version, seen_hash=request.text_hash,
        ))

    def Reopen(self, request: Any, context: grpc.ServicerContext) -> Any:
        caller = self.caller("Reopen", request, context)
        return _decided(decide.reopen(
            self.database, caller, item_id=request.item_id, version=request.version, note=request.note,
        ))


def _statuses_of(queue: int) -> tuple[str, ...]:
    if queue and queue not in wire.QUEUES:
        raise Refused(Reason.INVALID_FIELD, "Use a queue of the contract, or none", "queue")
    return wire.statuses_of(queue)


def _decided(decided: decide.Decided) -> Any:
    return review_pb2.DecisionResponse(version=decided.version, status=wire.status(decided.status))


def _item(connection: Connection, caller: Caller, request: Any) -> Any:
    row = queues.summary(connection, request.item_id)
    if row is None:
        raise Refused(Reason.NOT_FOUND, NO_SUCH_SITE)
    texts = details.texts(connection, request.item_id)
    candidates = _candidates(connection, request.item_id)
    shown = next((c for c in candidates if c.candidate_id == texts.candidate_id), None)
    queue = request.queue or wire.queue_of(row.status)
    previous_id, next_id, place, length = queues.neighbours(connection, row, wire.statuses_of(queue))
    previous_source, previous_text = details.approved_before(connection, request.item_id, texts.source_revision)
    return review_pb2.GetItemResponse(
        summary=wire.item_summary(row), source_text=texts.source_text, source_hash=texts.source_hash,
        source_locale=texts.source_locale, note=texts.context.get("note", ""),
        speaker=texts.context.get("speaker", ""), max_length=texts.context.get("max_length", 0),
        candidate=shown, candidates=candidates,
        history=[wire.history_entry(entry) for entry in details.history(connection, request.item_id)],
        previous_text=previous_text, previous_source_text=previous_source,
        published_text=details.published_text(connection, request.item_id),
        next_item_id=next_id, previous_item_id=previous_id, queue_position=place, queue_count=length,
        may_review=caller.may(Action.DECIDE, row.site_id), may_publish=caller.may(Action.PUBLISH, row.site_id),
        may_override=caller.may(Action.OVERRIDE_GATE, row.site_id),
    )


def _candidates(connection: Connection, item_id: int) -> list[Any]:
    rows = details.candidates(connection, item_id)
    ids = [row.candidate_id for row in rows]
    judgments = details.judgments(connection, ids)
    findings = details.findings(connection, [row.judgment_id for row in judgments])
    gates = details.gates(connection, ids)
    return [
        wire.candidate(
            row, [gate for gate in gates if gate.candidate_id == row.candidate_id],
            [
                wire.judgment(j, [f for f in findings if f.judgment_id == j.judgment_id])
                for j in judgments if j.candidate_id == row.candidate_id
            ],
        )
        for row in rows
    ]
