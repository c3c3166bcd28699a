"""Does a fleet lose, double or hurry anything, whatever happens to it? And does it say so?

    make chaos                                   # ten minutes, and a new seed, which is printed
    python -m tests.chaos --minutes 0 --seed 7   # each incident once: what the suite does

Three workers, a scheduler, a relay and a server on PostgreSQL, Redis and Kafka of their own crawl
four sites, while workers are killed and stopped, every server restarted,
the network cut, the disk filled, a clock set, and pages kill their readers. Each of these has to
be seen by metric, log and alert, and be over by itself. In the end every page is there and was
told, the audit is clean, and no site was asked too early, by its own log. Ends with 1 where that is
not so, and with 77 where PostgreSQL or Redis cannot be had.

What this machine does not let us do (root, network namespaces, a C compiler) is left out, and said.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random

import services
from tests.chaos import place, web
from tests.chaos.fleet import Fleet, events, until
from tests.chaos.incidents import INCIDENTS, PATIENCE, World, happen
from tests.killers import install

SITES = 4
DELAY = 1.0
DISK = 96_000_000
LAST = 300.0
"""Seconds that the rest of the crawl may take when nothing goes wrong any more."""
BEGUN = 500
"""Bytes of the web's log that say that all is under way."""
HERE = "CHAOS_HERE"
MISSING = 77
"""The exit code that test runners know for what could not be tried."""

