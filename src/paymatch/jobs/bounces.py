"""Reads the mailbox of delivery reports, and looks again at those that were faster than the record of their mail.

Any number of processes may read the same mailbox.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

import structlog

from paymatch.formats.mail.delivery_report import MAX_BYTES, Bounce, bounces
from paymatch.jobs.polling_thread import PollingThread
from paymatch.outbound.mail.mailbox import Mailbox, MailboxUnavailable
from paymatch.store.database import Database
from paymatch.usecases.reminders.bounces import take, take_early

LOOK_SECONDS: Final = 60

_log = structlog.get_logger("paymatch.bounces")


class BounceReader(PollingThread):
    """Records the bounces in the reports. An unintelligible report is marked as read and stays in the mailbox."""

    def __init__(self, database: Database, mailbox: Mailbox | None, clock: Callable[[], datetime]) -> None:
        super().__init__("bounces", LOOK_SECONDS)
        self._database = database
        self._mailbox = mailbox
        self._clock = clock

    def look(self) -> int:
        """Takes what was kept and what is unread; how many mails came back.

        A report is marked as read once all of it is recorded.
        """
        taken = 0
        try:
            taken = take_early(self._database, self._clock())
            for content in self._mailbox.unread(MAX_BYTES) if self._mailbox is not None else ():
                for bounce in _record_bounce(content):
                    taken += take(self._database, bounce, self._clock())
                if self.stopping.is_set():
                    break
        except MailboxUnavailable as error:
            _log.warning("the mailbox of delivery reports cannot be read", error=str(error))
        except Exception:
            # The database may be away for a moment: the report stays unread, the next look finds it.
            _log.exception("a delivery report could not be recorded")
        return taken


def _record_bounce(content: bytes) -> list[Bounce]:
    """The bounces in a report. Anyone may write to the mailbox, and a hostile mail (nested a thousand deep) must not
    block the ones after it: it counts as an unintelligible report.
    """
    try:
        return bounces(content)
    except Exception:
        _log.exception("a message in the mailbox of delivery reports cannot be read")
        return []
