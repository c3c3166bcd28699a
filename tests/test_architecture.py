"""Do the rooms of the code base keep to their place: imports, libraries, names, sizes?

Everything is read from the syntax tree, so imports inside functions, under TYPE_CHECKING and
by `import_module("...")` count like any other.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "tenax"

# A room imports from the lines below its own; rooms on one line do not know each other.
LINES = (
    ("__main__", "__init__"),
    ("cli",),
    ("sync",),
    ("api", "agents", "testing", "library", "client"),
    ("compose",),
    ("settings",),
    ("adapters", "ops"),
    ("crawl",),
    ("fetch", "jobs"),
    ("page", "discover", "hosts"),
    ("urls",),
    ("ports",),
    ("outcome",),
    ("model",),
    ("version",),
)
LEVEL = {room: level for level, line in enumerate(reversed(LINES)) for room in line}

# Rooms that only some may enter, whatever the lines allow.
DOORS = {
    # Settings have the policies of those adapters that have any; see the test of what that loads.
    "adapters": {"compose", "settings"},
    "api": {"cli"},
    "agents": {"cli"},
    "testing": {"__main__", "__init__"},
    "library": {"__main__", "__init__", "sync"},
    "sync": {"__main__", "__init__", "cli"},
    "demo": {"cli", "testing", "__main__", "__init__"},
}
# The demo's web is served, not crawled: it may know the nouns and nothing else.
LEVEL["demo"] = LEVEL["model"]
FROM_DEMO = {"model"}

# Where a library may be imported: rooms, or single modules. An empty tuple means everywhere.
HOMES: dict[str, tuple[str, ...]] = {
    "ada_url": ("urls",),
    "aiokafka": ("adapters.events",),
    "IPython": ("cli.begin",),
    "alembic": ("adapters.sql",),
    "argon2": ("ops.accounts.passwords",),
    "asyncpg": ("adapters.sql", "adapters.search"),
    "brotli": ("adapters", "api.compression", "fetch.decode"),
    "anyio": ("agents",),
    "can_ada": ("urls",),
    "celery": ("adapters.celery",),
    "certifi": ("adapters.libcurl",),
    "click": ("cli",),
    "cryptography": ("adapters.local",),
    "curl_cffi": ("adapters.libcurl",),
    "elastic_transport": ("adapters.search",),
    "elasticsearch": ("adapters.search",),
    "fastapi": ("api",),
    "h11": ("api",),
    "kombu": ("adapters.celery",),
    "mcp": ("agents",),
    "msgspec": (),
    "obstore": ("adapters.content",),
    "opensearchpy": ("adapters.search",),
    "opentelemetry": ("adapters.local.traces",),
    "orjson": (),
    "playwright": ("adapters.browser",),
    "prometheus_client": ("adapters.local.prometheus",),
    "publicsuffixlist": ("urls",),
    "pydantic": ("api", "agents"),
    "pyarrow": ("adapters.local",),
    "pycurl": ("adapters.libcurl", "adapters.local.checkup"),
    "pypdfium2": ("page.pdf",),
    "redis": ("adapters.redis",),
    "rich": ("cli",),
    "sqlalchemy": ("adapters.sql", "adapters.local.checkup"),
    "sqlite3": ("adapters",),
    "starlette": ("api",),
    "turbohtml": ("page",),
    "typer": ("cli",),
    "uvicorn": ("api", "cli"),
    "uvloop": ("cli", "compose"),
    "zstandard": ("adapters", "fetch.decode", "ops.export.packing"),
}

VAGUE = {"utils", "util", "common", "helpers", "helper", "core", "base", "misc"} | {
    "manager", "managers", "service", "services",
}  # fmt: skip
LONGEST = 450
MOST = 18
"""Modules in a folder: more are several subjects in one room."""
UNCOUNTED = ("demo", "adapters.sql.schema.migrations")
"""The demo is a list of sites, and migrations only ever become more."""
MAP = Path(__file__).parents[1] / "docs" / "architecture.md"


@dataclass(frozen=True, slots=True)
class Module:
    """One file of the package: its name below `tenax`, and what is written in it."""

    name: str
    """Dotted, without the leading `tenax.`; a package goes by its folder's name."""
    text: str
    is_package: bool = False

    @property
    def room(self) -> str:
        return self.name.split(".", 1)[0]

    @property
    def package(self) -> list[str]:
        """What relative imports start from."""
        parts = [part for part in self.name.split(".") if part != "__init__"]
        return ["tenax", *(parts if self.is_package else parts[:-1])]


