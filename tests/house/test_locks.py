"""What a production install brings: no test tools, in the versions that the tests ran with."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

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
