"""Pages about what can't be done: what happened, what to do, nothing lost, nothing disclosed."""

from __future__ import annotations

import json
import logging
import socket

import pytest
from flask import Blueprint, Flask, abort
from running_site import SECRET
from visiting import Visitor, forms

from review_web import extension
from review_web.app import create_app
from review_web.config import ReviewSettings
from review_web.extension import PagesError, ReviewSite
from scheduler_service.errors import Reason, Refused
from translator_service.foundation.settings import SettingsError

TYPED = "O texto que alguém digitou"


def typed_form(visitor: Visitor) -> dict[str, str]:
    token = forms(visitor.get("/sign-in"))["/sign-in"]["csrf_token"]
    return {"csrf_token": token, "version": "3", "text": TYPED, "next_item_id": "0"}


def test_a_scheduler_that_is_away_is_named_and_the_text_is_kept_to_be_sent_again(site_without_scheduler):
    visitor = Visitor(site_without_scheduler, "a-token")
    answer = visitor.post("/review/item/1/edit", typed_form(visitor))
    assert answer.status_code == 503
    assert "scheduler can’t be reached" in answer.text and TYPED in answer.text
    kept = forms(answer)["/review/item/1/edit"]
    assert (kept["text"], kept["version"]) == (TYPED, "3") and kept["csrf_token"]


def test_an_old_form_comes_back_with_its_text_and_a_fresh_token(site_without_scheduler):
    visitor = Visitor(site_without_scheduler, "a-token")
    answer = visitor.post("/review/item/1/edit", typed_form(visitor) | {"csrf_token": "old"})
    assert answer.status_code == 400
    kept = forms(answer)["/review/item/1/edit"]
    assert kept["text"] == TYPED and kept["csrf_token"] != "old"
    assert visitor.post("/review/item/1/edit", kept).status_code == 503, "the fresh token is good"


def test_a_body_beyond_every_text_is_refused_unread(site_without_scheduler):
    visitor = Visitor(site_without_scheduler, "a-token")
    answer = visitor.post("/review/item/1/edit", typed_form(visitor) | {"text": "x" * (4 * 1024 * 1024 + 1)})
    assert answer.status_code == 413 and "too long" in answer.text


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        (Reason.NOT_ALLOWED, 403),
        (Reason.NOT_FOUND, 404),
        (Reason.DATABASE_UNAVAILABLE, 503),
        (Reason.CHECK_UNAVAILABLE, 503),
        (Reason.INTERNAL, 500),
    ],
)
def test_a_refusal_gets_its_status_and_says_the_remedy(reason: Reason, status: int):
    app = with_page(lambda: (_ for _ in ()).throw(Refused(reason, "Ask for the role publisher.")))
    answer = app.test_client().get("/broken")
    assert answer.status_code == status and "Ask for the role publisher." in answer.text


def test_every_reason_of_the_scheduler_has_a_page():
    for reason in Reason:
        def fail(reason: Reason = reason) -> str:
            raise Refused(reason, "")

        answer = with_page(fail).test_client().get("/broken")
        assert answer.status_code >= (303 if reason is Reason.NOT_SIGNED_IN else 400)


def test_a_surprise_shows_a_number_that_the_log_has_too_and_nothing_else(caplog):
    def fail() -> str:
        raise RuntimeError("um segredo que ninguém deve ler")

    with caplog.at_level(logging.ERROR, logger="draftgate"):
        answer = with_page(fail).test_client().get("/broken")
    assert answer.status_code == 500 and "segredo" not in answer.text
    record = next(record for record in caplog.records if record.getMessage() == "page.failed")
    assert record.draftgate_fields["error_id"] in answer.text
    assert "segredo" not in json.dumps(record.draftgate_fields)


def test_pages_of_others_keep_their_own_endings():
    answer = with_page(lambda: abort(404)).test_client().get("/broken")
    assert answer.status_code == 404 and "There is nothing here" in answer.text


def with_page(view) -> Flask:
    """The site with one more page, as a plugin would bring it."""
    more = Blueprint("more", __name__)
    more.add_url_rule("/broken", view_func=view, endpoint="broken")
    loaded = extension.load_pages
    extension.load_pages = lambda: [*loaded(), more]
    try:
        return create_app(ReviewSettings(scheduler_address="127.0.0.1:9", secret_key=SECRET))
    finally:
        extension.load_pages = loaded


