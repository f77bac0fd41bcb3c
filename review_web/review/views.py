"""Start page, queue and one item."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from flask import redirect, request, url_for

from review_web.pages import page
from review_web.presenting import ages
from review_web.presenting.direction import direction, language_name
from review_web.review.item_page import item_page
from review_web.review.looking import Looking
from review_web.scheduler import scheduler, site, sites
from scheduler_service.answers import Queue

# A screenful or two; more makes the page heavy on a phone.
ROWS = 50


def home() -> Any:
    """Lead to the only site, or show the visitor's sites."""
    if len(sites()) == 1:
        return redirect(url_for("draftgate.review.queue", site_id=sites()[0].site_id), 303)
    waiting = {each.site_id: scheduler().list_items(each.site_id, page_size=1).counts for each in sites()}
    counts = {
        site_id: {count.queue: count.count for count in counts} for site_id, counts in waiting.items()
    }
    return page("review/sites.html", counts=counts, Queue=Queue)


def queue(site_id: str) -> str:
    """List one queue of a site."""
    here = site(site_id)
    looking = Looking.of(request.args)
    found = scheduler().list_items(
        site_id,
        queue=looking.queue,
        target_locale=looking.locale,
        query=looking.query,
        page_size=ROWS,
        page_token=request.args.get("after", ""),
    )
    return page(
        "review/queue.html",
        site=here,
        section="review",
        looking=looking,
        found=found,
        counts={count.queue: count.count for count in found.counts},
        is_first_page="after" not in request.args,
        queues=tuple(Queue),
        direction=direction,
        language_name=language_name,
        age=ages.age,
        exact=ages.exact,
        now=datetime.now(UTC),
    )


def item(item_id: int) -> str:
    """Show one item; with ``?edit=1``, its text is a field."""
    is_in_list = "queue" in request.args
    found = scheduler().get_item(item_id, Looking.of(request.args).queue if is_in_list else None)
    looking = Looking.of(request.args) if is_in_list else Looking.at(found.summary.status)
    return item_page(found, looking, is_editing="edit" in request.args)
