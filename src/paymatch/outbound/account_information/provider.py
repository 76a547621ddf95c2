"""The interface of account information providers, and their failures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Protocol

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.formats.account_information import ReportedBalance, ReportedTransaction


class AccountInformationFailed(Refused):
    """The base: a failed request to the provider. It implies nothing about the consent, and is retried."""


class ProviderAccessRefused(AccountInformationFailed):
    """The provider does not accept the application's key."""


class ConsentGone(AccountInformationFailed):
    """The consent has ended, was revoked, or the bank requires new authentication."""


class AccountGone(AccountInformationFailed):
    """The consent is valid, but this account can no longer be read with it."""


class ConsentNotGiven(AccountInformationFailed):
    """The person came back from the bank's page without a consent, or with a code that is used or too old."""


class PeriodRefused(AccountInformationFailed):
    """The bank does not look back so far."""


class ReadLimitReached(AccountInformationFailed):
    """The bank accepts no more requests at present; `wait`: for how long, None if it does not say."""

    def __init__(self, message: Message, wait: timedelta | None) -> None:
        super().__init__(message)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class ProviderKey:
    """How a shop signs in at a provider: the id of its application there, and the private key as PEM."""

    application_id: str
    private_key: str


@dataclass(frozen=True, slots=True)
class ProviderBank:
    """A bank that the provider reaches. `longest`: how long its consents may be."""

    name: str
    country: str
    for_companies: bool
    for_people: bool
    longest: timedelta


@dataclass(frozen=True, slots=True)
class ConsentWish:
    """What a consent is asked for. The bank sends the person back to `return_url` with `state`."""

    bank: str
    country: str
    for_company: bool
    valid_until: datetime
    return_url: str
    state: str
    language: str


@dataclass(frozen=True, slots=True)
class OfferedAccount:
    """An account that the consent covers; `handle` is the provider's id of it, valid with this consent only."""

    number: str
    currency: str
    owner_name: str
    handle: str


@dataclass(frozen=True, slots=True)
class GivenConsent:
    """A consent as the bank gave it. `session` names it at the provider."""

    session: str
    valid_until: datetime
    accounts: tuple[OfferedAccount, ...]


@dataclass(frozen=True, slots=True)
class TransactionPage:
    """Booked transactions, and the key of the next page; "" after the last one. `length`: of the answer."""

    transactions: tuple[ReportedTransaction, ...]
    following: str
    length: int = 0


class AccountInformationProvider(Protocol):
    """A provider, for one shop. Every method raises AccountInformationFailed, or the kind of it that fits."""

    def banks(self, country: str) -> list[ProviderBank]:
        """The banks of a country whose accounts it reads."""
        ...

    def begin(self, wish: ConsentWish) -> str:
        """The address of the page on which the person gives the consent."""
        ...

    def finish(self, code: str) -> GivenConsent:
        """The consent for this code of the person's return. ConsentNotGiven."""
        ...

    def check(self, session: str) -> None:
        """Reads no account. ConsentGone if the consent is not in force any more."""
        ...

    def balances(self, handle: str) -> list[ReportedBalance]:
        """The account's balances."""
        ...

    def transactions(self, handle: str, since: date, following: str) -> TransactionPage:
        """A page of what is booked since that day; `following` "" for the first one."""
        ...

    def end(self, session: str) -> None:
        """Ends the consent at the bank, as far as the provider can."""
        ...
