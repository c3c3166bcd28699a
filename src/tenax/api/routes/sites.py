"""`/api/sites`: the rules of sites, by pattern of host, for the whole fleet (HOST-7)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body, Path, Query
from msgspec import Struct

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, ListPart, listed
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.ops.sites.change import remove_rules, replace_rules
from tenax.ops.sites.facts import RuleFacts, rule_facts
from tenax.ops.sites.wishes import SiteProblem
from tenax.ports.accounts import ApiRole
from tenax.urls.sites import RuleSource, SiteRule, spelled

Pattern = Annotated[
    str, Path(max_length=255, description="A host, or a pattern of hosts: `*.example.com`.")
]
SiteBody = Annotated[
    dict[str, Any],
    Body(description="What the rules say, by key; a header or cookie that is `********` stays."),
]


class RulesRemoved(Struct, frozen=True):
    host: str
    removed: bool = True


def add(doors: Doors, opened: Opened) -> None:
    sites = _Sites(opened)
    doors.get("/api/sites", sites.list, ApiRole.USER)
    doors.get("/api/sites/{pattern}", sites.get, ApiRole.USER, problems=(404,))
    doors.put("/api/sites/{pattern}", sites.put, ApiRole.ADMIN, problems=(404,))
    doors.delete("/api/sites/{pattern}", sites.delete, ApiRole.ADMIN, problems=(404,))


class _Sites:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._context = opened.ledger.site_context

    async def list(
        self,
        limit: Limit = 100,
        cursor: Cursor = None,
        host: Annotated[
            str | None, Query(max_length=255, description="Only what applies to this host.")
        ] = None,
    ) -> ListPart[RuleFacts]:
        """The rules of the ledger and of the process's settings, the most specific first."""
        await self._ledger.site_news.look()
        sites = self._ledger.sites
        rules = sites.all() if host is None else sites.matching(_spelled(host))
        start = cursors.number(cursor)
        end = start + limit
        return listed(map(rule_facts, rules[start:end]), end if end < len(rules) else None)

    async def get(self, pattern: Pattern) -> RuleFacts:
        """The ledger's rules for a pattern; of headers and cookies the names alone."""
        name = _spelled(pattern)
        for rules in (await self._context.store.load(secrets=False)).rules:
            if rules.host == name:
                return rule_facts(SiteRule(rules, RuleSource.LEDGER))
        raise Problem(404, "The ledger has no rules for this pattern. GET /api/sites lists them.")

    async def put(self, pattern: Pattern, wanted: SiteBody) -> RuleFacts:
        """Make these the rules of a pattern. Every worker obeys within seconds."""
        rules = await replace_rules(self._context, pattern, wanted)
        if isinstance(rules, SiteProblem):
            raise _problem(rules)
        return rule_facts(SiteRule(rules, RuleSource.LEDGER))

    async def delete(self, pattern: Pattern) -> RulesRemoved:
        """Remove the ledger's rules for a pattern."""
        problem = await remove_rules(self._context, pattern)
        if problem is not None:
            raise _problem(problem)
        return RulesRemoved(_spelled(pattern))


def _spelled(pattern: str) -> str:
    try:
        return spelled(pattern)
    except ValueError as error:
        raise Problem(422, str(error)) from None


def _problem(problem: SiteProblem) -> Problem:
    return Problem(404 if problem.is_unknown else 422, problem.told)
