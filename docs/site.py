"""How do the documents become a site? `make docs`: gathered in build/, with a navigation, for
Zensical, where every warning is an error."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILT = ROOT / "build"
SECTIONS = {
    "Tutorials": "tutorials",
    "Coming from": "coming-from",
    "How-to": "howto",
    "Reference": "reference",
    "Explanations": "",
    "Decisions": "decisions",
}
"""What stands in which folder; the documents of no folder explain."""
BESIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "bench/README.md": "benchmarks.md",
}
"""Documents outside docs/ that are pages of the site, too."""
_LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)\s#]+)")
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)


def gather(root: Path, to: Path) -> None:
    """All documents in one folder, with links that lead there, or to nothing but text."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(root / "docs", to, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for source, name in BESIDE.items():
        shutil.copy(root / source, to / name)
    places = {(root / source).resolve(): to / name for source, name in BESIDE.items()}
    for path in sorted(to.rglob("*.md")):
        origin = next(
            (s for s, p in places.items() if p == path), root / "docs" / path.relative_to(to)
        )
        path.write_text(
            _led(path.read_text(encoding="utf-8"), origin, path, root, to), encoding="utf-8"
        )


def _led(text: str, origin: Path, path: Path, root: Path, to: Path) -> str:
    beside = {(root / source).resolve(): to / name for source, name in BESIDE.items()}

    def leads(found: re.Match[str]) -> str:
        meant = (origin.parent / found[1]).resolve()
        if meant in beside:
            there = beside[meant]
        elif meant.is_relative_to(root / "docs"):
            there = to / meant.relative_to(root / "docs")
        else:
            return f"urn:tenax:source:{meant.relative_to(root)}"
        return Path(_relative(there, path.parent)).as_posix()

    led = _LINK.sub(leads, text)
    # What is only in the source has no page: its name is what a reader can use.
    return re.sub(r"\[([^\]]*)\]\(urn:tenax:source:([^)#]*)[^)]*\)", r"\1 (`\2`)", led)


def _relative(there: Path, here: Path) -> str:
    return str(
        Path(*[".."] * len(here.relative_to(_common(there, here)).parts))
        / there.relative_to(_common(there, here))
    )


def _common(one: Path, other: Path) -> Path:
    return next(above for above in (other, *other.parents) if one.is_relative_to(above))


def navigation(docs: Path) -> list[dict[str, object]]:
    """Every page once, under the heading of its folder."""
    made: list[dict[str, object]] = [{"Tenax": "index.md"}]
    for title, folder in SECTIONS.items():
        pages = sorted((docs / folder).glob("*.md"))
        shown = [page for page in pages if page.name != "index.md"]
        made.append(
            {title: [{heading(p): p.relative_to(docs).as_posix()} for p in _ordered(shown)]}
        )
    return made


def _ordered(pages: list[Path]) -> Iterator[Path]:
    """An overview first."""
    yield from sorted(
        pages, key=lambda page: (page.name not in ("README.md", "first-crawl.md"), page.name)
    )


def heading(page: Path) -> str:
    found = _HEADING.search(page.read_text(encoding="utf-8"))
    return found[1].replace("`", "") if found else page.stem


def settings(docs: Path, site: Path) -> dict[str, object]:
    return {
        "site_name": "Tenax",
        "docs_dir": docs.name,
        "site_dir": site.name,
        "use_directory_urls": False,
        "theme": {
            "features": [
                "navigation.indexes",
                "navigation.top",
                "content.code.copy",
                "search.highlight",
            ]
        },
        "markdown_extensions": [
            "tables",
            "toc",
            "attr_list",
            "pymdownx.superfences",
            "pymdownx.highlight",
        ],
        "nav": navigation(docs),
    }


def main() -> int:
    docs, site = BUILT / "docs", BUILT / "site"
    gather(ROOT, docs)
    # YAML takes JSON for what it is.
    (BUILT / "mkdocs.yml").write_text(json.dumps(settings(docs, site), indent=1))
    tool = Path(sys.executable).with_name("zensical")
    ended = subprocess.run(
        [tool, "build", "--strict", "--clean", "-f", BUILT / "mkdocs.yml"], cwd=BUILT
    )
    if ended.returncode == 0:
        print(f"The site is in {site.relative_to(ROOT)}: {len(list(site.rglob('*.html')))} pages.")
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())
