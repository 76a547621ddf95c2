"""The shop's accounts at payment services and marketplaces, and their settlement files (D-83).

A file is kept row by row, and the books of its account are recomputed from all rows (D-40).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final, Protocol

from paymatch.domain.bank_accounts import is_iban
from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.money import CURRENCIES, Currency, minor_to_decimal
from paymatch.domain.payouts.movements import Movement, MovementContradiction, MovementKind, StatedPayout
from paymatch.domain.payouts.providers import PROVIDERS, account_at, is_at_provider, provider_of
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.domain.words.message import Message
from paymatch.formats.settlements.layouts import Layout
from paymatch.formats.settlements.learnt import layout_from_json
from paymatch.formats.settlements.reader import SettlementReading
from paymatch.formats.statement import FileRefused
from paymatch.store.database import Database
from paymatch.store.ids import Ids
from paymatch.store.payouts import payouts as store
from paymatch.store.payouts import settlement_lines as lines
from paymatch.store.payouts.payouts import ProviderAccountRow
from paymatch.store.shops import shops as shop_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.statements.statements import StatementRow
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.payouts.account_books import name_transactions, recompute, touched_by

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
        store.add_provider_account(tx, row, shop.now(clock))
        record(tx, shop, AuditAction.ACCOUNT_ADDED, account, after={"currency": row.currency, "provider": code})
    return {"account": account, "currency": row.currency, "provider": code, "confirmed": True}


class SettlementAccounts:
    """The accounts at providers during one import; `named` is the account that the person named."""

    def __init__(self, tx: ShopTx, shop: Shop, now: datetime, named: str, *, locked: bool) -> None:
        self._tx, self._shop, self._now = tx, ShopId(shop.id), now
        self._named, self._locked = named, locked
        self._rows = store.provider_accounts(tx)
        self.added: list[str] = []

    def layouts(self) -> list[Layout]:
        """Layouts that a person has mapped; with a named account, only its own."""
        named = {row.account for row in self._rows} & {self._named}
        rows = [row for row in self._rows if row.layout and (not named or row.account in named)]
        return [layout_from_json(text) for text in dict.fromkeys(row.layout for row in rows)]

    def account_of(self, layout: Layout, currency: str) -> str:
        """The account of a file with this layout; created, for a person to confirm, if there is none.

        FileRefused if the shop has several accounts at the provider and none is named, if one at another provider is
        named, or if the list of accounts is locked.
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
        store.add_provider_account(self._tx, row, self._now)
        self._rows.append(row)
        if not is_known and account not in self.added:
            self.added.append(account)


def _name(layout: Layout) -> str:
    return layout.provider_name or provider_of(layout.provider).name


FORMAT: Final = "settlement"
_LOT: Final = 2000
_MOST_AHEAD: Final = timedelta(days=366)
"""No service announces a payout earlier than this; a later day is a mistake."""


class SettlementReport(Protocol):
    """An import's report on a settlement file."""

    import_id: str
    dry_run: bool
    format: str
    version: str
    statements: int
    entries: int
    details: int
    credit: Decimal
    debit: Decimal
    currencies: list[str]
    new: int
    known: int
    new_accounts: list[str]
    notes: list[Message]

    def include(self, account: str, *days: date | None) -> None:
        """Adds an account and days of the file."""


