"""Facts of the database for `domain/refunds/money_out.py`: whether a refund is sent automatically (D-3 to D-5, D-37).

They are its order's money and payee, other customers of the payee's account, the debited account, money received and
returned for the order (postings count, not credits), and its releases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from paymatch.domain.bank_accounts import is_iban
from paymatch.domain.money import Currency, digits_of
from paymatch.domain.refunds.money_out import (
    DAY,
    WAITS_FOR_RELEASE,
    RefundLimits,
    ReleaseFacts,
    TransferFacts,
    TransferPayee,
    TrustFacts,
)
from paymatch.domain.refunds.shared_accounts import pays_for_several
from paymatch.domain.refunds.transfers import MAY_HAVE_LEFT
from paymatch.domain.shops.cooling_off import CoolingKind
from paymatch.domain.shops.shop import REFUND_DAY_LIMIT_MINOR, REFUND_FOUR_EYES_MINOR, REFUND_LIMIT_MINOR, Shop
from paymatch.formats.sepa.pain001 import sendable, sendable_name
from paymatch.store.orders import ledger
from paymatch.store.refunds import clearance as clearance_store
from paymatch.store.refunds import refunds, transfers
from paymatch.store.refunds.clearance import PayerPayment
from paymatch.store.refunds.paid_orders import paid_orders
from paymatch.store.refunds.refunds import PayerAccount, RefundCustomer, RefundRow
from paymatch.store.shops import shops as shop_store
from paymatch.store.shops.shops import AccountRow
from paymatch.store.statements import statements
from paymatch.store.transactions import ShopTx
from paymatch.usecases.settlement.pending_refunds import arrived_by, covered_of, main_payer
from paymatch.usecases.shops.cooling_off import limits_of, waiting_changes

LIMITS_OF_A_NEW_SHOP: Final = RefundLimits(REFUND_LIMIT_MINOR, REFUND_DAY_LIMIT_MINOR, REFUND_FOUR_EYES_MINOR)

OwnAccount = tuple[str, str]
"""An account of the shop: IBAN and currency."""


@dataclass(frozen=True, slots=True)
class RefundInputs:
    """A run's knowledge of the orders in question."""

    payments: Mapping[str, list[PayerPayment]]
    customers: Mapping[str, RefundCustomer]
    covered: frozenset[str]
    unsettled: frozenset[str]  # refunds of which an earlier transfer may have reached its payee
    shop_names: tuple[str, ...]  # the account holder's name of the shop, and the shop's own
    accounts: Mapping[OwnAccount, AccountRow]  # confirmed accounts with an IBAN, the default of a currency first


def load_inputs(tx: ShopTx, pending: Sequence[RefundRow]) -> RefundInputs:
    """All facts that the decisions need, in one query per kind."""
    numbers = sorted({refund.order_number for refund in pending})
    loaded = ledger.load(tx, numbers, tx.shop.tolerance_minor)
    fitting = covered_of(pending, {row.number: row.refundable_minor for row in loaded})
    earlier = transfers.of_refunds(tx, [refund.id for refund in pending if refund.attempt > 1])
    open_ones = {row.refund_id for row in earlier if row.status in MAY_HAVE_LEFT}
    accounts = {
        (row.account, row.currency): row for row in shop_store.accounts(tx) if row.confirmed and is_iban(row.account)
    }
    return RefundInputs(
        clearance_store.payments_of(tx, numbers), refunds.customers(tx, numbers),
        fitting, frozenset(open_ones), (tx.shop.holder, tx.shop.name), accounts,
    )  # fmt: skip


def payee_of(refund: RefundRow, inputs: RefundInputs) -> PayerAccount | None:
    """The refund's account: the one that the customer gave, otherwise one that has paid the order and still does (D-5).

    A payment may have been unmatched since the refund was filed: then its account has no claim any more.
    """
    if refund.iban_given:
        return PayerAccount(refund.iban, refund.bic, refund.holder)
    known = [payment for payment in inputs.payments.get(refund.order_number, ()) if payment.iban]
    chosen = next((payment for payment in known if payment.iban == refund.iban), None)
    return PayerAccount(chosen.iban, chosen.bic, chosen.holder) if chosen else main_payer(known)


def named_payee(refund: RefundRow, inputs: RefundInputs) -> PayerAccount | None:
    """The payee with a name that banks accept: the account holder's, since banks compare it, else the customer's."""
    account = payee_of(refund, inputs)
    if account is None:
        return None
    customer = inputs.customers.get(refund.order_number, RefundCustomer())
    holder = sendable_name(account.holder) or sendable_name(customer.name)
    return PayerAccount(account.iban, account.bic, holder)


def debtor_name(own: OwnAccount, inputs: RefundInputs) -> str:
    """The name of the account's holder in a transfer file: the account's, else the shop's; "" if banks take none."""
    names = (inputs.accounts[own].holder, *inputs.shop_names)
    return next((name for name in names if sendable_name(name)), "")


