"""Builds everything of a release into dist/ (`make release`): wheels, sources, SBOM, chart, image, and their checksums.

The wheel and the sources need no network; the image needs docker or podman and their base image, and is left out with
its reason where they are absent. The chart is a tar archive of its folder, as `helm package` makes it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import yaml

import paymatch
import paymatch_client
from tools import sbom

ROOT: Final = Path(__file__).resolve().parents[1]
DIST: Final = ROOT / "dist"
CHART: Final = ROOT / "deploy" / "helm" / "paymatch"
CHECKSUMS: Final = "SHA256SUMS"
_ENGINES: Final = ("docker", "podman")
_HEADING: Final = re.compile(r"^## (\S+), (\d{4}-\d{2}-\d{2})$", re.MULTILINE)


def disagreements() -> list[str]:
    """What names another version than the package: the client, the chart, or the newest heading of CHANGELOG.md."""
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
    dated = _HEADING.search((ROOT / "CHANGELOG.md").read_text("utf-8"))
    named = {
        "client": paymatch_client.__version__,
        "chart": chart["version"],
        "appVersion of the chart": chart["appVersion"],
        "CHANGELOG.md": dated[1] if dated else "no heading with a date",
    }
    wanted = paymatch.__version__
    return [f"{name}: {version}, expected {wanted}" for name, version in named.items() if version != wanted]


def packages() -> None:
    """Wheel and sources of the service and of the client."""
    for folder in (ROOT, ROOT / "client"):
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--target", "sdist"]
        subprocess.run([*command, "--directory", str(DIST)], cwd=folder, check=True, capture_output=True)


def bill_of_materials() -> None:
    """The SBOM of a production install."""
    (DIST / f"paymatch-{paymatch.__version__}.cdx.json").write_text(sbom.document(), "utf-8")


def chart() -> None:
    """The Helm chart; the same files always give the same archive."""
    with (
        (DIST / f"paymatch-chart-{paymatch.__version__}.tgz").open("wb") as target,
        gzip.GzipFile(filename="", fileobj=target, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in sorted(each for each in CHART.rglob("*") if each.is_file()):
            content = path.read_bytes()
            entry = tarfile.TarInfo(f"paymatch/{path.relative_to(CHART).as_posix()}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def image() -> str | None:
    """The container image as an archive; why there is none, if there is none."""
    engine = next((name for name in _ENGINES if shutil.which(name)), None)
    if engine is None:
        return "neither docker nor podman is installed"
    tag = f"paymatch:{paymatch.__version__}"
    built = subprocess.run(
        [engine, "build", "--file", "deploy/container/Containerfile", "--tag", tag, "."],
        cwd=ROOT, check=False, capture_output=True, text=True,
    )  # fmt: skip
    if built.returncode:
        return built.stderr.strip().splitlines()[-1]
    target = DIST / f"paymatch-image-{paymatch.__version__}.tar"
    subprocess.run([engine, "save", "--output", str(target), tag], check=True)
    return None


def checksums(folder: Path) -> Iterator[str]:
    """A line per file, as `sha256sum --check` reads it."""
    for path in sorted(each for each in folder.iterdir() if each.is_file() and each.name != CHECKSUMS):
        yield f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"


def main(build_image: Callable[[], str | None] = image) -> int:
    """Builds everything; exit code 1 if the versions differ."""
    if found := disagreements():
        print("\n".join(f"release: {each}" for each in found))
        return 1
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    packages()
    bill_of_materials()
    chart()
    left_out = build_image()
    if left_out is not None:
        print(f"release: no image: {left_out}")
    (DIST / CHECKSUMS).write_text("".join(checksums(DIST)), "utf-8")
    print(f"release: paymatch {paymatch.__version__} is in dist/: {', '.join(sorted(p.name for p in DIST.iterdir()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
