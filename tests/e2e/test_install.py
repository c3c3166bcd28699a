"""Is all of Tenax installed, with a C compiler and without one?"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tenax.demo import serving
from tests.live import absent
from tests.sites.quotes import AUTHORS, QuotesSite

ROOT = Path(__file__).parents[2]
NEEDED = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "native", "src")
HOME = "https://forge.example/crawlers/tenax"
GENERATED = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.so")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not has_compiler():
        absent("No C compiler, or Python's headers are missing: apt install gcc python3-dev")
    return wheel(copied_tree(tmp_path_factory.mktemp("compiled")))


@pytest.fixture(scope="module")
def uncompiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by a compiler that always fails, in a tree where an old extension was left behind."""
    tree = copied_tree(tmp_path_factory.mktemp("uncompiled"))
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    (tree / f"src/tenax/page/_native{suffix}").write_bytes(b"old")
    return wheel(tree, CC="false")


def test_the_extension_is_compiled(compiled: Path) -> None:
    assert len(extensions(compiled)) == 1


def test_a_compiled_extension_loads(compiled: Path, tmp_path: Path) -> None:
    assert "_native" in run_in(
        unpacked(compiled, tmp_path), "-c", "import tenax.page._native as n; print(n.__file__)"
    )


def test_every_file_of_the_package_is_installed(compiled: Path) -> None:
    assert files(compiled) - extensions(compiled) == package()


def test_without_a_compiler_all_but_the_extension_is_installed(uncompiled: Path) -> None:
    assert files(uncompiled) == package()


def test_without_the_extension_the_command_works(uncompiled: Path, tmp_path: Path) -> None:
    folder = unpacked(uncompiled, tmp_path)
    assert run_in(folder, "-c", "import tenax; print(tenax.__file__)").startswith(str(folder))
    assert "crawl" in run_in(folder, "-m", "tenax.cli", "--help")
    assert "tenax = tenax.cli:main" in next(folder.glob("*/entry_points.txt")).read_text()


def test_the_licences_are_in_the_wheel(compiled: Path) -> None:
    with zipfile.ZipFile(compiled) as opened:
        assert "tenax_crawler-0.1.0.dist-info/licenses/LICENSE" in opened.namelist()


def test_a_packages_page_says_where_the_project_lives_and_its_links_lead_there(
    compiled: Path,
) -> None:
    with zipfile.ZipFile(compiled) as opened:
        told = opened.read("tenax_crawler-0.1.0.dist-info/METADATA").decode()
    assert f"\nProject-URL: Homepage, {HOME}\n" in told
    assert f"\nProject-URL: Changelog, {HOME}/blob/HEAD/CHANGELOG.md\n" in told
    assert "\nDescription-Content-Type: text/markdown\n" in told
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]+)\)", told)
    assert len(links) > 30
    for picture, link in links:
        assert link.startswith(f"{HOME}/{'raw' if picture else 'blob'}/HEAD/")
        assert (ROOT / link.partition("/HEAD/")[2].partition("#")[0]).exists()


def test_the_console_is_in_the_wheel_with_what_its_authors_allow(compiled: Path) -> None:
    if not (ROOT / "src/tenax/api/console/index.html").exists():
        absent("The console was not built: make console")
    with zipfile.ZipFile(compiled) as opened:
        page = opened.read("tenax/api/console/index.html").decode()
        for asset in re.findall(r"/assets/[^\"]+", page):
            assert opened.read(f"tenax/api/console{asset}")
        allowed = opened.read("tenax/api/console/assets/LICENSES.txt").decode()
    assert {"preact", "uplot", "@fontsource-variable/inter"} <= set(allowed.split())


def test_wheel_and_source_archive_are_the_same_bytes_whenever_made(
    compiled: Path, tmp_path: Path
) -> None:
    """In another folder, of files written at another time."""
    again = wheel(copied_tree(tmp_path / "again"))
    assert again.read_bytes() == compiled.read_bytes()
    first, second = (source_archive(tree) for tree in (compiled.parents[1], again.parents[1]))
    assert first.read_bytes() == second.read_bytes()


