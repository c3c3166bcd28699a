"""What do tests of the API share? Passwords that are hashed cheaply."""

from __future__ import annotations

import pytest

from tenax.ops.accounts import passwords


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Argon2id as ever, but of 8 KB instead of 64 MB: a hash takes a tenth of a second otherwise,
    and logging in is what these tests do. What users get is `ops/accounts/test_passwords.py`'s."""
    argon2 = pytest.importorskip("argon2", reason="the extra `api` is not installed")
    hasher = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "_hasher", lambda: hasher)
