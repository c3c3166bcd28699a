"""Is what the documentation says still true: links, commands, settings, words, examples?

Each check is a function from a text to what is wrong with it. The documents are checked with
it, and at the end it is checked itself, with texts that are wrong on purpose.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
import typer

import tenax
from tenax.adapters.sql.schema.tables import metadata
from tenax.cli.commands import make_app
from tenax.cli.crawl.summary import Summary
from tenax.cli.terminal import say
from tenax.demo import SITES, TreeSite, serving
from tenax.hosts.changes import TreatmentChange
from tenax.hosts.standing import Word
from tenax.model import Fault, JobState, Page, Reason, SiteRules, State
from tenax.model.knobs import knob
from tenax.ops.alerts.rules import AlertWhat
from tenax.ops.export.export import FIELDS
from tenax.ops.export.products import PRICE_FIELDS, PRODUCT_FIELDS
from tenax.outcome import Outcome
from tenax.page.handlers.crawled_page import CrawledPage
from tenax.settings import Loaded, Settings, declared, load, names
from tenax.version import DISTRIBUTION

ROOT = Path(__file__).parents[1]
FOLDERS = ("docs", "bench", "src", "tests", "requirements")
DOCUMENTS = sorted(ROOT.glob("*.md")) + sorted(
    path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md")
)

FENCE = re.compile(r"^(```+|~~~+).*?^\1", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s+(\S+)", re.MULTILINE)
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
# Folders of one person's machine; `https://a.example/home/` is not one.
MACHINE_PATH = re.compile(r"(?<![\w./])/(?:home|root|work|Users)/[\w.-]+")
UPWARD_PATH = re.compile(r"(?<![\w./])(?:\.\./)+[\w-][\w./-]*")
PROJECT_PATH = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w./-]*")
MAKE = re.compile(r"(?:^|&&|;)[ \t]*(?:\$ )?(?:\w+=\S+ +)*make[ \t]+([a-z][a-z-]*)", re.MULTILINE)
TARGET = re.compile(r"^([a-z][a-z-]*):(.*)$", re.MULTILINE)


REFERENCE = ROOT / "docs" / "reference"
HOWTO = ROOT / "docs" / "howto"
# `page.url` is an attribute of a page, `page.verify` a setting: no document is held to those.
GROUPS = sorted({name.partition(".")[0] for name in names() if "." in name} - {"page"})
SETTING = re.compile(rf"(?:{'|'.join(GROUPS)})(?:\.[a-z_]+)+")
ROW = re.compile(r"^\| (.+?) \|", re.MULTILINE)
STOP = re.compile(r"^##+ ([^\n]*\]\([^\n]*\.py\))\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"[A-Za-z_]\w*")
PYTEST = re.compile(r'^\.venv/bin/pytest -q (tests/[^\n"]+?)(?: -k "?([\w ]+)"?)?$', re.MULTILINE)
ENTRY = re.compile(r"^\| (?!word \|)(.+) \|$", re.MULTILINE)
CALL = re.compile(r"^\$ (?:\w+=\S* )*tenax (\S+)(.*)$", re.MULTILINE)
FLAG = re.compile(r"(?<!\S)--?[a-z][a-z-]*")
SHOWN = re.compile(r"`([^`]+)`")
EXAMPLE = re.compile(r"https://(?:docs\.)?example\.org/")
"""How examples that are run name their site: the test puts one of its own there."""


# The checks: each yields what is wrong with one text that stands at `path`.


def broken_links(path: Path, text: str) -> Iterator[str]:
    for match in LINK.finditer(without_code(text)):
        link = match[1] or match[2]
        if re.match(r"[a-z][a-z+.-]*:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists() or not target.is_relative_to(ROOT):
            yield f"the link {link} leads nowhere in this repository"
        elif anchor and anchor not in anchors(text if target == path else read(target)):
            yield f"the link {link} names a heading that is not there"


def foreign_paths(path: Path, text: str) -> Iterator[str]:
    for match in MACHINE_PATH.finditer(text):
        yield f"{match[0]} is a path of one machine"
    for match in UPWARD_PATH.finditer(text):
        target = (path.parent / match[0].rstrip(".")).resolve()
        if not target.exists() or not target.is_relative_to(ROOT):
            yield f"{match[0]} is not in this repository (as an example URL, write /a/{match[0]})"


def missing_files(text: str) -> Iterator[str]:
    for span in INLINE_CODE.findall(FENCE.sub("", text)):
        if PROJECT_PATH.fullmatch(span) and not (ROOT / span).exists():
            yield f"`{span}` is not in this repository"


def unknown_targets(text: str, targets: set[str]) -> Iterator[str]:
    for code in [match[0] for match in FENCE.finditer(text)] + INLINE_CODE.findall(text):
        for word in MAKE.findall(code):
            if word not in targets:
                yield f"`make {word}` is not in the Makefile"


def wrong_settings(text: str) -> Iterator[str]:
    """A row for every setting, with its name, its default, and what it may be as declared."""
    for name, value, _ in Loaded(Settings(), {}).rows():
        row = f"| `{name}` | {default(value)} | {declared(name).range} |"
        if row not in text:
            yield f"no row begins with {row}"


def misplaced_settings(text: str) -> Iterator[str]:
    """Settings whose row stands below another heading than their own: nobody looks there."""
    home = ""
    for line in text.splitlines():
        if line.startswith("## "):
            home = line.removeprefix("## ")
        row = re.match(r"\| `([a-z_.]+)` \| `", line)
        if row and row[1] in names():
            group, dot, _ = row[1].partition(".")
            own = group if f"\n## {group}\n" in text else "Inner workings"
            if home != (own if dot else "General"):
                yield f"`{row[1]}` stands under {home}"


def wrong_site_keys(text: str) -> Iterator[str]:
    """The same for the keys of [[sites]]: all of them, and no others."""
    row = re.compile(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|", re.MULTILINE)
    told = dict(row.findall(section(text, "sites")))
    real = {name: knob(SiteRules, name).range for name in SiteRules.__struct_fields__}
    for name in sorted(told.keys() | real.keys()):
        if told.get(name) != real.get(name):
            yield f"a site's `{name}` is {real.get(name)}, not {told.get(name)}"


def unknown_settings(text: str) -> Iterator[str]:
    known = {*names(), "robots.txt"}
    for span in INLINE_CODE.findall(FENCE.sub("", text)):
        if SETTING.fullmatch(span) and span not in known:
            yield f"`{span}` is not a setting"


def wrong_flags(text: str) -> Iterator[str]:
    """The flags of each command, in its own section: all of them, and no others."""
    for command, flags in commands().items():
        rows = "\n".join(ROW.findall(section(text, command)))
        told = {part.split()[0] for part in SHOWN.findall(rows) if part.startswith("-")}
        for flag in sorted(flags - told):
            yield f"{command} {flag} is not explained"
        for flag in sorted(told - flags):
            yield f"{command} has no flag {flag}"


def wrong_calls(text: str) -> Iterator[str]:
    """`$ tenax …` in examples: commands and flags that exist."""
    known = commands()
    for fence in FENCE.finditer(text):
        for word, rest in CALL.findall(fence[0]):
            command = "tenax" if word.startswith("-") else f"tenax {word}"
            for part in rest.split()[:2]:
                if (longer := f"{command} {part}") in known:
                    command = longer
            if command not in known:
                yield f"there is no command `{command}`"
                continue
            for flag in FLAG.findall(f"{word} {rest.partition(' | ')[0]}"):
                if flag not in known[command]:
                    yield f"`{command}` has no flag {flag}"


def wrong_mentions(text: str) -> Iterator[str]:
    """The same for `tenax …` within a sentence. What follows a group alone is for its `list`."""
    known = commands()
    for span in INLINE_CODE.findall(FENCE.sub("", text)):
        typed = span.partition(" | ")[0].split()
        words = [word for word in typed if re.fullmatch(r"-*[a-z][a-z-]*", word)]
        if not span.startswith("tenax ") or len(words) < 2 or words[1].startswith("-"):
            continue
        command = " ".join(words[:2])
        for word in words[2:4]:
            command = f"{command} {word}" if f"{command} {word}" in known else command
        flags = known.get(command, set()) | known.get(f"{command} list", set())
        if command not in known:
            yield f"there is no command `{command}`"
        for flag in {word for word in words if FLAG.fullmatch(word)} - flags:
            yield f"`{command}` has no flag {flag}"


def missing_words(text: str, heading: str, words: Iterable[str]) -> Iterator[str]:
    """Words that the section of this heading should explain."""
    told = section(text, heading)
    for word in words:
        if f"`{word}`" not in told:
            yield f"`{word}` is missing under {heading}"


def wrong_exit_codes(text: str) -> Iterator[str]:
    told = {row for row in ROW.findall(section(text, "Exit codes")) if row.isdecimal()}
    real = {str(value) for name, value in vars(say).items() if name.startswith("EXIT_")} | {"0"}
    for code in sorted(real ^ told):
        yield f"exit code {code} is {'not explained' if code in real else 'never used'}"


def missing_parts(text: str) -> Iterator[str]:
    """A decision has a status, its context, the choice and the cost."""
    for part in ("\nStatus: ", "\n## Context\n", "\n## Choice\n", "\n## Cost\n"):
        if part not in text:
            yield f"the part {part.strip()!r} is missing"


def wrong_entries(path: Path, text: str) -> Iterator[str]:
    """Of a glossary: code in the first two columns stands in a file that the last one links to."""
    for row in ENTRY.findall(FENCE.sub("", text)):
        *cells, last = row.split(" | ")
        files = [path.parent / link for link, _ in LINK.findall(last)]
        word = cells[0]
        if not files:
            yield f"{word}: no file is named"
        elif missing := [file for file in files if not file.is_file()]:
            yield f"{word}: {missing[0].name} is not in this repository"
        for span in INLINE_CODE.findall(" ".join(cells[:2])):
            whole = re.compile(rf"(?<!\w){re.escape(span)}(?!\w)")
            if not any(whole.search(read(file)) for file in files if file.is_file()):
                yield f"{word}: `{span}` does not occur in {last}"


def wrong_stops(path: Path, text: str) -> Iterator[str]:
    """Of a tour: what is to be read stands in the file of its stop, and its tests are there."""
    for heading, stop in STOP.findall(text):
        file = path.parent / LINK.findall(heading)[0][0]
        for span in INLINE_CODE.findall(stop.partition("**Read:**")[2].partition("\n\n")[0]):
            if NAME.fullmatch(span) and not re.search(rf"(?<!\w){span}(?!\w)", read(file)):
                yield f"{file.name}: `{span}` is not there to be read"
        if not PYTEST.search(stop):
            yield f"{file.name}: no test shows it"
    for asked, chosen in PYTEST.findall(text):
        for place in asked.split():
            name, _, test = place.partition("::")
            found = read(ROOT / name) if (ROOT / name).is_file() else ""
            if not found or (test and f"def {test}(" not in found):
                yield f"{place} is no test"
            for word in re.findall(r"\w+", chosen):
                if word not in ("or", "and", "not") and word not in found + fixtures(ROOT / name):
                    yield f"{place} has nothing called {word}"


# What they read.


def fixtures(path: Path) -> str:
    """What the tests of a file get their parameters from, besides itself."""
    beside = path.parent / "conftest.py"
    return read(beside) if beside.is_file() else ""


def default(value: Any) -> str:
    """A default as the reference shows it."""
    if isinstance(value, tuple):
        return f"`[{', '.join(json.dumps(item) for item in value)}]`"
    return "not set" if value is None else f"`{json.dumps(value)}`"


@cache
def commands() -> dict[str, set[str]]:
    """Every command as typed, and its flags."""
    root: Any = typer.main.get_command(make_app())
    found = {"tenax": root, **dict(below("tenax", root))}
    return {name: flags_of(command) for name, command in found.items()}


def below(name: str, group: Any) -> Iterator[tuple[str, Any]]:
    """The commands of a group; those of a group inside it too (`tenax key bot`)."""
    for word, command in group.commands.items():
        yield f"{name} {word}", command
        if hasattr(command, "commands"):
            yield from below(f"{name} {word}", command)


def flags_of(command: Any) -> set[str]:
    """Its flags, but for those that only say that they are gone."""
    there = (each for each in command.params if not getattr(each, "hidden", False))
    spellings = (flag for parameter in there for flag in parameter.opts)
    return {flag for flag in spellings if flag.startswith("-")}


def section(text: str, heading: str) -> str:
    """What stands between a heading and the next one of any size."""
    pattern = rf"^#+ {re.escape(heading)}$(.*?)(?=^#+ |\Z)"
    found = re.search(pattern, text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def without_code(text: str) -> str:
    return INLINE_CODE.sub("", FENCE.sub("", text))


def anchors(text: str) -> set[str]:
    """The names that headings get when rendered."""
    headings = HEADING.findall(FENCE.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def make_targets() -> dict[str, str]:
    """Each word of the Makefile with the rest of its line."""
    return dict(TARGET.findall(read(ROOT / "Makefile")))


def found(check: Callable[[Path, str], Iterable[str]], paths: Iterable[Path]) -> str:
    """What is wrong with any of these documents, and in which: a line each."""
    return "\n".join(
        f"{path.relative_to(ROOT)}: {wrong}" for path in paths for wrong in check(path, read(path))
    )


def test_links_lead_somewhere() -> None:
    assert found(broken_links, DOCUMENTS) == ""


def test_documents_name_no_path_outside_the_repository() -> None:
    assert found(foreign_paths, DOCUMENTS) == ""


def test_the_files_named_exist() -> None:
    assert found(lambda _, text: missing_files(text), DOCUMENTS) == ""


def test_the_make_targets_named_exist() -> None:
    targets = set(make_targets())
    assert found(lambda _, text: unknown_targets(text, targets), DOCUMENTS) == ""


def test_every_make_target_says_what_it_does() -> None:
    assert [word for word, line in make_targets().items() if "##" not in line] == []


def test_the_changelog_begins_with_what_is_unreleased() -> None:
    sections = re.findall(r"^## (.+)$", read(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert sections[:1] == ["[Unreleased]"]


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    index = read(folder / "README.md")
    files = [path.name for path in folder.glob("[0-9]*.md")]
    assert [name for name in files if f"({name})" not in index] == []


def test_every_contract_suite_is_named_beside_its_adapters() -> None:
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs/architecture.md").read_text()))
    assert {path.stem for path in (ROOT / "tests/contract").glob("test_*.py")} == named


def test_the_main_documents_were_looked_at() -> None:
    found = {path.relative_to(ROOT).as_posix() for path in DOCUMENTS}
    assert {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/architecture.md"} <= found


def test_a_decision_says_why_what_and_at_what_cost() -> None:
    decisions = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert found(lambda _, text: missing_parts(text), decisions) == ""
    assert len(decisions) > 20


GLOSSARY = ROOT / "docs" / "glossary.md"


def test_the_words_of_the_glossary_stand_where_it_says() -> None:
    assert list(wrong_entries(GLOSSARY, read(GLOSSARY))) == []


def test_no_word_of_the_glossary_is_explained_twice() -> None:
    words = [row.split(" | ")[0] for row in ENTRY.findall(read(GLOSSARY))]
    assert len(words) > 100
    assert {word for word in words if words.count(word) > 1} == set()


TOUR = ROOT / "docs" / "tour.md"


def test_the_tour_leads_to_what_is_there() -> None:
    assert list(wrong_stops(TOUR, read(TOUR))) == []


def test_the_tour_has_eight_stops_and_one_between() -> None:
    stops = [heading.split(".")[0] for heading, _ in STOP.findall(read(TOUR))]
    assert [stop for stop in stops if stop.isdecimal()] == [str(n) for n in range(1, 9)]
    assert len(stops) == 9
    assert len(PYTEST.findall(read(TOUR))) == read(TOUR).count(".venv/bin/pytest")


# The reference: nothing undocumented, nothing invented.

WORDS: list[tuple[str, str, list[str]]] = [
    ("outcomes.md", "States", [*State]),
    ("outcomes.md", "Job states", [*JobState]),
    ("outcomes.md", "Outcomes", [kind.word for kind in get_args(Outcome)]),
    ("outcomes.md", "Faults", [*Fault]),
    ("outcomes.md", "Reasons", [*Reason]),
    ("outcomes.md", "Where things are stored", [*metadata.tables]),
    ("commands.md", "What `--json` prints", list(Summary.__struct_fields__)),
    ("commands.md", "tenax hosts", [*Word]),
    (
        "commands.md",
        "tenax export",
        [field.name for field in (*FIELDS, *PRODUCT_FIELDS, *PRICE_FIELDS)],
    ),
]


def test_every_setting_is_explained_with_its_default_and_what_it_may_be() -> None:
    assert list(wrong_settings(read(REFERENCE / "settings.md"))) == []


def test_every_setting_stands_under_its_own_heading() -> None:
    assert list(misplaced_settings(read(REFERENCE / "settings.md"))) == []


def test_every_key_of_a_site_is_explained() -> None:
    assert list(wrong_site_keys(read(REFERENCE / "settings.md"))) == []


def test_the_settings_named_exist() -> None:
    assert found(lambda _, text: unknown_settings(text), DOCUMENTS) == ""


def test_every_command_and_flag_is_explained() -> None:
    assert list(wrong_flags(read(REFERENCE / "commands.md"))) == []


def test_the_reference_of_commands_begins_with_a_list_of_them_all() -> None:
    contents, _, sections = read(REFERENCE / "commands.md").partition("\n## ")
    named = re.findall(r"^## tenax (.+)$", sections, re.MULTILINE)
    assert len(named) > 30
    assert [name for name in named if f"(#tenax-{name.replace(' ', '-')})" not in contents] == []


def test_the_commands_shown_exist() -> None:
    assert found(lambda _, text: wrong_calls(text), DOCUMENTS) == ""


def test_the_commands_mentioned_exist() -> None:
    assert found(lambda _, text: wrong_mentions(text), DOCUMENTS) == ""


def test_the_handbook_tells_what_to_do_about_everything(subtests: pytest.Subtests) -> None:
    """Every alert, exit code, metric, log event and change in how hosts are treated."""
    text = read(ROOT / "docs" / "howto" / "operate.md")
    codes = {str(value) for name, value in vars(say).items() if name.startswith("EXIT_")} | {"0"}
    told = {
        "alerts": (section(text, "Alerts"), {f"| `{what}` |" for what in AlertWhat}),
        "exit codes": (section(text, "When it ends"), {f"| {code} |" for code in codes}),
        "events of the log": (text, {f"`{event}`" for event in logged_events()}),
    }
    for what, (where, words) in told.items():
        with subtests.test(what):
            assert {word for word in words if word not in where} == set()


def logged_events() -> set[str]:
    """What `log_event` is called with, anywhere; and what changes of hosts are called."""
    call = re.compile(r'log_event\(\s*\w+,\s*logging\.\w+,\s*"(\w+)"')
    sources = [path.read_text() for path in (ROOT / "src").rglob("*.py")]
    found = {event for source in sources for event in call.findall(source)}
    assert "visit" in found
    return found | set(TreatmentChange) | {"alert_raised", "alert_cleared"}


def test_every_exit_code_is_explained() -> None:
    assert list(wrong_exit_codes(read(REFERENCE / "commands.md"))) == []


@pytest.mark.parametrize(("name", "heading", "words"), WORDS, ids=lambda value: str(value)[:30])
def test_every_word_is_explained(name: str, heading: str, words: list[str]) -> None:
    assert list(missing_words(read(REFERENCE / name), heading, words)) == []


def test_the_json_shown_has_the_keys_of_the_real_one() -> None:
    (shown,) = blocks(read(REFERENCE / "commands.md"), "json")
    assert list(json.loads(shown)) == list(Summary.__struct_fields__)


def test_the_settings_files_shown_can_be_loaded(tmp_path: Path, subtests: pytest.Subtests) -> None:
    file = tmp_path / "tenax.toml"
    for path in DOCUMENTS:
        for shown in blocks(read(path), "toml"):
            with subtests.test(str(path)):
                file.write_text(shown, encoding="utf-8")
                # What they take from the environment is there.
                named = dict.fromkeys(re.findall(r'"env:(\w+)"', shown), "secret")
                assert load(file=file, environment=named).sources


# The examples: what can be run is run.


def crawling_examples() -> Iterator[tuple[str, str]]:
    """Programs that crawl `https://example.org/` into `./data`, and where they stand."""
    for path in (ROOT / "README.md", HOWTO / "use-as-a-library.md"):
        for number, block in enumerate(blocks(read(path), "python"), start=1):
            if "open(" in block:
                yield f"{path.name} {number}", block
    own = blocks(read(HOWTO / "your-own-records.md"), "python")
    yield "your-own-records.md", next(block for block in own if "tenax.open" in block)
    yield "tenax.__doc__", (tenax.__doc__ or "").partition("\n\n")[2]


def test_the_handlers_that_the_readme_begins_with_are_some(tmp_path: Path) -> None:
    from tenax.adapters.local import handler_files

    first, *_ = blocks(read(ROOT / "README.md"), "python")
    file = tmp_path / "quotes.py"
    file.write_text(first, encoding="utf-8")
    assert [handler.function.__name__ for handler in handler_files.load([file])] == ["quote"]


def simulations() -> list[str]:
    return blocks(read(HOWTO / "test-your-site.md"), "python")


@pytest.mark.parametrize(
    "program", [pytest.param(program, id=where) for where, program in crawling_examples()]
)
def test_a_crawling_example_runs(program: str, tmp_path: Path) -> None:
    assert run_crawling(program, tmp_path) == []


@pytest.mark.parametrize("program", simulations())
def test_a_simulation_shown_passes(program: str) -> None:
    assert run_simulation(program) > 0


def test_there_are_examples_to_run() -> None:
    assert len(list(crawling_examples())) >= 5
    assert len(simulations()) >= 4


def run_crawling(program: str, folder: Path) -> list[str]:
    """Run a program as a user does, on a site of ours; what went wrong, in sentences."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TENAX_")}
    environment |= {"TENAX_ALLOW_PRIVATE": "127.0.0.1/32", "TENAX_PACE__DELAY": "0"}
    site = TreeSite(pages=30)
    with serving([site]) as web:
        ended = subprocess.run(
            [sys.executable, "-W", "error", "-c", EXAMPLE.sub(site.url, program)],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
        )
        asked = len(web.log)
    wrong = [ended.stderr] if ended.returncode or ended.stderr else []
    wrong += [] if ended.stdout else ["it printed nothing"]
    return wrong if asked > 1 else [*wrong, "it did not crawl"]


