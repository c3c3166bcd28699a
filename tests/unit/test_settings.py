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
        (
            "[pace]\ndelay = 'slow'\n",
            'pace.delay = "slow" (FILE): must be a number, at least 0 seconds.',
        ),
        ("[pace]\ndelay = -1\n", "pace.delay = -1 (FILE): must be at least 0 seconds."),
        ("[pace]\ndelay = nan\n", "pace.delay = nan (FILE): must be at least 0 seconds."),
        ("[[pace]]\ndelay = 1\n", "It is a table: write [pace], and delay below it."),
        ("[pase]\n", "unknown setting 'pase' (FILE)"),
        ("[retry]\nattempts = 1.5\n", "retry.attempts = 1.5 (FILE): must be a whole number"),
        ("[retry]\nattempts = true\n", "retry.attempts = true (FILE): must be a whole number"),
        ("[similar]\ndistance = 4\n", "similar.distance = 4 (FILE): use 0 to 3 bits."),
        ("[intake]\non = 'maybe'\n", 'intake.on = "maybe" (FILE): use true or false.'),
        ("[intake]\njob = ''\n", 'intake.job = "" (FILE): use 1 to 200 characters.'),
        ("data = 5\n", "data = 5 (FILE): must be a text."),
        ("secret_key = 5\n", "secret_key = ******** (FILE): must be a text."),
        ("[relay]\ntopic = ''\n", 'relay.topic = "" (FILE): must not be empty.'),
        ("[breaker]\nbackoffs = 5\n", "breaker.backoffs (FILE): must be a list of numbers."),
        (
            "[breaker]\nbackoffs = [1, -5]\n",
            "number 2 of breaker.backoffs = -5 (FILE): must be at least 0 seconds.",
        ),
        ("[job]\nseeds = ['a', 5]\n", "number 2 of job.seeds = 5 (FILE): must be a text."),
        ("processes = 0\n", "processes = 0 (FILE): must be at least 1."),
        ("[browser]\nnice = 20\n", "browser.nice = 20 (FILE): use 0 to 19."),
        (
            "[job]\nscope = 'everything'\n",
            'job.scope = "everything" (FILE): use host, domain, prefix or any.',
        ),
        ("[job]\nmax_pages = 0\n", "job.max_pages = 0 (FILE): use 1 to 1,000,000,000,000."),
        (
            "[job]\ndiscover = ['feeds', 'links']\n",
            'number 2 of job.discover = "links" (FILE): use sitemaps, feeds, archives or',
        ),
        (
            "[robots]\non_error = 'maybe'\n",
            'robots.on_error = "maybe" (FILE): use allow or disallow.',
        ),
        (
            "allow_private = ['10.0.0.0/8', 'localhost']\n",
            "allow_private (FILE): 'localhost' is not a network",
        ),
        ("not toml", "not valid TOML"),
    ],
)
def test_a_wrong_file_is_told_by_name_and_place(tmp_path: Path, toml: str, message: str) -> None:
    assert message in wrong(tmp_path, toml)


def wrong(tmp_path: Path, toml: str) -> str:
    """What is said of a wrong file, which goes by the name of FILE."""
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, toml)
    return str(caught.value).replace(str(tmp_path / "tenax.toml"), "FILE")


TWO_SITES = '[[sites]]\nhost = "a.example"\n[[sites]]\nhost = "b.example"\n'


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (TWO_SITES + "intervall = 5\n",
         "unknown setting 'intervall' in [[sites]] number 2, b.example (FILE)."
         " Did you mean 'interval'?"),
        (TWO_SITES + "qqqqqqq = 5\n", "b.example (FILE). Use host, headers, cookies, keep_cookie"),
        (TWO_SITES + "[sites.cookys]\na = '1'\n", "Did you mean 'cookies'?"),
        (TWO_SITES + "[[sites]]\nrender = 'never'\n", "[[sites]] number 3 (FILE): needs 'host'."),
        (TWO_SITES + "interval = -1\n",
         "[[sites]] number 2, b.example: interval = -1 (FILE): must be at least 0 seconds."),
        (TWO_SITES + "interval = 'often'\n", 'interval = "often" (FILE): must be a number'),
        (TWO_SITES + "render = 'maybe'\n",
         'render = "maybe" (FILE): use always, auto or never.'),
        (TWO_SITES + "force_https = 'maybe'\n", "use true or false."),
        (TWO_SITES + "headers = 'X-Club'\n", 'headers (FILE): must be a table.'),
        (TWO_SITES + "headers = { X-Club = 5 }\n",
         "headers (FILE): each of its values must be a text."),
        ("[[sites]]\nhost = 5\n", "[[sites]] number 1: host = 5 (FILE): must be a text."),
        ("sites = ['a.example']\n", "sites (FILE): write each as a table, [[sites]]"),
        ("sites = 5\n", "sites (FILE): must be a list of tables."),
        ('[sites]\nhost = "a.example"\n', "Write it in a table of its site: [[sites]]."),
    ],
)  # fmt: skip
def test_a_wrong_key_or_value_of_a_site_is_told_with_its_table(
    tmp_path: Path, toml: str, message: str
) -> None:
    assert message in wrong(tmp_path, toml)


