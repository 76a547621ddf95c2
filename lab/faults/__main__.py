"""Faults one after the other: python -m lab.faults (docs/reliability.md); all options in the package."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Final

from lab.faults import clock_jumps, disk_full, full_folders, kills, read_only, slow_disk, storm
from lab.faults.outcome import LeftOut, Outcome

SCENARIOS: Final[dict[str, Callable[[Path, argparse.Namespace], list[Outcome]]]] = {
    "kill-9": lambda folder, wanted: [kills.play(folder, wanted.port, _kills(wanted))],
    "disk-full": lambda folder, wanted: disk_full.play(folder, wanted.port, wanted.seed),
    "full-folders": lambda folder, wanted: [full_folders.play(folder / "c", wanted.port)],
    "read-only": lambda folder, wanted: read_only.play(folder, wanted.port, wanted.seed),
    "clock-jumps": lambda folder, wanted: clock_jumps.play(folder, wanted.port, wanted.seed),
    "storm": lambda folder, wanted: storm.play(folder, wanted.port, wanted.seed),
    "slow-disk": lambda folder, wanted: slow_disk.play(folder, wanted.port, wanted.seed),
}


def _kills(wanted: argparse.Namespace) -> kills.Wanted:
    return kills.Wanted(
        wanted.seed, wanted.minutes, wanted.kills, wanted.per_second, wanted.writes, check_minutes=wanted.check_minutes
    )


def main() -> int:
    """0 if every promise was kept."""
    parser = argparse.ArgumentParser(prog="make faults", description=__doc__)
    parser.add_argument("--only", default="", help=f"of {', '.join(SCENARIOS)}; comma separated")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60, help="kill -9 goes on no longer than that")
    parser.add_argument("--kills", type=int, default=10_000)
    parser.add_argument("--per-second", type=float, default=4.0, help="kills per second")
    parser.add_argument("--writes", type=int, default=1_000_000, help="goes on until so many are acknowledged")
    parser.add_argument("--check-minutes", type=float, default=10, help="the books are checked so often on the way")
    parser.add_argument("--port", type=int, default=17_000, help="the first of the ports")
    parser.add_argument("--folder", type=Path, default=None, help="where temporary folders are made, e.g. /dev/shm")
    parser.add_argument("--keep", action="store_true", help="keep the folders with all logs")
    wanted = parser.parse_args()
    names = wanted.only.split(",") if wanted.only else [*SCENARIOS]
    if unknown := set(names) - SCENARIOS.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    outcomes = [outcome for name in names for outcome in _played(name, wanted)]
    summary = {"seed": wanted.seed, "commit": _commit(), "scenarios": [asdict(each) for each in outcomes]}
    print(json.dumps(summary, indent=1))
    return 1 if any(each.wrong for each in outcomes) else 0


def _played(name: str, wanted: argparse.Namespace) -> list[Outcome]:
    folder = Path(tempfile.mkdtemp(prefix=f"paymatch-{name}-", dir=wanted.folder))
    folder.chmod(0o711)  # the account of the bundled PostgreSQL passes through
    print(f"{name}: {folder}", file=sys.stderr, flush=True)
    try:
        outcomes = SCENARIOS[name](folder, wanted)
    except LeftOut as reason:
        outcomes = [Outcome(name, "", left_out=str(reason))]
    finally:
        if not wanted.keep:
            shutil.rmtree(folder, ignore_errors=True)
    for outcome in outcomes:
        outcome.wrong[200:] = []
    return outcomes


def _commit() -> str:
    """The commit that is tried; empty outside of a repository."""
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
