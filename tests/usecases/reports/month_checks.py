"""Each report and export of a bookkeeper's month against the integers that were reckoned beside the product."""

from __future__ import annotations

import csv
import io
from collections import Counter
from datetime import date
from decimal import Decimal
from typing import Any

from beancount import loader
from beancount.core.data import Transaction

from paymatch.domain.reports.asked import ask, report_of
from paymatch.usecases.reports import reports
from paymatch.usecases.work.check import check_shop
from tests.formats.accounting import datev_reader
from tests.usecases.reports.bookkeeper import APRIL_END, BANKS, FIRST, LAST, NAMES, Bookkeeper, Sums


def check_month(month: Bookkeeper) -> None:
    """AssertionError with what differs."""
    files_are_the_books(month)
    money_at_the_bank(month)
    customers_and_orders(month)
    what_was_kept(month)
    broken = check_shop(month.books.database, month.books.shop)
    assert [each for each in broken if each.rule not in month.PLAYED] == []


def rows(month: Bookkeeper, name: str, first: date = FIRST, last: date = LAST) -> list[dict[str, Any]]:
    """A report as of today."""
    wanted = report_of(name)
    with month.books.database.of_shop(month.books.shop, at=month.books.now) as tx:
        days = (first, last) if wanted.has_period else (None, None)
        return [dict(row) for row in reports.rows(tx, wanted, ask(wanted, tx.today, *days))]


def sums(found: list[dict[str, Any]], column: str) -> dict[str, int]:
    """Currency -> sum of a column, without those that are 0."""
    added: Counter[str] = Counter()
    for row in found:
        added[row["currency"]] += row[column]
    return {currency: minor for currency, minor in added.items() if minor}


def files_are_the_books(month: Bookkeeper) -> None:
    """Both months together, in each of the three files; what has left stays byte for byte."""
    for name in NAMES:
        found: Sums = Counter()
        for begin in (FIRST, date(2026, 4, 1)):
            content = month.left[name, begin]
            assert month.export(name, begin) == content, (name, begin)
            found.update(_READERS[name](content))
        assert {key: minor for key, minor in found.items() if minor} == month.ledger(), name
    halves: Sums = Counter()
    for first, last in ((FIRST, date(2026, 3, 15)), (date(2026, 3, 16), LAST)):
        halves.update(_of_journal(month.export_days("journal", first, last)))
    assert halves == _of_journal(month.left["journal", FIRST])


def _of_journal(content: bytes) -> Sums:
    found: Sums = Counter()
    for row in csv.DictReader(io.StringIO(content.decode("utf-8-sig"))):
        minor = _minor(Decimal(row["amount"]))
        found[row["debit"], row["currency"]] += minor
        found[row["credit"], row["currency"]] -= minor
    return found


def _of_datev(content: bytes) -> Sums:
    found: Sums = Counter()
    for each in datev_reader.read(content).bookings:
        found[each.debit, each.currency] += _minor(each.amount)
        found[each.credit, each.currency] -= _minor(each.amount)
    return found


def _of_beancount(content: bytes) -> Sums:
    entries, errors, _ = loader.load_string(content.decode())
    assert errors == []
    found: Sums = Counter()
    for each in entries:
        for leg in each.postings if isinstance(each, Transaction) else ():
            assert leg.units is not None and leg.units.number is not None
            found[leg.account.rpartition(":")[2], leg.units.currency] += _minor(leg.units.number)
    return found


_READERS = {"journal": _of_journal, "datev": _of_datev, "beancount": _of_beancount}


def _minor(amount: Decimal) -> int:
    scaled = amount * 100
    assert scaled == int(scaled), amount
    return int(scaled)


def money_at_the_bank(month: Bookkeeper) -> None:
    """cash, postings, unexplained, cash-in."""
    cash = rows(month, "cash")
    balances = month.balances()
    assert {row["account"]: (row["opening"], row["closing"], row["missing"]) for row in cash} == {
        account: (0, balances.get(account, 0), 0) for account in BANKS
    }
    known = month.entries
    assert len(rows(month, "postings")) == len(known), "overlapping statements count once"
    for row in cash:
        own = [each for each in known if each.account == row["account"]]
        assert row["in"] == sum(each.minor for each in own if each.minor > 0)
        assert row["out"] == sum(each.minor for each in own if each.minor < 0)
        assert row["aside"] == sum(each.minor for each in own if each.is_aside)
        assert row["open"] == sum(each.minor for each in own if not each.is_aside and not each.decided)
    still = [each for each in known if not each.decided and not each.is_aside]
    assert sorted(row["amount"] for row in rows(month, "unexplained")) == sorted(each.minor for each in still)
    came = Counter[str]()
    for each in known:
        came[BANKS[each.account][1]] += max(each.minor, 0) if each.kind != "transfer" else 0
    assert sums(rows(month, "cash-in"), "amount") == {currency: minor for currency, minor in came.items() if minor}


def customers_and_orders(month: Bookkeeper) -> None:
    """open, customers, ageing, overpaid, set-paid, reconciliation."""
    found = rows(month, "open")
    managed = {number: each for number, each in month.orders.items() if each.owes}
    assert {row["number"]: row["open"] for row in found} == {number: each.owes for number, each in managed.items()}
    owed = sums(found, "open")
    assert sums(rows(month, "customers"), "open") == sums(rows(month, "ageing"), "open") == owed
    over = {number: each.paid_too_much for number, each in month.orders.items() if each.paid_too_much}
    assert {row["number"]: row["overpaid"] for row in rows(month, "overpaid")} == over
    paid = {number: each.set_paid for number, each in month.orders.items() if each.set_paid}
    booked: Counter[str] = Counter()
    for row in rows(month, "set-paid", FIRST, APRIL_END):
        booked[row["number"]] += row["amount"]
    assert {number: minor for number, minor in booked.items() if minor} == paid
    items = rows(month, "reconciliation")
    assert {row["amount"] for row in items if row["item"] == "difference"} == {0}, items
    debtors = {row["currency"]: row["amount"] for row in items if row["item"] == "debtors of the journal"}
    ledger = month.ledger()
    assert {currency: minor for currency, minor in debtors.items() if minor} == {
        currency: minor for (account, currency), minor in ledger.items() if account == "10000"
    }


def what_was_kept(month: Bookkeeper) -> None:
    """fees."""
    kept: Counter[str] = Counter()
    for each in month.entries:
        kept[BANKS[each.account][1]] += sum(fee for _, _, fee in each.decided)
    assert sums(rows(month, "fees"), "fee") == {currency: minor for currency, minor in kept.items() if minor}
