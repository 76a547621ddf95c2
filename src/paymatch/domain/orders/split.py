"""A posting split over orders by hand: each order's credit, the withheld amounts, and the open rest (D-36)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.orders.fees import withheld_parts
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message


class AssignmentRefused(Refused):
    """The decision by hand cannot be booked; the text says why."""


@dataclass(frozen=True, slots=True)
class SplitShare:
    """An order's part: `amount_minor` of the posting's money (None: the rest) and the amount withheld from it."""

    order_number: str
    open_minor: int  # of the order, in the posting's currency
    amount_minor: int | None = None
    fee_minor: int = 0

    @property
    def credited_minor(self) -> int:
        """The order's credit; only for a share with an amount."""
        assert self.amount_minor is not None, "a share gets its amount by `split`"
        return self.amount_minor + self.fee_minor


def remainder(posting_minor: int, shares: Sequence[SplitShare]) -> int:
    """The rest of the posting after the shares with an amount."""
    return posting_minor - sum(share.amount_minor or 0 for share in shares)


def missing_amount(posting_minor: int, shares: Sequence[SplitShare]) -> int:
    """The shortfall of the posting against the orders' open amounts: the fee, if all of it was withheld."""
    return sum(share.open_minor for share in shares) - posting_minor


def split(posting_minor: int, shares: Sequence[SplitShare], currency: Currency, fee_minor: int = 0) -> list[SplitShare]:
    """The shares with their amounts, which have the posting's sign and do not exceed it; AssignmentRefused.

    `fee_minor` was withheld of all: it is spread in proportion to the orders' credits. With a fee, orders without an
    amount are credited their open amounts.
    """
    if len({share.order_number for share in shares}) != len(shares):
        raise AssignmentRefused(Message("assign-twice"))
    found = _with_fee(posting_minor, shares, fee_minor, currency) if fee_minor else _without_fee(posting_minor, shares)
    for share in found:
        _check(posting_minor, share)
    if abs(sum(share.amount_minor or 0 for share in found)) > abs(posting_minor):
        raise AssignmentRefused(Message("assign-too-much"))
    return found


def _without_fee(posting_minor: int, shares: Sequence[SplitShare]) -> list[SplitShare]:
    if sum(share.amount_minor is None for share in shares) > 1:
        raise AssignmentRefused(Message("assign-one-open"))
    left = remainder(posting_minor, shares)
    return [replace(share, amount_minor=left) if share.amount_minor is None else share for share in shares]


def _with_fee(posting_minor: int, shares: Sequence[SplitShare], fee_minor: int, currency: Currency) -> list[SplitShare]:
    if fee_minor < 0 or posting_minor <= 0 or any(share.fee_minor for share in shares):
        raise AssignmentRefused(Message("assign-fee-once"))
    gross = posting_minor + fee_minor
    unset = [share for share in shares if share.amount_minor is None]
    if len(unset) == 1:
        credits = [_credit(share, remainder(gross, shares)) for share in shares]
    else:
        credits = [_credit(share, share.open_minor) for share in shares]
    if unset and sum(credits) != gross:
        due, given = minor_to_text(sum(credits), currency), minor_to_text(gross, currency)
        raise AssignmentRefused(
            Message("assignment-orders-come-posting-with", due=due, currency=currency, given=given, currency2=currency)
        )
    if any(credit <= 0 for credit in credits) or fee_minor >= sum(credits):
        raise AssignmentRefused(Message("assign-fee-too-much"))
    fees = withheld_parts(fee_minor, credits)
    return [
        replace(share, amount_minor=credit - fee, fee_minor=fee)
        for share, credit, fee in zip(shares, credits, fees, strict=True)
    ]


def _credit(share: SplitShare, otherwise: int) -> int:
    return otherwise if share.amount_minor is None else share.amount_minor


def _check(posting_minor: int, share: SplitShare) -> None:
    is_received = posting_minor > 0
    assert share.amount_minor is not None, "all shares have their amounts now"
    if share.amount_minor == 0 or (share.amount_minor > 0) is not is_received:
        raise AssignmentRefused(Message("assign-sign", order=f"'{share.order_number}'"))
    if share.fee_minor < 0 or (share.fee_minor and not is_received):
        raise AssignmentRefused(Message("assign-fee-sign", order=f"'{share.order_number}'"))
