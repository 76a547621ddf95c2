"""What a production install brings: no test tools, in the versions that the tests ran with, listed for who asks."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
from tools import advisories
from tools.sbom import document

ROOT = Path(__file__).resolve().parents[2]


def versions(lock: str) -> dict[str, str]:
    """Name -> version and condition of each package of a lock file."""
    text = (ROOT / lock).read_text("utf-8")
    return dict(re.findall(r"^([a-z0-9._-]+)==(.+?) \\$", text, re.MULTILINE))


def versions_alone(lock: str) -> dict[str, str]:
    """Name -> version."""
    return {name: version.partition(" ")[0] for name, version in versions(lock).items()}


def test_production_install_has_no_development_tools() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    tools = {re.split(r"[=<>\[ ]", each)[0].lower() for each in project["dependency-groups"]["dev"]}
    assert {"pytest", "hypothesis", "mypy"} <= tools
    assert tools.isdisjoint(versions("requirements-runtime.lock"))


def test_both_locks_agree() -> None:
    runtime, everything = versions_alone("requirements-runtime.lock"), versions_alone("requirements.lock")
    assert len(runtime) > 30
    assert runtime.items() <= everything.items()


def test_every_package_has_hashes() -> None:
    for lock in ("requirements-runtime.lock", "requirements.lock"):
        for block in re.split(r"\n(?=[a-z0-9])", (ROOT / lock).read_text("utf-8").strip()):
            assert "--hash=sha256:" in block, block.partition("\n")[0]


def test_bill_of_materials_is_what_a_production_install_brings() -> None:
    listed = json.loads(document())
    assert (listed["bomFormat"], listed["specVersion"]) == ("CycloneDX", "1.6")
    assert {each["name"]: each["version"] for each in listed["components"]} == versions_alone(
        "requirements-runtime.lock"
    )
    assert {each["purl"] for each in listed["components"]} >= {
        f"pkg:pypi/{name}@{version}" for name, version in versions_alone("requirements-runtime.lock").items()
    }
    assert all(each["properties"] for each in listed["components"])
    assert document() == document()


@pytest.mark.parametrize(
    ("said", "code", "line"),
    [
        ("", 0, "audit: not done, the advisory service does not answer: no reason given\n"),
        (
            '{"dependencies": [{"name": "a", "version": "1", "vulns": []}]}',
            0,
            "audit: no known vulnerabilities in 1 packages\n",
        ),
        (
            '{"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "X-1", "fix_versions": ["2"]}]}]}',
            1,
            "audit: a 1: X-1, fixed in 2\n",
        ),
    ],
)
def test_audit_fails_for_vulnerabilities_only(
    said: str, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert advisories.main((sys.executable, "-c", f"print({said!r})")) == code
    assert capsys.readouterr().out == line
