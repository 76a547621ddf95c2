"""Whether a refund goes by itself: what the database knows for the rule of `domain/money_out.py` (D-37)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime

from paymatch.domain.cooling_off import CoolingKind
from paymatch.domain.money import Currency, digits_of
from paymatch.domain.money_out import DAY, RefundLimits, RefundToSend, hold_reason
from paymatch.domain.refunds import HoldReason
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import ShopId, Tx
from paymatch.store.refunds import payers, releases, transfers
from paymatch.store.refunds.refunds import PayerAccount, RefundRow
from paymatch.store.statements import payer_accounts
from paymatch.usecases.settlement.pending_refunds import arrived_by
from paymatch.usecases.shops.cooling_off import limits_of, waiting


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


@dataclass(slots=True)
class Clearance:
    """What a run may send by itself; it counts what it lets go. The caller holds the lock of runs."""

    shop: Shop
    limits: RefundLimits
    seen: frozenset[str]
    arrived: Arrived
    released: Mapping[str, frozenset[str]]
    sent_minor: int  # without a release, within the last DAY

    def reason(self, refund: RefundRow, payee: PayerAccount, now: datetime) -> HoldReason | None:
        """Why the refund waits for a person; None if it goes, which is counted. Sandbox shops are free."""
        if self.shop.sandbox:
            return None
        released_by = self.released_by(refund, payee)
        question = RefundToSend(
            amount_minor=comparable_minor(self.shop, refund),
            in_shop_currency=refund.currency == self.shop.currency,
            account_seen=payee.iban in self.seen and self._is_payers_own(refund, payee),
            account_paid_enough=self.arrived.from_account(refund.order_number, payee.iban) >= refund.amount_minor,
            arrived_enough=self.arrived.for_order(refund.order_number) >= refund.amount_minor,
            account_named_at=refund.account_named_at,
            released_by=released_by,
            attempt=refund.attempt,
            restored=refund.restored,
        )
        reason = hold_reason(question, self.limits, self.sent_minor, now)
        if reason is None:
            self.arrived.take(refund.order_number, payee.iban, refund.amount_minor)
            self.sent_minor += 0 if released_by else refund.amount_minor
        return reason

    def _is_payers_own(self, refund: RefundRow, payee: PayerAccount) -> bool:
        """Whether an account that somebody has named paid this very order; one that paid another may be anybody's."""
        return refund.account_named_at is None or self.arrived.has_paid(refund.order_number, payee.iban)

    def released_by(self, refund: RefundRow, payee: PayerAccount) -> frozenset[str]:
        """Who has released the refund to this account; another account than the released one needs another release."""
        return self.released.get(refund.id, frozenset()) if payee.iban == refund.iban else frozenset()


def clearance(tx: Tx, shop: Shop, due: Sequence[RefundRow], payees: Sequence[PayerAccount], now: datetime) -> Clearance:
    """What may go by itself now, for refunds to these payees."""
    shop_id, changes = ShopId(shop.id), waiting(tx, shop)
    new_accounts = frozenset(each.subject for each in changes if each.kind is CoolingKind.ACCOUNT)
    return Clearance(
        shop,
        limits_of(shop, changes),
        payer_accounts.trusted_accounts(tx, shop_id, sorted({payee.iban for payee in payees})),
        arrived_for(tx, shop_id, sorted({refund.order_number for refund in due}), new_accounts),
        releases.valid(tx, shop_id, [refund.id for refund in due]),
        sent_by_themselves_minor(tx, shop, now),
    )


def sent_by_themselves_minor(tx: Tx, shop: Shop, now: datetime) -> int:
    """What has gone without a person's release in the last 24 hours, in minor units of the shop's currency."""
    return transfers.sent_by_themselves(tx, ShopId(shop.id), shop.currency, now - DAY)


def arrived_for(tx: Tx, shop_id: ShopId, numbers: Sequence[str], new_accounts: Set[str] = frozenset()) -> Arrived:
    """What arrived for these orders on accounts of the shop that are not new, less what went back."""
    back = payers.sent_back(tx, shop_id, numbers)
    arrived = {
        (number, iban): minor
        for number, payments in payers.payments_of(tx, shop_id, numbers).items()
        for iban, minor in arrived_by([each for each in payments if each.own not in new_accounts]).items()
    }
    return Arrived(arrived, back)


def comparable_minor(shop: Shop, refund: RefundRow) -> int:
    """The refund's figure in minor units of the shop's currency, whatever its own: CHF 12.30 counts as EUR 12.30."""
    shop_unit, own_unit = 10 ** digits_of(Currency(shop.currency)), 10 ** digits_of(Currency(refund.currency))
    return int(refund.amount_minor * shop_unit // own_unit)
