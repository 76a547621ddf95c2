"""Verifies the invariants of the books: each violation with its order, posting or mail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from paymatch.domain.books.completeness import GapKind
from paymatch.domain.money import currency_of, minor_to_text
from paymatch.domain.orders.settlement import payment_status
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import Database
from paymatch.store.orders import ledger
from paymatch.store.transactions import ShopTx
from paymatch.store.work import invariants
from paymatch.usecases.refunds import proof
from paymatch.usecases.statements.completeness import gaps

_PAGE: Final = 2000


@dataclass(frozen=True, slots=True)
class Violation:
    """A violated invariant."""

    shop: str
    rule: str
    subject: str
    text: str


def check_shop(database: Database, shop: Shop) -> list[Violation]:
    """All violations of a shop's books; the list should be empty."""
    found: list[Violation] = []
    with database.of_shop(shop) as tx:
        invariants.freeze(tx)
        found += [Violation(str(shop.id), *each) for each in invariants.broken_rules(tx)]
        found += [Violation(str(shop.id), *each) for each in proof.findings(tx)]
        found += _statuses(tx)
        found += _wrong_sums(tx)
    return found


def _wrong_sums(tx: ShopTx) -> list[Violation]:
    """Postings against the balances of statements (D-81)."""
    return [
        Violation(
            str(tx.shop.id), "postings between two balances = their difference", f"{account} {currency}", gap.text
        )
        for (account, currency), missing in gaps(tx).items()
        for gap in missing
        if gap.kind is GapKind.SUM
    ]


def _sums(minor: tuple[int, int], currency: str) -> str:
    """`30.00 EUR paid and 0.00 EUR refunded`."""
    paid, refunded = (f"{minor_to_text(each, currency_of(currency))} {currency}" for each in minor)
    return f"{paid} paid and {refunded} refunded"


def _statuses(tx: ShopTx) -> list[Violation]:
    """amountPaid and paymentStatus of every order against the books."""
    found: list[Violation] = []
    after = ""
    while True:
        numbers = invariants.order_numbers(tx, after, _PAGE)
        if not numbers:
            return found
        after = numbers[-1]
        for books in ledger.load(tx, numbers, tx.shop.tolerance_minor):
            written = (books.written_paid_minor, books.written_refunded_minor)
            counted = (books.ledger.paid_minor, books.ledger.refunded_minor)
            if written != counted:
                says, own = _sums(written, books.currency), _sums(counted, books.currency)
                text = f"the order says {says}, its postings and refunds say {own}"
                found.append(Violation(str(tx.shop.id), "amountPaid = postings - refunds", books.number, text))
            status = payment_status(books.ledger, books.mark)
            if status is not books.status:
                text = f"status {books.status}, the books say {status}"
                found.append(Violation(str(tx.shop.id), "paymentStatus = f(books)", books.number, text))