def run_simulation(program: str) -> int:
    """Call every test in a program; how many there were."""
    scope: dict[str, Any] = {}
    exec(program, scope)
    tests: list[Callable[[], None]] = [v for k, v in scope.items() if k.startswith("test_")]
    for test in tests:
        test()
    return len(tests)


# The checks themselves: one that finds nothing proves nothing.

HERE = ROOT / "docs" / "architecture.md"


@pytest.mark.parametrize(
    "text",
    [
        "[a](../README.md)",
        "[a](https://a.example/x)",
        "[a](#top-of-it)\n\n## Top of `it`!",
        "`[a](gone.md)`",
        "```\n[a](gone.md)\n```",
    ],
)
def test_a_good_link_passes(text: str) -> None:
    assert list(broken_links(HERE, text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "[a](gone.md)",
        "[a](gone.md 'title')",
        "[a][b]\n\n[b]: gone.md",
        "![a](gone.png)",
        "[a](../../outside.md)",
        "[a](../..)",
        "[a](#nowhere)",
        "[a](../README.md#nowhere)",
    ],
)
def test_a_broken_link_is_found(text: str) -> None:
    assert len(list(broken_links(HERE, text))) == 1


@pytest.mark.parametrize("text", ["https://a.example/home/x", "/a/../x", "../README.md", "a../b"])
def test_an_innocent_path_passes(text: str) -> None:
    assert list(foreign_paths(HERE, text)) == []


