"""docs/operations.md followed line by line, as root, on a copy of this machine that is thrown away afterwards.

    python -m lab.operations_page [--download]

The copy is an overlay of the machine's files in namespaces of its own: nothing is installed, started or removed on the
machine itself. It needs root, Debian with its python3-venv, and a PostgreSQL 15 or later in /usr/lib/postgresql. Each
command of the page is run as it stands, run otherwise, or left out; the last two say why. Exit code 1 if one fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final
from urllib.request import urlopen

import typer
from tests.documents.pages import ROOT, Kind, Piece, pieces
from tests.own_postgresql import PASSWORD, OwnServer, installed, own_server

PAGE: Final = ROOT / "docs" / "operations.md"
_DATA: Final = Path("/var/lib/paymatch")
_ENVIRONMENT: Final = Path("/etc/paymatch/environment")
_STUBS: Final = Path("/tmp/stubs")  # noqa: S108  in the copy
_SECONDS: Final = 120

LEFT_OUT: Final[Mapping[str, str]] = {
    "apt-get": "the copy has what the machine has",
}
"""The beginning of a command, and why it is not run."""

_SYSTEMCTL: Final = """#!/bin/sh
case "$*" in
  *enable*|start*)
    test -f /etc/systemd/system/paymatch.service && grep -q '^ExecStart=/opt/paymatch/bin/paymatch serve$' \\
      /etc/systemd/system/paymatch.service || exit 1
    grep -q "^StateDirectory=paymatch$" /etc/systemd/system/paymatch.service \\
      && install -d -o paymatch -g paymatch -m 0700 /var/lib/paymatch
    setsid nohup /usr/local/bin/paymatch serve > /tmp/service.log 2>&1 & echo $! > /tmp/service.pid ;;
  stop*) pid=$(cat /tmp/service.pid); kill "$pid"
    while grep -qs '^State:.[RSD]' "/proc/$pid/status"; do sleep 0.1; done ;;
