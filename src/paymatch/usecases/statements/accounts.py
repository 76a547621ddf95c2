"""The shop's bank accounts: the account of a file, and unknown accounts (D-24)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, BinaryIO

from paymatch.domain.bank_accounts import (
    is_national_account,
    is_number_of,
    is_qr_iban,
    masked_account,
    same_account,
)
from paymatch.domain.money import CURRENCIES
from paymatch.domain.payouts.providers import is_at_provider, provider_of
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.domain.words.message import Message
from paymatch.formats.read import TABLE, recognise
from paymatch.formats.statement import FileRefused, StatementHead
from paymatch.formats.tables.profiles import CsvField, CsvProfile
from paymatch.formats.tables.reader import fits
from paymatch.store.database import Database
from paymatch.store.payouts import payouts
from paymatch.store.shops import own_accounts
from paymatch.store.shops import shops as store
from paymatch.store.shops.own_accounts import AccountTable
from paymatch.store.statements import bank_connections
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.shops import cooling_off
from paymatch.usecases.shops.shops import account_of


class ImportAccounts:
    """The accounts during one import. `named` is the account that the person named, or the bank was asked for.

    `locked` refuses unknown accounts, `asked` any other than the named one.
    """

    def __init__(self, tx: ShopTx, shop: Shop, now: datetime, named: str, *, locked: bool, asked: bool = False) -> None:
        self._tx = tx
        self._shop = ShopId(shop.id)
        self._shop_currency = shop.currency
        self._now = now
        self._locked = locked
        self._asked = asked
        self._rows = store.accounts(tx)
        self._named = self._known_account(named) or named.replace(" ", "")
        self.added: list[str] = []
        self.assumed = ""  # the shop's only confirmed account, if a file named none

    @property
    def default_currency(self) -> str:
        """For files that name none: that of the intended account, else the shop's."""
        named = [row.currency for row in self._rows if row.account == self._named]
        own = named or [row.currency for row in self._rows]
        return own[0] if len(set(own)) == 1 else self._shop_currency

    def account_of(self, head: StatementHead) -> str:
        """The account in the shop's spelling; if the file names none, the given one or the only confirmed one.

        FileRefused if the bank was asked for another account.
        """
        if head.account:
            national = f"{head.bank_code}/{head.account}" if head.bank_code else ""
            said = self._as_registered(head.account) or self._known_account(national or head.account)
            found = said or head.account
            if self._asked and found != self._named:
                if same_account(self._named, found) or is_number_of(national or found, self._named):
                    return self._named
                raise FileRefused(Message("file-other-account", account=found, asked=self._named))
            return found
        if self._named:
            return self._named
        currency = head.currency or self.default_currency
        own = [row for row in self._rows if row.confirmed]
        for several in (own, [row for row in own if row.currency == currency]):
            only = {row.account for row in several}
            if len(only) == 1:
                self.assumed = only.pop()
                return self.assumed
        return ""

    def is_own(self, account: str) -> bool:
        """Whether a person has confirmed the account as the shop's."""
        return any(row.confirmed and row.account == account for row in self._rows)

    def _as_registered(self, account: str) -> str:
        """The account of the shop that is written so; "" if there is none."""
        exact = [row.account for row in self._rows if row.account == account]
        return next(iter(exact or [row.account for row in self._rows if same_account(row.account, account)]), "")

    def _known_account(self, account: str) -> str:
        """The account of the shop that is written so, or the only one that has this national number; else ""."""
        numbered = {row.account for row in self._rows if is_number_of(account, row.account)}
        return self._as_registered(account) or (numbered.pop() if len(numbered) == 1 else "")

    def register(self, head: StatementHead) -> None:
        """Adds an account that the shop does not know, for a person to confirm; FileRefused if the list is locked."""
        if any(row.account == head.account and row.currency == head.currency for row in self._rows):
            return
        if self._locked:
            raise FileRefused(Message("file-account-locked", account=f"{head.account} {head.currency}"))
        self.added.append(head.account)
        row = store.AccountRow(head.account, head.currency, head.servicer_bic, "", head.owner_name, confirmed=False)
        store.add_account(self._tx, row, self._now)
        self._rows.append(row)

    def profile_for(self, stream: BinaryIO) -> CsvProfile | None:
        """The layout that a person confirmed for this table; None for other formats and without a confirmed layout.

        A layout is confirmed for an account: if the person names one, layouts of others do not count.
        """
        if recognise(stream) is not TABLE:
            return None
        kept = [
            (account, CsvProfile.from_json(text))
            for account, _, text in store.csv_profiles(self._tx)
            if not self._named or account == self._named
        ]
        fitting = [(account, profile) for account, profile in kept if fits(stream, profile)]
        says_account = any(profile.columns_of(CsvField.ACCOUNT) for _, profile in fitting)
        if len({account for account, _ in fitting}) > 1 and not says_account:
            return None  # a person must choose one of these accounts
        return fitting[0][1] if fitting else None


