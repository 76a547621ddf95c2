"""The bookings of a payout: its rows, its transfer, and the posting on the bank account (D-83, D-86)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from paymatch.domain.payouts.provider_postings import event_of_payout
from paymatch.domain.reports.ledger import LedgerBooking
from paymatch.store.payouts import payout_postings
from paymatch.store.payouts.payouts import PayoutRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reports import journal


@dataclass(frozen=True, slots=True)
class PayoutBookings:
    """The present bookings of a payout, by day; amounts in minor units of its currency.

    `account` is the number of the account for money at the service. `left` has its balance of this payout after each
    booking, None where the booking does not move it.
    """

    bookings: tuple[LedgerBooking, ...]
    account: str
    left: tuple[int | None, ...]
    in_minor: int  # debits of the account
    out_minor: int  # credits of the account

    @property
    def left_minor(self) -> int:
        """The balance of the account that this payout leaves."""
        return self.in_minor - self.out_minor


def bookings_of_payout(tx: ShopTx, row: PayoutRow, most: int) -> PayoutBookings | None:
    """The bookings of a payout; None if it has more than `most` postings, or none."""
    ids = payout_postings.ids_of_payout(tx, row, event_of_payout(row.payout_id), most + 1)
    if not ids or len(ids) > most:
        return None
    account = journal.ledger_accounts(tx).bank(row.account).number
    found = journal.bookings_of_postings(tx, [*ids, *filter(None, [row.posting_id])])
    moved = [_moved(each, account) for each in found]
    sums = accumulate(minor or 0 for minor in moved)
    left = tuple(sum_minor if minor is not None else None for sum_minor, minor in zip(sums, moved, strict=True))
    in_minor = sum(minor for minor in moved if minor and minor > 0)
    return PayoutBookings(tuple(found), account, left, in_minor, -sum(minor for minor in moved if minor and minor < 0))


def _moved(booking: LedgerBooking, account: str) -> int | None:
    """What a booking moves on an account; None for one between others."""
    if account not in (booking.debit.number, booking.credit.number):
        return None
    return booking.minor * ((booking.debit.number == account) - (booking.credit.number == account))
