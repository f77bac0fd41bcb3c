"""The reviewer's addresses."""

from __future__ import annotations

from flask import Blueprint

from review_web.review import decisions, views

# No item has a number beyond PostgreSQL's bigint: such an address is simply not there.
_ITEM = f"/review/item/<int(max={2**63 - 1}):item_id>"

blueprint = Blueprint("review", __name__)
blueprint.add_url_rule("/", view_func=views.home)
blueprint.add_url_rule("/review/<site_id>", view_func=views.queue)
blueprint.add_url_rule(_ITEM, view_func=views.item)
blueprint.add_url_rule(f"{_ITEM}/approve", view_func=decisions.approve, methods=["POST"])
blueprint.add_url_rule(f"{_ITEM}/edit", view_func=decisions.edit, methods=["POST"])
blueprint.add_url_rule(f"{_ITEM}/reject", view_func=decisions.reject, methods=["POST"])
blueprint.add_url_rule(f"{_ITEM}/publish", view_func=decisions.publish, methods=["POST"])
blueprint.add_url_rule(f"{_ITEM}/reopen", view_func=decisions.reopen, methods=["POST"])
