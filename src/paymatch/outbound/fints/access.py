"""How a FinTS bank is reached, and who answers what it asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import urlsplit

from paymatch.domain.bank_feeds.fints import BankQuestion, BankQuestionKind
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.outbound.http import HttpLimits
from paymatch.settings import is_loopback

LIMITS: Final = HttpLimits(
    connect_seconds=10.0, total_seconds=60.0, answer_bytes=24 * 1024 * 1024, wire_bytes=26 * 1024 * 1024
)
"""Statements of 90 days in base64; some banks think for half a minute."""


class BankRefused(Refused):
    """The bank, or the way to it, did not give what was asked for; the text never holds the PIN."""


class FintsOrderRefused(BankRefused):
    """The bank has answered an order, and surely does not execute it."""


@dataclass(frozen=True, slots=True)
class FintsAccess:
    """How a user reaches the bank. Empty texts: the library's choice, or not known yet (`system_id`)."""

    bank_code: str
    server_url: str
    user: str
    system_id: str = ""
    tan_mechanism: str = ""
    tan_medium: str = ""


class FintsPerson(Protocol):
    """Answers what the bank asks while it waits. Each answer may refuse (BankRefused)."""

    def pin(self) -> str:
        """The PIN, asked for once per dialogue with the bank."""
        ...

    def tan(self, question: BankQuestion, wait_seconds: int) -> str:
        """The TAN. For approval in an app the answer is not looked at, and the bank is asked again after it.

        `wait_seconds`: after so long the bank may be asked without an answer; 0: only once the person says so.
        """
        ...

    def choose(self, kind: BankQuestionKind, options: Mapping[str, str]) -> str:
        """One of several ways to get TANs; "" leaves it to the library."""
        ...


def check_server_url(url: str) -> None:
    """BankRefused unless it is https, or http to this machine: the PIN goes over it."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))):
        raise BankRefused(Message("bank-fints-server-must-https", url=repr(url)))
