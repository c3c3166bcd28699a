"""`tenax key`: the keys by which others know this crawler, and those by which it knows others."""

from __future__ import annotations

from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec.structs import replace

from tenax.cli.keys import api_command
from tenax.cli.terminal import options, say

if TYPE_CHECKING:
    from tenax.fetch.bot_auth.signatures import KeyRing
    from tenax.fetch.headers import Pairs
    from tenax.settings import Settings

app = typer.Typer(
    name="key",
    help="The crawler's own key, and the keys of those who use its API.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(api_command.app)


@app.callback()
def _key() -> None:
    """The crawler's own key, and the keys of those who use its API."""


@app.command()
def bot(
    directory: Annotated[
        bool, typer.Option("--directory", help="Print the document to publish, signed.")
    ] = False,
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Add a new key, and retire the old one in time.")
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="The key file [bot_auth.key, else in the data folder]."),
    ] = None,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Make the key that signs requests (Web Bot Auth), or tell about the one there is.

    With it, sites can be sure that a request is yours, whatever address it comes from.
    """
    from tenax.compose import bot_keys
    from tenax.fetch.bot_auth.signatures import directory as document_of

    settings = options.settings(
        config, data=data, bot_auth__key=None if file is None else str(file)
    ).settings
    keys = bot_keys(settings, create=not (directory or rotate), rotate=rotate)
    settings = replace(settings, bot_auth=replace(settings.bot_auth, key=str(keys.path)))
    now = time()
    document = document_of(keys.ring, now)
    if as_json:
        headers = _headers(settings, keys.ring, document, now)
        say.as_json(_plain(settings, keys.ring, document, headers, now))
    elif directory:
        _print_directory(document, _headers(settings, keys.ring, document, now))
    else:
        _tell(settings, keys.ring, now, is_new=keys.is_new)
        if rotate:
            say.note("Publish the directory again today. Crawls already under way sign with the old"
                     " key until they are started again.")  # fmt: skip
    if not keys.is_private:
        say.note(f"{keys.path} can be read by others: chmod 600 it, or make a new key.")


def _headers(settings: Settings, ring: KeyRing, document: bytes, now: float) -> Pairs | None:
    """What to serve the document with; None while it is not known where."""
    from tenax.fetch.bot_auth.signatures import authority_of, directory_headers
    from tenax.settings import SettingsError

    if not settings.bot_auth.agent:
        return None
    try:
        authority = authority_of(settings.bot_auth.agent)
    except ValueError as error:
        raise SettingsError(f"bot_auth.agent: {error}") from error
    return directory_headers(document, ring, authority, settings.bot_auth, now)


def _print_directory(document: bytes, headers: Pairs | None) -> None:
    from tenax.fetch.bot_auth.signatures import DIRECTORY_TYPE

    # Exactly these bytes are signed: a line end more, and the signature is void.
    typer.echo(document, nl=False)
    if headers is None:
        say.note(
            f"\nServe it as {DIRECTORY_TYPE}. For the headers that sign it, set bot_auth.agent."
        )
        return
    say.note("\nServe exactly these bytes with these headers:")
    for name, value in headers:
        say.note(f"{name}: {value}")


def _tell(settings: Settings, ring: KeyRing, now: float, *, is_new: bool) -> None:
    from tenax.fetch.bot_auth.signatures import DIRECTORY_PATH, DIRECTORY_TYPE

    policy = settings.bot_auth
    for key in ring.published(now):
        typer.echo(f"{'key':<10}  {key.id}  {_standing(ring, key.id, now)}")
    typer.echo(f"{'file':<10}  {policy.key}{', made now' if is_new else ''}; keep it secret")
    site = policy.agent.rstrip("/") or "https://YOUR.SITE"
    typer.echo(f"{'publish':<10}  tenax key bot --directory, at {site}{DIRECTORY_PATH}")
    typer.echo(f"{'':<10}  served as {DIRECTORY_TYPE}")
    typer.echo(f"{'settings':<10}  [bot_auth]")
    typer.echo(f"{'':<10}  key = {_quoted(policy.key)}")
    typer.echo(f"{'':<10}  agent = {_quoted(site)}")


def _standing(ring: KeyRing, id: str, now: float) -> str:
    (key,) = (key for key in ring.keys if key.id == id)
    if key.since > now:
        return f"published now, used from {say.moment(key.since)}"
    use = "in use" if ring.current(now).id == id else "replaced"
    return use if key.until is None else f"{use}, published until {say.moment(key.until)}"


def _quoted(text: str) -> str:
    import orjson

    return orjson.dumps(text).decode()


def _plain(
    settings: Settings, ring: KeyRing, document: bytes, headers: Pairs | None, now: float
) -> dict[str, Any]:
    from tenax.fetch.bot_auth.signatures import DIRECTORY_PATH
    from tenax.ops.dates import iso

    policy = settings.bot_auth
    in_use = ring.current(now).id
    keys = [
        {
            "thumbprint": key.id,
            "in_use": key.id == in_use,
            "since": iso(key.since) if key.since else None,
            "until": None if key.until is None else iso(key.until),
        }
        for key in ring.published(now)
    ]
    return {
        "file": policy.key,
        "agent": policy.agent or None,
        "thumbprint": in_use,
        "keys": keys,
        "path": DIRECTORY_PATH,
        "document": document.decode(),
        "headers": None if headers is None else dict(headers),
    }