def test_what_a_site_is_sent_is_not_shown_when_it_is_wrong(tmp_path: Path) -> None:
    """SEC-3: headers and cookies open doors."""
    assert "hush" not in wrong(tmp_path, TWO_SITES + "cookies = { a = ['hush'] }\n")
    assert "hush" not in wrong(tmp_path, TWO_SITES + "cookies = 'hush'\n")
    assert "hush" not in wrong(tmp_path, TWO_SITES + "cookies = ['hush']\n")


def test_sites_are_not_for_the_environment(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"sites \(environment\): write each as a table"):
        loaded(tmp_path, "", {"TENAX_SITES": "a.example,b.example"})


def test_an_empty_table_says_nothing(tmp_path: Path) -> None:
    assert loaded(tmp_path, "[pace]\n[fetch.limits]\n").settings == Settings()


def test_what_kubernetes_tells_of_a_service_called_tenax_is_no_setting(tmp_path: Path) -> None:
    links = {
        "TENAX_SERVICE_HOST": "10.0.0.1", "TENAX_SERVICE_PORT": "80",
        "TENAX_SERVICE_PORT_HTTP": "80",
        "TENAX_PORT": "tcp://10.0.0.1:80", "TENAX_PORT_80_TCP": "tcp://10.0.0.1:80",
        "TENAX_PORT_80_TCP_ADDR": "10.0.0.1", "TENAX_API_SERVICE_HOST": "10.0.0.2",
        "TENAX_API_PORT_8080_TCP_PROTO": "tcp",
    }  # fmt: skip
    assert loaded(tmp_path, "", links) == loaded(tmp_path, "")
    assert loaded(tmp_path, "", {"TENAX_HEALTH__PORT": "81"}).settings.health.port == 81
    with pytest.raises(SettingsError, match="helth"):
        loaded(tmp_path, "", {"TENAX_HELTH__PORT": "81"})


def test_an_unknown_variable_is_told_with_its_source(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"'contakt' \(environment\)\. Did you mean 'contact'"):
        loaded(tmp_path, "", {"TENAX_CONTAKT": "x"})


def test_a_bad_value_names_who_wrote_it(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"retry\.attempts = many \(environment\): must be a"):
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
        ("[job]\nrecrawl = 60", "job.recrawl = 60 seconds (FILE): use recrawl.shortest (3600)"),
        ("[job]\nrecrawl = -1", "job.recrawl = -1 (FILE): must be at least 0 seconds."),
        ("[job]\nrecrawl = 1e9", "to recrawl.longest (2.592e+06)"),
        (
            '[[sites]]\nhost = "a.example"\ninterval = 5',
            "interval of the site a.example = 5 seconds (FILE)",
        ),
        (
            "[recrawl]\nlongest = 60",
            "recrawl.longest = 60 seconds (FILE): must not be less than recrawl.shortest (3600",
        ),
        ("[recrawl]\nshrink = 2", "recrawl.shrink = 2 (FILE): use 0.001 to 1."),
        ("[recrawl]\ngrow = 0.5", "recrawl.grow = 0.5 (FILE): must be at least 1."),
        ('[job]\nschedule = "0 25 * * *"', "job.schedule (FILE): '0 25 * * *': hour '25'"),
    ],
)  # fmt: skip
def test_what_can_not_be_kept_fresh_is_told_at_once(
    tmp_path: Path, toml: str, message: str
) -> None:
    assert message in wrong(tmp_path, toml)


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


def test_dead_letters_are_not_put_on_the_list_that_is_crawled() -> None:
    with pytest.raises(SettingsError, match=r"intake.queue = 'mine' \(flag\): dead letters"):
        load({"intake.queue": "mine", "relay.dead_list": "mine"}, environment={})
