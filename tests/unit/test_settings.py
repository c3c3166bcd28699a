"""Who told us what? Defaults < file < environment < flags (MODE-2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenax.model import ProxyAddress, ProxyScheme, Request, ScopeKind
from tenax.settings import Loaded, Settings, SettingsError, load, names


def loaded(tmp_path: Path, toml: str = "", environment: dict[str, str] | None = None,
           **flags: object) -> Loaded:  # fmt: skip
    path = tmp_path / "tenax.toml"
    path.write_text(toml)
    dotted = {name.replace("__", "."): value for name, value in flags.items()}
    return load(dotted, file=path, environment=environment or {})


def test_nothing_said_means_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = load(environment={})
    assert found.settings == Settings()
    assert {source for _, _, source in found.rows()} == {"default"}


def test_each_layer_overrules_the_one_before(tmp_path: Path) -> None:
    toml = "[pace]\ndelay = 2\n"
    environment = {"TENAX_PACE__DELAY": "3"}
    assert loaded(tmp_path, toml).settings.pace.delay == 2
    assert loaded(tmp_path, toml, environment).settings.pace.delay == 3
    assert loaded(tmp_path, toml, environment, pace__delay=4.0).settings.pace.delay == 4


def test_every_value_knows_who_set_it(tmp_path: Path) -> None:
    toml = "contact = 'mailto:me@example.org'\n[pace]\ndelay = 2\n"
    environment = {"TENAX_RETRY__ATTEMPTS": "5", "PATH": "/bin"}
    rows = {n: s for n, _, s in loaded(tmp_path, toml, environment, processes=2).rows()}
    assert rows["contact"] == rows["pace.delay"] == str(tmp_path / "tenax.toml")
    assert rows["retry.attempts"] == "environment"
    assert rows["processes"] == "flag"
    assert rows["data"] == "default"
    assert list(rows) == names()


def test_a_flag_not_given_overrules_nothing(tmp_path: Path) -> None:
    found = loaded(tmp_path, "processes = 3\n", processes=None)
    assert found.settings.processes == 3


def test_text_from_the_environment_becomes_what_is_needed(tmp_path: Path) -> None:
    environment = {
        "TENAX_JOB__MAX_PAGES": "100",
        "TENAX_JOB__SCOPE": "domain",
        "TENAX_ALLOW_PRIVATE": "10.0.0.0/8, 127.0.0.0/8",
        "TENAX_FETCH__REDIRECTS__ALLOW_DOWNGRADE": "true",
    }
    settings = loaded(tmp_path, "", environment).settings
    assert settings.job.max_pages == 100
    assert settings.job.scope is ScopeKind.DOMAIN
    assert settings.allow_private == ("10.0.0.0/8", "127.0.0.0/8")
    assert settings.fetch.redirects.allow_downgrade is True


def test_a_list_of_one_is_still_a_list(tmp_path: Path) -> None:
    environment = {"TENAX_ALLOW_PRIVATE": "10.0.0.0/8"}
    assert loaded(tmp_path, "", environment).settings.allow_private == ("10.0.0.0/8",)


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[pace]\ndely = 2\n", "unknown setting 'pace.dely'"),
        ("[pace]\ndely = 2\n", "Did you mean 'pace.delay'?"),
        ("qqqqqqq = 1\n", "See `tenax config`"),
        ("pace = 1\n", "unknown setting 'pace'"),
        ("[pace]\ndelay = 'slow'\n", "pace.delay"),
        ("[pace]\ndelay = -1\n", "pace.delay = -1"),
        ("[pace]\ndelay = nan\n", "must be at least 0"),
        ("processes = 0\n", "processes = 0: must be at least 1."),
        ("[browser]\nnice = 20\n", "browser.nice = 20: use 0 to 19."),
        ("[job]\nscope = 'everything'\n", "job.scope"),
        ("[job]\nmax_pages = 0\n", "job.max_pages = 0"),
        ("[robots]\non_error = 'maybe'\n", "robots.on_error"),
        ("not toml", "not valid TOML"),
    ],
)
def test_a_wrong_file_is_told_by_name_and_place(tmp_path: Path, toml: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, toml)
    assert message in str(caught.value)


def test_an_unknown_variable_is_told_with_its_source(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"'contakt' \(environment\)\. Did you mean 'contact'"):
        loaded(tmp_path, "", {"TENAX_CONTAKT": "x"})


def test_a_bad_value_names_who_wrote_it(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"retry\.attempts \(environment\)"):
        loaded(tmp_path, "", {"TENAX_RETRY__ATTEMPTS": "many"})


def test_a_file_asked_for_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no such settings file"):
        load(file=tmp_path / "none.toml", environment={})


def test_a_comma_makes_a_list_only_where_a_list_belongs() -> None:
    loaded = load(
        environment={"TENAX_FETCH__ACCEPT_LANGUAGE": "de,en", "TENAX_ALLOW_PRIVATE": "10.0.0.0/8"}
    )
    assert loaded.settings.fetch.accept_language == "de,en"
    assert loaded.settings.allow_private == ("10.0.0.0/8",)


def test_a_settings_file_named_in_the_environment_must_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no such settings file"):
        load(environment={"TENAX_CONFIG": str(tmp_path / "nowhere.toml")})


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[job]\nrecrawl = 60", "job.recrawl = 60 seconds: use recrawl.shortest (3600)"),
        ("[job]\nrecrawl = -1", "job.recrawl = -1 seconds"),
        ("[job]\nrecrawl = 1e9", "to recrawl.longest (2.592e+06)"),
        ('[[sites]]\nhost = "a.example"\ninterval = 5', "interval of the site a.example = 5"),
        ("[recrawl]\nlongest = 60", "recrawl.longest: must not be less than recrawl.shortest"),
        ("[recrawl]\nshrink = 2", "recrawl.shrink = 2.0: use 0 to 1"),
        ("[recrawl]\ngrow = 0.5", "recrawl.grow = 0.5: must be at least 1"),
        ('[job]\nschedule = "0 25 * * *"', "job.schedule: '0 25 * * *': hour '25'"),
    ],
)
def test_what_can_not_be_kept_fresh_is_told_at_once(
    tmp_path: Path, toml: str, message: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, toml)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "toml",
    [
        "[job]\nrecrawl = 0",
        "[job]\nrecrawl = 60\n[recrawl]\nshortest = 30",
        '[job]\nschedule = "@daily Europe/Berlin"',
    ],
)
def test_what_can_be_kept_fresh_is_taken(tmp_path: Path, toml: str) -> None:
    assert loaded(tmp_path, toml).settings.job != Settings().job


def test_no_secret_is_in_a_repr() -> None:
    """SEC-3: reprs end up in logs and tracebacks."""
    settings = Settings(secret_key="hush", database="postgresql://me:hush@db.example/tenax")
    address = ProxyAddress(ProxyScheme.HTTP, "proxy.example", 3128, "me", "hush")
    said = f"{settings!r} {Loaded(settings, {})!r} {Request('http://a.example/', proxy=address)!r}"
    assert "hush" not in said
    assert "proxy.example:3128" in said
