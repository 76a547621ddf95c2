"""Units, container and compose file name what there is: settings, commands, users, the service's health check."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from paymatch.cli.main import COMMANDS
from paymatch.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.rglob("*") if path.is_file())
SETTINGS = {f"PAYMATCH_{name.upper()}" for name in Settings.model_fields}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_setting_exists(path: Path) -> None:
    assert set(re.findall(r"PAYMATCH_[A-Z_]+", path.read_text("utf-8"))) <= SETTINGS


def test_every_command_exists() -> None:
    named = {
        found
        for path in FILES
        for found in re.findall(r"(?:/opt/paymatch/bin/paymatch |\"paymatch\", \")([a-z-]+)", path.read_text("utf-8"))
    }
    assert named == {"serve", "backup", "worker", "migrate"}
    assert named <= set(COMMANDS)


@pytest.mark.parametrize("name", ["paymatch.service", "paymatch-backup.service", "paymatch-backup.timer"])
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_understands_the_units(name: str, tmp_path: Path) -> None:
    program = shutil.which("true")
    for path in (DEPLOY / "systemd").iterdir():
        text = path.read_text("utf-8").replace("/opt/paymatch/bin/paymatch serve", str(program))
        (tmp_path / path.name).write_text(text, "utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--recursive-errors=no", str(tmp_path / name)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_service_is_shut_in() -> None:
    unit = (DEPLOY / "systemd" / "paymatch.service").read_text("utf-8")
    for line in (
        "User=paymatch",
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "CapabilityBoundingSet=",
        "UMask=0077",
    ):
        assert f"\n{line}\n" in unit


def test_the_container_runs_without_root_and_says_how_it_is() -> None:
    lines = (DEPLOY / "container" / "Containerfile").read_text("utf-8").splitlines()
    assert lines.index("USER paymatch") < lines.index('CMD ["paymatch", "serve", "--host", "0.0.0.0"]')
    assert any("/readyz" in line for line in lines)
    assert [line for line in lines if line.startswith("FROM ")] == ["FROM ${BASE} AS build", "FROM ${BASE}"]
    assert any("pip uninstall --yes setuptools pip" in line for line in lines)  # nothing is installed into it later


def test_what_the_container_copies_is_let_through() -> None:
    let_through = {
        line[1:] for line in (ROOT / ".containerignore").read_text("utf-8").splitlines() if line.startswith("!")
    }
    copied = set()
    for line in (DEPLOY / "container" / "Containerfile").read_text("utf-8").splitlines():
        if line.startswith("COPY ") and "--from" not in line:
            copied |= set(line.split()[1:-1])
    assert copied == let_through
    assert all((ROOT / name).exists() for name in copied)


def test_compose_shuts_the_service_in_and_names_its_secrets() -> None:
    found = yaml.safe_load((DEPLOY / "container" / "compose.yaml").read_text("utf-8"))
    service = found["services"]["paymatch"]
    assert (service["read_only"], service["cap_drop"], service.get("ports")) == (True, ["ALL"], None)
    assert (ROOT / "deploy/container" / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    subnet = found["networks"]["inside"]["ipam"]["config"][0]["subnet"]
    assert service["environment"]["PAYMATCH_TRUSTED_PROXIES"] == subnet
    for secret in ("PAYMATCH_SECRET_KEY", "PAYMATCH_DATABASE_URL"):
        assert re.search(r"\$\{[A-Z_]+:\?", service["environment"][secret])  # compose refuses to start without it
    backup = found["services"]["backup"]
    assert (backup["read_only"], backup["cap_drop"], backup["environment"]) == (True, ["ALL"], service["environment"])
    assert "paymatch backup" in backup["command"][-1] and "backups:/var/backups/paymatch" in backup["volumes"]
    used = {volume.split(":")[0] for each in found["services"].values() for volume in each.get("volumes", [])}
    assert used == set(found["volumes"])


def test_the_wrapper_gives_commands_the_settings_of_the_service(tmp_path: Path) -> None:
    given = tmp_path / "environment"
    given.write_text(
        "# settings\n"
        "PAYMATCH_MAIL_FROM=Payments & more <paymatch@example.com>\n"
        'PAYMATCH_BACKUP_PASSPHRASE="quoted $HOME `id` \\ words"\n'
        "PAYMATCH_DATABASE_URL=postgresql://a:b=c@db/x?sslmode=verify-full\n"
        "#PAYMATCH_SHOP=commented\n"
        "PAYMATCH_LOG_LEVEL=debug",
        "utf-8",
    )
    for name, text in (("id", "echo 0"), ("setpriv", 'shift 3; exec "$@"'), ("paymatch", 'env; echo "words=$*"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n", "utf-8")
        (tmp_path / name).chmod(0o755)
    wrapper = (DEPLOY / "systemd" / "paymatch").read_text("utf-8")
    wrapper = wrapper.replace("/etc/paymatch/environment", str(given))
    wrapper = wrapper.replace("/opt/paymatch/bin/paymatch", str(tmp_path / "paymatch"))
    done = subprocess.run(
        ["sh", "-s", "shop", "list"], input=wrapper, capture_output=True, text=True, check=True,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
    )  # fmt: skip
    found = dict(line.split("=", 1) for line in done.stdout.splitlines())
    assert {name: value for name, value in found.items() if name.startswith("PAYMATCH_")} == {
        "PAYMATCH_DATA_DIR": "/var/lib/paymatch",
        "PAYMATCH_MAIL_FROM": "Payments & more <paymatch@example.com>",
        "PAYMATCH_BACKUP_PASSPHRASE": "quoted $HOME `id` \\ words",
        "PAYMATCH_DATABASE_URL": "postgresql://a:b=c@db/x?sslmode=verify-full",
        "PAYMATCH_LOG_LEVEL": "debug",
    }
    assert found["words"] == "shop list"