@pytest.mark.parametrize("text", ["`/home/me/x`", "in ../elsewhere/SPEC.md", "`../../elsewhere`"])
def test_a_foreign_path_is_found(text: str) -> None:
    assert len(list(foreign_paths(HERE, text))) == 1


def test_a_missing_file_is_found() -> None:
    assert len(list(missing_files("`tests/test_docs.py`, `tests/gone.py`"))) == 1


@pytest.mark.parametrize(
    "text",
    ["`make gone`", "```\nmake gone\n```", "```\n$ cd x && make gone\n```", "`CI=1 make gone`"],
)
def test_an_unknown_make_target_is_found(text: str) -> None:
    assert len(list(unknown_targets(text, {"test"}))) == 1


@pytest.mark.parametrize("text", ["make sure", "`make test`", "`make`", "```\n# to make sure\n```"])
def test_the_verb_make_is_no_target(text: str) -> None:
    assert list(unknown_targets(text, {"test"})) == []


@pytest.mark.parametrize(
    "row",
    [
        "| `Gone` | x | y | [outcome](../src/tenax/outcome.py) |",
        "| lease | `Settlement` | y | [outcome](../src/tenax/outcome.py) |",
        "| x | y | `nowhere` | [outcome](../src/tenax/outcome.py) |",
    ],
)
def test_a_true_entry_of_a_glossary_passes(row: str) -> None:
    assert list(wrong_entries(GLOSSARY, f"| word | y | z | file |\n|---|---|---|---|\n{row}")) == []


