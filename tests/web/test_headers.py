"""What must hold for every address of the site, taken from the application's own map."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from running_site import SECRET, RunningSite
from visiting import Visitor, forms
from werkzeug.test import TestResponse

import review_web
from review_web.app import create_app
from review_web.config import ReviewSettings

SITE = Path(review_web.__file__).parent
SHOWN = [*SITE.glob("templates/**/*.html"), *SITE.glob("static/*")]
MACHINES = {"/healthz", "/readyz", "/metrics"}


def addresses(app: Flask, method: str) -> Iterator[str]:
    """Yield an address for every rule that takes `method`, with something in each of its places."""
    adapter = app.url_map.bind("localhost")
    for rule in app.url_map.iter_rules():
        if method in (rule.methods or ()):
            values = {"site_id": "harbour", "item_id": 1, "filename": "base.css"}
            yield adapter.build(rule.endpoint, {name: values[name] for name in rule.arguments}, method=method)


def assert_safe(answer: TestResponse) -> None:
    headers = answer.headers
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
    assert "unsafe" not in headers["Content-Security-Policy"] and "http" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_every_answer_carries_the_security_headers_whatever_its_status(site_without_scheduler):
    visitor = Visitor(site_without_scheduler, "a-token")
    seen = set()
    for method, visit in (("GET", visitor.get), ("POST", lambda address: visitor.post(address, {}))):
        for address in addresses(site_without_scheduler, method):
            answer = visit(address)
            seen.add(answer.status_code)
            assert_safe(answer)
            if "/draftgate-static/" not in address:
                assert answer.headers["Cache-Control"] == "no-store", address
    assert_safe(visitor.get("/no-such-page"))
    assert_safe(visitor.get("/sign-out"))
    assert {200, 400, 503} <= seen


def test_nobody_gets_in_without_a_session(site_without_scheduler):
    """The scheduler isn't even asked: with nobody there, an answer that needed it would be a 503."""
    visitor = Visitor(site_without_scheduler)
    for address in addresses(site_without_scheduler, "GET"):
        answer = visitor.get(address)
        if address in MACHINES or address == "/sign-in" or "/draftgate-static/" in address:
            continue
        assert answer.status_code == 303, address
        assert answer.headers["Location"].startswith("/sign-in?next="), address


def test_no_change_happens_without_the_token_of_our_own_form(site_without_scheduler):
    client = site_without_scheduler.test_client()
    client.set_cookie("draftgate-session", "a-token")
    addressed = list(addresses(site_without_scheduler, "POST"))
    assert len(addressed) >= 7
    for address in addressed:
        assert client.post(address, data={"token": "x", "version": "1"}).status_code == 400, address


@pytest.mark.parametrize("where", ["cross-site", "same-site"])
def test_a_form_sent_by_another_site_is_refused_even_with_a_good_token(site_without_scheduler, where):
    client = site_without_scheduler.test_client()
    fields = forms(client.get("/sign-in?token=x"))["/sign-in"]
    answer = client.post("/sign-in", data=fields, headers={"Sec-Fetch-Site": where})
    assert answer.status_code == 400
    assert "Send it again" not in answer.text, "another site must not put words into a form of ours"


def test_opening_a_sign_in_link_changes_nothing(running: RunningSite, application: Flask):
    link = running.invited("Ana", ("*", "reviewer"))
    visitor = Visitor(application)
    for _ in range(3):
        assert visitor.get(f"/sign-in?token={link}").status_code == 200
    assert visitor.send(visitor.get(f"/sign-in?token={link}"), "/sign-in").status_code == 303


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"]
)
def test_nobody_is_led_to_another_site_after_signing_in(running: RunningSite, application: Flask, elsewhere: str):
    visitor = Visitor(application)
    page = visitor.get(f"/sign-in?token={running.invited('Ana', ('*', 'reviewer'))}")
    answer = visitor.send(page, "/sign-in", next=elsewhere)
    assert answer.status_code == 303 and answer.headers["Location"] == "/"


def test_a_used_link_says_so_and_leaves_room_for_another(running: RunningSite, application: Flask):
    link = running.invited("Ana", ("*", "reviewer"))
    running.session(link)
    visitor = Visitor(application)
    answer = visitor.send(visitor.get(f"/sign-in?token={link}"), "/sign-in")
    assert answer.status_code == 422 and "used" in answer.text
    whole = f"http://localhost/sign-in?token={running.invited('Ana', ('*', 'reviewer'))}"
    assert visitor.send(answer, "/sign-in", token=whole).status_code == 303


def test_signing_in_leads_back_to_where_one_wanted_to_go(running: RunningSite, application: Flask):
    visitor = Visitor(application)
    first = visitor.get("/review/some-site?queue=approved")
    page = visitor.follow(first)
    answer = visitor.send(page, "/sign-in", token=running.invited("Ana", ("*", "reviewer")))
    assert answer.headers["Location"] == "/review/some-site?queue=approved"


@pytest.mark.parametrize(
    ("base_url", "name", "is_secure"),
    [
        ("http://127.0.0.1:8080", "draftgate-session", False),
        ("https://review.example.org", "__Host-draftgate-session", True),
    ],
)
def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(running, base_url, name, is_secure):
    app = create_app(
        ReviewSettings(scheduler_address=running.scheduler_address, secret_key=SECRET, base_url=base_url)
    )
    client = app.test_client()
    address = "/sign-in?token=" + running.invited("Ana", ("*", "reviewer"))
    fields = forms(client.get(address, base_url=base_url))["/sign-in"]
    answer = client.post("/sign-in", data=fields, base_url=base_url)
    cookies = answer.headers.getlist("Set-Cookie")
    ours = next(cookie for cookie in cookies if cookie.startswith(name + "="))
    assert "HttpOnly" in ours and "SameSite=Lax" in ours and "Path=/" in ours and "Domain" not in ours
    for cookie in cookies:
        assert ("Secure" in cookie) is is_secure and "HttpOnly" in cookie
    assert ("Strict-Transport-Security" in answer.headers) is is_secure


def test_signing_out_ends_the_session_in_the_scheduler_too(running: RunningSite, application: Flask):
    token = running.session(running.invited("Ana", ("*", "reviewer")))
    visitor = Visitor(application, token)
    page = visitor.get("/review/unknown-site")
    assert page.status_code == 404
    some = running.scanned(())
    page = visitor.get(f"/review/{some.site_id}")
    answer = visitor.send(page, "/sign-out")
    assert answer.status_code == 303 and visitor.cookie("draftgate-session") == ""
    assert Visitor(application, token).get(f"/review/{some.site_id}").status_code == 303


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.name)
def test_nothing_shown_names_another_site_or_styles_inline(path: Path):
    text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"(https?:)?//[a-z0-9-]+\.[a-z]", text, re.IGNORECASE)
    assert not re.search(r"@import|url\(", text)
    if path.suffix == ".html":
        assert not re.search(r"\sstyle=|<style|\son[a-z]+=|javascript:|\|\s*safe\b|<script(?![^>]*\ssrc=)", text)


def test_assets_may_be_kept_only_under_the_fingerprint_of_their_content(site_without_scheduler):
    visitor = Visitor(site_without_scheduler)
    page = visitor.get("/sign-in").text
    address = re.search(r'href="([^"]+base\.css[^"]*)"', page)[1]
    assert "immutable" in visitor.get(address).headers["Cache-Control"]
    assert visitor.get(address.partition("?")[0]).headers["Cache-Control"] == "no-cache"