def test_who_installs_the_wheel_has_records_in_a_file_and_mends_a_selector_without_a_request(
    compiled: Path, tmp_path: Path
) -> None:
    """The crawler of the README, in an environment of its own; only what the package needs comes
    from ours, since nothing is downloaded here."""
    (crawler,) = re.findall(
        r"```python\n(from tenax import Page, on.*?)```",
        (ROOT / "README.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    venv, folder, site = tmp_path / "venv", tmp_path / "work", QuotesSite()
    folder.mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (site_packages,) = venv.glob("lib/python*/site-packages")
    (site_packages / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = (sys.executable, "-m", "pip", "--python", str(venv / "bin/python"), "install")
    subprocess.run([*pip, "--quiet", "--no-deps", "--no-index", str(compiled)], check=True)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TENAX_", "PYTHON"))}

    def tenax(*words: str) -> str:
        command = [str(venv / "bin/tenax"), *words]
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout + ran.stderr

    where = "import tenax.page._native as it; print(it.__file__)"
    ran = subprocess.run(
        [venv / "bin/python", "-c", where], cwd=folder, env=environment, capture_output=True
    )
    assert str(site_packages) in ran.stdout.decode(), "nothing of this tree is used"
    (folder / "quotes.py").write_text(crawler)
    with serving([site]) as web:
        flags = ("--allow-private", "127.0.0.1", "--delay", "0", "--handlers", "quotes.py")
        assert "5 records of your own" in tenax("crawl", site.url, *flags)
        tenax("export", "--records", "quote", "-o", "quotes.parquet")
        asked = len(web.log)
        mended = crawler.replace('page.css(".author").text', 'page.css(".author").text.upper()')
        assert mended != crawler
        (folder / "quotes.py").write_text(mended)
        told = tenax("replay", "--handlers", "quotes.py")
        assert "5 records are told of 5 pages, 5 new, changed or gone" in told
        assert len(web.log) == asked, "a request was sent"
    tenax("export", "--records", "quote", "-o", "mended.parquet")
    names = [AUTHORS[n % 3] for n in range(1, 6)]
    before, after = (pq.read_table(folder / f"{each}.parquet") for each in ("quotes", "mended"))
    assert before.column("author").to_pylist() == names
    assert after.column("author").to_pylist() == [name.upper() for name in names]


def source_archive(tree: Path) -> Path:
    code = "from setuptools import build_meta; build_meta.build_sdist('made')"
    ran = subprocess.run([sys.executable, "-c", code], cwd=tree, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    (archive,) = (tree / "made").glob("*.tar.gz")
    return archive


def test_a_source_archive_has_what_is_compiled(tmp_path: Path) -> None:
    with tarfile.open(source_archive(copied_tree(tmp_path))) as opened:
        held = {name.partition("/")[2] for name in opened.getnames()}
    assert {f"native/{path.name}" for path in (ROOT / "native").iterdir()} <= held
    assert {f"src/{name}" for name in package()} <= held


def copy_anew(source: str, target: str) -> None:
    shutil.copyfile(source, target)


def has_compiler() -> bool:
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    headers = Path(sysconfig.get_path("include"), "Python.h")
    return shutil.which(compiler.split()[0]) is not None and headers.exists()


def copied_tree(folder: Path) -> Path:
    """What is built from, so that nothing is written into the tree that others work in."""
    folder.mkdir(exist_ok=True)
    for name in NEEDED:
        if (ROOT / name).is_dir():
            # With times of their own: those of the originals say nothing.
            shutil.copytree(ROOT / name, folder / name, ignore=GENERATED, copy_function=copy_anew)
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def wheel(tree: Path, **environment: str) -> Path:
    """As pip makes it for `pip install .`, with the setuptools that is locked and no network."""
    pip = [sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation"]
    ran = subprocess.run(
        [*pip, "--wheel-dir", "made", "."],
        cwd=tree,
        env=os.environ | {"SOURCE_DATE_EPOCH": "1767225600", "PROJECT_URL": HOME} | environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (made,) = (tree / "made").glob("*.whl")
    return made


def files(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as opened:
        return {name for name in opened.namelist() if name.startswith("tenax/")}


def extensions(wheel: Path) -> set[str]:
    return {name for name in files(wheel) if name.startswith("tenax/page/_native.")} - package()


def package() -> set[str]:
    source = ROOT / "src"
    generated = (".pyc", ".so")
    found = (path for path in (source / "tenax").rglob("*") if path.is_file())
    return {path.relative_to(source).as_posix() for path in found if path.suffix not in generated}


def unpacked(wheel: Path, folder: Path) -> Path:
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(folder)
    return folder


def run_in(folder: Path, *arguments: str) -> str:
    """Python with the unpacked package before the one of the environment."""
    ran = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
