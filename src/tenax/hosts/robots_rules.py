"""Which rule of a group is the strongest for a path? Kept as one text with arrays beside it.

A file may hold 50,000 rules, and a process knows thousands of files: as objects, the rules of one
file took 15 MB. Here a rule costs its own line and about twenty bytes, one with wildcards a
hundred; what else is to be known of a rule that seems to match is read from its line again.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from tenax.hosts.robots_lines import RobotsLine, read_line
from tenax.hosts.robots_paths import Glob, Path, Pattern, rule_pattern


class Rule(NamedTuple):
    """One rule, read again."""

    row: int
    line: RobotsLine
    pattern: Pattern
    rank: int
    """Orders rules: more octets first, and of equals the one that allows."""


class GroupRules:
    """The rules of one group, the earliest first where they are equal."""

    __slots__ = ("_ends", "_last", "_numbers", "_spelled", "_text", "_written")

    def __init__(self, lines: Iterable[RobotsLine]) -> None:
        text = bytearray()
        self._ends = array("I")
        self._numbers = array("I")
        written, spelled = _RuleDraft(), _RuleDraft()
        for line in lines:
            pattern = rule_pattern(line.value)
            if pattern is None:
                continue
            rank, row = _rank(pattern, line), len(self._ends)
            written.add(pattern.written, rank, row)
            spelled.add(pattern.spelled, rank, row)
            spelled.differs = spelled.differs or pattern.spelled is not pattern.written
            text += line.text.encode("utf-8", "surrogatepass")
            self._ends.append(len(text))
            self._numbers.append(line.number)
        self._text = bytes(text)
        self._last: Rule | None = None
        self._written = self._spelled = _Table(written)
        if spelled.differs:
            self._spelled = _Table(spelled)

    def strongest(self, path: Path) -> RobotsLine | None:
        """The longest match wins, Allow wins ties; None when no rule matches."""
        best = self._written.strongest(path.written, self, spelled=False)
        if path.spelled != path.written or self._spelled is not self._written:
            other = self._spelled.strongest(path.spelled, self, spelled=True)
            if best is None or (other is not None and other.rank > best.rank):
                best = other
        return best.line if best is not None else None

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        tables = {self._written, self._spelled}
        own = (self._text, self._ends, self._numbers)
        return sum(map(sys.getsizeof, own)) + sum(table.size for table in tables)

    def rule(self, row: int) -> Rule:
        """Many paths in a row meet the same rule, so the last one is remembered."""
        last = self._last
        if last is not None and last.row == row:
            return last
        start = self._ends[row - 1] if row else 0
        content = self._text[start : self._ends[row]].decode("utf-8", "surrogatepass")
        line = read_line(self._numbers[row], content)
        assert line is not None, "it was read once"
        pattern = rule_pattern(line.value)
        assert pattern is not None, "only lines with one have a row"
        self._last = Rule(row, line, pattern, _rank(pattern, line))
        return self._last


def _rank(pattern: Pattern, line: RobotsLine) -> int:
    return 2 * pattern.octets + (line.key == "allow")


class _RuleDraft:
    """The rules of one spelling, while they are gathered: their ranks and rows."""

    def __init__(self) -> None:
        self.plain: dict[str, tuple[int, int]] = {}
        self.wild: list[tuple[int, int, str]] = []
        self.differs = False

    def add(self, glob: Glob, rank: int, row: int) -> None:
        if not glob.is_plain():
            self.wild.append((-rank, row, glob.longest_literal()))
        elif glob.first not in self.plain or self.plain[glob.first][0] < rank:
            self.plain[glob.first] = (rank, row)


class _Table:
    """The rules of one spelling, arranged to find the strongest match first.

    Prefixes by their hash, so that none is kept as a text: the rule's line tells whether it is the
    one. Those with wildcards by rank; looking for one literal first spares nine of ten the match.
    """

    __slots__ = ("_hashes", "_lengths", "_literals", "_rows", "_weaker", "_wild")

    def __init__(self, draft: _RuleDraft) -> None:
        plain = sorted((hash(prefix), row) for prefix, (_, row) in draft.plain.items())
        self._hashes = array("q", (hashed for hashed, _ in plain))
        self._rows = array("I", (row for _, row in plain))
        self._lengths = array("I", sorted({len(prefix) for prefix in draft.plain}, reverse=True))
        draft.wild.sort()
        self._literals = tuple(literal for _, _, literal in draft.wild)
        self._weaker = array("q", (minus_rank for minus_rank, _, _ in draft.wild))
        self._wild = array("I", (row for _, row, _ in draft.wild))

    def strongest(self, text: str, rules: GroupRules, *, spelled: bool) -> Rule | None:
        best = next(self._prefixes(text, rules, spelled), None)
        literals = self._literals
        # Only those that are stronger.
        last = bisect_left(self._weaker, -best.rank) if best else len(literals)
        for at, literal in enumerate(islice(literals, last)):
            if literal in text:
                rule = rules.rule(self._wild[at])
                if (rule.pattern.spelled if spelled else rule.pattern.written).matches(text):
                    return rule
        return best

    def _prefixes(self, text: str, rules: GroupRules, spelled: bool) -> Iterator[Rule]:
        """Those that the text begins with, the longest first."""
        hashes = self._hashes
        for length in self._lengths:
            if length > len(text):
                continue
            prefix = text[:length]
            hashed = hash(prefix)
            at = bisect_left(hashes, hashed)
            while at < len(hashes) and hashes[at] == hashed:
                rule = rules.rule(self._rows[at])
                if (rule.pattern.spelled if spelled else rule.pattern.written).first == prefix:
                    yield rule
                at += 1

    @property
    def size(self) -> int:
        own = (self._hashes, self._lengths, self._literals, self._weaker, self._rows, self._wild)
        return sum(map(sys.getsizeof, own)) + sum(map(sys.getsizeof, self._literals))