@cache
def nodes_of(text: str) -> Sequence[ast.AST]:
    """Everything that is written there; every rule asks for that."""
    return tuple(ast.walk(ast.parse(text)))


# The rules: each yields what is wrong with one module, as sentences.


def broken_imports(module: Module) -> Iterator[str]:
    for line, room in rooms_imported(module):
        if room == module.room:
            continue
        where = f"{module.name}:{line}"
        if room not in LEVEL:
            yield f"{where} imports {room}, which has no place in LINES: give it one"
        elif room in DOORS and module.room not in DOORS[room]:
            yield f"{where} imports {room}; only {' and '.join(sorted(DOORS[room]))} may"
        elif module.room == "demo":
            if room not in FROM_DEMO:
                yield f"{where} imports {room}; the demo may import only the nouns"
        elif LEVEL[room] >= LEVEL[module.room]:
            yield f"{where} imports {room}, which is not below {module.room}"


def misplaced(module: Module) -> Iterator[str]:
    if module.room not in LEVEL:
        yield f"{module.name}: the room {module.room} has no place in LINES: give it one"


def homeless_libraries(module: Module) -> Iterator[str]:
    for line, library in libraries_imported(module):
        where = f"{module.name}:{line}"
        if library not in HOMES:
            if library not in sys.stdlib_module_names:
                yield f"{where} imports {library}, which has no home in HOMES: give it one"
            continue
        homes = HOMES[library]
        if homes and not any(is_inside(module.name, home) for home in homes):
            yield f"{where} imports {library}, whose home is {' or '.join(homes)}"


def vague_names(module: Module) -> Iterator[str]:
    for part in module.name.split("."):
        if part.strip("_").split("_")[-1] in VAGUE:
            yield f"{module.name}: '{part}' says nothing; which noun is missing?"


def missing_docstrings(module: Module) -> Iterator[str]:
    tree = nodes_of(module.text)[0]
    assert isinstance(tree, ast.Module)
    # A folder's empty __init__.py has nothing to explain.
    if (tree.body or not module.is_package) and not (ast.get_docstring(tree) or "").strip():
        yield f"{module.name}: its first line should say which question it answers"


def overlong(module: Module) -> Iterator[str]:
    lines = module.text.count("\n")
    if lines > LONGEST:
        yield f"{module.name} has {lines} lines, more than {LONGEST}: it wants to be two rooms"


def read_back(module: Module) -> Iterator[str]:
    """A reason is prose, for people: what the code has to know stands beside it, as words."""
    for node in nodes_of(module.text):
        match node:
            case ast.Call(func=ast.Attribute(value=text, attr=method)):
                found = is_reason(text) and method in TAKES_APART
            case ast.Compare(left=left, comparators=[right]):
                pairs = ((left, right), (right, left))
                found = any(is_reason(one) and is_wording(other) for one, other in pairs)
            case ast.Match(subject=subject, cases=cases):
                worded = (pattern for case in cases for pattern in ast.walk(case.pattern))
                found = is_reason(subject) and any(
                    isinstance(each, ast.MatchValue) and is_wording(each.value) for each in worded
                )
            case _:
                continue
        if found and not is_inside(module.name, "adapters.sql.schema.migrations"):
            yield f"{module.name}:{node.lineno} reads a reason back: ask for outcome and cause"


TAKES_APART = frozenset({
    "startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split",
    "find", "index", "count", "contains", "icontains", "like", "ilike", "regexp_match",
})  # fmt: skip


def is_reason(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr="reason") | ast.Name(id="reason"):
            return True
        case ast.BoolOp(values=[first, *_]):
            return is_reason(first)
        case _:
            return False


def is_wording(node: ast.expr) -> bool:
    """A text, several of them, or the word of an outcome."""
    match node:
        case ast.Constant(value=str(text)):
            return bool(text)
        case ast.Attribute(attr="word") | ast.Name(id="REVISIT"):
            return True
        case ast.Tuple(elts=several) | ast.List(elts=several) | ast.Set(elts=several):
            return any(map(is_wording, several))
        case _:
            return False


