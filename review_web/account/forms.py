"""The sign-in form."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from wtforms import Form, StringField
from wtforms.validators import InputRequired, Length


def link_token(given: str | None) -> str | None:
    """Return the token in `given`, which may be the whole link as it was sent to a person."""
    text = (given or "").strip()
    if "token=" in text:
        return (parse_qs(urlsplit(text).query).get("token") or [""])[0]
    return text


class SignInForm(Form):
    token = StringField(
        filters=[link_token],
        validators=[InputRequired("Paste the link, or the code at its end."), Length(max=300)],
    )
    name = StringField(filters=[lambda name: (name or "").strip()], validators=[Length(max=100)])


def own_path(given: str | None) -> str:
    """Return `given` when it is an address of this site, else ``""``; nobody is led elsewhere after signing in."""
    path = given or ""
    parts = urlsplit(path)
    is_own = path.startswith("/") and not parts.scheme and not parts.netloc and "\\" not in path
    return path if is_own and path.isprintable() and not path.startswith("//") else ""
