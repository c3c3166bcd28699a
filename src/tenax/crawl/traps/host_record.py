"""What is known of one host, by the shapes of its URLs? (URL-6)"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct, field

from tenax.crawl.traps.shape_record import FEW, ShapeYield
from tenax.urls.shapes import family_of

REST = "*"
"""The shape of all URLs of a host beyond its first so many shapes."""
_SHAPES = 500
_NOTHING = ShapeYield()


class AtHost(Struct):
    """What this process knows of one host."""

    visits: int = 0
    fruitless: int = 0
    doubted: int = 0
    """Visits of shapes that were in doubt already."""
    barren: int = 0
    """Views that showed what was known."""
    shapes: defaultdict[str, ShapeYield] = field(default_factory=lambda: defaultdict(ShapeYield))
    families: defaultdict[str, ShapeYield] = field(default_factory=lambda: defaultdict(ShapeYield))
    """And, of those with a query, each of their parameters."""
    leads: dict[str, set[str]] = field(default_factory=dict)
    """Which families the pages of a family that said nothing named new URLs of."""
    probes: Counter[str] = field(default_factory=Counter)
    told: dict[str, str] = field(default_factory=dict)
    exhausted: set[str] = field(default_factory=set)
    """Families with a shape whose last few visits were fruitless."""
    waiting: dict[str, set[str]] = field(default_factory=dict)
    """For which shapes' sake visits of a shape are undecided."""
    looked_at: float | None = None
    put_off: int = 0

    def shape(self, shape: str) -> ShapeYield:
        return self.shapes.get(shape, _NOTHING)

    def family(self, family: str) -> ShapeYield:
        return self.families.get(family, _NOTHING)

    def name(self, shape: str) -> str:
        """What a shape is counted by: a host has so many of its own, and the rest together."""
        return shape if shape in self.shapes or len(self.shapes) < _SHAPES else REST

    def tell(self, shape: str, why: str) -> str:
        """The figures as they were at first: one reason for all that are refused for it."""
        return self.told.setdefault(shape, f"{shape}: {why}")

    def is_repetitive(self, shape: str, family: str) -> bool | None:
        """Whether its pages say nothing new; None when that is not known. A combination that was
        not met yet is as good as its parameters."""
        record = self.shape(shape)
        if record.judged >= FEW:
            return record.is_repetitive()
        parts = parameters_of(shape, family)
        is_known = parts and all(self.family(part).is_repetitive() for part in parts)
        return True if is_known else None

    def wait(self, shape: str, unknown: Iterable[str]) -> None:
        """A visit of this shape is worth what those are, of which nobody knows yet."""
        self.shapes[shape].undecided += 1
        self.waiting.setdefault(shape, set()).update(unknown)

    def decide(self, shape: str, family: str) -> None:
        """Say of undecided visits that they were fruitless, if all that they named is known now,
        says nothing, and leads back."""
        for other in self.waiting[shape]:
            kin = family_of(other)
            is_kin = kin == family or self.is_led(kin, family)
            if not (is_kin and self.is_repetitive(other, kin)):
                return
        del self.waiting[shape]
        record = self.shapes[shape]
        late = record.decide()
        record.count_late(late)
        if record.in_a_row >= FEW:
            self.exhausted.add(family)
        for each in families_of(shape):
            self.families[each].count_late(late)

    def is_led(self, family: str, to: str) -> bool:
        """Whether pages that say nothing lead from one family to the other."""
        ahead, seen = [family], {family}
        while ahead:
            further = self.leads.get(ahead.pop(), set())
            if to in further:
                return True
            ahead += further - seen
            seen |= further
        return False


@lru_cache(maxsize=8192)
def families_of(shape: str) -> tuple[str, ...]:
    """What a visit counts for besides its shape."""
    family = family_of(shape)
    return (family, *parameters_of(shape, family))


def parameters_of(shape: str, family: str) -> list[str]:
    names = shape.partition("?")[2]
    return [f"{family}{name}=" for name in names.split(",") if name != "*"] if names else []