@pytest.mark.parametrize(
    "row",
    [
        "| `Gon` | x | y | [outcome](../src/tenax/outcome.py) |",
        "| lease | `Settlements` | y | [outcome](../src/tenax/outcome.py) |",
        "| lease | x | y | [gone](../src/tenax/gone.py) |",
        "| lease | x | y | nowhere |",
    ],
)
def test_a_wrong_entry_of_a_glossary_is_found(row: str) -> None:
    assert len(list(wrong_entries(GLOSSARY, row))) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("`enter`,", "`entre`,"),
        ("tests/unit/page/test_read.py", "tests/unit/page/test_reed.py"),
        ("::test_what_robots_disallows_is_never_requested", "::test_what_robots_allows"),
        ("-k redirect", "-k redirekt"),
    ],
)
def test_a_tour_that_leads_astray_is_found(old: str, new: str) -> None:
    assert old in read(TOUR)
    assert len(list(wrong_stops(TOUR, read(TOUR).replace(old, new)))) == 1


def test_a_stop_without_a_test_is_found() -> None:
    stop = "## 1. Admission: [crawl/admit.py](../src/tenax/crawl/admit.py)\n\n**Read:** `offer`\n"
    assert len(list(wrong_stops(TOUR, stop))) == 1


Check = Callable[[str], Iterator[str]]


