"""Payment requests: the account, the amount in its currency, and which orders show their reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from paymatch.domain.bank_accounts import is_qr_iban
from paymatch.domain.money import Currency, Money
from paymatch.domain.orders.exchange import at_rate
from paymatch.domain.reminders.policy import PlannedReminder, next_mail
from paymatch.domain.shops.shop import Shop
from paymatch.store.orders import orders as store
from paymatch.store.reminders import reminders
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.shops.dunning_plans import plan_of, switches_of


@dataclass(frozen=True, slots=True)
class PaymentRequest:
    """The account for a customer's payment, and the amount in the account's currency."""

    account: shop_store.AccountRow
    amount: Money


def payment_request(tx: ShopTx, open_amount: Money, rate: Decimal | None) -> PaymentRequest | None:
    """The payment request for an order's open amount; None if the shop has no account for it.

    An account is shown once a person has confirmed it (D-24). Without one in the order's currency, an order with an
    exchange rate is paid to the account of the shop's currency (D-41).
    """
    return request_among(shop_store.accounts(tx), tx.shop, open_amount, rate)


def request_among(
    known: Sequence[shop_store.AccountRow], shop: Shop, open_amount: Money, rate: Decimal | None
) -> PaymentRequest | None:
    """As `payment_request`, with the shop's loaded accounts."""
    # A QR-IBAN only takes payments with a QRR reference, which orders do not have: the account's IBAN is used.
    accounts = [account for account in known if account.confirmed and not is_qr_iban(account.account)]
    for account in accounts:
        if account.currency == open_amount.currency:
            return PaymentRequest(account, open_amount)
    if rate is None:
        return None
    for account in accounts:
        if account.currency == shop.currency:
            return PaymentRequest(account, at_rate(open_amount, rate, Currency(shop.currency)))
    return None


def publish_reference_numbers(tx: ShopTx, numbers: Sequence[str], now: datetime) -> None:
    """Shows the referenceNumber of those orders whose payment information is sent next (D-41)."""
    switches = switches_of(tx.shop)
    plan = plan_of(tx)
    promised: list[str] = []
    for row in reminders.load(tx, numbers, tx.shop.tolerance_minor, now):
        found = next_mail(row.facts, plan, switches, None, now, tx.shop.timezone)
        if isinstance(found, PlannedReminder) and found.level == 0 and not found.thanks:
            promised.append(row.facts.number)
    if promised:
        store.give_references(tx, promised)
