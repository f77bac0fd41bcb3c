"""The addresses for signing in and out."""

from __future__ import annotations

from flask import Blueprint

from review_web.account import views

blueprint = Blueprint("account", __name__)
blueprint.add_url_rule("/sign-in", view_func=views.sign_in, methods=["GET"])
blueprint.add_url_rule("/sign-in", view_func=views.exchange, methods=["POST"])
blueprint.add_url_rule("/sign-out", view_func=views.sign_out, methods=["POST"])