def made_worse(check: Check, name: str, old: str, new: str = "") -> int:
    """How many more findings a document of the reference has after a change."""
    text = read(REFERENCE / name)
    return len(list(check(text.replace(old, new)))) - len(list(check(text)))


def test_a_missing_setting_or_a_wrong_default_is_found() -> None:
    row, name = "| `pace.delay` | `1.0` |", "settings.md"
    assert made_worse(wrong_settings, name, row) == 1
    assert made_worse(wrong_settings, name, row, "| `pace.delay` | `2.0` |") == 1
    assert made_worse(wrong_settings, name, f"{row} ≥ 0 seconds |", f"{row} ≥ 1 seconds |") == 1
    assert made_worse(wrong_settings, name, f"{row} ≥ 0 seconds |", f"{row} ≥ 0 bytes |") == 1
    assert len(list(wrong_settings(""))) == len(names())


def test_a_setting_under_another_heading_is_found() -> None:
    row = "| `pace.delay` | `1.0` |"
    assert made_worse(misplaced_settings, "settings.md", "## throttle", f"## throttle\n{row}") == 1
    assert made_worse(misplaced_settings, "settings.md", "## pace", f"{row}\n## pace") == 1


def test_a_missing_key_of_sites_and_an_invented_one_are_found() -> None:
    assert made_worse(wrong_site_keys, "settings.md", "| `interval` | not", "| `often` | not") == 2
    worse = "| `interval` | not set | ≥ 1 seconds |"
    assert made_worse(wrong_site_keys, "settings.md", worse.replace("1", "0"), worse) == 1


