"""What does a login page want to be sent? The form with a password, filled in. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from msgspec import Struct
from turbohtml import Element

from tenax.page.charset import decide_charset
from tenax.page.html import parse_page
from tenax.urls.normalise import host_of, resolve

_MOST_FIELDS = 200
_LEFT_OUT = frozenset({"submit", "button", "image", "reset", "file", "password"})
_TICKED = frozenset({"checkbox", "radio"})


class FilledForm(Struct, frozen=True):
    """What is sent, and where to."""

    url: str
    body: bytes


class NoForm(Struct, frozen=True):
    """Why nothing can be sent, for people; never what would have been."""

    why: str


def fill_in(
    body: bytes, content_type: str | None, url: str, fields: Mapping[str, str]
) -> FilledForm | NoForm:
    """The form of the page at `url` that asks for a password, with all that it holds already (a
    token against forgery, most often), the button that would be pressed, and our fields."""
    page = parse_page(body, decide_charset(body, content_type).name)
    forms = [form for form in page.select("form") if _password(form) is not None]
    if not forms:
        return NoForm("no form with a password field; it may need scripts: use tenax login")
    form = forms[0]
    name = _password(form) or ""
    if name not in fields:
        given = ", ".join(sorted(fields)) or "nothing"
        return NoForm(f"the password field is called {name!r}, and login_fields has {given}")
    if (form.attr("method") or "get").strip().lower() != "post":
        return NoForm("the form sends by GET, which would put the password into a URL")
    to = resolve((form.attr("action") or "").strip() or url, url)
    if to is None or not to.startswith(("http://", "https://")):
        return NoForm("the form's action is no URL")
    if host_of(to) != host_of(url):
        return NoForm(f"the form sends to another host, {host_of(to)}")
    if url.startswith("https:") and not to.startswith("https:"):
        return NoForm("the form sends from https to http")
    return FilledForm(to, urlencode(_held(form) | dict(fields)).encode())


def has_password(body: bytes, content_type: str | None) -> bool:
    """Whether a page still asks for one."""
    page = parse_page(body, decide_charset(body, content_type).name)
    return any(_password(form) is not None for form in page.select("form"))


def finds(body: bytes, content_type: str | None, selector: str) -> bool | None:
    """Whether a page has what a CSS selector asks for; None where that is no selector."""
    page = parse_page(body, decide_charset(body, content_type).name)
    try:
        return bool(page.select(selector))
    except ValueError:
        return None


def _password(form: Element) -> str | None:
    """The name of its password field; None where it has none."""
    fields = form.select('input[type="password" i]')
    return next((name for each in fields if (name := each.attr("name"))), None)


def _held(form: Element) -> dict[str, str]:
    held: dict[str, str] = {}
    for each in form.select("input")[:_MOST_FIELDS]:
        kind, name = (each.attr("type") or "text").lower(), each.attr("name")
        if not name or kind in _LEFT_OUT or each.attr("disabled") is not None:
            continue
        if kind in _TICKED and each.attr("checked") is None:
            continue
        held[name] = each.attr("value") or ("on" if kind in _TICKED else "")
    pressed = form.select('button[name]:not([type="button" i]), input[type="submit" i][name]')
    for button in pressed[:1]:
        held[button.attr("name") or ""] = button.attr("value") or ""
    return held
