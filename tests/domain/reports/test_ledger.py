"""Double-entry bookings of what the reports explain: accounts, sides, and what each posting moves."""

from __future__ import annotations

from datetime import date
from typing import Any
from uuid import UUID

import pytest

from paymatch.domain.reports.ledger import (
    AccountRole,
    LedgerAccount,
    LedgerAccounts,
    LedgerBooking,
    LedgerOrderFacts,
    SaleRow,
    bookings_of,
    invoice_id,
    sale_of,
)

DAY = date(2026, 3, 31)
USUAL = LedgerAccounts("SKR03", {}, {})
OWN = LedgerAccounts(
    "SKR04",
    {AccountRole.BANK: "1810", AccountRole.DEBTORS: "100000", AccountRole.REVENUE: "4300", AccountRole.FEES: "6800"},
    {"DE1": "1820"},
    {"DELIVERY_FEE": "6741"},
)
BANK, DEBTORS, CLEARING = (
    LedgerAccount(AccountRole.BANK, "1200"),
    LedgerAccount(AccountRole.DEBTORS, "10000"),
    LedgerAccount(AccountRole.CLEARING, "1590"),
)
COMMISSION = LedgerAccount(AccountRole.FEES, "4760")


def test_accounts_are_those_of_the_chart_unless_the_shop_names_its_own() -> None:
    roles = (AccountRole.BANK, AccountRole.DEBTORS, AccountRole.REVENUE, AccountRole.CLEARING)
    assert [USUAL.of(role) for role in roles] == [
        BANK, DEBTORS, LedgerAccount(AccountRole.REVENUE, "8400"), CLEARING,
    ]  # fmt: skip
    assert [OWN.of(role).number for role in roles] == ["1810", "100000", "4300", "1370"]
    assert [OWN.bank(iban).number for iban in ("DE1", "DE2")] == ["1820", "1810"]
    assert USUAL.bank("DE1") == BANK
    assert [OWN.fee(kind).number for kind in ("DELIVERY_FEE", "COMMISSION")] == ["6741", "6800"]
    assert USUAL.fee("COMMISSION") == COMMISSION


@pytest.mark.parametrize(
    ("customer_number", "number"),
    [
        ("12345", "12345"),
        ("69999", "69999"),
        ("1234", "10000"),  # as many digits as the account of all debtors
        ("123456", "10000"),
        ("70000", "10000"),  # creditors
        ("00001", "10000"),
        ("K2345", "10000"),
        ("1234\u0665", "10000"),
        ("", "10000"),
    ],
)
def test_a_customer_has_an_account_of_their_own_if_the_number_is_one(customer_number: str, number: str) -> None:
    assert USUAL.debtor(customer_number) == LedgerAccount(AccountRole.DEBTORS, number)


def explained(**more: Any) -> dict[str, Any]:
    """A posting as the report `postings` explains it."""
    return {
        "id": "po_1", "account": "DE1", "bookingDate": DAY, "currency": "EUR", "originator": "Erika", "reason": None,
        "orders": [], "aside": 0, "open": 0, **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("posting", "bookings"),
    [
        ({}, []),
        (
            {"orders": [("A-1", 1000, 25, "COMMISSION"), ("A-2", -300, 0, None)]},
            [
                LedgerBooking(
                    DAY, BANK, LedgerAccount(AccountRole.DEBTORS, "12345"), 1000, "EUR", "A-1", "Erika", "po_1", "F1"
                ),
                LedgerBooking(
                    DAY,
                    COMMISSION,
                    LedgerAccount(AccountRole.DEBTORS, "12345"),
                    25,
                    "EUR",
                    "A-1",
                    "Erika",
                    "po_1",
                    "F1",
                ),
                LedgerBooking(DAY, DEBTORS, BANK, 300, "EUR", "A-2", "Erika", "po_1"),
            ],
        ),
        # Only a fee of a kind is booked; nothing is booked of nothing.
        ({"orders": [("A-2", 0, 25, None)]}, []),
        ({"orders": [("A-2", 0, 0, "COMMISSION")]}, []),
        # What is set aside or open waits on an account of its own, under its reason or the payer's name.
        (
            {"aside": 700, "open": 50, "reason": "rent"},
            [LedgerBooking(DAY, BANK, CLEARING, 750, "EUR", "po_1", "rent", "po_1")],
        ),
        ({"open": -50}, [LedgerBooking(DAY, CLEARING, BANK, 50, "EUR", "po_1", "Erika", "po_1")]),
        ({"aside": 50, "open": -50}, []),
    ],
)
def test_a_posting_moves_its_bank_account_against_debtors_fees_and_what_is_not_explained(
    posting: dict[str, Any], bookings: list[LedgerBooking]
) -> None:
    assert list(bookings_of(explained(**posting), USUAL, {"A-1": LedgerOrderFacts("12345", "F1")})) == bookings


@pytest.mark.parametrize(
    ("minor", "by", "to"), [(4990, DEBTORS, "8400"), (-4990, LedgerAccount(AccountRole.REVENUE, "8400"), "")]
)
def test_an_order_is_a_sale_and_what_it_costs_less_later_a_credit_note(minor: int, by: LedgerAccount, to: str) -> None:
    other = LedgerAccount(AccountRole.REVENUE, to) if to else DEBTORS
    sale = sale_of(SaleRow("A-1", DAY, minor, "EUR", "Erika"), USUAL, LedgerOrderFacts("", "F1"))
    assert sale == LedgerBooking(DAY, by, other, 4990, "EUR", "A-1", "Erika", invoice="F1", is_sale=True)


def test_an_invoice_has_the_same_id_each_time_and_another_than_any_other() -> None:
    shop = UUID(int=7)
    found = invoice_id(shop, "A-1", "R-1")
    assert (found, len(found), found.upper()) == (invoice_id(shop, "A-1", "R-1"), 36, found)
    assert (
        len(
            {
                found,
                invoice_id(shop, "A-1", "R-2"),
                invoice_id(shop, "A-2", "R-1"),
                invoice_id(UUID(int=8), "A-1", "R-1"),
            }
        )
        == 4
    )
