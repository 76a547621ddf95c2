"""A disk on which every sync takes a second longer, while everything goes on."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from lab.failover.load import Receiver
from lab.failover.processes import HERE, answers
from lab.faults.installation import Installation
from lab.faults.outcome import Outcome
from lab.faults.shim import Shim
from lab.faults.traffic import Size, Traffic

SYNC_SECONDS: Final = (0.0, 0.1, 1.0)
_EACH_SECONDS: Final = 20.0
_HEALTH_SECONDS: Final = 1.0


def play(folder: Path, port: int, seed: int) -> list[Outcome]:
    """Syncs of PostgreSQL and of the service take longer; whether all is stored, and how fast."""
    outcome = Outcome(
        "slow disk",
        "Everything takes as long as the disk does, and nothing is lost or done twice; nobody is refused but who waits"
        " for a lock for two seconds. /healthz does not wait for the disk.",
    )
    with ExitStack() as stack:
        shim = Shim(folder)
        installation = Installation(folder, port, environment=shim.environment)
        receiver = Receiver(installation.callback_port)
        stack.callback(receiver.shutdown)
        with shim.of_the_database():
            stack.enter_context(installation.running())
        traffic = Traffic(installation, receiver, None, seed, Size(bulk=1, live=2))
        traffic.start()
        traffic.wait_for_writes(60)
        speeds: dict[str, dict[str, float]] = {}
        for seconds in SYNC_SECONDS:
            shim.set(sync_seconds=seconds)
            before, calls, healths = traffic.writes(), len(traffic.shop.acknowledged), list[float]()
            ends = time.monotonic() + _EACH_SECONDS
            while time.monotonic() < ends:
                begun = time.monotonic()
                outcome.hold(answers(f"http://{HERE}:{installation.ports[0]}/healthz"), "/healthz was not served")
                healths.append(time.monotonic() - begun)
                time.sleep(0.25)
            speeds[f"{seconds} s"] = {
                "writes_per_second": round((traffic.writes() - before) / _EACH_SECONDS, 1),
                "calls_per_second": round((len(traffic.shop.acknowledged) - calls) / _EACH_SECONDS, 1),
                "slowest_healthz_seconds": round(max(healths), 2),
            }
        shim.set()
        outcome.seen["by_sync"] = speeds
        slowest = max(each["slowest_healthz_seconds"] for each in speeds.values())
        outcome.hold(slowest < _HEALTH_SECONDS, f"/healthz took {slowest} s")
        outcome.wrong += traffic.ended() + traffic.judged(outcome.seen)
    return [outcome]