def test_an_unknown_setting_is_found() -> None:
    assert list(unknown_settings("`pace.delay`, `robots.txt`, `page.url`")) == []
    assert len(list(unknown_settings("`pace.dely`"))) == 1


def test_a_missing_flag_and_an_invented_one_are_found() -> None:
    name = "commands.md"
    assert made_worse(wrong_flags, name, "| `--max-depth N`", "| `--deep N`") == 2
    assert made_worse(wrong_flags, name, "`--output FILE`, `-o` |", "`--output FILE` |") == 1
    assert made_worse(wrong_flags, name, "## tenax doctor", "## doctor") == 5


@pytest.mark.parametrize(
    "text",
    [
        "$ tenax crwl x",
        "$ tenax crawl x --deep 3",
        "$ A=1 tenax pages -x",
        "$ tenax --help-me",
        "$ tenax key bot --deep",
        "$ tenax key --directory",
        "$ tenax key api add me --directory",
    ],
)
def test_a_call_that_cannot_work_is_found(text: str) -> None:
    assert len(list(wrong_calls(f"```console\n{text}\n```"))) == 1


@pytest.mark.parametrize(
    "text", ["`tenax crwl URL`", "as `tenax jobs show NAME --deep` says", "`tenax jobs --deep`"]
)
def test_a_command_mentioned_that_is_not_there_is_found(text: str) -> None:
    assert len(list(wrong_mentions(text))) == 1


