"""Which command for what, and how does one look? The groups of `tenax --help`, and examples."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

GROUPS: dict[str, dict[str, str]] = {
    "Crawl": {
        "crawl": "tenax crawl https://example.org --max-pages 100 --contact mailto:you@example.org",
        "fetch": "tenax fetch https://example.org/ --as markdown",
        "init": "tenax init ./quotes --contact mailto:you@example.org",
        "shell": "tenax shell https://example.org/ -c 'print(page.css(\"h1\").text)'",
        "demo": "tenax demo",
        "jobs": "tenax jobs create news https://example.org/ --schedule 'every 6h' --start",
        "frontier": "tenax frontier list --state failed",
        "sites": "tenax sites set '*.example.org' delay=5",
        "login": "tenax login club.example.org --cookies cookies.txt --data ./club",
        "proxies": "tenax proxies add http://user@192.0.2.1:3128 --group eu",
    },
    "Look at what was found": {
        "pages": "tenax pages --job example.org",
        "records": "tenax records quote",
        "products": "tenax products --brand Acme --max-price 20",
        "search": "tenax search 'kettle host:example.org'",
        "links": "tenax links https://example.org/",
        "export": "tenax export -o pages.parquet",
        "replay": "tenax replay --dry-run",
        "import-warc": "tenax import-warc pages.warc.gz --job archive",
        "reindex": "tenax reindex",
        "mcp": "tenax mcp --data ./tenax-data",
    },
    "Ask why": {
        "why": "tenax why https://example.org/missing",
        "hosts": "tenax hosts example.org",
        "dead": "tenax dead return --fault dns",
        "audit": "tenax audit",
        "doctor": "tenax doctor",
        "config": "tenax config",
    },
    "Run it for long": {
        "serve": "tenax serve --port 8080",
        "worker": "tenax worker",
        "scheduler": "tenax scheduler",
        "relay": "tenax relay",
        "consume": "tenax consume",
        "alerts": "tenax alerts",
        "user": "tenax user add ann --role admin",
        "key": "tenax key api add ci --role user",
    },
    "Keep it": {
        "backup": "tenax backup ./copy",
        "restore": "tenax restore ./copy --data ./tenax-data",
        "gc": "tenax gc",
        "purge": "tenax purge --job example.org",
        "archive": "tenax archive ./tenax-data/archive",
        "report": "tenax report storage",
        "content": "tenax content move --to s3://bucket/pages",
        "db": "tenax db upgrade",
    },
}
"""Each command in one group, with an example that works."""
EXAMPLES = {name: line for group in GROUPS.values() for name, line in group.items()}
HELP = {"help_option_names": ["-h", "--help"]}


def example_of(name: str) -> str | None:
    """What stands below the help of a command; the \\b keeps it as it is."""
    return f"\b\nExample:\n  $ {EXAMPLES[name]}" if name in EXAMPLES else None


class GroupedCommands(TyperGroup):
    """`tenax --help`: commands by what one wants, not by the alphabet."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(map(len, self.commands), default=0)
        limit = formatter.width - 6 - width
        placed = {name for group in GROUPS.values() for name in group}
        rest = {name: "" for name in self.commands if name not in placed}
        for title, names in {**GROUPS, "More": rest}.items():
            rows = [
                (name.ljust(width), self.commands[name].get_short_help_str(limit))
                for name in names
                if name in self.commands and not self.commands[name].hidden
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
