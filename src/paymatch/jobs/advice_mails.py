"""Reads the mailbox of remittance advices; any number of processes may read the same one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

import structlog

from paymatch.formats.mail.advice_mail import MAX_BYTES
from paymatch.jobs.polling_thread import PollingThread
from paymatch.outbound.mail.mailbox import Mailbox, MailboxUnavailable
from paymatch.store.database import Database
from paymatch.store.transactions import LockNotAcquired, Unreachable
from paymatch.usecases.advices.mailed import take_mail

LOOK_SECONDS: Final = 60

_log = structlog.get_logger("paymatch.advices")


class AdviceMailReader(PollingThread):
    """Takes the advices attached to mails. A mail that brings none is marked as read and stays in the mailbox."""

    def __init__(
        self, database: Database, mailbox: Mailbox | None, clock: Callable[[], datetime], host: str = ""
    ) -> None:
        super().__init__("advice-mails", LOOK_SECONDS)
        self._database = database
        self._mailbox = mailbox
        self._clock = clock
        self._host = host

    def look(self) -> int:
        """Takes what is unread; how many files of advices were taken.

        A mail is marked as read once all of it is recorded.
        """
        taken = 0
        try:
            for content in self._mailbox.unread(MAX_BYTES + 1) if self._mailbox is not None else ():
                taken += self._take(content)
                if self.stopping.is_set():
                    break
        except MailboxUnavailable as error:
            _log.warning("the mailbox of advices cannot be read", error=str(error))
        except (Unreachable, LockNotAcquired) as error:
            _log.warning("advices wait in their mailbox", error=str(error))
        return taken

    def _take(self, content: bytes) -> int:
        """A mail that fails through our own fault does not block the ones after it."""
        try:
            return take_mail(self._database, content, self._host, self._clock())
        except (Unreachable, LockNotAcquired):
            raise
        except Exception:
            _log.exception("a mail of the mailbox of advices could not be taken")
            return 0
