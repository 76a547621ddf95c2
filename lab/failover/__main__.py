"""100 failovers and switchovers of a real cluster under load: acknowledged = stored, callbacks whole and in order.

    make ha ARGS="[--rounds 100] [--seed 1] [--minutes 240] [--port 15000] [--writers 4] [--keep]"

Needs etcd, Patroni, HAProxy, PgBouncer and PostgreSQL 15 to 18 (docs/high-availability.md); without them it says what
is missing and ends with exit code 2. Everything runs on ports of 127.0.0.1, from `--port` to 700 above it. Prints a
line per round and a summary as JSON; exit code 1 if anything was lost, doubled or out of order.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lab.failover.cluster import Cluster, missing_programs
from lab.failover.events import Round, Rounds, kinds
from lab.failover.load import Receiver, Shop, Writer
from lab.failover.processes import HERE
from lab.failover.service import Service
from lab.failover.verdict import judge


class ReadyWatch(threading.Thread):
    """Asks both servers twice a second whether they are ready, and keeps how long the slowest answer took."""

    def __init__(self, ports: tuple[int, ...]) -> None:
        super().__init__(daemon=True)
        self.slowest = {200: 0.0, 503: 0.0}
        self._ports = ports

    def run(self) -> None:
        while True:
            for port in self._ports:
                begun = time.monotonic()
                try:
                    with urllib.request.urlopen(f"http://{HERE}:{port}/readyz", timeout=10) as answer:
                        status = answer.status
                except urllib.error.HTTPError as error:
                    status = error.code
                except TimeoutError:
                    status = 503
                except OSError:
                    continue  # the server itself is down
                self.slowest[status] = max(self.slowest[status], time.monotonic() - begun)
            time.sleep(0.5)


def main() -> int:
    """0 if all went well, 1 if anything was lost, doubled or out of order, 2 without the programs."""
    parser = argparse.ArgumentParser(prog="make ha", description=__doc__)
    parser.add_argument("--rounds", type=int, default=100, help="failovers and switchovers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--port", type=int, default=15000, help="the first of the ports")
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--minutes", type=float, default=240, help="no further round is begun after that")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all logs")
    wanted = parser.parse_args()
    if missing := missing_programs():
        print(f"Not installed: {', '.join(missing)} (docs/high-availability.md)", file=sys.stderr)
        return 2
    folder = Path(tempfile.mkdtemp(prefix="paymatch-ha-"))
    print(f"logs: {folder}", file=sys.stderr)
    try:
        return _run(folder, wanted)
    finally:
        if not wanted.keep:
            shutil.rmtree(folder, ignore_errors=True)


def _run(folder: Path, wanted: argparse.Namespace) -> int:
    cluster = Cluster(folder, wanted.port)
    receiver = Receiver(wanted.port + 600)
    service = Service(cluster, folder, wanted.port + 600)
    begun = time.monotonic()
    try:
        cluster.start()
        service.start()
        shop = service.new_shop()
        watch = ReadyWatch(shop.ports)
        watch.start()
        writers = [Writer(shop, number, wanted.seed) for number in range(wanted.writers)]
        played, trouble = _played(cluster, service, shop, writers, wanted)
        orders = {number: order for writer in writers for number, order in writer.orders.items()}
        verdict = judge(shop, orders, receiver.arrived, cluster.url("postgres", "superuser"))
        verdict.wrong += trouble + [f"{writer.name}: {writer.broken}" for writer in writers if writer.broken]
        check = service.command("check")
        if check.returncode != 0:
            verdict.wrong.append(f"paymatch check: {check.stdout}{check.stderr}")
    finally:
        service.stop()
        cluster.stop()
        receiver.shutdown()
    summary = {
        "seed": wanted.seed, "minutes": round((time.monotonic() - begun) / 60, 1),
        "acknowledged": len(shop.acknowledged), **asdict(verdict), "gaps": gaps(played), "failures": shop.failures,
        "slowest_readyz": {str(status): round(seconds, 2) for status, seconds in watch.slowest.items()},
    }  # fmt: skip
    print(json.dumps(summary, indent=1))
    return 1 if verdict.wrong else 0


def _played(
    cluster: Cluster, service: Service, shop: Shop, writers: list[Writer], wanted: argparse.Namespace
) -> tuple[list[Round], list[str]]:
    """The rounds, with the writers at work until the last one is over, and what ended them early."""
    chance = random.Random(wanted.seed)
    rounds, played, trouble = Rounds(cluster, service, shop, writers, chance), list[Round](), list[str]()
    ends = time.monotonic() + wanted.minutes * 60
    for writer in writers:
        writer.start()
    kind = ""
    try:
        for kind in kinds(wanted.rounds, chance):
            if time.monotonic() > ends:
                break
            played.append(rounds.play(kind))
            print(json.dumps(asdict(played[-1])), flush=True)
    except (TimeoutError, RuntimeError) as error:
        trouble.append(f"round {len(played) + 1}, {kind}: {error}")
    finally:
        for writer in writers:
            writer.stop()
    for writer in writers:
        writer.join(60)
    return played, trouble


def gaps(played: list[Round]) -> dict[str, dict[str, Any]]:
    """Per kind and in all: how often, and p50, p95 and maximum of the seconds without an acknowledged write."""
    by_kind: dict[str, list[Round]] = defaultdict(list)
    for each in played:
        by_kind["all"].append(each)
        by_kind[each.kind].append(each)
    return {kind: _figures(rounds) for kind, rounds in by_kind.items()}


def _figures(rounds: list[Round]) -> dict[str, Any]:
    found: dict[str, Any] = {"rounds": len(rounds), "any": _spread([each.gap_seconds for each in rounds])}
    for server, name in enumerate(("pooler", "hosts")):
        found[name] = _spread([each.by_server[server] for each in rounds])
    found["healthy"] = _spread([each.healthy_seconds for each in rounds])
    return found


def _spread(seconds: list[float]) -> dict[str, float]:
    """p50, p95 (nearest rank) and maximum."""
    ranked = sorted(seconds)
    return {
        "p50": ranked[(len(ranked) - 1) // 2],
        "p95": ranked[max(-(-len(ranked) * 95 // 100) - 1, 0)],
        "max": ranked[-1],
    }


if __name__ == "__main__":
    sys.exit(main())
