"""The wheel holds all that the service reads, and serves from an environment that knows nothing of this clone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

import paymatch
from tests.keys import SECRET_KEY
from tests.waiting import PATIENCE_SECONDS, free_port

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "paymatch"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of what stands here now, built without a network: the build backend is one of our tools."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("src", "tools"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel; the packages that it needs are those of this environment, paymatch is not."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    uv = [str(Path(sys.executable).parent / "uv"), "pip", "install", "--quiet", "--offline", "--no-deps"]
    subprocess.run([*uv, "--no-config", "--python", str(folder / "bin" / "python"), str(wheel)], check=True)
    own = Path(*folder.parts, "lib", f"python3.{sys.version_info.minor}", "site-packages")
    theirs = [path for path in sys.path if path.endswith("site-packages")]
    # A folder that a .pth file names is searched, but its own .pth files are not read: the clone stays unknown.
    (own / "needed.pth").write_text("\n".join(theirs), "utf-8")
    return folder


def _environment(**settings: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PAYMATCH_", "PYTHON"))}
    return kept | settings


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    wanted = {
        path.relative_to(ROOT / "src").as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    names = zipfile.ZipFile(wheel).namelist()
    metadata = f"paymatch-{paymatch.__version__}.dist-info/"
    assert {name for name in names if not name.startswith(metadata)} == wanted
    assert f"{metadata}licenses/LICENSE" in names
    kinds = {Path(name).suffix for name in wanted}
    assert kinds >= {".py", ".sql", ".html", ".css", ".js", ".mo", ".typ", ".yaml", ".woff2", ".txt"}


def test_the_command_is_the_installed_one(installed: Path, tmp_path: Path) -> None:
    def said(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, env=_environment(), capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert said(str(installed / "bin" / "paymatch"), "--version") == paymatch.__version__
    where = said(str(installed / "bin" / "python"), "-c", "import paymatch; print(paymatch.__file__)")
    assert Path(where).is_relative_to(installed)


@contextmanager
def _serving(installed: Path, url: str, folder: Path) -> Iterator[int]:
    """The port on which the installed service answers."""
    port = free_port()
    environment = _environment(
        PAYMATCH_DATABASE_URL=url, PAYMATCH_DATA_DIR=str(folder / "data"), PAYMATCH_SECRET_KEY=SECRET_KEY
    )
    command = [str(installed / "bin" / "paymatch"), "serve", "--port", str(port)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
    try:
        yield port
    finally:
        process.terminate()
        assert process.wait(PATIENCE_SECONDS) == 0, (folder / "log").read_text("utf-8")


def _answer(port: int, path: str) -> tuple[int, bytes]:
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        connection = HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.1)
        finally:
            connection.close()


@pytest.mark.long
def test_the_installed_service_answers_with_pages_and_their_files(
    installed: Path, database_url: str, tmp_path: Path
) -> None:
    with _serving(installed, database_url, tmp_path) as port:
        assert _answer(port, "/healthz") == (200, b"ok\n")
        assert _answer(port, "/readyz")[0] == 200
        for path in ("/account/login/", "/docs", "/api/v2/openapi.json"):
            assert (path, _answer(port, path)[0]) == (path, 200)
