"""Whether a refund goes by itself: what the database knows for the rule of `domain/money_out.py` (D-37)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from paymatch.domain.money import Currency, digits_of
from paymatch.domain.money_out import RefundLimits, RefundToSend, hold_reason
from paymatch.domain.refunds import HoldReason
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import ShopId, Tx
from paymatch.store.refunds import payers, releases, transfers
from paymatch.store.refunds.refunds import PayerAccount, RefundRow
from paymatch.store.statements import payer_accounts
from paymatch.usecases.refunds.new_powers import limits_of, waiting
from paymatch.usecases.refunds.pending import paid_by


@dataclass(slots=True)
class Clearance:
    """What a run may send by itself; it counts what it lets go. The caller holds the lock of runs."""

    shop: Shop
    limits: RefundLimits
    seen: frozenset[str]
    unreturned: dict[tuple[str, str], int]  # (order, account) -> what it has paid and not got back; in minor units
    released: Mapping[str, frozenset[str]]
    sent_today_minor: int

    def reason(self, refund: RefundRow, payee: PayerAccount, now: datetime) -> HoldReason | None:
        """Why the refund waits for a person; None if it goes, which is counted. Sandbox shops are free."""
        if self.shop.sandbox:
            return None
        released_by = self.released_by(refund, payee)
        question = RefundToSend(
            amount_minor=comparable_minor(self.shop, refund),
            in_shop_currency=refund.currency == self.shop.currency,
            account_seen=payee.iban in self.seen and self._is_payers_own(refund, payee),
            account_paid_enough=self._left(refund, payee) >= refund.order_amount_minor,
            account_named_at=refund.account_named_at,
            released_by=released_by,
            restored=refund.restored,
        )
        reason = hold_reason(question, self.limits, self.sent_today_minor, now)
        if reason is None:
            self.unreturned[refund.order_number, payee.iban] = self._left(refund, payee) - refund.order_amount_minor
            self.sent_today_minor += 0 if released_by else refund.amount_minor
        return reason

    def _is_payers_own(self, refund: RefundRow, payee: PayerAccount) -> bool:
        """Whether an account that somebody has named paid this very order; one that paid another may be anybody's."""
        return refund.account_named_at is None or (refund.order_number, payee.iban) in self.unreturned

    def _left(self, refund: RefundRow, payee: PayerAccount) -> int:
        """What the account has paid for the refund's order, and not got back."""
        return self.unreturned.get((refund.order_number, payee.iban), 0)

    def released_by(self, refund: RefundRow, payee: PayerAccount) -> frozenset[str]:
        """Who has released the refund to this account; another account than the released one needs another release."""
        return self.released.get(refund.id, frozenset()) if payee.iban == refund.iban else frozenset()


def clearance(tx: Tx, shop: Shop, due: Sequence[RefundRow], payees: Sequence[PayerAccount], now: datetime) -> Clearance:
    """What may go by itself now, for refunds to these payees."""
    shop_id = ShopId(shop.id)
    return Clearance(
        shop,
        limits_of(shop, waiting(tx, shop)),
        payer_accounts.trusted(tx, shop_id, sorted({payee.iban for payee in payees})),
        _unreturned(tx, shop_id, sorted({refund.order_number for refund in due})),
        releases.valid(tx, shop_id, [refund.id for refund in due]),
        sent_by_themselves_minor(tx, shop, now),
    )


def sent_by_themselves_minor(tx: Tx, shop: Shop, now: datetime) -> int:
    """What has gone without a person's release on the shop's calendar day, in minor units of its currency."""
    return transfers.sent_by_themselves(tx, ShopId(shop.id), shop.currency, *_day(shop, now))


def _unreturned(tx: Tx, shop_id: ShopId, numbers: Sequence[str]) -> dict[tuple[str, str], int]:
    """(order, account) -> what the account has paid for the order, less what went back."""
    back = payers.sent_back(tx, shop_id, numbers)
    return {
        (number, iban): minor - back.get((number, iban), 0) - back.get((number, ""), 0)
        for number, payments in payers.payments_of(tx, shop_id, numbers).items()
        for iban, minor in paid_by(payments).items()
    }


def comparable_minor(shop: Shop, refund: RefundRow) -> int:
    """The refund's figure in minor units of the shop's currency, whatever its own: CHF 12.30 counts as EUR 12.30."""
    shop_unit, own_unit = 10 ** digits_of(Currency(shop.currency)), 10 ** digits_of(Currency(refund.currency))
    return int(refund.amount_minor * shop_unit // own_unit)


def _day(shop: Shop, now: datetime) -> tuple[datetime, datetime]:
    """Begin and end, in UTC, of the calendar day in the shop's time zone."""
    zone = ZoneInfo(shop.timezone)
    day = now.astimezone(zone).date()
    begin = datetime.combine(day, time(), zone).astimezone(UTC)
    return begin, datetime.combine(day + timedelta(days=1), time(), zone).astimezone(UTC)
