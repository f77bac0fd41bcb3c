"""Content in, published texts out, over gRPC."""

from __future__ import annotations

from typing import Any

import grpc

from scheduler_service import wire
from scheduler_service.errors import Reason, Refused
from scheduler_service.operations import configure
from scheduler_service.operations.scan import SourceField, SourcePage, scan_pages
from scheduler_service.server import Servicer, after_of, page_size, page_token
from scheduler_service.store import reader
from scheduler_service.v1 import content_pb2, content_pb2_grpc


# Of texts in one answer, not counting the last one: with it, names and framing 4 MiB hold them.
TEXTS_MOST_BYTES = 2_500_000


class ContentServicer(Servicer, content_pb2_grpc.ContentServicer):
    service = "Content"

    def PutSite(self, request: Any, context: grpc.ServicerContext) -> Any:
        caller = self.caller("PutSite", request, context)
        configure.put_site(
            self.database, caller, site_id=request.site_id, name=request.name, source_locale=request.source_locale,
            target_locales=list(request.target_locales), credential=request.credential,
            judge_credential=request.judge_credential,
        )
        return content_pb2.PutSiteResponse()

    def PutGlossary(self, request: Any, context: grpc.ServicerContext) -> Any:
        caller = self.caller("PutGlossary", request, context)
        terms = [
            {"source": term.source, "target": term.target, "do_not_translate": term.do_not_translate,
             "accepted_forms": list(term.accepted_forms), "forbidden_forms": list(term.forbidden_forms),
             "case_sensitive": term.case_sensitive, "part_of_speech": term.part_of_speech, "sense": term.sense,
             "note": term.note}
            for term in request.terms
        ]
        version, is_new = configure.put_glossary(
            self.database, caller, site_id=request.site_id, target_locale=request.target_locale, terms=terms,
            forbidden_terms=list(request.forbidden_terms),
        )
        return content_pb2.PutGlossaryResponse(version=version, is_new=is_new)

    def ScanPages(self, request: Any, context: grpc.ServicerContext) -> Any:
        self.caller("ScanPages", request, context)
        pages = [
            SourcePage(page.page_id, [
                SourceField(
                    field.field_name, field.text, field.text_format or "plain", field.label, field.note,
                    field.speaker, field.max_length, field.position,
                ) for field in page.fields
            ]) for page in request.pages
        ]
        counts = scan_pages(
            self.database, site_id=request.site_id, target_locale=request.target_locale, pages=pages,
            is_complete=request.is_complete,
        )
        return content_pb2.ScanPagesResponse(
            new_items=counts.new, changed_items=counts.changed, unchanged_items=counts.unchanged,
            deactivated_items=counts.deactivated, reactivated_items=counts.reactivated,
        )

    def ReadText(self, request: Any, context: grpc.ServicerContext) -> Any:
        self.caller("ReadText", request, context)
        key = request.key
        target = configure.locale(key.target_locale, "key.target_locale")
        row = self.database.read(lambda connection: reader.read_text(
            connection, site_id=key.site_id, page_id=key.page_id, field_name=key.field_name, target_locale=target))
        if row is None:
            raise Refused(Reason.NOT_FOUND, "Nothing is published here", "key")
        return content_pb2.ReadTextResponse(text=wire.published(row))

    def ReadPage(self, request: Any, context: grpc.ServicerContext) -> Any:
        self.caller("ReadPage", request, context)
        target = configure.locale(request.target_locale, "target_locale")
        rows = self.database.read(lambda connection: reader.read_page(
            connection, site_id=request.site_id, page_id=request.page_id, target_locale=target))
        if not rows:
            self.require_site(request.site_id)
        if sum(len(row.text.encode("utf-8")) for row in rows) > TEXTS_MOST_BYTES:
            raise Refused(Reason.INVALID_FIELD, "It has too many texts for one answer. Read field by field", "page_id")
        return content_pb2.ReadPageResponse(texts=[wire.published(row) for row in rows])

    def ListPublished(self, request: Any, context: grpc.ServicerContext) -> Any:
        self.caller("ListPublished", request, context)
        size = page_size(request.page_size, 200, 500)
        (after,) = after_of(request.page_token, (int,), (0,))
        target = configure.locale(request.target_locale, "target_locale")
        rows = self.database.read(lambda connection: reader.list_published(
            connection, site_id=request.site_id, target_locale=target, after=after, most=size,
            most_bytes=TEXTS_MOST_BYTES))
        if not rows:
            self.require_site(request.site_id)
        return content_pb2.ListPublishedResponse(
            texts=[wire.published(row) for row in rows],
            next_page_token=page_token(rows[-1].item_id) if rows and rows[-1].has_more else "",
        )
