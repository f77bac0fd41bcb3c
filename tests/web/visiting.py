"""A visitor without a browser: keeps the session's cookie and sends forms as they stand on the page."""

from __future__ import annotations

from html.parser import HTMLParser

from flask import Flask
from werkzeug.test import TestResponse

SESSION_COOKIE = "draftgate-session"


class _Forms(HTMLParser):
    """Collects the fields of each form by its action, textareas with their text included."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: dict[str, dict[str, str]] = {}
        self._named: dict[str, dict[str, str]] = {}
        self._open: dict[str, str] | None = None
        self._area: tuple[dict[str, str], str] | None = None
        self._orphans: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        if tag == "form":
            self._open = self.forms.setdefault(found.get("action", ""), {})
            self._named[found.get("id", "")] = self._open
        elif tag == "input" and self._open is not None and found.get("type") != "checkbox":
            self._open[found["name"]] = found.get("value", "")
        elif tag == "textarea":
            owner = self._open if "form" not in found else {}
            if "form" in found:
                self._orphans.append((found["form"], found["name"], ""))
            self._area = (owner if owner is not None else {}, found["name"])

    def handle_data(self, data: str) -> None:
        if self._area is None:
            return
        fields, name = self._area
        fields[name] = fields.get(name, "") + data
        if self._orphans and self._orphans[-1][1] == name:
            form, _, text = self._orphans[-1]
            self._orphans[-1] = (form, name, text + data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = None
        elif tag == "form":
            self._open = None

    def close(self) -> None:
        super().close()
        for form, name, text in self._orphans:
            self._named.get(form, {})[name] = text
        for fields in self.forms.values():
            for name, text in fields.items():
                fields[name] = text.removeprefix("\n")  # as a browser does after the opening tag


def forms(page: TestResponse) -> dict[str, dict[str, str]]:
    """Return the fields of each form of `page`, by the form's action."""
    parser = _Forms()
    parser.feed(page.text)
    parser.close()
    return parser.forms


class Visitor:
    """One browser's worth of cookies."""

    def __init__(self, app: Flask, session_token: str | None = None) -> None:
        self._client = app.test_client()
        if session_token:
            self._client.set_cookie(SESSION_COOKIE, session_token)

    def get(self, address: str) -> TestResponse:
        return self._client.get(address)

    def send(self, page: TestResponse, action: str, **fields: str) -> TestResponse:
        """Send the form of `page` whose action ends with `action`, with `fields` filled in."""
        address, given = next((a, f) for a, f in forms(page).items() if a.partition("?")[0].endswith(action))
        return self.post(address, given | fields)

    def post(self, address: str, fields: dict[str, str]) -> TestResponse:
        return self._client.post(address, data=fields, headers={"Sec-Fetch-Site": "same-origin"})

    def follow(self, answer: TestResponse) -> TestResponse:
        """Go where `answer` leads."""
        assert answer.status_code == 303, answer.text
        return self.get(answer.headers["Location"])

    def cookie(self, name: str) -> str:
        found = self._client.get_cookie(name)
        return found.value if found else ""
