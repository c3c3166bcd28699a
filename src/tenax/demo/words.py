"""What does the demo web say? Plausible prose from a word bank, the same in every run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import TypeVar
from zlib import crc32

T = TypeVar("T")
Bank = Mapping[str, Sequence[str]]


class Dice:
    """Chance that repeats: the same seed words give the same throws on any Python.

    Only `Random.random` is promised to stay the same between versions, so all else is built
    on it.
    """

    __slots__ = ("_throw",)

    def __init__(self, *seed: object) -> None:
        self._throw = Random(crc32("/".join(map(str, seed)).encode())).random

    def below(self, count: int) -> int:
        return int(self._throw() * count)

    def number(self, low: int, high: int) -> int:
        """Between low and high, both included."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self._throw() * len(items))]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """Distinct items, in an order of chance."""
        pool = list(items)
        return [pool.pop(self.below(len(pool))) for _ in range(min(count, len(pool)))]


_SLOT = re.compile(r"\{(\w+)\}")


def fill(template: str, dice: Dice, bank: Bank) -> str:
    """The template with every {slot} replaced by a word of that slot, slots within words too."""
    while "{" in template:
        template = _SLOT.sub(lambda slot: dice.pick(bank[slot[1]]), template)
    return template


def sentence(dice: Dice, bank: Bank) -> str:
    text = fill(dice.pick(bank["sentence"]), dice, bank)
    return text[0].upper() + text[1:]


def paragraph(dice: Dice, bank: Bank, sentences: int = 5) -> str:
    return " ".join(sentence(dice, bank) for _ in range(sentences))


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


_SHARED: dict[str, Sequence[str]] = {
    "count": (
        "three", "four", "six", "nine", "a dozen", "fifteen", "twenty-two", "forty", "sixty",
        "eighty-five", "two hundred",
    ),
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "month": (
        "January", "February", "March", "April", "May", "June", "August", "September", "October",
        "November",
    ),
    "season": ("spring", "summer", "autumn", "winter"),
    "colour": (
        "green", "amber", "grey", "crimson", "ivory", "teal", "copper", "navy", "ochre", "white",
        "slate",
    ),
    "material": (
        "oak", "brass", "wool", "canvas", "slate", "glass", "copper", "linen", "cork", "steel",
        "clay", "birch",
    ),
}  # fmt: skip

TOWN: Bank = _SHARED | {
    "sentence": (
        "{who} {decided} to {act} {thing} before the end of {month}.",
        "work on {thing} will begin in {season} and should take about {count} weeks.",
        "according to {who}, {thing} has not looked like this since the {event}.",
        "{name}, who runs {shop} on {street}, said the change was {feeling}.",
        "around {count} residents came to {place} on {weekday} to hear about {thing}.",
        "the plan leaves {street} open to bicycles but closes it to lorries until {month}.",
        "{who} put the cost of {thing} at {count} thousand crowns, less than many had feared.",
        'the figures show that {count} households near {place} would gain, "{quote}", said {name}.',
        "nobody from {rival} was available to comment on {thing}.",
        "a second meeting at {place} is planned for a {weekday} in {month}.",
        "{thing} was last repaired {count} years ago, when {name} was still at school.",
        "volunteers from {rival} spent the {season} painting {place} in {colour} and {colour}.",
        "the {event} brought {count} visitors to {place}, {more} than last year.",
        "for {name} the matter is settled: {thing} stays where it is.",
        "what happens to {place} after {month} is still {feeling}.",
    ),
    "headline": (
        "{place} to get {thing_short} after {count} years",
        "Council {decided} to {act} {thing_short}",
        "Why {place} smells of {material} this {season}",
        "{name} wins the {event} for the second time",
        "{count} ideas for {place}, and one that will happen",
        "How {rival} saved {thing_short}",
        "The quiet return of {thing_short}",
        "What {season} means for {place}",
        "{rival} and the long argument about {thing_short}",
    ),
    "who": (
        "the harbour board", "the town council", "a committee of parents", "the ferry company",
        "the museum's director", "the county engineer", "the swimming club", "the fire brigade",
    ),
    "decided": ("voted", "agreed", "promised", "refused", "offered", "decided"),
    "act": ("repair", "replace", "move", "extend", "reopen", "repaint", "survey", "insure"),
    "thing": (
        "the {material} footbridge", "the old {material} lighthouse", "the {colour} ferry shelter",
        "the tide clock", "the night bus to {place}", "the {season} market", "the sea wall",
        "the reading room", "the tram depot", "the {colour} water tower",
        "the town's {material} bell",
    ),
    "thing_short": (
        "the footbridge", "the lighthouse", "the ferry shelter", "the tide clock", "the night bus",
        "the sea wall", "the reading room", "the tram depot", "the water tower", "the bells",
    ),
    "place": (
        "Merrow Quay", "Tallow Hill", "Saint Brannoc's Square", "the Fish Hall", "Pellar Lane",
        "the North Mole", "Gorse Park", "the Old Customs House", "Lantern Street", "Wick Meadow",
    ),
    "street": (
        "Ropewalk Street", "Pellar Lane", "Kiln Road", "Lantern Street", "Dyer's Row",
        "Cable Hill",
    ),
    "shop": (
        "a bakery", "the bicycle workshop", "a small printing house", "the chandlery",
        "a bookshop",
    ),
    "name": (
        "Ines Harrow", "Tomas Bright", "Adaeze Cole", "Willem Sark", "Priya Nand", "Oona Fell",
        "Marek Dull", "Sofia Lindqvist", "Jun Takeda", "Beatriz Moura", "Callum Reeve",
        "Leila Haddad",
    ),
    "rival": (
        "the rowing club", "the Sunday choir", "the garden society", "the harbour school",
        "the chess circle",
    ),
    "event": (
        "great storm", "regatta", "winter fair", "centenary", "railway strike", "lantern parade",
    ),
    "feeling": (
        "overdue", "a relief", "hard to believe", "anyone's guess", "worth the wait", "too hasty",
    ),
    "quote": (
        "and we counted twice", "which is more than I expected", "so the sums are simple",
        "give or take a few",
    ),
    "more": ("a third more", "slightly fewer", "twice as many", "hardly more", "rather fewer"),
}  # fmt: skip

MANUAL: Bank = _SHARED | {
    "sentence": (
        "a {noun} {verb} every {noun} it {verb2}, unless `{option}` is set to `{value}`.",
        "use `{option}` when a {noun} should outlive the {noun} that started it.",
        "the default of `{option}` is `{value}`, which suits {setting} with up to {count} {noun}s.",
        "if the {noun} stops answering, the {noun} is {fate} and the {noun} carries on.",
        "older releases asked the {noun} twice; this has not been the case for {count} versions.",
        "on {setting} the {noun} is read once, at start, and kept for the life of the {noun}.",
        "two {noun}s with the same name are {fate}, and the log names both of them.",
        "nothing is written until the last {noun} of the batch has been {fate}.",
        "a {noun} may hold {count} {noun}s; beyond that, the oldest {noun} is {fate}.",
        "see the chapter on {topic} for how a {noun} {verb2} its {noun}.",
        "changing `{option}` takes effect at the next {noun}, not in the middle of one.",
        "this is the part of {topic} that surprises people who come from {setting}.",
    ),
    "noun": (
        "shuttle", "thread", "pattern", "loom", "spool", "batch", "heddle", "selvage", "bobbin",
        "warp", "worker", "ledger",
    ),
    "verb": ("keeps", "checks", "repeats", "forwards", "counts", "skips", "signs", "locks"),
    "verb2": ("receives", "opens", "inherits", "draws", "names", "releases", "trims", "borrows"),
    "option": (
        "max_threads", "keep_spools", "strict_order", "idle_after", "tension", "on_break",
        "pattern_path", "log_level", "batch_size", "mirror",
    ),
    "value": ("0", "8", "true", "false", "never", "auto", "30s", "error"),
    "setting": (
        "a laptop", "a shared machine", "a cluster", "a read-only disk", "a slow network",
    ),
    "fate": ("rejected", "kept for later", "rewound", "retried once", "merged", "set aside"),
    "topic": ("tension", "patterns", "recovery", "threads", "storage", "upgrades", "quotas"),
}  # fmt: skip

SHELF: Bank = _SHARED | {
    "sentence": (
        "made of {material} and {material}, it weighs less than {count} slices of bread.",
        "we have used ours for {count} {season}s and only the {part} has needed care.",
        "the {part} comes apart for cleaning and goes together again without tools.",
        "it packs {pack} and stays {virtue} in {weather}.",
        "choose the {colour} one if you tend to leave things on trains.",
        "{name} in our workshop checks every {part} by hand before it leaves.",
        "the {material} {part} grows {virtue} with age rather than shabby.",
        "spare {part}s are kept in stock for {count} years after the last one is made.",
        "not meant for {weather}, though {count} customers have told us otherwise.",
    ),
    "review": (
        "the {part} feels {virtue}. Survived {weather} last {season}.",
        "bought two, gave one away, regret it every {weekday}.",
        "good, though the {colour} is closer to {colour} in daylight.",
        "the {part} squeaked until {month}; since then not a sound.",
    ),
    "part": (
        "strap", "hinge", "handle", "lid", "zip", "seam", "buckle", "base", "lining", "spring",
    ),
    "pack": ("flat", "into its own pocket", "smaller than a loaf", "under an arm"),
    "virtue": ("quiet", "sturdy", "dry", "supple", "warm", "level", "handsome"),
    "weather": (
        "horizontal rain", "a week of frost", "salt spray", "July sun", "a wet ferry crossing",
    ),
    "name": TOWN["name"],
}  # fmt: skip
