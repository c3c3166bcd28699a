"""What goes wrong in a chaos run, by what it has to be seen, and when it is over."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import services
from tests.chaos import place, web
from tests.chaos.fleet import Fleet, Role, Scraped, events, until

PATIENCE = 300.0
"""Seconds until something counts as not seen, or not over: the machine may be busy."""
AWAY = 8.0
"""Seconds that a server is away at least, from when it was seen."""


@dataclass
class World:
    fleet: Fleet
    servers: dict[str, services.Service]
    dice: Random
    requests: Path
    """What the web has written down."""
    disk: Path | None = None
    clock: place.SetClock | None = None
    cannot: dict[str, str] = field(default_factory=dict)
    """Which incidents this machine does not let us have, and why."""

    def asked(self) -> int:
        return self.requests.stat().st_size

    def worker(self, *but: str) -> Role:
        names = [name for name in self.fleet.roles if name.startswith("worker")]
        return self.fleet.roles[self.dice.choice([name for name in names if name not in but])]


@dataclass(frozen=True)
class Signs:
    """By what an incident is seen; None where there is nothing to be told."""

    metric: Callable[[Scraped], bool] | None = None
    log: str | None = None
    """A regular expression."""
    alert: tuple[str, str] | None = None
    """What, and a regular expression for what about."""


@dataclass(frozen=True)
class Incident:
    name: str
    signs: Callable[[World, Role], Signs]
    happens: Callable[[World, Role], Iterator[None]]
    """Makes it, and ends it when it is asked again."""


def happen(incident: Incident, world: World) -> dict[str, object]:
    """From its beginning until all goes on: what it was seen by, after how many seconds."""
    fleet, role = world.fleet, world.worker()
    # An alert is raised once: one that is still open would not be told again.
    signs = incident.signs(world, role)
    _await_calm(fleet, signs.alert)
    places, scraped = fleet.places(), len(fleet.scraped)
    begun = time.monotonic()
    told: dict[str, object] = {"incident": incident.name, "role": role.name}
    with _happening(incident, world, role):
        if signs.metric is not None:
            metric = signs.metric
            until(lambda: any(map(metric, fleet.scraped[scraped:])), f"{told}: metric", PATIENCE)
            told["metric"] = _since(begun)
        if signs.log is not None:
            wanted = re.compile(signs.log)
            until(lambda: any(wanted.search(line) for _, line in fleet.said(places)),
                  f"{told}: log {signs.log}", PATIENCE)  # fmt: skip
            told["log"] = _since(begun)
        # The ledger tells of itself when it is back.
        if signs.alert is not None and signs.alert[1] != "ledger":
            _alerted(fleet, signs.alert, places, "alert_raised", told)
            told["alert"] = _since(begun)
    over = time.monotonic()
    if signs.alert is not None:
        _alerted(fleet, signs.alert, places, "alert_raised", told)
        told.setdefault("alert", _since(begun))
        _alerted(fleet, signs.alert, places, "alert_cleared", told)
        told["cleared"] = _since(over)
    before = world.asked()
    until(lambda: world.asked() > before, f"{told}: the crawl goes on", PATIENCE)
    until(fleet.are_all_up, f"{told}: every role answers", PATIENCE)
    told["recovered"] = _since(over)
    return told


def _await_calm(fleet: Fleet, alert: tuple[str, str] | None) -> None:
    def unrest() -> list[str]:
        is_open = re.compile(f"{alert[0]} .*({alert[1]})|{alert[0]}$" if alert else "(?!)")
        found = [told for told in fleet.open_alerts().values() if is_open.match(told)]
        return found + [f"{name} does not answer" for name in fleet.silent()]

    try:
        until(lambda: not unrest(), "all is calm", PATIENCE)
    except AssertionError as error:
        raise AssertionError(f"{error}: {unrest()}") from None


@contextmanager
def _happening(incident: Incident, world: World, role: Role) -> Iterator[None]:
    under_way = incident.happens(world, role)
    next(under_way)
    try:
        yield
    finally:
        next(under_way, None)


def _since(begun: float) -> float:
    return round(time.monotonic() - begun, 1)


def _alerted(
    fleet: Fleet, alert: tuple[str, str], places: dict[str, int], event: str, told: object
) -> None:
    what, about = alert

    def is_told() -> bool:
        for _, line in fleet.said(places):
            facts = events(line)
            is_it = facts.get("event") == event and facts.get("what") == what
            if is_it and re.search(about, str(facts.get("about", ""))):
                return True
        return False

    until(is_told, f"{told}: {event} {alert}", PATIENCE)


def kill_worker(world: World, role: Role) -> Iterator[None]:
    role.is_held = True
    role.send(signal.SIGKILL)
    yield
    role.is_held = False


def stop_worker(world: World, role: Role) -> Iterator[None]:
    role.send(signal.SIGSTOP)
    yield
    role.send(signal.SIGCONT)


def restart(name: str) -> Callable[[World, Role], Iterator[None]]:
    def happens(world: World, _: Role) -> Iterator[None]:
        server = world.servers[name]
        (server.kill if world.dice.random() < 0.5 else server.stop)()
        yield
        # Nobody is told of what is over before whoever looks for alerts has looked again.
        time.sleep(AWAY)
        server.start()

    return happens


def cut_network(world: World, _: Role) -> Iterator[None]:
    begin = time.monotonic()
    place.pull_out()
    yield
    place.plug_in()
    with world.requests.with_name(web.CUTS).open("a") as cuts:
        cuts.write(f"{begin:.4f} {time.monotonic():.4f}\n")


def fill_disk(world: World, _: Role) -> Iterator[None]:
    assert world.disk is not None
    filler = place.fill(world.disk)
    yield
    filler.unlink()


def step_clock(world: World, _: Role) -> Iterator[None]:
    assert world.clock is not None
    world.clock.step(world.dice.choice((-86_400.0, -600.0, 600.0, 86_400.0)))
    yield
    time.sleep(world.dice.uniform(1.0, 3.0))


def _of(role: Role, values: Callable[[Scraped], bool]) -> Callable[[Scraped], bool]:
    return lambda scraped: scraped.role == role.name and values(scraped)


def _is(name: str, *labels: str, value: float) -> Callable[[Scraped], bool]:
    return lambda scraped: (scraped.values or {}).get((name, *labels)) == value


INCIDENTS = (
    Incident("worker killed", lambda _, role: Signs(_of(role, lambda s: s.said is None)),
             kill_worker),
    Incident("worker stopped",
             lambda _, role: Signs(_of(role, lambda s: s.said is None), None,
                                   ("silent_worker", "")),
             stop_worker),
    Incident("postgres restarted",
             lambda *_: Signs(_is("crawler_ledger_up", value=0.0), "is away|does not answer",
                              ("server", "ledger")),
             restart("postgres")),
    Incident("redis restarted",
             lambda *_: Signs(_is("crawler_server_up", "redis", value=0.0),
                              "Redis at .* does not answer", ("server", "redis|queue")),
             restart("redis")),
    Incident("kafka restarted",
             lambda *_: Signs(_is("crawler_server_up", "events", value=0.0), "Kafka|events",
                              ("relay", "events")),
             restart("kafka")),
    Incident("network cut",
             lambda *_: Signs(_is("crawler_server_up", "network", value=0.0), "network_away",
                              ("server", "network")),
             cut_network),
    Incident("disk full",
             lambda *_: Signs(_is("crawler_claiming_held", value=1.0), "disk_low", ("disk", "")),
             fill_disk),
    Incident("clock stepped", lambda *_: Signs(), step_clock),
)  # fmt: skip
