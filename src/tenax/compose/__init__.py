"""How are the parts put together? The only room that imports adapters, each inside its opener.

What crawls is in `compose.crawler`: who only looks does not load it.
"""

from __future__ import annotations

from tenax.compose.database import upgrade_ledger
from tenax.compose.identity import bot_keys, require_contact, user_agent
from tenax.compose.ledger import Ledger, open_ledger
from tenax.compose.places import has_ledger

__all__ = [
    "Ledger",
    "bot_keys",
    "has_ledger",
    "open_ledger",
    "require_contact",
    "upgrade_ledger",
    "user_agent",
]