def debited_account(refund: RefundRow, inputs: RefundInputs) -> OwnAccount | None:
    """The shop's account in the refund's currency that the money leaves; None if there is none.

    The one that the order was paid to, otherwise the first one.
    """
    for payment in inputs.payments.get(refund.order_number, ()):
        if (payment.own, refund.currency) in inputs.accounts:
            return payment.own, refund.currency
    return next((own for own in inputs.accounts if own[1] == refund.currency), None)


def transfer_facts(
    refund: RefundRow, account: PayerAccount | None, debited: OwnAccount | None, inputs: RefundInputs
) -> TransferFacts:
    """The facts for the refund's transfer from `debited` to `account`."""
    customer, payee = inputs.customers.get(refund.order_number, RefundCustomer()), None
    if account is not None:
        town = sendable(customer.town, 35)
        payee = TransferPayee(account.iban, account.bic, account.holder, town, customer.country)
    own_iban, own_name = (debited[0], debtor_name(debited, inputs)) if debited else ("", "")
    is_own = account is not None and any(account.iban == own for own, _ in inputs.accounts)
    return TransferFacts(
        refund.amount_minor, refund.currency, refund.id in inputs.unsettled, payee, own_iban, own_name, is_own
    )


class Arrived:
    """Money received for orders by postings in their own currency, and the part returned; in minor units."""

    def __init__(self, arrived: Mapping[tuple[str, str], int], back: Mapping[tuple[str, str], int]) -> None:
        self._arrived = dict(arrived)  # by (order, account)
        self._back = Counter(back)  # likewise; "" for an account that is not known

    def has_paid(self, number: str, iban: str) -> bool:
        """Whether the account has paid the order."""
        return (number, iban) in self._arrived

    def from_account(self, number: str, iban: str) -> int:
        """Money received from the account for the order and not returned."""
        back = self._back[number, iban] + (self._back[number, ""] if iban else 0)
        return self._arrived.get((number, iban), 0) - back

    def for_order(self, number: str) -> int:
        """Money received from all accounts for the order, less everything paid out for it."""
        arrived = sum(minor for (order, _), minor in self._arrived.items() if order == number)
        return arrived - sum(minor for (order, _), minor in self._back.items() if order == number)

    def take(self, number: str, iban: str, minor: int) -> None:
        """Records an amount that is returned to the account now."""
        self._back[number, iban] += minor


def arrived_for(tx: ShopTx, numbers: Sequence[str], new_accounts: Set[str] = frozenset()) -> Arrived:
    """Money received for these orders on accounts of the shop that are not new, less returns."""
    payments = clearance_store.payments_of(tx, numbers)
    return _sum_arrived(payments, clearance_store.sent_back(tx, numbers), new_accounts)


