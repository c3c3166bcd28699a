"""Is the form with the password found, filled in as a browser would, and sent to nobody else?"""

from __future__ import annotations

from urllib.parse import parse_qsl

from hypothesis import given
from hypothesis import strategies as st

from tenax.page.forms.login_form import FilledForm, NoForm, fill_in, finds, has_password

URL = "https://club.example/login?next=/m"
FIELDS = {"user": "me", "pw": "ä&="}


def filled(html: str) -> FilledForm | NoForm:
    return fill_in(html.encode(), "text/html; charset=utf-8", URL, FIELDS)


def test_what_the_form_holds_goes_along_and_ours_counts() -> None:
    form = filled("""
        <form method=post action=/newsletter><input name=mail></form>
        <form method=POST action="../session">
        <input type=hidden name=csrf value="a b"><input name=user value=guest>
        <input type=PASSWORD name=pw><input type=checkbox name=stay checked><input type=checkbox
        name=spam><input type=radio name=who value=member checked><input type=text name=off disabled
        value=1><input type=file name=upload><button type=button name=show>Show</button>
        <button name=do value=login>In</button><button name=do value=reset>Forgot</button></form>
    """)
    assert isinstance(form, FilledForm)
    assert form.url == "https://club.example/session"
    assert dict(parse_qsl(form.body.decode())) == {
        "csrf": "a b", "user": "me", "pw": "ä&=", "stay": "on", "who": "member", "do": "login",
    }  # fmt: skip


def test_a_form_without_action_sends_to_its_own_page() -> None:
    form = filled("<form method=post><input type=password name=pw></form>")
    assert isinstance(form, FilledForm)
    assert form.url == URL


def test_what_would_lose_the_password_is_not_sent() -> None:
    password = "<input type=password name=pw>"
    for html, why in {
        "<p>Hello</p>": "no form with a password field",
        f"<form>{password}</form>": "sends by GET",
        f"<form method=post action=//evil.example/>{password}</form>": "another host, evil.example",
        f"<form method=post action=http://club.example/>{password}</form>": "from https to http",
        f"<form method=post action=mailto:a@b>{password}</form>": "action is no URL",
        "<form method=post><input type=password name=pass></form>": "called 'pass', and",
    }.items():
        form = filled(html)
        assert isinstance(form, NoForm), html
        assert why in form.why
        assert "ä" not in form.why


def test_what_proves_a_login_is_found() -> None:
    html = b'<a class="logout">Bye</a>'
    assert finds(html, None, "a.logout") is True
    assert finds(html, None, "a.login") is False
    assert finds(html, None, "a[[") is None
    assert not has_password(html, None)


@given(st.binary(max_size=300))
def test_no_page_raises(body: bytes) -> None:
    fill_in(body, None, URL, FIELDS)
    fill_in(b"<form method=post><input type=password name=pw>" + body, None, URL, FIELDS)
