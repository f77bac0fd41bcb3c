"""What became of everything, and what keeps the rest from going on."""

from __future__ import annotations

from datetime import UTC, datetime

from review_web.pages import page
from review_web.presenting import ages
from review_web.presenting.charts import stacked
from review_web.presenting.direction import language_name
from review_web.scheduler import scheduler, site


def status(site_id: str) -> str:
    """Show the counts of a site, with sums that can be checked."""
    here = site(site_id)
    found = scheduler().get_status(site_id)
    return page(
        "operations/status.html",
        site=here,
        section="status",
        found=found,
        bar=stacked([(count.status.value, count.count) for count in found.by_status], found.total),
        status_sum=sum(count.count for count in found.by_status),
        work_sum=sum(count.count for count in found.by_work_state),
        language_name=language_name,
        age=ages.age,
        exact=ages.exact,
        now=datetime.now(UTC),
    )
