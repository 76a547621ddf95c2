"""Mail to customers: its states as a table (D-33)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from paymatch.domain.lifecycle import Lifecycle
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message


class MailStatus(StrEnum):
    """The status of a mail."""

    PENDING = "PENDING"  # to be sent, or being sent
    SENT = "SENT"  # a mail server has accepted it
    KEPT = "KEPT"  # kept here: a sandbox shop, or no mail server configured
    REFUSED = "REFUSED"  # refused permanently, or tried for too long
    BOUNCED = "BOUNCED"  # a mail server accepted it, and later reported that it did not arrive
    WITHDRAWN = "WITHDRAWN"  # its reason was gone before it was known to be sent


class MailEvent(StrEnum):
    """What can happen to a mail."""

    ACCEPTED = "mail server accepted"
    STORED = "stored instead of sent"
    FAILED = "attempt failed"  # and another one follows
    REFUSED = "refused for good"  # by the mail server, or too many attempts failed
    CAME_BACK = "came back"  # by a delivery report, or the provider's word
    REASON_GONE = "reason gone"  # the order was paid, or another mail takes its place
    TRIED_AGAIN = "merchant tries again"  # mail goes to the address again


class MailMoveRefused(Refused):
    """The mail cannot make this move from its present state."""

    def __init__(self, status: MailStatus, event: MailEvent) -> None:
        super().__init__(Message("mail-status-does-not-take", status=status, event=event))


_S, _E = MailStatus, MailEvent

INITIAL: Final = _S.PENDING

MAIL_LIFECYCLE: Final = Lifecycle(
    frozenset({INITIAL}),
    {
        (_S.PENDING, _E.ACCEPTED): _S.SENT,  # D-33
        (_S.PENDING, _E.STORED): _S.KEPT,  # D-33
        (_S.PENDING, _E.FAILED): _S.PENDING,  # D-33
        (_S.PENDING, _E.REFUSED): _S.REFUSED,  # D-33
        (_S.PENDING, _E.REASON_GONE): _S.WITHDRAWN,  # D-33
        (_S.REFUSED, _E.TRIED_AGAIN): _S.WITHDRAWN,  # D-33
        (_S.SENT, _E.CAME_BACK): _S.BOUNCED,  # D-56
        (_S.KEPT, _E.CAME_BACK): _S.BOUNCED,  # D-56: in a scenario, whose mail is never sent
        (_S.BOUNCED, _E.TRIED_AGAIN): _S.SENT,  # D-56: what was sent stays sent
    },
    MailMoveRefused,
)

NOT_ARRIVED: Final = frozenset({_S.REFUSED, _S.BOUNCED})
"""No mail goes to the address any more."""
