"""The Helm chart: every value is documented, known to the schema and used; rendered where `helm` is installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema_rs import Draft7Validator

import paymatch
from paymatch.cli.main import COMMANDS
from paymatch.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy" / "helm" / "paymatch"
TEMPLATES = {path.name: path.read_text("utf-8") for path in sorted((CHART / "templates").iterdir())}
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))
SCHEMA: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text("utf-8"))
FREE = ("tolerations", "nodeSelector", "podAnnotations", "settings", "secretSettings")
needs_helm = pytest.mark.skipif(shutil.which("helm") is None, reason="needs helm")


def _leaves(values: dict[str, Any], before: str = "") -> Iterator[str]:
    """The dotted names of values; what templates take as a whole is one."""
    for name, value in values.items():
        path = f"{before}{name}"
        if isinstance(value, dict) and value and not path.startswith(("resources.", "networkPolicy.fromNamespace")):
            yield from _leaves(value, f"{path}.")
        else:
            yield path


def test_every_value_is_used_and_every_value_used_is_there() -> None:
    used = set(re.findall(r"\.Values\.([A-Za-z.]+)", "\n".join(TEMPLATES.values())))
    assert used == set(_leaves(VALUES))


def test_every_value_is_explained() -> None:
    lines = (CHART / "values.yaml").read_text("utf-8").splitlines()
    named = {line.partition(":")[0]: place for place, line in enumerate(lines) if re.match(r"[A-Za-z]+:", line)}
    assert named.keys() == VALUES.keys()
    assert [name for name, place in named.items() if not lines[place - 1].startswith("# ")] == []


def test_the_schema_knows_exactly_these_values_and_takes_them() -> None:
    known = SCHEMA["properties"].keys() - {"global"}
    assert known == VALUES.keys()
    for name, value in VALUES.items():
        if isinstance(value, dict) and name not in FREE:
            assert SCHEMA["properties"][name]["properties"].keys() == value.keys()
    assert list(Draft7Validator(SCHEMA).iter_errors(VALUES)) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"replicas": 0}, {"replica": 2}, {"image": VALUES["image"] | {"pullPolicy": "Sometimes"}},
        {"settings": {"DATABASE_URL": "x"}}, {"trustedProxies": []}, {"trustedProxies": ["everybody"]},
        {"files": VALUES["files"] | {"size": "20"}}, {"existingSecret": ""},
        {"backup": VALUES["backup"] | {"schedule": "daily"}}, {"backup": VALUES["backup"] | {"keepDays": 0}},
    ],
    ids=str,
)  # fmt: skip
def test_the_schema_refuses_what_is_mistyped(wrong: dict[str, Any]) -> None:
    assert list(Draft7Validator(SCHEMA).iter_errors(VALUES | wrong)) != []


def test_the_chart_names_what_there_is() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
    assert (chart["version"], chart["appVersion"]) == (paymatch.__version__, paymatch.__version__)
    text = "\n".join(TEMPLATES.values())
    settings = {f"PAYMATCH_{name.upper()}" for name in Settings.model_fields}
    named = set(re.findall(r"PAYMATCH_[A-Z_]+", text))
    assert len(named) >= 6
    assert named <= settings
    commands = set(re.findall(r'command: \["paymatch", "([a-z]+)"', text))
    assert commands == {"serve", "worker", "migrate"}
    assert commands <= set(COMMANDS)


def test_no_secret_is_a_value_and_no_pod_has_more_than_it_needs() -> None:
    assert not [name for name in _leaves(VALUES) if re.search(r"password|url$|key$", name, re.IGNORECASE)]
    helpers = TEMPLATES["_helpers.tpl"]
    for line in (
        "runAsNonRoot: true", "readOnlyRootFilesystem: true", "allowPrivilegeEscalation: false",
        "capabilities: {drop: [ALL]}", "automountServiceAccountToken: false",
    ):  # fmt: skip
        assert line in helpers
    for name in ("servers.yaml", "workers.yaml", "migration.yaml", "backup.yaml"):
        assert 'include "paymatch.container"' in TEMPLATES[name]
        assert 'include "paymatch.pod"' in TEMPLATES[name]


def test_backups_and_the_workers_liveness_are_in_the_chart() -> None:
    backup, worker = TEMPLATES["backup.yaml"], TEMPLATES["workers.yaml"]
    assert "kind: CronJob" in backup and 'include "paymatch.owner"' in backup  # row-level security binds the service
    assert re.search(r"paymatch backup .*\.backup\"", backup)
    (touched,) = re.findall(r'"--alive-file", "([^"]+)"', worker)
    assert f"find {touched} -mmin" in worker and "livenessProbe" in worker


def _rendered(folder: Path, **values: Any) -> dict[str, Any]:
    """What Helm makes of these values, by kind and component."""
    given = folder / "values.yaml"
    given.write_text(yaml.safe_dump(values), "utf-8")
    command = ["helm", "template", "pay", str(CHART), "--values", str(given)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for document in yaml.safe_load_all(text):
        if document is not None:
            part = document["metadata"]["labels"].get("app.kubernetes.io/component", "")
            found[f"{document['kind']} {part}".strip()] = document
    return found


@needs_helm
def test_helm_finds_nothing_wrong() -> None:
    done = subprocess.run(["helm", "lint", "--strict", str(CHART)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@needs_helm
def test_what_the_chart_brings(tmp_path: Path) -> None:
    found = _rendered(tmp_path)
    assert sorted(found) == [
        "CronJob backup", "Deployment server", "Deployment worker", "Ingress", "Job migration", "NetworkPolicy",
        "PersistentVolumeClaim", "PersistentVolumeClaim backup", "PodDisruptionBudget", "Service",
    ]  # fmt: skip
    pod = found["Deployment server"]["spec"]["template"]
    labels = found["Service"]["spec"]["selector"]
    assert labels.items() <= pod["metadata"]["labels"].items()
    assert found["Deployment server"]["spec"]["selector"]["matchLabels"] == labels
    assert not labels.items() <= found["Deployment worker"]["spec"]["template"]["metadata"]["labels"].items()
    (server,) = pod["spec"]["containers"]
    assert server["image"] == f"registry.example.com/paymatch:{paymatch.__version__}"
    assert server["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "http"}
    environment = {each["name"]: each for each in server["env"]}
    assert environment["PAYMATCH_DATABASE_URL"]["valueFrom"]["secretKeyRef"]["name"] == "paymatch"
    assert "PAYMATCH_DATABASE_OWNER_URL" not in environment  # who answers strangers owns no table
    (migration,) = found["Job migration"]["spec"]["template"]["spec"]["containers"]
    assert "PAYMATCH_DATABASE_OWNER_URL" in {each["name"] for each in migration["env"]}


@needs_helm
def test_values_change_what_they_say(tmp_path: Path) -> None:
    values = {
        "replicas": 1, "migration": {"enabled": False}, "backup": {"enabled": False},
        "ingress": {"enabled": False, "className": "x"},
        "networkPolicy": {"enabled": False}, "files": {"existingClaim": "mine"}, "nodeSelector": {"disk": "fast"},
        "settings": {"PAYMATCH_LOG_LEVEL": "debug"}, "secretSettings": {"PAYMATCH_EMAIL_URL": "email"},
        "tolerations": [{"key": "a", "operator": "Exists"}], "image": {"pullSecrets": ["one"]},
        "podAnnotations": {"a": "b"},
    }  # fmt: skip
    found = _rendered(tmp_path, **values)
    assert sorted(found) == ["Deployment server", "Deployment worker", "Service"]
    pod = found["Deployment server"]["spec"]["template"]["spec"]
    assert pod["volumes"][0]["persistentVolumeClaim"] == {"claimName": "mine"}
    assert (pod["nodeSelector"], pod["imagePullSecrets"]) == ({"disk": "fast"}, [{"name": "one"}])
    environment = {each["name"]: each for each in pod["containers"][0]["env"]}
    assert environment["PAYMATCH_LOG_LEVEL"]["value"] == "debug"
    assert environment["PAYMATCH_EMAIL_URL"]["valueFrom"]["secretKeyRef"] == {"name": "paymatch", "key": "email"}
