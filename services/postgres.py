"""How is a PostgreSQL of one's own run? From the installed programs, on TCP only, never as root."""

from __future__ import annotations

import os
import pwd
import re
import secrets
import shutil
import signal
import subprocess
from pathlib import Path

from services.errors import Missing
from services.kind import Launch, Place
from services.obtain import once, program

_PLACES = ["/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin"]


class Postgres:
    name = "postgres"
    ports = 1
    # SIGTERM would wait for every client to leave.
    farewell = signal.SIGINT
    patience = 60.0

    def obtain(self) -> None:
        _tool("postgres")
        _unprivileged()

    def prepare(self, place: Place) -> None:
        if (place.data / "PG_VERSION").exists():
            return
        # What a crash left of an earlier attempt.
        shutil.rmtree(place.data, ignore_errors=True)
        shutil.copytree(_initialised() / "data", place.data)
        _own(place.data)
        # As the only user of a server that nobody can reach.
        single = [_tool("postgres"), "--single", "-D", str(place.data), "postgres"]
        subprocess.run(
            [*_unprivileged(), *single], input=f"ALTER ROLE tenax PASSWORD '{place.secret}'\n",
            text=True, capture_output=True, cwd=place.folder,
        )  # fmt: skip

    def launch(self, place: Place) -> Launch:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(place.port),
            # A path to a socket may be 107 characters long, and a test's folder is longer.
            "unix_socket_directories": "",
            "max_connections": "300",
            # Only a crash of the machine loses what was not synced, and then the tests are over.
            "fsync": "off",
            "full_page_writes": "off",
            "max_wal_size": "256MB",
            **place.options,
        }
        if settings["fsync"] != "off":
            settings["full_page_writes"] = "on"
        given = [word for pair in settings.items() for word in ("-c", "=".join(pair))]
        command = [_tool("postgres"), "-D", str(place.data), *given]
        return Launch([*_unprivileged(), *command])

    def is_ready(self, place: Place) -> bool:
        asked = [_tool("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(place.port)]
        return subprocess.run(asked, capture_output=True).returncode == 0

    def furnish(self, place: Place) -> None:
        make = "SELECT 'CREATE DATABASE tenax' WHERE NOT EXISTS"
        make += " (SELECT FROM pg_database WHERE datname = 'tenax') \\gexec\n"
        subprocess.run(
            [_tool("psql"), "-qX", self.url(place).removesuffix("tenax") + "postgres"],
            input=make,
            text=True,
            check=True,
        )

    def url(self, place: Place) -> str:
        return f"postgresql://tenax:{place.secret}@127.0.0.1:{place.port}/tenax"

    def exports(self, place: Place) -> dict[str, str]:
        return {"TENAX_DATABASE": self.url(place)}


def _tool(name: str) -> str:
    return program(name, "postgresql", _PLACES)


def _unprivileged() -> list[str]:
    """PostgreSQL refuses to run as root. As another user it still has to reach its folder, which
    may lie where only root may look, so that one ability is left to it."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise Missing("PostgreSQL does not run as root, and there is no setpriv (util-linux).")
    reach = "+dac_override,+dac_read_search"
    stranger = _stranger()
    ids = [f"--reuid={stranger.pw_uid}", f"--regid={stranger.pw_gid}", "--clear-groups"]
    return [setpriv, *ids, f"--inh-caps={reach}", f"--ambient-caps={reach}"]


def _stranger() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def _own(folder: Path) -> None:
    if os.geteuid() == 0:
        stranger = _stranger()
        for path in (folder, *folder.rglob("*")):
            os.chown(path, stranger.pw_uid, stranger.pw_gid)


def _initialised() -> Path:
    """The data of a new server; each gets a password of its own. To make it takes a second of a
    processor."""

    def fill(folder: Path) -> None:
        data = folder / "data"
        data.mkdir(mode=0o700)
        password = folder / "password"
        password.write_text(secrets.token_hex(8))
        _own(folder)
        command = [_tool("initdb"), "-D", str(data), "-U", "tenax", "--no-sync"]
        command += ["--auth=scram-sha-256", f"--pwfile={password}", "-E", "UTF8", "--locale=C"]
        made = subprocess.run(
            [*_unprivileged(), *command], capture_output=True, text=True, cwd=folder
        )
        if made.returncode:
            raise Missing(f"initdb failed: {made.stderr.strip()}")

    told = subprocess.run([_tool("postgres"), "--version"], capture_output=True, text=True).stdout
    return once(f"postgres-data-{re.sub('[^0-9.]+', '-', told).strip('-')}", fill)