def _sum_arrived(
    payments: Mapping[str, Sequence[clearance_store.PayerPayment]],
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
    """A refund, its order, its account, and the reason that it waits, "" for none."""

    refund_id: str
    order_number: str
    currency: str  # of the order
    iban: str
    reason: str


class ArrivedSums(NamedTuple):
    """Money received for a refund's order and not paid out again, in minor units of the order's currency.

    `others`: sums of payments in other currencies. Alone they cover nothing.
    """

    currency: str
    order_minor: int  # from all accounts
    account_minor: int  # from the account that the refund goes to
    others: tuple[tuple[str, int], ...] = ()

    @property
    def in_all(self) -> tuple[tuple[str, int], ...]:
        """(currency, minor units) of money received from all accounts, the order's currency first."""
        return ((self.currency, self.order_minor), *self.others)


def arrived_beside(tx: ShopTx, refunds: Iterable[HeldPayee]) -> dict[str, ArrivedSums]:
    """Id of each refund that a person must release -> the sums that arrived, to decide by (D-37)."""
    held = [each for each in refunds if each.reason in WAITS_FOR_RELEASE]
    if not held:
        return {}
    numbers = sorted({each.order_number for each in held})
    payments = clearance_store.payments_of(tx, numbers)
    arrived = _sum_arrived(payments, clearance_store.sent_back(tx, numbers), frozenset())
    return {
        each.refund_id: ArrivedSums(
            each.currency,
            arrived.for_order(each.order_number),
            arrived.from_account(each.order_number, each.iban),
            _others(payments.get(each.order_number, ())),
        )
        for each in held
    }


def _others(payments: Sequence[clearance_store.PayerPayment]) -> tuple[tuple[str, int], ...]:
    found = Counter[str]()
    for each in payments:
        if not each.in_order_currency:
            found[each.currency] += each.arrived_minor
    return tuple(sorted(found.items()))


@dataclass(slots=True)
class Clearance:
    """A run's knowledge of trust and limits; it counts sent amounts. The caller holds the lock of runs."""

    shop: Shop
    limits: RefundLimits
    seen: frozenset[str]
    arrived: Arrived
    unusual_rates: frozenset[str]  # numbers of orders
    released: Mapping[str, frozenset[str]]
    sent_minor: int  # without a release, within the last DAY
    left_otherwise: frozenset[str] = frozenset()  # refunds whose money may have left by another way
    of_several: frozenset[str] = frozenset()  # refunds to an account that has paid for several customers

    def release_facts(self, refund: RefundRow, payee: PayerAccount) -> ReleaseFacts | None:
        """What decides whether a person must release the refund.

        None for a sandbox, whose refunds need no release unless its owner has changed the limits: then these hold.
        """
        if self.shop.sandbox:
            return None if self.limits == LIMITS_OF_A_NEW_SHOP else self._sandbox_facts(refund, payee)
        trust = TrustFacts(
            in_shop_currency=refund.currency == self.shop.currency,
            account_seen=payee.iban in self.seen and self._is_payers_own(refund, payee),
            account_paid_enough=self.arrived.from_account(refund.order_number, payee.iban) >= refund.amount_minor,
            arrived_enough=self.arrived.for_order(refund.order_number) >= refund.amount_minor,
            account_named_at=refund.account_named_at,
            sent_minor=self.sent_minor,
            attempt=refund.attempt,
            follows_instant=refund.follows_instant,
            restored=refund.restored,
            left_otherwise=refund.id in self.left_otherwise,
            pays_for_several=refund.account_named_at is None and refund.id in self.of_several,
            unusual_rate=refund.order_number in self.unusual_rates,
        )
        comparable = comparable_minor(self.shop, refund)
        return ReleaseFacts(comparable, self.limits, self.released_by(refund, payee), trust)

    def _sandbox_facts(self, refund: RefundRow, payee: PayerAccount) -> ReleaseFacts:
        """By the limits alone: the bank and its accounts are simulated, so that there is nothing to trust."""
        trust = TrustFacts(
            in_shop_currency=refund.currency == self.shop.currency, account_seen=True, account_paid_enough=True,
            arrived_enough=True, account_named_at=None, sent_minor=self.sent_minor,
        )  # fmt: skip
        comparable = comparable_minor(self.shop, refund)
        return ReleaseFacts(comparable, self.limits, self.released_by(refund, payee), trust)

    def count(self, refund: RefundRow, payee: PayerAccount) -> None:
        """Counts a sent refund towards the limits."""
        self.arrived.take(refund.order_number, payee.iban, refund.amount_minor)
        self.sent_minor += 0 if self.released_by(refund, payee) else refund.amount_minor

    def _is_payers_own(self, refund: RefundRow, payee: PayerAccount) -> bool:
        """Whether a named account paid this very order; one that paid another order may be anyone's."""
        return refund.account_named_at is None or self.arrived.has_paid(refund.order_number, payee.iban)

    def released_by(self, refund: RefundRow, payee: PayerAccount) -> frozenset[str]:
        """Who has released the refund to this account; a different account needs another release."""
        return self.released.get(refund.id, frozenset()) if payee.iban == refund.iban else frozenset()


def clearance(tx: ShopTx, due: Sequence[RefundRow], payees: Mapping[str, PayerAccount], now: datetime) -> Clearance:
    """The amounts that may be sent automatically now; `payees` by the ids of the refunds."""
    changes = waiting_changes(tx)
    new_accounts = frozenset(each.subject for each in changes if each.kind is CoolingKind.ACCOUNT)
    numbers = sorted({refund.order_number for refund in due})
    return Clearance(
        tx.shop,
        limits_of(tx.shop, changes),
        statements.trusted_accounts(tx, sorted({payee.iban for payee in payees.values()})),
        arrived_for(tx, numbers, new_accounts),
        clearance_store.with_unusual_rate(tx, numbers),
        clearance_store.valid_releases(tx, [refund.id for refund in due]),
        sent_by_themselves_minor(tx, now),
        clearance_store.left_otherwise(
            tx, {refund.id: payees[refund.id].iban for refund in due if refund.id in payees}
        ),
        _to_accounts_of_several(tx, [(each, payees[each.id].iban) for each in due if each.id in payees]),
    )


def _to_accounts_of_several(tx: ShopTx, due: Sequence[tuple[RefundRow, str]]) -> frozenset[str]:
    """Those of the refunds, each with its account, whose account has paid for several customers."""
    paid = paid_orders(tx, [refund.order_number for refund, _ in due], {iban for _, iban in due})
    return frozenset(refund.id for refund, iban in due if pays_for_several(paid.get(iban, ()), refund.order_number))


def sent_by_themselves_minor(tx: ShopTx, now: datetime) -> int:
    """The sum sent without a person's release in the last 24 hours, in minor units of the shop's currency."""
    return transfers.sent_by_themselves(tx, tx.shop.currency, now - DAY)


def comparable_minor(shop: Shop, refund: RefundRow) -> int:
    """The refund's figure in minor units of the shop's currency, at face value: CHF 12.30 counts as EUR 12.30."""
    shop_unit, own_unit = 10 ** digits_of(Currency(shop.currency)), 10 ** digits_of(Currency(refund.currency))
    return int(refund.amount_minor * shop_unit // own_unit)
