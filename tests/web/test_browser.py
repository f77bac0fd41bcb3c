"""The whole way of a reviewer in a real browser, against the real product, with JavaScript and without."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect
from running_site import LOCALE, LONG_PAGE, PAGES, WORK_SECONDS, ReadySite, RunningSite, poll

from scheduler_service.answers import ItemKey, ItemStatus
from scheduler_service.answers_content import SourceField, SourcePage
from scheduler_service.errors import Reason, Refused

pytestmark = pytest.mark.browser

EDITED = "Bem-vindos ao nosso porto"
# WCAG 2.2 AA, as the design asks for, and what axe calls best practice.
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
# What a frame of the page can't show of its content, sideways.
CUT_OFF = """[...document.querySelectorAll('.panel, .pane, .rail, .background > *')]
    .filter(frame => frame.scrollWidth > frame.clientWidth + 1).map(frame => frame.outerHTML.slice(0, 120))"""


class Watched:
    """A page whose requests and complaints are noted."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.page = context.new_page()
        self.page.set_default_timeout(20_000)
        self.url = url
        self.complaints: list[str] = []
        self.outside: list[str] = []
        # A refused form (422) is a page like any other; the browser mentions it all the same.
        self.page.on("console", lambda said: "status of 422" in said.text or self.complaints.append(said.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._note)

    def _note(self, request) -> None:
        if not request.url.startswith((self.url, "data:")):
            self.outside.append(request.url)

    def open(self, path: str) -> Page:
        self.page.goto(self.url + path)
        return self.page


@pytest.fixture(params=[True, False], ids=["with JavaScript", "without JavaScript"])
def has_javascript(request: pytest.FixtureRequest) -> bool:
    return request.param


@pytest.fixture
def visit(browser: Browser, running: RunningSite, has_javascript: bool) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1280, "height": 860}, java_script_enabled=has_javascript)
    watched = Watched(context, running.url)
    yield watched
    context.close()
    assert watched.complaints == [] and watched.outside == []


def test_a_reviewer_signs_in_opens_edits_approves_publishes_and_readers_get_it(
    running: RunningSite, visit: Watched, tmp_path: Path
):
    site = running.scanned((LONG_PAGE,))
    key = ItemKey(site.site_id, "pages/guide.md", "hello", LOCALE)
    link = running.invited("Ana", (site.site_id, "reviewer"), (site.site_id, "publisher"))

    page = visit.open(f"/sign-in?token={link}")
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{running.url}/review/{site.site_id}")

    # Wherever the offline judge put it: the text is edited anyway.
    for queue in ("To review", "Needs a person"):
        page.get_by_role("link", name=re.compile(f"^{queue}")).click()
        row = page.get_by_role("link", name=re.compile("hello"))
        if row.count():
            break
    row.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("hello")
    expect(page.locator(".pane.source")).to_contain_text("The boat of {name} is ready.")
    page.screenshot(path=tmp_path / "item.png", full_page=True)

    page.get_by_role("link", name="Edit").click()
    field = page.get_by_label(re.compile("Your text in"))
    field.fill("O barco está pronto.")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("alert")).to_contain_text("must be fixed first")
    expect(page.get_by_role("heading", name=re.compile("Placeholders"))).to_be_visible()
    expect(field).to_have_value("O barco está pronto.")

    field.fill("O barco de {name} está pronto.")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("status")).to_contain_text("Approved.")
    page.screenshot(path=tmp_path / "next.png", full_page=True)
    with pytest.raises(Refused) as not_yet:
        running.admin.read_text(key)
    assert not_yet.value.reason is Reason.NOT_FOUND

    page.get_by_role("link", name="Look again or publish").click()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("status")).to_contain_text("Published.")
    assert running.admin.read_text(key).text == "O barco de {name} está pronto."

    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    visit.open(f"/review/{site.site_id}")
    expect(page).to_have_url(re.compile("/sign-in"))


def test_a_draft_is_approved_and_another_rejected_from_their_own_pages(running: RunningSite, visit: Watched):
    site = running.scanned()
    signed_in(running, visit.page.context, site)
    page = visit.open(f"/review/item/{site.item_id('title')}?queue=to_review")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("status")).to_contain_text("Approved.")
    expect(page.get_by_role("status")).to_contain_text("1 of 1")
    expect(page.get_by_role("heading", level=1)).to_have_text("Lead")
    page.locator("summary", has_text="Reject…").click()
    page.get_by_label("What is wrong with it").fill("Too stiff.")
    page.get_by_label(re.compile("Ask for a new draft")).uncheck()
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_role("status")).to_contain_text("Rejected.")
    statuses = {field: running.admin.get_item(site.item_id(field)).summary.status for field in ("title", "lead")}
    assert statuses == {"title": ItemStatus.APPROVED, "lead": ItemStatus.REJECTED}


def test_the_keyboard_alone_is_enough(running: RunningSite, visit: Watched, has_javascript: bool):
    site = running.scanned()
    signed_in(running, visit.page.context, site)
    page = visit.open(f"/review/item/{site.item_id('title')}?queue=to_review&edit=1")
    expect(page.get_by_label(re.compile("Your text in"))).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type(EDITED)
    if has_javascript:
        page.keyboard.press("Control+Enter")
    else:
        for _ in range(12):
            page.keyboard.press("Tab")
            if page.locator("button[name=does_approve]:focus").count():
                break
        page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Approved.")
    expect(page.get_by_role("status")).to_be_focused()
    assert running.admin.get_item(site.item_id("title")).candidate.text == EDITED


