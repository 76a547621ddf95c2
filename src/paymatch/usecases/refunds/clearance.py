"""Clearance of refunds for automatic transfer: the database's facts for `domain/refunds/money_out.py` (D-37)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from paymatch.domain.money import Currency, digits_of
from paymatch.domain.refunds.money_out import DAY, RefundLimits, ReleaseFacts, TrustFacts
from paymatch.domain.shops.cooling_off import CoolingKind
from paymatch.domain.shops.shop import Shop
from paymatch.store.refunds import clearance as clearance_store
from paymatch.store.refunds import transfers
from paymatch.store.refunds.refunds import PayerAccount, RefundRow
from paymatch.store.statements import statements
from paymatch.store.transactions import ShopTx
from paymatch.usecases.refunds.arrived import Arrived, arrived_for
from paymatch.usecases.shops.cooling_off import limits_of, waiting_changes


@dataclass(slots=True)
class Clearance:
    """What a run knows of trust and limits; it counts what is sent. The caller holds the lock of runs."""

    shop: Shop
    limits: RefundLimits
    seen: frozenset[str]
    arrived: Arrived
    unusual_rates: frozenset[str]  # numbers of orders
    released: Mapping[str, frozenset[str]]
    sent_minor: int  # without a release, within the last DAY

    def release_facts(self, refund: RefundRow, payee: PayerAccount) -> ReleaseFacts | None:
        """What decides whether a person must release the refund; None for a sandbox, whose refunds need none."""
        if self.shop.sandbox:
            return None
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
            unusual_rate=refund.order_number in self.unusual_rates,
        )
        comparable = comparable_minor(self.shop, refund)
        return ReleaseFacts(comparable, self.limits, self.released_by(refund, payee), trust)

    def count(self, refund: RefundRow, payee: PayerAccount) -> None:
        """The refund is sent: from now on its amount counts towards the limits."""
        self.arrived.take(refund.order_number, payee.iban, refund.amount_minor)
        self.sent_minor += 0 if self.released_by(refund, payee) else refund.amount_minor

    def _is_payers_own(self, refund: RefundRow, payee: PayerAccount) -> bool:
        """Whether an account that somebody has named paid this very order; one that paid another may be anybody's."""
        return refund.account_named_at is None or self.arrived.has_paid(refund.order_number, payee.iban)

    def released_by(self, refund: RefundRow, payee: PayerAccount) -> frozenset[str]:
        """Who has released the refund to this account; another account than the released one needs another release."""
        return self.released.get(refund.id, frozenset()) if payee.iban == refund.iban else frozenset()


def clearance(tx: ShopTx, due: Sequence[RefundRow], payees: Sequence[PayerAccount], now: datetime) -> Clearance:
    """What may go by itself now, for refunds to these payees."""
    changes = waiting_changes(tx)
    new_accounts = frozenset(each.subject for each in changes if each.kind is CoolingKind.ACCOUNT)
    numbers = sorted({refund.order_number for refund in due})
    return Clearance(
        tx.shop,
        limits_of(tx.shop, changes),
        statements.trusted_accounts(tx, sorted({payee.iban for payee in payees})),
        arrived_for(tx, numbers, new_accounts),
        clearance_store.with_unusual_rate(tx, numbers),
        clearance_store.valid_releases(tx, [refund.id for refund in due]),
        sent_by_themselves_minor(tx, now),
    )


def sent_by_themselves_minor(tx: ShopTx, now: datetime) -> int:
    """What has gone without a person's release in the last 24 hours, in minor units of the shop's currency."""
    return transfers.sent_by_themselves(tx, tx.shop.currency, now - DAY)


def comparable_minor(shop: Shop, refund: RefundRow) -> int:
    """The refund's figure in minor units of the shop's currency, whatever its own: CHF 12.30 counts as EUR 12.30."""
    shop_unit, own_unit = 10 ** digits_of(Currency(shop.currency)), 10 ** digits_of(Currency(refund.currency))
    return int(refund.amount_minor * shop_unit // own_unit)
