"""What is compiled? One extension, from `native/`; all else about the project is in pyproject.toml,
but where it lives. Whoever publishes it knows: `PROJECT_URL=https://HOST/OWNER/NAME make wheels`.

The extension stands here because setuptools calls the same in pyproject.toml an experiment.
"""

import gzip
import os
import re
import runpy
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

from setuptools import Extension, setup
from setuptools.command.sdist import sdist

_EPOCH = 1767225600
"""2026-01-01: when what is in an archive was written, unless SOURCE_DATE_EPOCH says so."""


class SameBytes(sdist):
    """The same archive whenever it is made of the same files: of owners and times nothing is in it
    (https://reproducible-builds.org/docs/archives/). Wheels are so by themselves."""

    def make_archive(self, base_name, format, root_dir=None, base_dir=None, **_):
        made = f"{base_name}.tar.gz"
        at = int(os.environ.get("SOURCE_DATE_EPOCH", _EPOCH))

        def plain(entry):
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime = at
            entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            return entry

        with (
            open(made, "wb") as file,
            gzip.GzipFile("", "wb", fileobj=file, mtime=at) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for path in sorted(p for p in Path(base_dir).rglob("*") if p.is_file()):
                archive.add(path, path.as_posix(), filter=plain)
        return made


def lived_at(home):
    """What a package's page is told: links of the README lead nowhere from there by themselves."""

    def absolute(link):
        picture, text, path = link.groups()
        return f"{picture}[{text}]({home}/{'raw' if picture else 'blob'}/HEAD/{path})"

    told = (Path(__file__).parent / "README.md").read_text()
    if not home:
        return {"long_description": told}
    linked = re.sub(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)", absolute, told)
    places = {"Homepage": "", "Documentation": "/tree/HEAD/docs", "Issues": "/issues"}
    places["Changelog"] = "/blob/HEAD/CHANGELOG.md"
    return {
        "long_description": linked,
        "project_urls": {name: home + path for name, path in places.items()},
    }


native = Extension(
    "tenax.page._native",
    # Includes the others, so that the compiler sees all of them at once.
    sources=["native/module.c"],
    # Without symbols for a debugger, which would name the folder it was compiled in.
    extra_compile_args=["-O3", "-g0"],
    # Where there is no compiler, all is installed but this, and pages are read more slowly.
    optional=True,
)

# Not in build/, whose leftovers setuptools would install next time: modules that are gone, or an
# extension that does not compile any more.
with TemporaryDirectory() as folder:
    made = runpy.run_path(str(Path(__file__).parent / "native/header.py"))["header"]()
    Path(folder, "rules.h").write_text(made)
    native.include_dirs.append(folder)
    setup(
        cmdclass={"sdist": SameBytes},
        ext_modules=[native],
        options={"build": {"build_base": folder}},
        long_description_content_type="text/markdown",
        **lived_at(os.environ.get("PROJECT_URL", "").rstrip("/")),
    )
