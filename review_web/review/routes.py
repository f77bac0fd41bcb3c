"""The reviewer's addresses."""

from __future__ import annotations

from flask import Blueprint

from review_web.review import decisions, views

blueprint = Blueprint("review", __name__)
blueprint.add_url_rule("/", view_func=views.home)
blueprint.add_url_rule("/review/<site_id>", view_func=views.queue)
blueprint.add_url_rule("/review/item/<int:item_id>", view_func=views.item)
blueprint.add_url_rule("/review/item/<int:item_id>/approve", view_func=decisions.approve, methods=["POST"])
blueprint.add_url_rule("/review/item/<int:item_id>/edit", view_func=decisions.edit, methods=["POST"])
blueprint.add_url_rule("/review/item/<int:item_id>/reject", view_func=decisions.reject, methods=["POST"])
blueprint.add_url_rule("/review/item/<int:item_id>/publish", view_func=decisions.publish, methods=["POST"])
blueprint.add_url_rule("/review/item/<int:item_id>/reopen", view_func=decisions.reopen, methods=["POST"])