def list_accounts(database: Database, shop: Shop) -> list[dict[str, Any]]:
    """The shop's accounts, confirmed ones first; those at payment services and marketplaces last."""
    with database.of_shop(shop) as tx:
        rows = store.accounts(tx)
        profiles = store.csv_profiles(tx)
        at_providers = payouts.provider_accounts(tx)
    mapped = {(account, currency) for account, currency, _ in profiles}
    return [
        {
            "account": row.account, "currency": row.currency, "bic": row.bic, "bankName": row.bank_name,
            "holder": row.holder, "confirmed": row.confirmed, "csvMapping": (row.account, row.currency) in mapped,
            "provider": "",
        }
        for row in rows
    ] + [
        {
            "account": row.account, "currency": row.currency, "bic": "",
            "bankName": provider_of(row.provider, row.name).name,
            "holder": row.name, "confirmed": row.confirmed, "csvMapping": bool(row.layout), "provider": row.provider,
        }
        for row in at_providers
    ]  # fmt: skip


def add(database: Database, shop: Shop, iban: str, currency: str, clock: datetime) -> dict[str, Any]:
    """Registers an account of the shop: an IBAN, or the account number in a country without IBANs.

    SettingRefused if its check digits or the currency are wrong.
    """
    if currency and currency not in CURRENCIES:
        raise SettingRefused(Message("setting-unknown-currency", currency=repr(currency)))
    if is_national_account(iban):
        number = "".join(iban.split()).upper()
        row = store.AccountRow(number, currency or shop.currency, "", "", shop.holder, confirmed=True)
    else:
        row = account_of(iban, currency or shop.currency, shop.holder)
    with database.of_shop(shop, at=clock) as tx:
        store.add_account(tx, row, clock)
        cooling_off.account_added(tx, row.account)
        record(tx, shop, AuditAction.ACCOUNT_ADDED, masked_account(row.account), after={"currency": row.currency})
    return {"account": row.account, "currency": row.currency, "confirmed": True}


def confirm(database: Database, shop: Shop, account: str) -> dict[str, Any]:
    """Confirms an account from a statement as the shop's own. SettingRefused if it is unknown."""
    if is_at_provider(account):
        return _confirm_at_provider(database, shop, account)
    wanted = account.replace(" ", "")
    if is_qr_iban(wanted):
        raise SettingRefused(Message("setting-qr-iban-register-account", iban=repr(wanted)))
    with database.of_shop(shop) as tx:
        if not own_accounts.confirm(tx, AccountTable.AT_BANKS, wanted):
            raise SettingRefused(Message("account-unknown", account=repr(wanted)))
        cooling_off.account_added(tx, wanted)
        record(tx, shop, AuditAction.ACCOUNT_CONFIRMED, masked_account(wanted))
    return {"account": wanted, "confirmed": True}


def remove(database: Database, shop: Shop, account: str) -> dict[str, Any]:
    """Removes an account from the shop's list; its statements and postings stay.

    SettingRefused if the shop has no such account, or a connection to a bank still fetches its statements.
    """
    if is_at_provider(account):
        return _remove_at_provider(database, shop, account)
    wanted = account.replace(" ", "")
    with database.of_shop(shop) as tx:
        if any(row.account == wanted for row in bank_connections.connections(tx)):
            raise SettingRefused(Message("account-fetched", account=repr(wanted)))
        if not own_accounts.remove(tx, AccountTable.AT_BANKS, wanted):
            raise SettingRefused(Message("account-unknown", account=repr(wanted)))
        record(tx, shop, AuditAction.ACCOUNT_REMOVED, masked_account(wanted))
    return {"account": wanted, "removed": True}


def _confirm_at_provider(database: Database, shop: Shop, account: str) -> dict[str, Any]:
    with database.of_shop(shop) as tx:
        if not own_accounts.confirm(tx, AccountTable.AT_PROVIDERS, account):
            raise SettingRefused(Message("account-unknown", account=repr(account)))
        record(tx, shop, AuditAction.ACCOUNT_CONFIRMED, account)
    return {"account": account, "confirmed": True}


def _remove_at_provider(database: Database, shop: Shop, account: str) -> dict[str, Any]:
    with database.of_shop(shop) as tx:
        if not own_accounts.remove(tx, AccountTable.AT_PROVIDERS, account):
            raise SettingRefused(Message("account-unknown", account=repr(account)))
        record(tx, shop, AuditAction.ACCOUNT_REMOVED, account)
    return {"account": account, "removed": True}


def unconfirmed_alerts(tx: ShopTx) -> Iterator[Alert]:
    """An alert per unconfirmed account that came with a statement (D-24)."""
    for row in store.accounts(tx):
        if not row.confirmed:
            said = Message("alert-account-unconfirmed", account=row.account, currency=row.currency)
            yield Alert(AlertKind.ACCOUNT_UNCONFIRMED, f"{row.account} {row.currency}", said)
    for at_provider in payouts.provider_accounts(tx):
        if not at_provider.confirmed:
            said = Message(
                "alert-provider-unconfirmed", name=at_provider.name, currency=at_provider.currency,
                provider=provider_of(at_provider.provider, at_provider.name).name,
            )  # fmt: skip
            yield Alert(AlertKind.ACCOUNT_UNCONFIRMED, f"{at_provider.account} {at_provider.currency}", said)
