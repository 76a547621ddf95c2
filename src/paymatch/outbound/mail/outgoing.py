"""An outgoing mail, its door, and the door's failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from paymatch.domain.refusal import Refused

TIMEOUT_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class OutgoingMail:
    """A message to send; addresses are plain and in ASCII."""

    shop: str
    id: str
    sender: str
    recipient: str
    content: bytes


class MailNotSent(Exception):
    """The mail was not sent. `permanent`: this mail never will, trying again is of no use."""

    def __init__(self, text: str, *, permanent: bool) -> None:
        super().__init__(text)
        self.permanent = permanent


class MailDoor(Protocol):
    """The way out. A mail is out once `send` returns; MailNotSent otherwise."""

    @property
    def delivers(self) -> bool:
        """Whether mail reaches its recipients; False where it is only kept."""

    def send(self, mail: OutgoingMail) -> str:
        """Sends a mail: returns the id under which a provider reports its status, "" without one; MailNotSent."""

    def close(self) -> None:
        """Lets go of connections."""


class MailUrlRefused(Refused):
    """PAYMATCH_EMAIL_URL cannot be used; the text says why and never shows the password."""


@dataclass(frozen=True, slots=True)
class MailRoute:
    """Which way a mail went: `server` as host:port, or the folder; `encryption` "" where there was none."""

    server: str
    encryption: str = ""


class RoutedDoor(MailDoor, Protocol):
    """A way out that knows where it leads."""

    @property
    def route(self) -> MailRoute:
        """Which way the last mail went."""
