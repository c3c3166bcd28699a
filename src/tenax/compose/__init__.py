"""How are the parts put together? The only room that imports adapters, each inside its opener."""

from __future__ import annotations

from tenax.compose.app import App, open_app, preload
from tenax.compose.clients import bot_keys, user_agent
from tenax.compose.contact import require_contact
from tenax.compose.ledger import upgrade_ledger
from tenax.compose.places import has_ledger

__all__ = [
    "App",
    "bot_keys",
    "has_ledger",
    "open_app",
    "preload",
    "require_contact",
    "upgrade_ledger",
    "user_agent",
]