esac
"""
"""Systemd does not run in the copy: the wrapper starts what the unit names, with the same settings and account."""


class Follower:
    """Who follows the page, with what a reader knows by then: the settings that it shows, the own server."""

    def __init__(self, server: OwnServer, site: str, *, download: bool) -> None:
        self._server = server
        self._site = site
        self._download = download
        self._settings: list[str] = []
        self._before: Mapping[str, Callable[[], None]] = {
            "paymatch backup": lambda: self.run("paymatch shop create Teehaus"),
            "install -d -o paymatch -g paymatch -m 0700 /var/lib/paymatch": self._lose_the_machine,
            "paymatch move-to -": self._write_urls,
            "paymatch move-to bundled": lambda: self.run("systemctl stop paymatch"),
        }
        self._after: Mapping[str, Callable[[], None]] = {
            "systemctl daemon-reload": self._is_ready,
            "paymatch restore": self._serve_again,
            "paymatch move-to -": self._serve_the_own_database,
            "paymatch move-to bundled": self._serve_the_bundled_database,
        }

    def follow(self, piece: Piece) -> str:
        """Does what the piece says; what was done otherwise, or "" ."""
        if piece.kind is Kind.SETTINGS:
            self._settings.append(self._here(piece.text))
            return "kept for later: the page comes back to it under Moving"
        left_out = next((why for start, why in LEFT_OUT.items() if piece.text.startswith(start)), None)
        if left_out is not None:
            return f"left out: {left_out}"
        for start, prepare in self._before.items():
            if piece.text.startswith(start):
                prepare()
        text, otherwise = self._as_here(piece.text)
        self.run(text)
        for start, look in self._after.items():
            if piece.text.startswith(start):
                look()
        return otherwise

    def run(self, text: str) -> None:
        """Runs a command as root in the repository; CalledProcessError with what it said."""
        subprocess.run(["bash", "-c", text], cwd=ROOT, check=True, capture_output=True, text=True, timeout=600)

    def _as_here(self, text: str) -> tuple[str, str]:
        """(the command as it is run in the copy, what is otherwise)."""
        if "--require-hashes" in text and not self._download:
            path = "/opt/paymatch/lib/python3*/site-packages/here.pth"
            return f"for f in {path.replace('/here.pth', '')}; do echo {self._site} > $f/here.pth; done", (
                "run otherwise: the packages of this machine instead of a download (--download)"
            )
        if text.startswith("psql"):
            login = f"PGHOST=127.0.0.1 PGPORT={self._server.port} PGUSER=postgres PGPASSWORD='{PASSWORD}'"
            return f"{login} {text}", ""
        if text.startswith("paymatch move-to bundled"):
            return text.replace("bundled", "bundled --yes"), "run otherwise: with --yes, since nobody types"
        return text, ""

    def _here(self, text: str) -> str:
        return text.replace("@db.example.com", f"@127.0.0.1:{self._server.port}").replace("?sslmode=verify-full", "")

    def _lose_the_machine(self) -> None:
        """What is left are the backup and the key; the service has to come back from them."""
        self.run(f"systemctl stop paymatch; cp {_DATA}/secret_key . && mv {_DATA} /var/lib/lost")
        self.run("mv /var/backups/paymatch/today.backup . && chown paymatch today.backup")

    def _write_urls(self) -> None:
        service, owner = (line.partition("=")[2] for line in self._settings)
        (ROOT / "urls").write_text(f"{owner}\n{service}\n", "utf-8")
        self.run("systemctl stop paymatch")

    def _serve_the_own_database(self) -> None:
        with _ENVIRONMENT.open("a", encoding="utf-8") as file:
            file.write("\n" + "\n".join(self._settings) + "\n")
        self._serve_again()

    def _serve_the_bundled_database(self) -> None:
        lines = _ENVIRONMENT.read_text("utf-8").splitlines()
        _ENVIRONMENT.write_text("".join(f"{line}\n" for line in lines if line not in self._settings), "utf-8")
        self._serve_again()

    def _serve_again(self) -> None:
        """The service starts and has the shop."""
        self.run("systemctl start paymatch")
        self._is_ready()
        self.run("paymatch shop list | grep -q Teehaus && paymatch check")

    def _is_ready(self) -> None:
        until = time.monotonic() + _SECONDS
        while time.monotonic() < until:
            try:
                with urlopen("http://127.0.0.1:8000/readyz", timeout=5) as answer:
                    if answer.read() == b"ready\n":
                        return
            except OSError:
                time.sleep(0.5)
        raise TimeoutError(Path("/tmp/service.log").read_text("utf-8", "replace")[-2000:])  # noqa: S108


def commands() -> Iterator[Piece]:
    """The commands and settings of the page that stand alone, in their order."""
    yield from (each for each in pieces(PAGE) if not each.inline and each.kind in (Kind.COMMAND, Kind.SETTINGS))


def _enter_the_copy(folder: Path) -> None:
    """This process sees the copy from now on, made fresh: nobody has installed anything in it."""
    for name in ("up", "work", "root"):
        (folder / name).mkdir()
    root = folder / "root"
    layers = f"lowerdir=/,upperdir={folder / 'up'},workdir={folder / 'work'}"
    for command in (
        ["mount", "-t", "overlay", "overlay", "-o", layers, str(root)],
        ["mount", "-t", "proc", "proc", str(root / "proc")],
        ["mount", "--rbind", "/dev", str(root / "dev")],
        ["ip", "link", "set", "lo", "up"],
    ):
        subprocess.run(command, check=True)
    os.chroot(root)
    os.chdir(ROOT)
    subprocess.run(["userdel", "paymatch"], check=False, capture_output=True)
    for gone in ("/opt/paymatch", "/etc/paymatch", str(_DATA), "/var/backups/paymatch", "/usr/local/bin/paymatch"):
        shutil.rmtree(gone, ignore_errors=True)
    _STUBS.mkdir(exist_ok=True)
    for name, text in (("systemctl", _SYSTEMCTL), ("sudo", '#!/bin/sh\nexec "$@"\n')):
        (_STUBS / name).write_text(text, "utf-8")
        (_STUBS / name).chmod(0o755)
    os.environ["PATH"] = f"{_STUBS}:/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin"
    for name in [each for each in os.environ if each.startswith(("PAYMATCH_", "PYTHON"))]:
        del os.environ[name]


def _follow_the_page(folder: Path, *, download: bool) -> int:
    """In the namespaces: every command of the page; exit code 1 with the first that fails."""
    site = str(Path(typer.__file__).resolve().parents[1])
    wheel = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(ROOT)]
    version = min(installed())
    _enter_the_copy(folder)
    subprocess.run(wheel, cwd=ROOT, check=True, capture_output=True)
    with ExitStack() as opened:
        server = opened.enter_context(own_server(version, prepared=False, account_name="postgres"))
        follower = Follower(server, site, download=download)
        for piece in commands():
            began = time.monotonic()
            try:
                otherwise = follower.follow(piece)
            except (subprocess.SubprocessError, TimeoutError) as error:
                said = getattr(error, "stderr", "") or str(error)
                print(f"FAILED  {piece.line:>4}  {piece.text}\n{said}", flush=True)
                return 1
            print(f"{time.monotonic() - began:6.1f} s {piece.line:>4}  {piece.text}", flush=True)
            if otherwise:
                print(f"               ({otherwise})", flush=True)
    print(f"the page can be followed; own PostgreSQL: {version}")
    return 0


def main() -> int:
    """Follows the page in namespaces of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--download", action="store_true", help="install the packages of the lock file from the index")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside is not None:
        return _follow_the_page(given.inside, download=given.download)
    with tempfile.TemporaryDirectory(prefix="paymatch-page-") as name:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4g,mode=0755", "tmpfs", name], check=True)
        try:
            apart = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"]
            command = [*apart, sys.executable, "-m", "lab.operations_page", "--inside", name]
            return subprocess.run(command + ["--download"] * given.download, cwd=ROOT, check=False).returncode
        finally:
            subprocess.run(["umount", "-l", name], check=True)


if __name__ == "__main__":
    sys.exit(main())
