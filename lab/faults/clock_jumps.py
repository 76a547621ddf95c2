"""The machine's clock is put forward and back by an hour and by a day, while everything goes on."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.fakes.mail_server import mail_server

from lab.failover.load import Receiver
from lab.faults.installation import Installation
from lab.faults.outcome import Outcome
from lab.faults.shim import Shim
from lab.faults.traffic import Size, Traffic

_HOUR: Final = 3600
JUMPS: Final = (_HOUR, 0, -_HOUR, 0, 24 * _HOUR, 0, -24 * _HOUR, 0)
"""Seconds that the clock is ahead of the real time, one after the other."""
_EACH_SECONDS: Final = 12.0
_GAP_SECONDS: Final = 30.0
_SEEMS_LATE: Final = "paymatch check: mail goes out soon after it was decided on"
"""What `paymatch check` says of a mail if the clock went forward between an event and the mail about it."""


def play(folder: Path, port: int, seed: int) -> list[Outcome]:
    """Jumps of all processes' clock, the database's too; whether all is done, once, when it is right again."""
    outcome = Outcome(
        "clock jumps",
        "Nothing is lost or done twice; writes are taken all the time. Work that was claimed or planned by a clock that"
        " was ahead waits for as long as it was ahead, no longer; callbacks keep their order.",
    )
    with ExitStack() as stack:
        shim = Shim(folder)
        mail = stack.enter_context(mail_server())
        environment = shim.environment | {"PAYMATCH_EMAIL_URL": f"smtp://127.0.0.1:{mail.port}?starttls=off"}
        installation = Installation(folder, port, environment=environment)
        receiver = Receiver(installation.callback_port)
        stack.callback(receiver.shutdown)
        with shim.of_the_database():
            stack.enter_context(installation.running())
        traffic = Traffic(installation, receiver, mail, seed, Size(bulk=1, live=2), days_before=2)
        traffic.start()
        gaps: dict[str, float] = {}
        for place, ahead in enumerate(JUMPS):
            shim.set(ahead_seconds=ahead)
            begun = time.monotonic()
            while time.monotonic() - begun < _EACH_SECONDS:
                gap = traffic.wait_for_writes(_GAP_SECONDS)
                name = f"{place}: {ahead / _HOUR:+.0f} h"
                gaps[name] = max(gaps.get(name, 0.0), gap)
        outcome.wrong += traffic.ended()
        time.sleep(_EACH_SECONDS)
        arrived = len({each.webhook_id for each in receiver.arrived})
        shim.set(ahead_seconds=max(JUMPS) + _HOUR)  # the moments for which work was planned come, as they would
        wrong = traffic.judged(outcome.seen)
        outcome.seen["mails_that_seem_late"] = [text for text in wrong if text.startswith(_SEEMS_LATE)]
        outcome.wrong += [text for text in wrong if not text.startswith(_SEEMS_LATE)]
        waited = outcome.seen["callbacks"] - arrived
        outcome.seen |= {"longest_wait_for_a_write_seconds": gaps, "callbacks_that_waited_for_their_moment": waited}
    return [outcome]
