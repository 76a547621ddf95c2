"""kill -9 of a random process, thousands of times, while orders, payments, refunds, mail and callbacks go on."""

from __future__ import annotations

import json
import random
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.fakes.mail_server import mail_server

from lab.failover.load import Receiver
from lab.faults.installation import Installation
from lab.faults.outcome import Outcome
from lab.faults.traffic import Size, Traffic
from lab.faults.victims import Killer

_PROMISED: Final = (
    "What was acknowledged is stored, once. A lost answer is no answer; a call may be repeated. Callbacks come in the"
    " order of their order, a repeated one with its webhook-id, a repeated mail with its Message-ID. Everything goes on"
    " by itself."
)
_TELL_SECONDS: Final = 30.0


@dataclass(frozen=True)
class Wanted:
    """How long and how hard."""

    seed: int
    minutes: float
    kills: int
    per_second: float
    writes: int
    check_minutes: float = 10


def play(folder: Path, port: int, wanted: Wanted) -> Outcome:
    """Kills until so many kills and writes are reached, or the time is over; then compares everything."""
    outcome = Outcome("kill -9", _PROMISED)
    with ExitStack() as stack:
        mail = stack.enter_context(mail_server())
        environment = {"PAYMATCH_EMAIL_URL": f"smtp://127.0.0.1:{mail.port}?starttls=off"}
        installation = Installation(folder, port, processes=4, second=True, further_workers=4, environment=environment)
        receiver = Receiver(installation.callback_port)
        stack.callback(receiver.shutdown)
        stack.enter_context(installation.running())
        traffic = Traffic(installation, receiver, mail, wanted.seed, Size(bulk=3, live=3, sandboxes=4))
        killer = Killer(installation, random.Random(wanted.seed), wanted.per_second, wanted.kills)
        traffic.start()
        killer.start()
        begun = time.monotonic()
        _watch(installation, traffic, killer, wanted, begun + wanted.minutes * 60)
        outcome.seen |= {"minutes": round((time.monotonic() - begun) / 60, 1)}
        killer.stop()
        outcome.hold(not killer.broken, killer.broken)
        outcome.wrong += traffic.ended() + traffic.judged(outcome.seen)
    outcome.seen |= {"kills": killer.killed.total(), "by_kind": dict(killer.killed.most_common())}
    return outcome


def _watch(installation: Installation, traffic: Traffic, killer: Killer, wanted: Wanted, ends: float) -> None:
    """Tells how far it is, checks the books now and then, and returns when enough was done or time is over."""
    told_at = checked_at = time.monotonic()
    while time.monotonic() < ends and not traffic.broken() and not killer.broken:
        time.sleep(1)
        if killer.killed.total() >= wanted.kills and traffic.writes() >= wanted.writes:
            break
        if time.monotonic() - told_at > _TELL_SECONDS:
            told_at = time.monotonic()
            said = {"kills": killer.killed.total(), **traffic.told(), "minutes_left": round((ends - told_at) / 60, 1)}
            print(json.dumps(said), file=sys.stderr, flush=True)
        if time.monotonic() - checked_at > wanted.check_minutes * 60:
            checked_at = time.monotonic()
            with killer.paused():
                try:
                    installation.wait_until_ready()
                except TimeoutError as error:
                    killer.broken = str(error)
                    return
                traffic.check()