class TestSettings:
    def test_a_missing_or_guessable_secret_stops_the_start(self):
        with pytest.raises(SettingsError, match="DRAFTGATE_REVIEW_SECRET_KEY"):
            create_app(ReviewSettings())
        with pytest.raises(SettingsError, match="at least 32"):
            create_app(ReviewSettings(secret_key="short"))

    def test_plain_http_is_for_this_machine_only(self):
        with pytest.raises(SettingsError, match="must be https"):
            ReviewSettings.load({"base_url": "http://review.example.org"}, environ={})
        assert ReviewSettings.load({"base_url": "https://review.example.org/"}, environ={}).is_https

    def test_flags_win_over_the_environment_and_that_over_the_file(self, tmp_path):
        path = tmp_path / "draftgate.toml"
        path.write_text('[review]\nbind = "127.0.0.1:1"\nthreads = 3\nbase_url = "http://localhost:1"\n')
        environment = {"DRAFTGATE_REVIEW_BIND": "127.0.0.1:2", "DRAFTGATE_REVIEW_THREADS": "5"}
        settings = ReviewSettings.load({"bind": "127.0.0.1:3"}, environ=environment, config_file=path)
        assert (settings.bind, settings.threads, settings.base_url) == ("127.0.0.1:3", 5, "http://localhost:1")

    def test_the_secret_can_be_a_file(self, tmp_path):
        path = tmp_path / "secret"
        path.write_text(SECRET + "\n")
        settings = ReviewSettings.load(environ={"DRAFTGATE_REVIEW_SECRET_KEY_FILE": str(path)})
        assert settings.signing_key() == SECRET and SECRET not in repr(settings)


class TestServing:
    def test_a_taken_port_ends_with_its_own_code_and_names_port_and_setting(self, monkeypatch):
        from click.testing import CliRunner

        from review_web.cli import review

        monkeypatch.setenv("DRAFTGATE_REVIEW_SECRET_KEY", SECRET)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            bind = f"127.0.0.1:{taken.getsockname()[1]}"
            result = CliRunner().invoke(review, ["serve", "--bind", bind])
        assert result.exit_code == 10
        assert bind in result.output and "DRAFTGATE_REVIEW_BIND" in result.output

    def test_a_wrong_setting_ends_with_its_own_code(self, monkeypatch):
        from click.testing import CliRunner

        from review_web.cli import review

        monkeypatch.delenv("DRAFTGATE_REVIEW_SECRET_KEY", raising=False)
        result = CliRunner().invoke(review, ["serve"])
        assert result.exit_code == 2 and "secret_key" in result.output


class TestMounting:
    def test_the_site_lives_below_a_prefix_of_somebody_elses_application(self):
        host = Flask("host")
        host.secret_key = SECRET
        host.add_url_rule("/", "own", lambda: "the host's own page")
        ReviewSite(ReviewSettings(scheduler_address="127.0.0.1:9")).init_app(host, url_prefix="/translations")
        client = host.test_client()
        own = client.get("/")
        assert own.text == "the host's own page" and "Content-Security-Policy" not in own.headers
        answer = client.get("/translations/review/harbour")
        assert answer.headers["Location"] == "/translations/sign-in?next=/translations/review/harbour"
        page = client.get("/translations/sign-in")
        assert page.status_code == 200 and 'action="/translations/sign-in"' in page.text
        assert client.get("/elsewhere").text.startswith("<!doctype html>\n<html lang=en>"), "the host's own 404"
        assert client.post("/translations/sign-out").status_code == 400

    def test_two_applications_keep_their_own_scheduler(self):
        site = [ReviewSite(ReviewSettings(scheduler_address=f"127.0.0.1:{port}")) for port in (1, 2)]
        hosts = [Flask(f"host{number}") for number in (1, 2)]
        for one, host in zip(site, hosts, strict=True):
            host.secret_key = SECRET
            one.init_app(host)
        assert [host.extensions["draftgate"].client.address for host in hosts] == ["127.0.0.1:1", "127.0.0.1:2"]

    def test_pages_that_fail_to_load_stop_the_start_with_their_name(self, monkeypatch):
        class Broken:
            name, value = "calendar", "calendar_pages:blueprint"

            def load(self):
                raise ImportError("no such module")

        monkeypatch.setattr(extension, "entry_points", lambda group: [Broken()])
        with pytest.raises(PagesError, match="calendar .*ImportError"):
            extension.load_pages()
