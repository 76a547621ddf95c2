"""Payments as they reach a shop: a bank statement is written and imported."""

from __future__ import annotations

import io
from datetime import date, timedelta
from typing import Any

from paymatch.domain.money import EUR, Currency
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.mt940.writer import EntryToWrite, StatementToWrite, write_mt940
from paymatch.usecases.statements.import_report import ImportReport
from paymatch.usecases.statements.statements import import_file
from tests.contract.client import ShopClient

ACCOUNT = "DE89370400440532013000"
PAYER = "DE75512108001245126199"


def entry(text: str, minor: int, **more: Any) -> EntryToWrite:
    """A credit of today (a debit if negative) with its text, from a customer named Muster."""
    values: dict[str, Any] = {"name": "Eva Muster", "account": PAYER, "bic": "SOGEDEFFXXX", **more}
    return EntryToWrite(minor, values.pop("booking_date", date(2026, 3, 2)), remittance=text, **values)


def book(
    shop: ShopClient,
    *entries: EntryToWrite,
    account: str = ACCOUNT,
    currency: Currency = EUR,
    channel: StatementChannel = StatementChannel.COMMAND_LINE,
) -> ImportReport:
    """Imports a statement with these entries."""
    shop.paid += 1
    day = shop.clock.now.date()
    statement = StatementToWrite(
        account, currency, 100_000 * shop.paid, day - timedelta(days=1), day, shop.paid, tuple(entries)
    )
    return import_file(
        shop.database,
        shop.shop,
        io.BytesIO(write_mt940([statement])),
        f"{shop.paid}.sta",
        shop.clock.now,
        channel=channel,
    )


def pay(shop: ShopClient, number: str, minor: int, **more: Any) -> None:
    """One payment that names the order and is matched to it."""
    report = book(shop, entry(f"Bestellung {number}", minor, **more))
    assert (report.new, report.matched) == (1, 1), report.as_dict()
