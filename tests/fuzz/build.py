"""How is `native/` built so that no wrong step in memory goes unseen?"""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sysconfig
from pathlib import Path

NATIVE = Path(__file__).parents[2] / "native"
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Werror")
SANITIZERS = (
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
)


class Unbuildable(Exception):
    """There is no compiler, or it has no sanitizers: what is missing, and what to do."""


def build(folder: Path, sources: Path = NATIVE) -> Path:
    """The extension, below this folder. A warning is an error of ours, and no reason to skip."""
    if not (compiler := _compiler()):
        raise Unbuildable(
            "No C compiler, or Python's headers are missing: apt install gcc python3-dev"
        )
    if not _sanitizer("libasan.so"):
        raise Unbuildable(f"{compiler} has no libasan.so: install the sanitizers of this compiler.")
    made = runpy.run_path(str(NATIVE / "header.py"))["header"]()
    (folder / "rules.h").write_text(made)
    built = folder / f"_native{sysconfig.get_config_var('EXT_SUFFIX')}"
    # Python's own headers are not held to what we hold ours to.
    include = ["-isystem", sysconfig.get_path("include"), f"-I{folder}"]
    flags = ["-O1", "-g", "-fPIC", "-shared", "-DALWAYS_COPY=1", *WARNINGS, *SANITIZERS, *include]
    command = [compiler, *flags, str(sources / "module.c"), "-o", str(built)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{ran.stderr}")
    return built


def environment() -> dict[str, str]:
    """What a process has to be started with that loads it. Python's own allocator would hide what
    lies beyond a piece of memory."""
    preloaded = " ".join([_sanitizer("libasan.so"), _sanitizer("libubsan.so")])
    return {
        "LD_PRELOAD": preloaded.strip(),
        "PYTHONMALLOC": "malloc",
        # Leaks are Python's to begin with: it keeps what it has until the end.
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    }


def _compiler() -> str:
    chosen = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    headers = Path(sysconfig.get_path("include"), "Python.h")
    return shutil.which(chosen) or "" if headers.exists() else ""


def _sanitizer(name: str) -> str:
    """Where the compiler has it; empty when it has none."""
    command = [_compiler(), f"-print-file-name={name}"]
    told = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    return told if Path(told).is_absolute() else ""
