"""The door to the bank for statements: FinTS through the library `fints`, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from paymatch.domain.words.message import Message
from paymatch.outbound.fints.access import BankRefused
from paymatch.outbound.fints.session import FintsSession


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A statement file as the bank gave it. Pending: what it announces is not booked and may never be."""

    name: str
    content: bytes
    pending: bool = False


class BankChannel(Protocol):
    """Fetches the statements of an account.

    After a fetch `system_id` is the bank's id of this installation, needed again next time. `tan_mechanism` and
    `tan_medium` are the TAN method, and `tan_given` says whether the user has just entered one.
    """

    system_id: str
    tan_mechanism: str
    tan_medium: str
    tan_given: bool

    def fetch(self, account: str, since: date) -> list[FetchedFile]:
        """The bank's data on the account since that day, oldest first; BankRefused if it refuses."""
        ...


class NullBankChannel:
    """A bank that never has anything."""

    system_id = ""
    tan_mechanism = ""
    tan_medium = ""
    tan_given = False

    def fetch(self, account: str, since: date) -> list[FetchedFile]:
        """Nothing."""
        return []


class FintsChannel(FintsSession):
    """FinTS 3.0 with PIN and TAN: camt where the bank has it (HKCAZ), otherwise MT940 (HKKAZ)."""

    def fetch(self, account: str, since: date) -> list[FetchedFile]:
        """The booked and the pending files since that day; BankRefused if the bank refuses or is not reached."""
        with self.open_dialogue() as client:
            found = self.account(client, account)
            if client.bpd.find_segment_first("HICAZS") is not None:
                booked, pending = self.answer_tans(client, client.get_transactions_xml(found, since))
                return _files(account, since, "xml", booked, pending)
            if client.bpd.find_segment_first("HIKAZS") is None:
                raise BankRefused(Message("bank-hands-out-neither-camt"))
            booked, pending = self.answer_tans(client, _fetch_mt940(client, found, since))
            return _files(account, since, "sta", booked, pending)


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
