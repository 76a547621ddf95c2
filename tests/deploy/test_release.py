"""A release: all its files name one version, and each that can be installed here is installed.

`make release` builds the files and names their folder in RELEASE_FOLDER; without it only the version is looked at.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml
from tools.release import CHECKSUMS, disagreements

import paymatch

ROOT = Path(__file__).resolve().parents[2]
VERSION = paymatch.__version__
FOLDER = Path(os.environ.get("RELEASE_FOLDER", "dist")).resolve()

built = pytest.mark.skipif("RELEASE_FOLDER" not in os.environ, reason="`make release` builds what this test installs")


def test_every_file_names_the_version() -> None:
    assert disagreements() == []


def test_the_changelog_begins_with_what_the_first_version_can() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    first = text.split("\n## ")[-1]
    assert first.startswith("0.1.0, ")
    assert first.count("\n") <= 60


def _installed(folder: Path, wheel: Path, module: str) -> str:
    """The version that a new environment with the wheel names; it sees the packages of this one, and no clone."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    own = Path(*folder.parts, "lib", f"python3.{sys.version_info.minor}", "site-packages")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(own)  # noqa: S202  our own wheel
    (own / "needed.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")), "utf-8")
    asked = f"import {module}; print({module}.__version__, {module}.__file__)"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(folder / "bin" / "python"), "-c", asked],
        cwd=folder, env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    version, place = done.stdout.split()
    assert Path(place).is_relative_to(folder)
    return version


@built
def test_checksums_are_those_of_the_files() -> None:
    lines = (FOLDER / CHECKSUMS).read_text("utf-8").splitlines()
    stated = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in FOLDER.iterdir()}
    del found[CHECKSUMS]
    assert stated == found
    assert len(found) >= 6


@built
@pytest.mark.parametrize("name", ["paymatch", "paymatch_client"])
def test_wheels_install_and_sources_give_the_same_wheel(name: str, tmp_path: Path) -> None:
    wheel = FOLDER / f"{name}-{VERSION}-py3-none-any.whl"
    assert _installed(tmp_path / "venv", wheel, name) == VERSION
    with tarfile.open(FOLDER / f"{name}-{VERSION}.tar.gz") as sources:
        sources.extractall(tmp_path, filter="data")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=tmp_path / f"{name}-{VERSION}", check=True, capture_output=True)
    again = tmp_path / wheel.name
    with zipfile.ZipFile(again) as theirs, zipfile.ZipFile(wheel) as ours:
        assert sorted(theirs.namelist()) == sorted(ours.namelist())


@built
def test_the_chart_is_complete() -> None:
    with tarfile.open(FOLDER / f"paymatch-chart-{VERSION}.tgz") as archive:
        names = {Path(name).relative_to("paymatch").as_posix() for name in archive.getnames()}
        described = archive.extractfile("paymatch/Chart.yaml")
        assert described is not None
        assert yaml.safe_load(described.read())["version"] == VERSION
    chart = ROOT / "deploy" / "helm" / "paymatch"
    assert names == {path.relative_to(chart).as_posix() for path in chart.rglob("*") if path.is_file()}


@built
def test_the_sbom_is_of_this_version() -> None:
    bill = json.loads((FOLDER / f"paymatch-{VERSION}.cdx.json").read_text("utf-8"))
    assert (bill["metadata"]["component"]["version"], bill["specVersion"]) == (VERSION, "1.6")