class SettlementImport:
    """A settlement file during its import into the books of an account at its provider."""

    def __init__(
        self, tx: ShopTx, shop: Shop, report: SettlementReport, now: datetime, accounts: SettlementAccounts
    ) -> None:
        self._tx, self._shop, self._shop_id = tx, shop, ShopId(shop.id)
        self._report, self._now, self._accounts = report, now, accounts
        self._ids = Ids(now)
        self._statements: dict[str, tuple[str, str]] = {}  # currency -> account, statement
        self._waiting: dict[str, list[tuple[str, Movement]]] = {}
        self._place = 0
        self._own_names = _own_names(tx)
        self._last_day = shop.today(now) + _MOST_AHEAD

    def run(self, reading: SettlementReading, tell: Callable[[str, int], None]) -> None:
        """Reads and books a file, one after another; FileRefused rolls the caller's transaction back."""
        try:
            self._read_and_book(reading, tell)
        except MovementContradiction as error:
            raise self._refusal_of(error) from None

    def _refusal_of(self, error: MovementContradiction) -> FileRefused:
        """The refusal that names both rows of a transaction with two amounts."""
        rows = lines.rows_of_transaction(self._tx, error.transaction)
        own = [each.row for each in rows if each.import_id == self._report.import_id]
        others = [each.file_name for each in rows if each.import_id != self._report.import_id]
        row, transaction = own[-1] if own else 0, error.transaction
        if others:
            code = "settlement-amounts-of-file"
            return FileRefused(Message(code, row=row, transaction=transaction, file=others[0]))
        return FileRefused(Message("settlement-amounts-of-row", row=row, transaction=transaction, other=own[0]))

    def _read_and_book(self, reading: SettlementReading, tell: Callable[[str, int], None]) -> None:
        self._statements = {}
        report, before = self._report, (self._report.entries, self._report.new)
        said: list[StatedPayout] = []
        for event in reading.events():
            account = self._account(reading, event.currency)
            if isinstance(event, StatedPayout):
                said.append(event)
                continue
            self._take(account, self._of_shop(event, reading.layout.provider))
            if report.entries % 1000 == 0:
                tell("reading", report.entries)
        for account in list(self._waiting):
            self._write(account)
        for each in said:
            lines.add_stated(self._tx, self._report.import_id, self._account(reading, each.currency), [each])
        lines.unite(self._tx, self._report.import_id)
        renamed = name_transactions(self._tx, report.import_id)
        self._add_statements(reading)
        report.format, report.version = report.format or FORMAT, report.version or str(reading.recognised_as())
        report.notes.append(reading.recognised_as())
        report.notes += reading.proving.notes()
        for touched in touched_by(self._tx, report.import_id, renamed):
            report.new += recompute(self._tx, touched, self._now)
        report.known += max(0, report.entries - before[0] - (report.new - before[1]))

    def _account(self, reading: SettlementReading, currency: str) -> str:
        if currency not in self._statements:
            account = self._accounts.account_of(reading.layout, currency)
            self._statements[currency] = (account, self._ids.new("st"))
            self._report.statements += 1
            self._report.include(account)
        return self._statements[currency][0]

    def _take(self, account: str, movement: Movement) -> None:
        report = self._report
        days = (movement.payout_date, movement.at.date() if movement.at else None)
        if late := next((day for day in days if day is not None and day > self._last_day), None):
            what = Message("settlement-days-ahead", day=str(late))
            raise FileRefused(Message("file-row", row=str(movement.row), what=what))
        report.entries += 1
        report.details += 1
        amount = minor_to_decimal(abs(movement.net_minor), Currency(movement.currency))
        if movement.net_minor >= 0:
            report.credit += amount
        else:
            report.debit += amount
        if movement.currency not in report.currencies:
            report.currencies.append(movement.currency)
        waiting = self._waiting.setdefault(account, [])
        waiting.append((self._statements[movement.currency][1], movement))
        if len(waiting) >= _LOT:
            self._write(account)

    def _write(self, account: str) -> None:
        rows = self._waiting.pop(account, [])
        if rows:
            lines.add(self._tx, self._report.import_id, account, self._place, rows)
            self._place += len(rows)

    def _of_shop(self, movement: Movement, provider: str) -> Movement:
        """Money sent from a Wise balance is a payout only if it goes to the shop itself."""
        if provider != "wise" or movement.kind is not MovementKind.PAYOUT:
            return movement
        said = flat(movement.text)
        if any(name in said for name in self._own_names):
            return movement
        return replace(movement, kind=MovementKind.ADJUSTMENT, payout_id="")

    def _add_statements(self, reading: SettlementReading) -> None:
        proving = reading.proving
        self._report.include("", proving.first_date, proving.last_date)
        for currency, (account, statement_id) in self._statements.items():
            row = StatementRow(
                statement_id, self._report.import_id, account, currency, FORMAT, "FINAL", "", "",
                proving.first_date, proving.last_date, None, None, 0, [],
            )  # fmt: skip
            statement_store.add_statement(self._tx, row, self._now)
        code = "file-new-account" if self._report.dry_run else "file-new-account-confirm"
        added = [each for each in self._accounts.added if each not in self._report.new_accounts]
        self._report.new_accounts += added
        self._report.notes += [Message(code, account=each) for each in added]


def _own_names(tx: ShopTx) -> frozenset[str]:
    rows = shop_store.accounts(tx)
    names = {tx.shop.holder, *(row.holder for row in rows), *(row.account for row in rows if is_iban(row.account))}
    return frozenset(each for each in map(flat, names) if each)
