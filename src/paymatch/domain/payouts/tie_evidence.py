"""Why a posting is a payout: the facts that speak for or against it, by the rules that tied them (D-83, D-128)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from paymatch.domain.calendar import plus_bank_days
from paymatch.domain.payouts.providers import MAX_BANK_DAYS, SearchedTexts
from paymatch.domain.payouts.ties import BankPosting, ProviderPayout, TieReason


class TieFact(StrEnum):
    """A fact about a posting and the payout that it is."""

    PERSON = "person"  # a person said so
    NUMBER = "number"  # the posting names the payout's id or the transfer's trace
    AMOUNT = "amount"  # to the cent
    OTHER_AMOUNT = "other-amount"
    PAYER = "payer"  # the payer or the text names the provider
    DAYS = "days"  # booked so many bank days after it was sent
    LATE = "late"  # booked later than payouts usually are, or before it was sent
    ALONE = "alone"  # no other payout of the provider's account has its amount
    TWINS = "twins"  # so many others have


_STRONG: Final = frozenset({TieFact.PERSON, TieFact.NUMBER, TieFact.AMOUNT})
_AGAINST: Final = frozenset({TieFact.OTHER_AMOUNT, TieFact.LATE})


@dataclass(frozen=True, slots=True)
class TieEvidence:
    """A fact with its count: of bank days, or of other payouts."""

    fact: TieFact
    count: int = 0

    @property
    def is_strong(self) -> bool:
        """Whether it ties a posting to a payout nearly alone."""
        return self.fact in _STRONG

    @property
    def is_against(self) -> bool:
        """Whether it speaks against the tie."""
        return self.fact in _AGAINST

    @property
    def is_neutral(self) -> bool:
        """Whether it only leaves others possible."""
        return self.fact is TieFact.TWINS


def evidence_of(
    sent: ProviderPayout, posting: BankPosting, reason: TieReason, others: Sequence[ProviderPayout]
) -> list[TieEvidence]:
    """The facts about a tie, the strongest first. `others` are the other payouts of the shop."""
    payout, found = sent.payout, list[TieEvidence]()
    if reason is TieReason.PERSON:
        found.append(TieEvidence(TieFact.PERSON))
    texts = SearchedTexts([(0, (posting.text, posting.end_to_end_id, posting.name))])
    if texts.naming(payout.payout_id, payout.trace_id):
        found.append(TieEvidence(TieFact.NUMBER))
    exact = posting.amount_minor == payout.amount_minor
    found.append(TieEvidence(TieFact.AMOUNT if exact else TieFact.OTHER_AMOUNT))
    if sent.provider.sends(posting.name, posting.text) or posting.is_from_own_name:
        found.append(TieEvidence(TieFact.PAYER))
    if payout.sent_on is not None:
        days = [plus_bank_days(payout.sent_on, count) for count in range(MAX_BANK_DAYS + 1)]
        after = next((count for count, day in enumerate(days) if posting.booked_on <= day), None)
        is_usual = after is not None and posting.booked_on >= payout.sent_on
        found.append(TieEvidence(TieFact.DAYS, after or 0) if is_usual else TieEvidence(TieFact.LATE))
    same = (sent.account_id, payout.currency, payout.amount_minor)
    twins = [
        each for each in others
        if each.key != sent.key and (each.account_id, each.payout.currency, each.payout.amount_minor) == same
    ]  # fmt: skip
    found.append(TieEvidence(TieFact.TWINS, len(twins)) if twins else TieEvidence(TieFact.ALONE))
    return found
