"""Has a host turned us away? (HOST-4)"""

from __future__ import annotations

from tenax.hosts.cooldown import CooldownPolicy, accepted, refused, walled
from tenax.model import HostHealth

NOW = 1_790_000_000.0
POLICY = CooldownPolicy()


def after(refusals: int, health: HostHealth | None = None, now: float = NOW) -> HostHealth:
    health = health or HostHealth()
    for _ in range(refusals):
        health = refused(health, now, now, POLICY)
    return health


def until(health: HostHealth) -> float:
    return health.trouble.cool_until if health.trouble else 0.0


def test_five_refusals_in_a_row_start_a_cooldown_of_ten_minutes() -> None:
    assert until(after(4)) == 0
    assert until(after(5)) == NOW + 600


def test_another_answer_ends_the_row() -> None:
    assert until(after(4, accepted(after(4)))) == 0


def test_a_wall_starts_it_alone() -> None:
    assert until(walled(HostHealth(), NOW, NOW, POLICY)) == NOW + 600


def test_refusals_of_requests_sent_before_it_began_do_not_stretch_it() -> None:
    cooled = after(5)
    assert refused(cooled, NOW - 1, NOW + 20, POLICY) == cooled
    assert walled(cooled, NOW - 1, NOW + 20, POLICY) == cooled


def test_after_a_cooldown_the_row_begins_anew() -> None:
    later = NOW + 601
    assert until(after(4, after(5), later)) == NOW + 600
    assert until(after(5, after(5), later)) == later + 600