SETTINGS = """
contact = "mailto:chaos@example.org"
allow_private = ["198.51.100.0/24", "127.0.0.1/32"]
queue = "redis:"
[pace]
delay = {delay}
[job]
discover = []
max_depth = 100000
[traps]
patience = 100000
[log]
level = "info"
format = "json"
[care]
again = 1
probe = ["{first}"]
[lease]
seconds = 10
[feed]
heartbeat = 1
[relay]
dead_list = "chaos_dead"
[alerting]
look = 1
[reading]
seconds = 10
[fetch.limits]
total = 8
[[alerts]]
what = "silent_worker"
threshold = 5
[[alerts]]
what = "server"
threshold = 2
[[alerts]]
what = "relay"
threshold = 2
lasting = 0
[[alerts]]
what = "dead_letters"
threshold = 0
lasting = 0
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.chaos", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only", action="append", choices=[each.name for each in INCIDENTS])
    parser.add_argument("--keep", action="store_true", help="keep the folder with all logs")
    asked = parser.parse_args()
    seed = secrets.randbelow(10**6) if asked.seed is None else asked.seed
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    if HERE in os.environ:
        try:
            return _inside(Path(os.environ[HERE]), asked.minutes, seed, asked.only or [])
        except services.Missing as missing:
            print(f"cannot be had: {missing}", flush=True)
            return MISSING
    print(f"seed {seed}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="tenax-chaos-"))
    try:
        return _outside(folder, asked.minutes, seed, asked.only or [])
    finally:
        if asked.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _outside(folder: Path, minutes: float, seed: int, only: list[str]) -> int:
    """The web in one namespace, everything else in the other."""
    with ExitStack() as stack:
        inside: list[str] = []
        there: list[str] = []
        try:
            cable = stack.enter_context(place.cable(SITES))
        except place.CannotBe as error:
            print(f"no network is cut: {error}")
            addresses = tuple(f"127.0.0.{n + 2}" for n in range(SITES))
        else:
            there = ["ip", "netns", "exec", cable.there]
            inside = ["ip", "netns", "exec", cable.here]
            addresses = cable.addresses
        served = subprocess.Popen(
            [*there, sys.executable, "-m", "tests.chaos.web", str(folder), str(DELAY), *addresses]
        )  # fmt: skip
        try:
            environment = os.environ | {HERE: str(folder), "CHAOS_WEB": " ".join(addresses)}
            told = ["--minutes", str(minutes), "--seed", str(seed)]
            told += [word for name in only for word in ("--only", name)]
            code = subprocess.run(
                [*inside, sys.executable, "-m", "tests.chaos", *told], env=environment
            ).returncode
        finally:
            served.send_signal(signal.SIGTERM)
            served.wait(300)
    seen = json.loads((folder / web.VERDICT).read_text())
    print(json.dumps(seen))
    return code or (1 if seen["too_early"] else 0)


def _inside(folder: Path, minutes: float, seed: int, only: list[str]) -> int:
    addresses = os.environ["CHAOS_WEB"].split()
    sites = web.make_sites(addresses)
    with ExitStack() as stack:
        world = _world(folder, seed, stack, addresses)
        fleet = world.fleet
        _set_up(fleet, [site.url for site in sites])
        fleet.start()
        try:
            _all_hell(world, minutes, only)
            wrong = _verdict(world, sites, folder)
        except AssertionError as error:
            wrong = [str(error)]
        finally:
            codes = fleet.stop()
    print(
        json.dumps(
            {"exit_codes": codes, "starts": {r.name: r.starts for r in fleet.roles.values()}}
        )
    )
    wrong += [f"{name} ended with {code}" for name, code in codes.items() if code]
    for each in wrong:
        print(f"WRONG: {each}")
    return 1 if wrong else 0


def _world(folder: Path, seed: int, stack: ExitStack, addresses: list[str]) -> World:
    servers: dict[str, services.Service] = {}
    cannot: dict[str, str] = {}
    for name in ("postgres", "redis", "kafka"):
        try:
            servers[name] = stack.enter_context(services.private(name, folder / "servers"))
        except services.Missing as missing:
            if name != "kafka":
                raise
            cannot["kafka restarted"] = str(missing)
    data = folder / "data"
    disk: Path | None = data
    try:
        stack.enter_context(place.small_disk(data, DISK))
    except place.CannotBe as error:
        disk, cannot["disk full"] = None, str(error)
    clock = None
    try:
        clock = place.SetClock(folder)
    except place.CannotBe as error:
        cannot["clock stepped"] = str(error)
    if addresses[0].startswith("127."):
        cannot["network cut"] = "no network namespace"
    told = {key: value for server in servers.values() for key, value in server.exports.items()}
    clean = {key: value for key, value in os.environ.items() if not key.startswith("TENAX_")}
    events_to = {} if "kafka" in servers else {"TENAX_EVENTS": f"file://{folder}/events"}
    told.pop("TENAX_QUEUE", None)
    environment = clean | told | events_to | {
        "TENAX_DATA": str(data),
        "PYTHONPATH": os.pathsep.join((install(folder, addresses[0]), os.getcwd())),
    }  # fmt: skip
    first = f"{addresses[0]}:{web.PORT}"
    (folder / "tenax.toml").write_text(SETTINGS.format(delay=DELAY, first=first))
    fleet = Fleet(folder, environment)
    for n in range(3):
        stepped = clock.environment if clock is not None and n == 2 else {}
        fleet.add(f"worker{n}", "worker", "--quiet", **stepped)
    fleet.add("scheduler", "scheduler", "--quiet")
    fleet.add("relay", "relay", "--quiet")
    fleet.add("serve", "serve", "--no-workers", "--port", "0", "--quiet")
    return World(fleet, servers, Random(seed), folder / web.LOG, disk, clock, cannot)


def _set_up(fleet: Fleet, urls: list[str]) -> None:
    for command in (("db", "upgrade"), ("jobs", "create", "chaos", *urls, "--start")):
        done = fleet.tenax(*command)
        assert done.returncode == 0, done.stderr


def _all_hell(world: World, minutes: float, only: list[str]) -> None:
    """Each incident once at least, in any order, until the time is over."""
    until(lambda: world.asked() > BEGUN, "the crawl has begun", PATIENCE)
    end = time.monotonic() + minutes * 60
    for name, why in world.cannot.items():
        print(f"left out: {name}: {why}", flush=True)
    possible = [each for each in INCIDENTS if each.name not in world.cannot]
    possible = [each for each in possible if not only or each.name in only]
    once: list[str] = []
    while time.monotonic() < end or len(once) < len(possible):
        if not (left := [each for each in possible if each.name not in once]):
            left = possible
        incident = world.dice.choice(left)
        once.append(incident.name)
        print(json.dumps(happen(incident, world)), flush=True)
        time.sleep(world.dice.uniform(0.0, 3.0))


def _verdict(world: World, sites: list[web.GrowingSite], folder: Path) -> list[str]:
    """What is wrong in the end, which comes now."""
    fleet = world.fleet
    (folder / web.OVER).touch()

    def is_done() -> bool:
        # A look takes half a second of a processor: not while any site is still asked.
        before = world.asked()
        time.sleep(3.0)
        if world.asked() != before:
            return False
        shown = fleet.tenax("jobs", "show", "chaos", "--json")
        return shown.returncode == 0 and json.loads(shown.stdout)["state"] == "done"

    wrong = []
    try:
        until(is_done, "the job is done", LAST)
        until(lambda: _is_told(fleet), "every event is told", LAST)
    except AssertionError as error:
        wrong.append(str(error))
    if not (folder / web.ENDS).exists():
        return [*wrong, "nobody was asked any more"]
    wanted, deadly = web.wanted(sites, json.loads((folder / web.ENDS).read_text()))
    audit = fleet.tenax("audit", "--bodies")
    if audit.returncode:
        wrong.append(f"audit: {audit.stdout}{audit.stderr}")
    listed = fleet.tenax("export", "--format", "jsonl", "--fields", "url").stdout.splitlines()
    pages = {json.loads(line)["url"] for line in listed}
    if pages != wanted:
        wrong.append(f"{len(wanted - pages)} pages lost, {len(pages - wanted)} too many")
    letters = set(re.findall(r'"url": ?"([^"]+)"', fleet.tenax("dead", "--json").stdout))
    if letters != deadly:
        wrong.append(f"{len(letters)} dead letters, {len(deadly)} pages kill their readers")
    wrong += _untold(fleet, wanted, "webpage_fetched") + _untold(fleet, deadly, "webpage_failed")
    said = Counter(str(events(line).get("event", "")) for _, line in fleet.said({}))
    traces = sum("Traceback" in line for _, line in fleet.said({}))
    if traces:
        wrong.append(f"{traces} tracebacks in the logs")
    for word in ("alert_raised", "alert_cleared"):
        if not said[word]:
            wrong.append(f"nothing was ever said of {word}")
    found = {
        "pages": len(pages), "dead_letters": len(letters), "audit": audit.returncode,
        "alerts": said["alert_raised"], "breakers": said["breaker_opened"],
    }  # fmt: skip
    print(json.dumps(found))
    return wrong


def _untold(fleet: Fleet, wanted: set[str], kind: str) -> list[str]:
    """Events that nobody can read who reads all that was told."""
    flags = ("--dead",) if kind == "webpage_failed" else ()
    read = fleet.tenax("consume", "--from-beginning", "--until-empty", "--group", kind, *flags)
    told = [json.loads(line)["url"] for line in read.stdout.splitlines()]
    print(json.dumps({"events": kind, "told": len(told), "urls": len(set(told))}))
    if set(told) == wanted:
        return []
    lost, more = len(wanted - set(told)), len(set(told) - wanted)
    return [f"of {kind} {lost} were not told, {more} too many: {read.stderr}"]


def _is_told(fleet: Fleet) -> bool:
    shown = fleet.tenax("relay", "--status", "--json")
    return shown.returncode == 0 and not any(each["waiting"] for each in json.loads(shown.stdout))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        sys.exit(main())
