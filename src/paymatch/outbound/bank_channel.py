"""The door to the bank that hands out statements: FinTS through the library `fints`, or nothing.

The PIN is taken per fetch and never stored. The TAN is asked for while the bank waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.settings import is_loopback

AskTan = Callable[[str, bool], str]
"""Answers a challenge of the bank. True: it is confirmed in the bank's app, and the answer is not looked at."""

_TIMEOUT_SECONDS: Final = 60
_TAN_ASKED_AT_MOST: Final = 20


class BankRefused(Refused):
    """The bank, or the way to it, did not give what was asked for; the text never holds the PIN."""


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A statement file as the bank gave it. Pending: what it announces is not booked and may never be."""

    name: str
    content: bytes
    pending: bool = False


@dataclass(frozen=True, slots=True)
class FintsAccess:
    """How a user reaches the bank. Empty texts: the library's choice, or not known yet (`system_id`)."""

    bank_code: str
    server_url: str
    user: str
    system_id: str = ""
    tan_mechanism: str = ""
    tan_medium: str = ""


class BankChannel(Protocol):
    """Hands out the statements of an account.

    After a fetch `system_id` is what the bank knows this installation by and wants to see again, and `tan_given` says
    whether the user has just identified themselves with a TAN.
    """

    system_id: str
    tan_given: bool

    def fetch(self, account: str, since: date) -> list[FetchedFile]:
        """What the bank has of the account since that day, oldest first; BankRefused if it does not say."""
        ...


class NullBankChannel:
    """A bank that never has anything."""

    system_id = ""
    tan_given = False

    def fetch(self, account: str, since: date) -> list[FetchedFile]:
        """Nothing."""
        return []


