"""The postings of one event on the account of its provider: always the same for the same rows (D-40, D-83)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, tzinfo
from typing import Final

from paymatch.domain.money import Currency
from paymatch.domain.payouts.account_postings import AccountPart, parts_of
from paymatch.domain.payouts.movements import Movement, MovementKind, combine, distinct
from paymatch.domain.payouts.payouts import Payout
from paymatch.domain.payouts.providers import provider_at
from paymatch.domain.postings import Posting

_ID_LENGTH: Final = 19


@dataclass(frozen=True, slots=True)
class ProviderPosting:
    """A posting on a provider's account: `part` of the movement."""

    id: str
    part: AccountPart
    movement: Movement

    def as_posting(self, account: str, event: str, zone: tzinfo, unknown_day: date) -> Posting:
        """The posting in the books; `unknown_day` is the day of a movement whose file names none."""
        movement, part = self.movement, self.part
        numbers = (movement.order_reference, movement.marketplace_number)
        words = dict.fromkeys(each for each in (*numbers, movement.text) if each)
        return Posting(
            account,
            Currency(movement.currency),
            part.amount_minor,
            day_of(movement, zone) or unknown_day,
            bank_reference=movement.provider_id,
            counterparty_name=provider_at(account).name,
            entry_reference=event,
            transaction_id=movement.payment_id,
            remittance_lines=(" ".join(words) or movement.kind.value,),
            booking_text=movement.kind.value,
            charges_minor=max(part.withheld_minor, 0),
        )


def day_of(movement: Movement, zone: tzinfo) -> date | None:
    """The day of a movement in the shop's time zone."""
    return movement.at.astimezone(zone).date() if movement.at is not None else movement.payout_date


def postings_of_event(account: str, event: str, rows: Sequence[Movement]) -> list[ProviderPosting]:
    """The postings of all rows of an event, for any order of the rows."""
    found: list[ProviderPosting] = []
    in_order = sorted(distinct(rows), key=lambda each: (each.report, each.row, each.provider_id))
    for place, movement in enumerate(combine(in_order)):
        for number, part in enumerate(parts_of(movement)):
            name = f"{account}\n{movement.currency}\n{event}\n{place}\n{number}"
            digest = hashlib.blake2b(name.encode(), digest_size=16).hexdigest()
            found.append(ProviderPosting(f"pst_{digest[:_ID_LENGTH]}", part, movement))
    return found


def posting_of_payout(account: str, payout: Payout) -> list[ProviderPosting]:
    """The postings of a payout that no row of a file reports: the transfer, and its own fee."""
    movement = Movement(
        MovementKind.PAYOUT,
        payout.currency,
        -payout.amount_minor,
        payout.fee_minor,
        payout.payout_id,
        payout_id=payout.payout_id,
        payout_date=payout.sent_on or payout.last_on,
        text=f"payout {payout.payout_id}",
    )
    return postings_of_event(account, event_of_payout(payout.payout_id), [movement])


def event_of_payout(payout_id: str) -> str:
    """The event of a payout that no row of a file reports."""
    return f"p:{payout_id}"
