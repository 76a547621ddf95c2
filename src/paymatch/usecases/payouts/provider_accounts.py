"""The shop's accounts at payment services and marketplaces: which of them a settlement file is of (D-83)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from paymatch.domain.money import CURRENCIES
from paymatch.domain.payouts.providers import PROVIDERS, account_at, is_at_provider, provider_of
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.domain.words.message import Message
from paymatch.formats.settlements.layouts import Layout
from paymatch.formats.settlements.learnt import layout_from_json
from paymatch.formats.statement import FileRefused
from paymatch.store.database import Database
from paymatch.store.payouts import provider_accounts as store
from paymatch.store.payouts.provider_accounts import ProviderAccountRow
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.audit import record

MAX_NAME: Final = 60


def add(database: Database, shop: Shop, provider: str, name: str, currency: str, clock: datetime) -> dict[str, Any]:
    """Registers an account at a provider. SettingRefused if the provider or the currency is unknown."""
    code = provider.strip().casefold()
    if code not in PROVIDERS:
        raise SettingRefused(
            Message("setting-unknown-provider-known", provider=repr(provider), providers=", ".join(sorted(PROVIDERS)))
        )
    if currency and currency not in CURRENCIES:
        raise SettingRefused(Message("setting-unknown-currency", currency=repr(currency)))
    if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
        raise SettingRefused(Message("setting-account-needs-name", most=MAX_NAME))
    account = account_at(code, name)
    row = ProviderAccountRow(account, currency or shop.currency, code, name.strip(), confirmed=True)
    with database.of_shop(shop, at=clock) as tx:
        store.add(tx, row, shop.now(clock))
        record(tx, shop, AuditAction.ACCOUNT_ADDED, account, after={"currency": row.currency, "provider": code})
    return {"account": account, "currency": row.currency, "provider": code, "confirmed": True}


class SettlementAccounts:
    """The accounts at providers during one import; `named` is the account that the person named."""

    def __init__(self, tx: ShopTx, shop: Shop, now: datetime, named: str, *, locked: bool) -> None:
        self._tx, self._shop, self._now = tx, ShopId(shop.id), now
        self._named, self._locked = named, locked
        self._rows = store.all_of(tx)
        self.added: list[str] = []

    def layouts(self) -> list[Layout]:
        """Layouts that a person has mapped; with a named account, only its own."""
        named = {row.account for row in self._rows} & {self._named}
        rows = [row for row in self._rows if row.layout and (not named or row.account in named)]
        return [layout_from_json(text) for text in dict.fromkeys(row.layout for row in rows)]

    def account_of(self, layout: Layout, currency: str) -> str:
        """The account that a file of this layout is of; it is made, for a person to confirm, if there is none.

        FileRefused if the shop has several accounts at the provider and none is named, if one at another provider is,
        or if its list is locked.
        """
        if is_at_provider(self._named) and self._named.partition(":")[0] != layout.provider:
            raise FileRefused(Message("settlement-of-another", provider=_name(layout), account=self._named))
        own = [row for row in self._rows if row.provider == layout.provider]
        accounts = {row.account for row in own if row.confirmed} or {row.account for row in own}
        if self._named in {row.account for row in own}:
            account = self._named
        elif len(accounts) > 1:
            raise FileRefused(
                Message("settlement-which-account", provider=_name(layout), accounts=", ".join(sorted(accounts)))
            )
        else:
            account = accounts.pop() if accounts else account_at(layout.provider, _name(layout))
        if not any(row.account == account and row.currency == currency for row in own):
            self._add(account, currency, layout, is_known=any(row.account == account and row.confirmed for row in own))
        return account

    def _add(self, account: str, currency: str, layout: Layout, *, is_known: bool) -> None:
        if self._locked and not is_known:
            raise FileRefused(Message("file-account-locked", account=f"{account} {currency}"))
        row = ProviderAccountRow(account, currency, layout.provider, _name(layout), confirmed=is_known)
        store.add(self._tx, row, self._now)
        self._rows.append(row)
        if not is_known and account not in self.added:
            self.added.append(account)


def _name(layout: Layout) -> str:
    return layout.provider_name or provider_of(layout.provider).name