@pytest.mark.parametrize(
    "text",
    ["`tenax jobs --json`", "`tenax key api add me`", "`tenax crawl … --again`", "`tenax --json`"],
)
def test_a_command_mentioned_that_is_there_passes(text: str) -> None:
    assert list(wrong_mentions(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "$ tenax crawl a-b --delay 0",
        "$ tenax export -o x | sort -u",
        "tenax of old",
        "$ tenax key bot --directory",
        "$ tenax key api add me --role user",
    ],
)
def test_a_call_that_works_passes(text: str) -> None:
    assert list(wrong_calls(f"```console\n{text}\n```")) == []


@pytest.mark.parametrize(("name", "heading", "words"), WORDS, ids=lambda value: str(value)[:30])
def test_a_missing_word_is_found(name: str, heading: str, words: list[str]) -> None:
    """Word by word, so that none is covered by chance."""
    text = read(REFERENCE / name)
    for word in words:
        assert list(missing_words(text.replace(f"`{word}`", ""), heading, words)) != []


def test_a_missing_exit_code_and_an_invented_one_are_found() -> None:
    assert made_worse(wrong_exit_codes, "commands.md", "| 5 |", "| 9 |") == 2


def test_an_incomplete_decision_is_found() -> None:
    assert len(list(missing_parts("# 0001\n\nStatus: accepted\n\n## Context\n\n## Choice\n"))) == 1


