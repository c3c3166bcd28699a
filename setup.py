"""What is compiled? One extension, from `native/`; all else about the project is in pyproject.toml.

It stands here because setuptools calls the same in pyproject.toml an experiment.
"""

import runpy
from pathlib import Path
from tempfile import TemporaryDirectory

from setuptools import Extension, setup

native = Extension(
    "tenax.page._native",
    # Includes the others, so that the compiler sees all of them at once.
    sources=["native/module.c"],
    extra_compile_args=["-O3"],
    # Where there is no compiler, all is installed but this, and pages are read more slowly.
    optional=True,
)

# Not in build/, whose leftovers setuptools would install next time: modules that are gone, or an
# extension that does not compile any more.
with TemporaryDirectory() as folder:
    made = runpy.run_path(str(Path(__file__).parent / "native/header.py"))["header"]()
    Path(folder, "rules.h").write_text(made)
    native.include_dirs.append(folder)
    setup(ext_modules=[native], options={"build": {"build_base": folder}})
