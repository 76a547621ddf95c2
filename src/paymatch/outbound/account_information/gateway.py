"""The way out to providers of account information: which there are, and who makes one for a shop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from paymatch.domain.words.message import Message
from paymatch.outbound.account_information import enable_banking
from paymatch.outbound.account_information.enable_banking import EnableBanking
from paymatch.outbound.account_information.provider import (
    AccountInformationFailed,
    AccountInformationProvider,
    ProviderKey,
)
from paymatch.outbound.http import HttpDoor

MAKERS: Final[Mapping[str, tuple[str, Callable[..., AccountInformationProvider]]]] = {
    enable_banking.NAME: (enable_banking.URL, EnableBanking),
}
"""Provider -> its address and what makes it. Another provider is a line here, and its module."""


@dataclass(frozen=True, slots=True)
class AccountInformationGateway:
    """The way out; without it no provider is reached. `addresses` take the place of a provider's own."""

    http: HttpDoor | None = None
    addresses: Mapping[str, str] = field(default_factory=dict)

    def provider(self, name: str, key: ProviderKey, clock: Callable[[], datetime]) -> AccountInformationProvider:
        """The provider for a shop. AccountInformationFailed without a way out, or if the key cannot be used."""
        if self.http is None or name not in MAKERS:
            raise AccountInformationFailed(Message("consent-no-way"))
        usual, make = MAKERS[name]
        return make(self.http, key, clock, self.addresses.get(name) or usual)


NO_ACCOUNT_INFORMATION: Final = AccountInformationGateway()