@pytest.mark.parametrize(
    "program", ["raise SystemExit(3)", "print(1)", "import tenax; tenax.opn('./data')"]
)
def test_an_example_that_does_not_crawl_is_found(program: str, tmp_path: Path) -> None:
    assert run_crawling(program, tmp_path) != []


def test_a_simulation_that_fails_or_tests_nothing_is_found() -> None:
    assert run_simulation("x = 1") == 0
    with pytest.raises(AssertionError):
        run_simulation("def test_it():\n    assert False")


def test_the_first_crawl_lists_the_demo_sites_at_the_ports_they_have() -> None:
    shown = re.compile(r"^  (\w+) +http://127\.0\.0\.1:(\d+)/ ", re.MULTILINE)
    listed = shown.findall(read(HOWTO / "first-crawl.md"))
    assert listed == [(name, str(8100 + n)) for n, name in enumerate(SITES)]


@pytest.mark.parametrize(
    ("name", "heading"),
    [("use-as-a-library.md", "What a page has"), ("your-own-records.md", "The page")],
)
def test_the_attributes_of_a_page_are_there(name: str, heading: str) -> None:
    there = {*dir(CrawledPage(Page("http://a.example/", 200, "text/html", None, 0.0)))}
    first = "\n".join(ROW.findall(section(read(HOWTO / name), heading)))
    named = {re.sub(r"^page\.|^\.|\(.*$", "", span) for span in SHOWN.findall(first)}
    assert len(named) > 20
    assert sorted(named - there) == []


def test_what_is_to_be_installed_is_called_by_its_name() -> None:
    """`tenax` is something else where packages are published; texts in code have it by
    `pip_install`, and the extras they name exist."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    named = re.compile(r"(tenax[\w-]*)\[(\w+)\]")
    wrong = []
    for path in [*ROOT.glob("src/**/*.py"), *ROOT.glob("docs/**/*.md"), ROOT / "README.md"]:
        text = path.read_text()
        wrong += [
            f"{path}: {found[0]}"
            for found in named.finditer(text)
            if found[1] != DISTRIBUTION or found[2] not in extras
        ]
        if path.suffix == ".py":
            wrong += [
                f"{path}: {call}"
                for call in re.findall(r"pip_install\(['\"](\w+)", text)
                if call not in extras
            ]
            if path.name != "version.py":
                wrong += [f"{path}: {said}" for said in re.findall("pip install '.*", text)]
    assert wrong == []


def test_all_extras_are_all_of_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert project["name"] == DISTRIBUTION
    assert extras["all"] == [f"{DISTRIBUTION}[{','.join(sorted(extras.keys() - {'all'}))}]"]
