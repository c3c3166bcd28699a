"""Is a name that nobody has told from a network that is away?"""

from __future__ import annotations

import socket

from tenax.adapters.local.reachable import unknown_names

_ERRORS = {"typo.example": socket.EAI_NONAME, "later.example": socket.EAI_AGAIN}


async def ask(name: str) -> object:
    if name in _ERRORS:
        raise socket.gaierror(_ERRORS[name], "told by the system")
    return name


async def test_a_name_that_nobody_has_is_told_from_one_that_could_not_be_looked_up() -> None:
    names = ["there.example", "typo.example", "later.example", "typo.example"]
    assert await unknown_names(names, ask, lambda: True) == (["typo.example"], ["later.example"])


async def test_while_our_network_is_away_no_name_is_held_to_be_wrong() -> None:
    found = await unknown_names(["typo.example", "later.example"], ask, lambda: False)
    assert found == ([], ["typo.example", "later.example"])
