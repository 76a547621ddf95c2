"""Letters to customers: their states as a table (D-52), and the addresses a letter can be sent to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from paymatch.domain.lifecycle import Lifecycle
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message


class LetterKind(StrEnum):
    """Why a letter is written."""

    INFORMATION = "INFORMATION"  # where and how to pay
    REMINDER = "REMINDER"
    INVOICE = "INVOICE"  # the first invoice of an order (D-52)
    REFUND_ACCOUNT = "REFUND_ACCOUNT"  # asks for the bank details of a refund


class LetterStatus(StrEnum):
    """The status of a letter."""

    NEW = "NEW"  # decided on, not written yet
    SPOOLED = "SPOOLED"  # written: waits for the printer or the provider
    PRINTING = "PRINTING"  # in a print run that is not marked as printed yet
    PRINTED = "PRINTED"
    SENT = "SENT"  # the provider has taken it
    POSTED = "POSTED"  # the provider has posted it
    RETURNED = "RETURNED"  # the provider took it, but it was not posted or came back
    KEPT = "KEPT"  # kept here: a sandbox shop, or no provider configured
    REFUSED = "REFUSED"  # cannot be written or sent
    WITHDRAWN = "WITHDRAWN"  # its reason was gone before it was sent
    DISCARDED = "DISCARDED"  # by a person


class LetterEvent(StrEnum):
    """What can happen to a letter."""

    WRITTEN = "written"
    TAKEN = "taken into a print run"
    PUT_BACK = "print run undone"
    PRINTED = "marked as printed"
    ACCEPTED = "provider accepted"
    STORED = "stored instead of sent"
    FAILED = "attempt failed"  # and another one follows
    REFUSED = "refused for good"
    POSTED = "provider posted"
    RETURNED = "provider did not deliver"
    CHANGED = "its facts changed"  # it is written again
    REASON_GONE = "reason gone"  # the order was paid, stopped, cancelled
    DISCARDED = "discarded by a person"
    TRIED_AGAIN = "merchant tries again"


class LetterMoveRefused(Refused):
    """The letter cannot make this move from its present state."""

    def __init__(self, status: LetterStatus, event: LetterEvent) -> None:
        super().__init__(Message("letter-status-does-not-take", status=status, event=event))


_S, _E = LetterStatus, LetterEvent

INITIAL: Final = _S.NEW

LETTER_LIFECYCLE: Final = Lifecycle(
    frozenset({INITIAL}),
    {
        (_S.NEW, _E.WRITTEN): _S.SPOOLED,  # D-52
        (_S.NEW, _E.REFUSED): _S.REFUSED,  # D-52
        (_S.NEW, _E.REASON_GONE): _S.WITHDRAWN,  # D-52
        (_S.NEW, _E.DISCARDED): _S.DISCARDED,  # D-52
        (_S.SPOOLED, _E.TAKEN): _S.PRINTING,  # D-52
        (_S.SPOOLED, _E.ACCEPTED): _S.SENT,  # D-52
        (_S.SPOOLED, _E.STORED): _S.KEPT,  # D-52
        (_S.SPOOLED, _E.FAILED): _S.SPOOLED,  # D-52
        (_S.SPOOLED, _E.CHANGED): _S.NEW,  # D-52
        (_S.SPOOLED, _E.REFUSED): _S.REFUSED,  # D-52
        (_S.SPOOLED, _E.REASON_GONE): _S.WITHDRAWN,  # D-52
        (_S.SPOOLED, _E.DISCARDED): _S.DISCARDED,  # D-52
        (_S.PRINTING, _E.PRINTED): _S.PRINTED,  # D-52
        (_S.PRINTING, _E.PUT_BACK): _S.SPOOLED,  # D-52
        (_S.PRINTING, _E.DISCARDED): _S.DISCARDED,  # D-52
        (_S.SENT, _E.POSTED): _S.POSTED,  # D-52
        (_S.SENT, _E.RETURNED): _S.RETURNED,  # D-52
        (_S.POSTED, _E.RETURNED): _S.RETURNED,  # D-52
        (_S.REFUSED, _E.TRIED_AGAIN): _S.NEW,  # D-52
        (_S.REFUSED, _E.DISCARDED): _S.DISCARDED,  # D-52
    },
    LetterMoveRefused,
)
OUT: Final = frozenset({_S.PRINTED, _S.SENT, _S.POSTED, _S.RETURNED, _S.KEPT})
"""Letters that count as written to the customer."""
WAITING: Final = frozenset({_S.NEW, _S.SPOOLED, _S.PRINTING})
"""Letters that are still to be sent."""


@dataclass(frozen=True, slots=True)
class PostalAddress:
    """A letter's address; `country` is ISO 3166, unknown parts are empty."""

    company: str = ""
    name: str = ""
    street: str = ""
    postcode: str = ""
    city: str = ""
    country: str = ""

    @property
    def problem(self) -> str:
        """Why no letter can be sent there; "" if one can. Some countries have no postcodes."""
        wanted = (("name", self.company or self.name), ("street", self.street), ("city", self.city))
        missing = [word for word, value in wanted if not value.strip()]
        return f"the address has no {' and no '.join(missing)}" if missing else ""

    @property
    def lines(self) -> tuple[str, ...]:
        """The address in the form used within the country, line by line."""
        place = " ".join(part for part in (self.postcode, self.city) if part)
        found = (self.company, self.name, self.street, place)
        return tuple(line for line in (" ".join(each.split()) for each in found) if line)

    @property
    def text(self) -> str:
        """The key for comparing two addresses: the lines and the country; "" if no letter can be sent there."""
        return "" if self.problem else "\n".join((*self.lines, self.country))
