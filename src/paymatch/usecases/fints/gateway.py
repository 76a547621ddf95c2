"""The gateway to FinTS banks, and its missing settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from paymatch.domain.words.message import Message
from paymatch.outbound.bank_channel import FintsChannel
from paymatch.outbound.fints.access import BankRefused, FintsAccess, FintsPerson
from paymatch.outbound.http import HttpDoor
from paymatch.store.statements.bank_connections import ConnectionRow


def access_of(row: ConnectionRow) -> FintsAccess:
    """How the connection's user reaches the bank."""
    return FintsAccess(row.bank_code, row.server_url, row.user, row.system_id, row.tan_mechanism, row.tan_medium)


@dataclass(frozen=True, slots=True)
class FintsGateway:
    """The gateway; without `http` no bank is reached."""

    http: HttpDoor | None = None
    product_id: str = ""
    finds_library: Callable[[], bool] = lambda: find_spec("fints") is not None

    def problem(self) -> Message | None:
        """What the operator must do before FinTS works; None if nothing is missing."""
        if not self.finds_library():
            return Message("fints-no-extra")
        if not self.product_id:
            return Message("fints-no-product")
        return Message("banks-no-way") if self.http is None else None

    def channel(self, row: ConnectionRow, person: FintsPerson) -> FintsChannel:
        """A dialogue that begins on first use. BankRefused if something is missing."""
        problem = self.problem()
        if problem is not None or self.http is None:
            raise BankRefused(problem or Message("banks-no-way"))
        return FintsChannel(access_of(row), person, self.product_id, self.http)
