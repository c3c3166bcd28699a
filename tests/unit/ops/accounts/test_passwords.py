"""Are passwords kept so that nobody can read them, and bad ones refused?"""

import pytest

from tenax.ops.accounts.passwords import (
    LONGEST,
    PasswordRefused,
    Passwords,
    one_time_password,
    require_good,
)

pytest.importorskip("argon2", reason="the extra `api` is not installed")


async def test_the_right_password_is_right_and_another_is_not() -> None:
    passwords = Passwords()
    kept = await passwords.hash("correct horse battery")
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$"), "as dear as it is to be"
    assert "horse" not in kept
    assert await passwords.is_right("correct horse battery", kept)
    assert not await passwords.is_right("correct horse batterY", kept)
    assert not await passwords.is_right("correct horse battery", None), "nobody has it"
    assert not await passwords.is_right("x" * (LONGEST + 1), kept)
    assert not await passwords.is_right("correct horse battery", "no hash")


async def test_the_same_password_is_kept_differently_each_time() -> None:
    passwords = Passwords()
    assert await passwords.hash("correct horse battery") != await passwords.hash(
        "correct horse battery"
    )


@pytest.mark.parametrize(
    "bad", ["", "short", "elevenchars", "aaaaaaaaaaaaaaaa", "anna12345678", "x" * (LONGEST + 1)]
)
def test_what_is_easily_guessed_is_refused(bad: str) -> None:
    with pytest.raises(PasswordRefused):
        require_good(bad, "anna")


def test_one_time_passwords_are_good_ones() -> None:
    made = {one_time_password() for _ in range(50)}
    assert len(made) == 50
    for each in made:
        require_good(each, "admin")
