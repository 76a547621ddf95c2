"""Money that arrived for orders, and what of it has gone back: postings count, not credits (D-37)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from paymatch.domain.refunds.money_out import WAITS_FOR_RELEASE
from paymatch.store.refunds import clearance
from paymatch.store.transactions import ShopTx
from paymatch.usecases.settlement.pending_refunds import arrived_by


class Arrived:
    """What arrived for orders as postings of their own currency say, and what of it has gone back; in minor units."""

    def __init__(self, arrived: Mapping[tuple[str, str], int], back: Mapping[tuple[str, str], int]) -> None:
        self._arrived = dict(arrived)  # by (order, account)
        self._back = Counter(back)  # likewise; "" for an account that is not known

    def has_paid(self, number: str, iban: str) -> bool:
        """Whether the account has paid the order."""
        return (number, iban) in self._arrived

    def from_account(self, number: str, iban: str) -> int:
        """What arrived from the account for the order, and has not gone back."""
        back = self._back[number, iban] + (self._back[number, ""] if iban else 0)
        return self._arrived.get((number, iban), 0) - back

    def for_order(self, number: str) -> int:
        """What arrived from all accounts for the order, less everything that has gone out for it."""
        arrived = sum(minor for (order, _), minor in self._arrived.items() if order == number)
        return arrived - sum(minor for (order, _), minor in self._back.items() if order == number)

    def take(self, number: str, iban: str, minor: int) -> None:
        """So much goes back to the account now."""
        self._back[number, iban] += minor


def arrived_for(tx: ShopTx, numbers: Sequence[str], new_accounts: Set[str] = frozenset()) -> Arrived:
    """What arrived for these orders on accounts of the shop that are not new, less what went back."""
    payments = clearance.payments_of(tx, numbers)
    return _sum_arrived(payments, clearance.sent_back(tx, numbers), new_accounts)


def _sum_arrived(
    payments: Mapping[str, Sequence[clearance.PayerPayment]],
    back: Mapping[tuple[str, str], int],
    new_accounts: Set[str],
) -> Arrived:
    arrived = {
        (number, iban): minor
        for number, own in payments.items()
        for iban, minor in arrived_by([each for each in own if each.own not in new_accounts]).items()
    }
    return Arrived(arrived, back)


class HeldPayee(NamedTuple):
    """A refund, its order, the account it goes to, and the reason that holds it back, "" for none."""

    refund_id: str
    order_number: str
    currency: str  # of the order
    iban: str
    reason: str


class ArrivedSums(NamedTuple):
    """What arrived for the order of a refund and has not gone out again, in minor units of the order's currency.

    `others`: sums of payments in other currencies. They cover nothing by themselves.
    """

    currency: str
    order_minor: int  # from all accounts
    account_minor: int  # from the account that the refund goes to
    others: tuple[tuple[str, int], ...] = ()

    @property
    def in_all(self) -> tuple[tuple[str, int], ...]:
        """(currency, minor units) of what arrived from all accounts, the order's currency first."""
        return ((self.currency, self.order_minor), *self.others)


def arrived_beside(tx: ShopTx, refunds: Iterable[HeldPayee]) -> dict[str, ArrivedSums]:
    """Id of each refund that a person must release -> the sums that arrived, to decide by (D-37)."""
    held = [each for each in refunds if each.reason in WAITS_FOR_RELEASE]
    if not held:
        return {}
    numbers = sorted({each.order_number for each in held})
    payments = clearance.payments_of(tx, numbers)
    arrived = _sum_arrived(payments, clearance.sent_back(tx, numbers), frozenset())
    return {
        each.refund_id: ArrivedSums(
            each.currency,
            arrived.for_order(each.order_number),
            arrived.from_account(each.order_number, each.iban),
            _others(payments.get(each.order_number, ())),
        )
        for each in held
    }


def _others(payments: Sequence[clearance.PayerPayment]) -> tuple[tuple[str, int], ...]:
    found = Counter[str]()
    for each in payments:
        if not each.in_order_currency:
            found[each.currency] += each.arrived_minor
    return tuple(sorted(found.items()))