Rule: TypeAlias = Callable[[Module], Iterator[str]]
RULES: tuple[Rule, ...] = (
    broken_imports,
    misplaced,
    homeless_libraries,
    vague_names,
    missing_docstrings,
    overlong,
    read_back,
)


# The rules of the whole tree.


def crowded_folders(modules: Sequence[Module]) -> Iterator[str]:
    held = Counter(folder_of(module) for module in modules if not module.is_package)
    for folder, count in held.items():
        if count > MOST and not any(is_inside(folder, free) for free in UNCOUNTED):
            yield f"{folder} has {count} modules, more than {MOST}: which of them are a subject?"


def names_with_two_meanings(modules: Sequence[Module]) -> Iterator[str]:
    """A class name occurs once, wherever it stands, so that a search for it finds it."""
    homes: dict[str, list[str]] = {}
    for module in modules:
        for node in nodes_of(module.text):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module.name)
    for name, places in homes.items():
        if len(places) > 1:
            yield f"{name} is a class in {' and in '.join(places)}: one of them means another thing"


def modules_off_the_map(modules: Sequence[Module], drawn: str) -> Iterator[str]:
    """Every module stands in the row of its folder, and nothing stands there that is none."""
    rows = dict(re.findall(r"^\| `([a-z_/]+)/` \| .*? \| (.*) \|$", drawn, re.M))
    found: dict[str, set[str]] = {}
    for module in modules:
        if not module.is_package and (folder := folder_of(module)):
            found.setdefault(folder.replace(".", "/"), set()).add(module.name.rsplit(".", 1)[1])
    for folder, names in found.items():
        if is_inside(folder.replace("/", "."), "adapters.sql.schema.migrations"):
            continue
        told = set(re.findall(r"`([a-z_0-9]+)`", rows.get(folder, "")))
        for name in sorted(names ^ told):
            where = "is not on the map" if name in names else "is on the map and not there"
            yield f"{folder}/{name}.py {where}: docs/architecture.md"


def folder_of(module: Module) -> str:
    return module.name.rpartition(".")[0]


# What a module imports.


def rooms_imported(module: Module) -> Iterator[tuple[int, str]]:
    for line, name in imported(module):
        top, _, rest = name.partition(".")
        if top == "tenax" and rest:
            yield line, rest.split(".", 1)[0]


def libraries_imported(module: Module) -> Iterator[tuple[int, str]]:
    for line, name in imported(module):
        top = name.split(".", 1)[0]
        if top != "tenax":
            yield line, top