def test_leaving_with_unsent_text_is_asked_about(running: RunningSite, browser: Browser):
    site = running.scanned()
    context = browser.new_context()
    signed_in(running, context, site)
    page = context.new_page()
    page.goto(f"{running.url}/review/item/{site.item_id('title')}?edit=1")
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.get_by_role("link", name="Status").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Status of")
    assert asked == []
    page.go_back()
    page.get_by_label(re.compile("Your text in")).press_sequentially("x")
    page.get_by_role("link", name="Status").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Status of")
    assert asked == ["beforeunload"]
    context.close()


def test_a_hostile_text_is_shown_as_text(running: RunningSite, visit: Watched):
    hostile = '<img src=x onerror=alert(1)><script>alert(2)</script> {{7*7}} "><svg onload=alert(3)>'
    page_of = SourcePage(f"pages/{hostile[:20]}", (SourceField("title", hostile, label=hostile, note=hostile),))
    site = running.scanned((page_of,))
    signed_in(running, visit.page.context, site)
    visit.page.on("dialog", lambda dialog: pytest.fail("a script of the content ran"))
    page = visit.open(f"/review/item/{site.item_id('title')}?edit=1")
    page.get_by_label(re.compile("Your text in")).fill(hostile + " 2")
    page.get_by_role("button", name="Save as draft").click()
    for path in (f"/review/{site.site_id}?queue=all", f"/review/item/{site.item_id('title')}"):
        page = visit.open(path)
        expect(page.locator("main")).to_contain_text("{{7*7}}")
        assert page.locator("main img, main script, main svg[onload]").count() == 0


@pytest.fixture(scope="module")
def shown(running: RunningSite) -> ReadySite:
    """A site with something in every state that a reviewer meets, with old texts to compare with."""
    site = running.scanned((*PAGES, LONG_PAGE))
    client = running.admin.with_token(running.session(running.invited("Ana", ("*", "admin"))))
    for field in ("title", "body"):
        seen = client.get_item(site.item_id(field))
        edited = client.edit(
            seen.summary.item_id, version=seen.summary.version, candidate_id=seen.candidate.candidate_id,
            text=seen.candidate.text.replace("porto", "cais"), approve=True, override_reason="as it should be",
        )
        client.publish(
            seen.summary.item_id, version=edited.version,
            text_hash=client.get_item(seen.summary.item_id).candidate.text_hash,
        )
    body, hello = LONG_PAGE.fields
    changed = SourceField(body.field_name, body.text.replace("strong", "cold"), body.label, body.text_format)
    page = SourcePage(LONG_PAGE.page_id, (changed, hello))
    running.admin.scan_pages(site.site_id, LOCALE, [page], is_complete=False)
    running.admin.put_site(
        site.site_id, name="Harbour", source_locale="en", target_locales=[LOCALE, "ar"], credential="offline"
    )
    poll(lambda: not running.admin.get_status(site.site_id).by_work_state, WORK_SECONDS, "translating")
    return site


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390, 320])
def test_every_page_is_accessible_and_never_wider_than_the_screen(
    running: RunningSite, browser: Browser, shown: ReadySite, scheme: str, width: int, tmp_path_factory
):
    folder = tmp_path_factory.mktemp("screens")
    context = browser.new_context(
        viewport={"width": width, "height": 844}, color_scheme=scheme, has_touch=width < 500, is_mobile=width < 500
    )
    page = context.new_page()
    page.goto(f"{running.url}/sign-in?token=x&first=1")
    problems = looked_at(page, "sign-in", folder)
    signed_in(running, context, shown)
    for name, path in {
        "queue": f"/review/{shown.site_id}",
        "everything": f"/review/{shown.site_id}?queue=all",
        "nothing": f"/review/{shown.site_id}?q=nowhere",
        "changed": f"/review/item/{shown.item_id('body')}",
        "failed": f"/review/item/{shown.item_id('closed')}",
        "editing": f"/review/item/{shown.item_id('lead')}?edit=1",
        "published": f"/review/item/{shown.item_id('title')}",
        "status": f"/status/{shown.site_id}",
        "not-found": "/review/item/999999999",
    }.items():
        page.goto(running.url + path)
        page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
        problems += looked_at(page, name, folder)
    context.close()
    assert problems == [], "\n".join(problems)


def looked_at(page: Page, name: str, folder: Path) -> list[str]:
    """Return what is wrong with the page as it stands, and keep a picture of it."""
    page.screenshot(path=folder / f"{name}.png", full_page=True)
    width = page.viewport_size["width"]
    wide = page.evaluate("document.documentElement.scrollWidth")
    problems = [f"{name}: {wide} px wide on a screen of {width}"] if wide > width else []
    problems += [f"{name}: cut off: {html}" for html in page.evaluate(CUT_OFF)]
    for found in Axe().run(page, options=RULES).response["violations"]:
        where = "; ".join(node["html"][:160] for node in found["nodes"][:3])
        problems.append(f"{name}: {found['id']}: {found['help']}: {where}")
    texts = page.locator("main .text, main .excerpt, main textarea[name=text], main .diff")
    for text in texts.all():
        if not text.get_attribute("dir") or (not text.get_attribute("lang") and text.get_attribute("dir") != "auto"):
            problems.append(f"{name}: a text without language or direction")
    return problems


def signed_in(running: RunningSite, context: BrowserContext, site: ReadySite) -> None:
    """Give the browser the session of a reviewer, publisher and operator of `site`."""
    roles = ((site.site_id, role) for role in ("reviewer", "publisher", "operator"))
    token = running.session(running.invited("Ana", *roles))
    context.add_cookies([{"name": "draftgate-session", "value": token, "url": running.url, "httpOnly": True}])