def check_server_url(url: str) -> None:
    """BankRefused unless it is https, or http to this machine: the PIN goes over it."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))):
        raise BankRefused(Message("bank-fints-server-must-https", url=repr(url)))


class FintsChannel:
    """FinTS 3.0 with PIN and TAN: camt where the bank has it (HKCAZ), otherwise MT940 (HKKAZ).

    `ask_pin` is asked once per fetch. BankRefused if there is no product id or the URL is not safe.
    """

    def __init__(self, access: FintsAccess, ask_pin: Callable[[], str], product_id: str, ask_tan: AskTan) -> None:
        if not product_id:
            raise BankRefused(Message("bank-name-registered-fints-product"))
        check_server_url(access.server_url)
        self._access = access
        self._ask_pin = ask_pin
        self._product_id = product_id
        self._ask_tan = ask_tan
        self._refusals: list[str] = []
        self.system_id = access.system_id
        self.tan_given = False

    def fetch(self, account: str, since: date) -> list[FetchedFile]:
        """The booked and the pending files since that day; BankRefused if the bank refuses or is not reached."""
        client = self._client()
        from fints.exceptions import FinTSClientPINError, FinTSError  # noqa: PLC0415

        try:
            return self._fetch(client, account, since)
        except FinTSClientPINError:
            raise BankRefused(Message("bank-refuses-pin-was-not")) from None
        except (FinTSError, ValueError) as error:
            raise BankRefused(self._reason(str(error))) from error
        except Exception as error:
            # The library raises bare exceptions, with the whole answer as text, where an order with TAN is refused.
            if type(error) is not Exception:
                raise
            raise BankRefused(self._reason(Message("bank-order-refused"))) from None

    def _client(self) -> Any:
        try:
            from fints.client import FinTS3PinTanClient  # noqa: PLC0415
        except ImportError:
            raise BankRefused(Message("bank-fints-needs-extra-pip")) from None
        access = self._access
        client = FinTS3PinTanClient(
            access.bank_code,
            access.user,
            self._ask_pin(),
            access.server_url,
            tan_medium=access.tan_medium or None,
            system_id=self.system_id or None,
            product_id=self._product_id,
        )
        # The library waits for ever, and would carry the PIN along wherever it is redirected to.
        session = client.connection.session
        session.request = partial(session.request, timeout=_TIMEOUT_SECONDS, allow_redirects=False)
        client.add_response_callback(self._note_refusal)
        return client

    def _note_refusal(self, _segment: Any, response: Any) -> None:
        # The library takes a refused order for one without results.
        if response.code.startswith("9"):
            self._refusals.append(f"{response.code} {response.text}")

    def _reason(self, otherwise: str | Message) -> Message:
        return Message("bank-answered-otherwise", why="; ".join(self._refusals) or otherwise)

    def _fetch(self, client: Any, account: str, since: date) -> list[FetchedFile]:
        client.fetch_tan_mechanisms()
        self.system_id = client.system_id
        self._choose_tan_mechanism(client)
        with client:
            self._answer_tans(client, client.init_tan_response)
            known = self._answer_tans(client, client.get_sepa_accounts())
            found = next((each for each in known if each.iban == account), None)
            if found is None:
                raise BankRefused(Message("bank-shows-user-no-account", account=account))
            if client.bpd.find_segment_first("HICAZS") is not None:
                booked, pending = self._answer_tans(client, client.get_transactions_xml(found, since))
                return _files(account, since, "xml", booked, pending)
            if client.bpd.find_segment_first("HIKAZS") is None:
                raise BankRefused(Message("bank-hands-out-neither-camt"))
            booked, pending = self._answer_tans(client, _fetch_mt940(client, found, since))
            return _files(account, since, "sta", booked, pending)

    def _choose_tan_mechanism(self, client: Any) -> None:
        wanted = self._access.tan_mechanism
        if not wanted:
            return
        offered = {number: each.name for number, each in client.get_tan_mechanisms().items()}
        if wanted not in offered:
            names = ", ".join(f"{number} ({name})" for number, name in offered.items()) or "none"
            raise BankRefused(Message("bank-offers-no-tan-mechanism", wanted=repr(wanted), names=names))
        client.set_tan_mechanism(wanted)

    def _answer_tans(self, client: Any, result: Any) -> Any:
        """The result, once the TANs that the bank wants before it are given; BankRefused if it refused."""
        from fints.client import NeedTANResponse  # noqa: PLC0415

        for _ in range(_TAN_ASKED_AT_MOST):
            if self._refusals:
                raise BankRefused(self._reason(""))
            if not isinstance(result, NeedTANResponse):
                return result
            if result.challenge_matrix:
                raise BankRefused(Message("bank-shows-image-tan-choose"))
            tan = self._ask_tan(str(result.challenge or ""), bool(result.decoupled))
            result = client.send_tan(result, "" if result.decoupled else tan)
            self.tan_given = not isinstance(result, NeedTANResponse) and not self._refusals
        raise BankRefused(Message("bank-still-waits-confirmation"))


def _fetch_mt940(client: Any, account: Any, since: date) -> Any:
    """(booked, pending) as the bank wrote them, or the library's request for a TAN.

    The library's own function gives parsed transactions only, so this asks one floor below.
    """
    from fints.segments.statement import HKKAZ5, HKKAZ6, HKKAZ7  # noqa: PLC0415

    command = client._find_highest_supported_command(HKKAZ5, HKKAZ6, HKKAZ7)
    account_type = command._fields["account"].type

    def order(touchdown: str | None) -> Any:
        return command(
            account=account_type.from_sepa_account(account),
            all_accounts=False,
            date_start=since,
            touchdown_point=touchdown,
        )

    def join_parts(parts: list[Any]) -> tuple[list[bytes], list[bytes]]:
        # Banks cut the text anywhere, also in the middle of a line.
        booked = b"".join(part.statement_booked or b"" for part in parts)
        return [booked], [b"".join(part.statement_pending or b"" for part in parts)]

    with client._get_dialog() as dialog:
        return client._fetch_with_touchdowns(dialog, order, join_parts, "HIKAZ")


def _files(account: str, since: date, ending: str, booked: list[Any], pending: list[Any]) -> list[FetchedFile]:
    found = [(content, False) for content in booked if content] + [(content, True) for content in pending if content]
    return [
        FetchedFile(f"fints-{account}-{since}-{place}{'-pending' * waits}.{ending}", bytes(content), pending=waits)
        for place, (content, waits) in enumerate(found, 1)
    ]
