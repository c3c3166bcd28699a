"""Do the console's sources keep to its rules, and does its lock say no more than it should?"""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
CONSOLE = ROOT / "console"
SOURCES = {path: path.read_text() for path in (CONSOLE / "src").rglob("*.ts*")}
FORBIDDEN = {
    "makes HTML of text": r"dangerouslySetInnerHTML|\.(?:inner|outer)HTML\b|insertAdjacentHTML",
    "runs text": r"\beval\(|new Function\(",
    "has a style that the policy refuses": r"style=\"|style='|setAttribute\(\"style",
    "opens crawled addresses elsewhere than in OpenOutside": r"href=\{(?:\w+\.)?url\b",
}


def test_no_source_does_what_the_policy_is_for() -> None:
    assert len(SOURCES) > 15
    found = [
        f"{path.name} {what}: {match[0]}"
        for path, text in SOURCES.items()
        for what, pattern in FORBIDDEN.items()
        for match in re.finditer(pattern, text)
    ]
    # The one place that may, because it looks at the scheme first.
    assert found == ["words.tsx opens crawled addresses elsewhere than in OpenOutside: href={url"]


def test_the_lock_names_no_registry_and_every_platform() -> None:
    text = (CONSOLE / "package-lock.json").read_text()
    assert '"resolved"' not in text
    assert "registry" not in text
    packages = json.loads(text)["packages"]
    for name, facts in packages.items():
        assert not name or "integrity" in facts, name
    for platform in ("linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"):
        for tool in ("@esbuild/", "@typescript/typescript-", "@biomejs/cli-"):
            assert f"node_modules/{tool}{platform}" in packages


def test_what_is_bundled_is_locked_exactly() -> None:
    wanted = json.loads((CONSOLE / "package.json").read_text())
    versions = wanted["dependencies"] | wanted["devDependencies"]
    assert {name: v for name, v in versions.items() if not re.fullmatch(r"[\d.]+", v)} == {}
    assert set(wanted["dependencies"]) == {
        "@fontsource-variable/inter",
        "@preact/signals",
        "preact",
        "uplot",
    }
