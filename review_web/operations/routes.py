"""The operator's addresses."""

from __future__ import annotations

from flask import Blueprint

from review_web.operations import views

blueprint = Blueprint("operations", __name__)
blueprint.add_url_rule("/status/<site_id>", view_func=views.status)