def imported(module: Module) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of everything imported, wherever it stands."""
    for node in nodes_of(module.text):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=source, names=names, level=level):
                origin = origin_of(module, source, level)
                yield from ((node.lineno, name) for name in members(origin, names))
            case ast.Call(args=[ast.Constant(value=str(name)), *_]) if is_import_call(node):
                source = name.lstrip(".")
                yield node.lineno, origin_of(module, source, len(name) - len(source))


def origin_of(module: Module, source: str | None, level: int) -> str:
    if not level:
        return source or ""
    package = module.package
    return ".".join(package[: len(package) - level + 1] + ([source] if source else []))


def members(origin: str, names: list[ast.alias]) -> Iterator[str]:
    """`from tenax import page` means the room; `from tenax.page import read` is inside one."""
    if origin != "tenax":
        yield origin
        return
    for alias in names:
        is_attribute = alias.name.startswith("__") and alias.name.endswith("__")
        yield origin if is_attribute else f"{origin}.{alias.name}"


def is_import_call(call: ast.Call) -> bool:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in {"import_module", "__import__"}
    return False


def is_inside(name: str, home: str) -> bool:
    return name == home or name.startswith(f"{home}.")


# The code base.


def read_modules() -> list[Module]:
    return [read_module(path) for path in sorted(SOURCE.rglob("*.py"))]


def read_module(path: Path) -> Module:
    parts = list(path.relative_to(SOURCE).with_suffix("").parts)
    is_package = parts[-1] == "__init__"
    if is_package and len(parts) > 1:
        parts.pop()
    return Module(".".join(parts), path.read_text(encoding="utf-8"), is_package)


MODULES = read_modules()


def test_every_module_keeps_to_its_place() -> None:
    wrong = [each for module in MODULES for rule in RULES for each in rule(module)]
    assert not wrong, "\n".join(wrong)


def test_every_module_was_looked_at() -> None:
    assert {"model", "outcome", "ports", "urls", "adapters"} <= {module.room for module in MODULES}


def test_no_folder_holds_more_modules_than_one_subject_has() -> None:
    assert list(crowded_folders(MODULES)) == []


def test_a_class_name_has_one_meaning() -> None:
    assert list(names_with_two_meanings(MODULES)) == []


def test_every_module_is_on_the_map() -> None:
    assert list(modules_off_the_map(MODULES, MAP.read_text(encoding="utf-8"))) == []


def test_who_reads_settings_loads_no_library_of_an_adapter() -> None:
    """`tenax config` works, and is quick, where none of them is installed."""
    libraries = sorted(
        name
        for name, homes in HOMES.items()
        if homes and all(h.startswith("adapters") for h in homes)
    )
    program = f"import sys, tenax.settings; print([x for x in {libraries} if x in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("[]\n", "")


# The rules themselves: a checker that finds nothing proves nothing.

DOC = '"""What is this?"""\n'

ALLOWED = [
    Module("crawl.visit", DOC + "from tenax.fetch.fetcher import fetch\nimport tenax.model"),
    Module("crawl.visit", DOC + "from .gate import enter\nfrom tenax.crawl import settle"),
    Module("crawl", DOC + "from .worker import run", is_package=True),
    Module(
        "compose", DOC + "def open():\n    from tenax.adapters.libcurl.http import HttpTransport"
    ),
    Module("adapters.sql.frontier", DOC + "import sqlalchemy\nfrom ..sql import schema"),
    Module("settings", DOC + "from tenax.ops.events.relay import RelayPolicy"),
    Module("settings", DOC + "from tenax.adapters.browser.policy import BrowserPolicy"),
    Module("fetch.decode", DOC + "import zlib, brotli"),
    Module("cli.demo", DOC + "import typer, uvloop\nfrom tenax.demo.server import DemoWeb"),
    Module("urls.normalise", DOC + "import can_ada\nfrom tenax import __version__"),
    Module("demo.shop", DOC + "from .server import Site\nfrom tenax import model"),
    Module("fetch.base_url", DOC),
    Module(
        "__init__", DOC + "def open():\n    from tenax.compose import open_app", is_package=True
    ),
    Module("ops.why", DOC + "def f(t): return t.reason or t.reason[:80], t.reason == ''"),
    Module("crawl.admit", DOC + "def f(v): return v.reason is Reason.TRAP or v.reason in _KEPT"),
    Module("page", "", is_package=True),
    Module("page.read", DOC + "\n" * (LONGEST - 1)),
]


@pytest.mark.parametrize("module", ALLOWED, ids=lambda module: f"{module.name}: {module.text[22:]}")
def test_what_is_allowed_passes(module: Module) -> None:
    assert [wrong for rule in RULES for wrong in rule(module)] == []


VIOLATIONS = [
    # Imports that point up or sideways, in every spelling Python has.
    (broken_imports, "model", "import tenax.outcome"),
    (broken_imports, "urls.decide", "from tenax.crawl.admit import offer"),
    (broken_imports, "urls.decide", "from tenax import crawl"),
    (broken_imports, "urls.decide", "from tenax import model, crawl"),
    (broken_imports, "urls.decide", "from ..crawl import admit"),
    (broken_imports, "urls.decide", "from .. import crawl"),
    (broken_imports, "urls.decide", "import tenax.model, tenax.crawl.admit as admit"),
    (broken_imports, "urls.decide", "def f():\n    import tenax.crawl"),
    (broken_imports, "urls.decide", "if TYPE_CHECKING:\n    from tenax.crawl import admit"),
    (broken_imports, "urls.decide", "try:\n    import tenax.crawl\nexcept ImportError: ..."),
    (broken_imports, "urls.decide", "import_module('tenax.crawl.admit')"),
    (broken_imports, "urls.decide", "importlib.import_module('..crawl')"),
    (broken_imports, "urls.decide", "__import__('tenax.crawl')"),
    (broken_imports, "page.read", "from tenax.hosts import robots"),
    (broken_imports, "hosts.pace", "from tenax.page import read"),
    (broken_imports, "ops.why", "from tenax.settings import Settings"),
    (broken_imports, "crawl.visit", "from tenax import open_app"),
    (broken_imports, "adapters.http", "from tenax.settings import Settings"),
    # Rooms with a door.
    (broken_imports, "cli.crawl", "from tenax.adapters.libcurl.http import HttpTransport"),
    (broken_imports, "testing", "from tenax.adapters.sql import frontier"),
    (broken_imports, "compose", "from tenax.demo import DemoWeb"),
    (broken_imports, "demo.server", "from tenax.urls import normalise"),
    (broken_imports, "demo.server", "from tenax.outcome import Read"),
    # Rooms and libraries nobody has placed yet.
    (broken_imports, "cli.crawl", "from tenax.attic import box"),
    (misplaced, "attic.box", ""),
    (homeless_libraries, "page.read", "import lxml.html"),
    # Libraries away from home.
    (homeless_libraries, "fetch.fetcher", "import pycurl"),
    (homeless_libraries, "fetch.fetcher", "from pycurl import Curl"),
    (homeless_libraries, "fetch.fetcher", "def f():\n    import brotli"),
    (homeless_libraries, "fetch.decoder", "import zstandard"),
    (homeless_libraries, "ops.audit", "from sqlalchemy.orm import Session"),
    (homeless_libraries, "urls.decide", "import turbohtml"),
    (homeless_libraries, "crawl.admit", "import can_ada"),
    (homeless_libraries, "ops.why", "from rich import print"),
    (homeless_libraries, "crawl.visit", "import uvloop"),
    # Names, size, docstrings.
    (vague_names, "page.utils", ""),
    (vague_names, "core", ""),
    (vague_names, "urls._helpers", ""),
    (vague_names, "crawl.host_manager", ""),
    (vague_names, "common.text", ""),
    (overlong, "page.read", "\n" * LONGEST),
    # Prose that is read back.
    (read_back, "ops.why", "target.reason.startswith('stale: ')"),
    (read_back, "ops.why", "reason = target.reason\nreason.removeprefix('robots: ')"),
    (read_back, "ops.prospect", "target.reason.partition(':')[0] in RETRYABLE"),
    (read_back, "adapters.sql.frontier", "(row.reason or '').startswith('moved ')"),
    (read_back, "adapters.sql.dead", "targets.c.reason.like('dns%')"),
    (read_back, "cli.story", "target.reason == 'noindex'"),
    (read_back, "cli.story", "reason in (Read.word, Duplicate.word)"),
    (read_back, "ops.why", "REVISIT == target.reason"),
    (read_back, "api.routes.pages", "match target.reason:\n    case 'read': ..."),
]


@pytest.mark.parametrize(
    ("rule", "name", "text"), VIOLATIONS, ids=lambda value: getattr(value, "__name__", str(value))
)
def test_what_is_forbidden_is_found(rule: Rule, name: str, text: str) -> None:
    assert len(list(rule(Module(name, DOC + text)))) == 1


@pytest.mark.parametrize("text", ["", "x = 1\n", '"""   """\n', "# A comment explains.\n"])
def test_a_module_without_a_docstring_is_found(text: str) -> None:
    assert list(missing_docstrings(Module("page.read", text)))


def test_a_crowded_folder_is_found() -> None:
    modules = [Module(f"page.n{number}", DOC) for number in range(MOST)]
    packed = [*modules, Module("page.one_more", DOC)]
    assert not list(crowded_folders([*modules, Module("page", DOC, is_package=True)]))
    assert len(list(crowded_folders(packed))) == 1
    migrations = [Module(f"adapters.sql.schema.migrations.n{n}", DOC) for n in range(MOST + 1)]
    assert not list(crowded_folders(migrations))


def test_a_class_name_in_two_modules_is_found_also_inside_functions() -> None:
    one = Module("page.read", DOC + "class Tally: ...")
    two = Module("ops.replay", DOC + "def f():\n    class Tally: ...")
    assert not list(names_with_two_meanings([one]))
    assert len(list(names_with_two_meanings([one, two]))) == 1


def test_a_module_without_a_place_on_the_map_is_found_and_so_is_a_place_without_one() -> None:
    modules = [Module("page.read", DOC), Module("page", DOC, is_package=True)]
    row = "| `page/` | What does it say? | `read` (one look)"
    assert not list(modules_off_the_map(modules, f"{row} |\n"))
    assert len(list(modules_off_the_map(modules, f"{row} · `links` |\n"))) == 1
    assert len(list(modules_off_the_map([*modules, Module("page.links", DOC)], f"{row} |"))) == 1
    assert len(list(modules_off_the_map(modules, "nothing"))) == 1
