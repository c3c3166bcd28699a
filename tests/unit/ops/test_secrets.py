"""Is a secret never shown, and everything else as it is? (SEC-3)"""

from __future__ import annotations

from typing import Any

import pytest

from tenax.model import SiteRules
from tenax.ops.secrets import MASK, masked
from tenax.settings import names


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("kafka.sasl_password", "hunter2", MASK),
        ("api.secret", "s", MASK),
        ("s3.secret_key", "s", MASK),
        ("s3.access_key", "s", MASK),
        ("api.secret", "", ""),
        ("api.secret", None, None),
        ("database", "postgresql://me:pa/ss@db/x", f"postgresql://me:{MASK}@db/x"),
        ("database", "postgresql://me:hunter2@db/x", f"postgresql://me:{MASK}@db/x"),
        ("database", "postgresql://me:a@b@db/x", f"postgresql://me:{MASK}@db/x"),
        ("database", "postgresql://db/x?password=a", f"postgresql://db/x?password={MASK}"),
        ("redis", "redis://:hunter2@cache:6379", f"redis://:{MASK}@cache:6379"),
        ("proxies", ("http://u:p@a:1", "http://b:1"), (f"http://u:{MASK}@a:1", "http://b:1")),
        ("token", "tenax", "tenax"),
        ("contact", "mailto:me@example.org", "mailto:me@example.org"),
        ("pace.delay", 1.0, 1.0),
        ("job.include", ("https://a.example/x:y@z",), ("https://a.example/x:y@z",)),
    ],
)
def test_secrets_are_masked_and_nothing_else(name: str, value: Any, shown: Any) -> None:
    assert masked(name, value) == shown


def test_the_secrets_among_todays_settings_are_known() -> None:
    assert [name for name in names() if masked(name, "x") != "x"] == ["secret_key"]


def test_what_a_site_is_sent_is_masked_and_its_names_are_not() -> None:
    """SEC-3: a cookie or a header of `[[sites]]` may be a key to somebody's account."""
    rules = SiteRules("a.example", headers={"X-Key": "secret"}, cookies={"session": "secret"})
    (shown,) = masked("sites", (rules,))
    assert shown.headers == {"X-Key": MASK}
    assert shown.cookies == {"session": MASK}
    assert shown.host == "a.example"
