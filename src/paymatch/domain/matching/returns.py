"""Returned payments: which earlier posting a return reverses, by its references before any text.

A return carries the end-to-end id of the payment it reverses, its account and amount; banks add their charges to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from paymatch.domain.bank_accounts import is_iban
from paymatch.domain.matching.model import PastPosting
from paymatch.domain.matching.text.names import Likeness, compare, parse_name
from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.postings import Posting

MAX_AGE_DAYS: Final = 430
"""SEPA direct debits without mandate may come back for 13 months (SEPA rulebook); transfers come back within weeks."""
MAX_CHARGES_SHARE: Final = 4
_RETURN_WORDS: Final = (
    "RETOURE",
    "RUECKLASTSCHRIFT",
    "RUCKLASTSCHRIFT",
    "RUECKUEBERWEISUNG",
    "RUCKUBERWEISUNG",
    "RETURN",
    "RUECKGABE",
)
_TRUST: Final = 6.0
_STRANGER: Final = 6.0


def is_bank_return(posting: Posting) -> bool:
    """True if the bank itself says that the posting is a return."""
    return posting.is_return or bool(posting.return_reason) or bool(posting.original_end_to_end_id)


def is_returned_money(posting: Posting) -> bool:
    """True for a credit that the bank marks as our own money coming back: it is not a customer's payment (D-4)."""
    return posting.amount_minor > 0 and is_bank_return(posting)


def may_give_back(posting: Posting) -> bool:
    """True if the posting may be a return: the ledger should look up earlier postings of the other side."""
    if is_bank_return(posting):
        return True
    if posting.amount_minor > 0:
        return False
    text = flat(posting.booking_text + " " + posting.text)
    return any(word in text for word in _RETURN_WORDS)


def find_returned(posting: Posting, earlier: Sequence[PastPosting]) -> PastPosting | None:
    """The earlier posting that `posting` reverses; None if none is clear.

    The sign must be opposite and the amount the same, apart from charges that the return or its original amount shows.
    If one of them has the id that the bank names, those with other ids are not meant, even if that one has come back.
    """
    if posting.original_end_to_end_id and _named(posting, earlier):
        earlier = [past for past in earlier if past.posting.end_to_end_id in {posting.original_end_to_end_id, ""}]
    best: float | None = None
    chosen: PastPosting | None = None
    tied = False
    for past in earlier:
        weight = _likelihood(posting, past)
        if weight < _TRUST:
            continue
        if best is None or weight > best:
            best, chosen, tied = weight, past, False
        elif weight == best and chosen is not None:
            # Two payments of one order are lost alike.
            tied = tied or not past.allocations or past.allocations != chosen.allocations
            chosen = min(past, chosen, key=lambda each: each.id)
    return None if tied else chosen


def _likelihood(posting: Posting, past: PastPosting) -> float:
    """The evidence that `posting` reverses it; -inf if that is impossible."""
    was = past.posting
    if past.returned or posting.amount_minor * was.amount_minor >= 0 or was.currency != posting.currency:
        return -inf
    days = (posting.booking_date - was.booking_date).days
    if not 0 <= days <= MAX_AGE_DAYS:
        return -inf
    weight = _amount_weight(posting, past)
    if posting.original_end_to_end_id and posting.original_end_to_end_id == was.end_to_end_id:
        weight += 9.0
    elif posting.end_to_end_id and posting.end_to_end_id == was.end_to_end_id:
        weight += 6.0
    elif posting.original_end_to_end_id:
        weight -= 4.0  # also without an id: the payment that is meant may be in a missing statement
    weight += _other_side(posting, was)
    if was.text and flat(was.text) in flat(posting.text):
        weight += 3.0
    return weight - days / 200.0


def names_payment(posting: Posting, past: PastPosting) -> bool:
    """True if the bank itself says that the posting is the return of this payment, by its end-to-end id."""
    reference = posting.original_end_to_end_id
    return bool(reference) and is_bank_return(posting) and reference == past.posting.end_to_end_id


def reference_of(posting: Posting) -> str:
    """The end-to-end id of the payment that a return reverses, as the bank states it; "" if it states none."""
    return posting.original_end_to_end_id or posting.end_to_end_id


def names_returned(posting: Posting, earlier: Sequence[PastPosting]) -> bool:
    """True if the bank's reference of the reversed payment is that of payments that have all been returned already.

    A return that was itself returned gives the payment a second life (`PastPosting.returned`).
    """
    named = _named(posting, earlier)
    return bool(named) and all(past.returned for past in named)


def _named(posting: Posting, earlier: Sequence[PastPosting]) -> list[PastPosting]:
    """The earlier postings with the end-to-end id that the return names."""
    reference = reference_of(posting)
    return [past for past in earlier if reference and past.posting.end_to_end_id == reference]


def _other_side(posting: Posting, was: Posting) -> float:
    """How much says that the money goes back to where it came from. The creditor of a debit types the text: to another
    account or name only the references of the bank's own return count."""
    same_account = bool(posting.counterparty_iban) and posting.counterparty_iban == was.counterparty_iban
    given, paid = parse_name(posting.counterparty_name), parse_name(was.counterparty_name)
    likeness = compare(given, paid)
    same_name = likeness >= Likeness.VARIANT
    if same_account or same_name:
        return 3.0 * same_account + 2.0 * same_name
    accounts = (posting.counterparty_iban, was.counterparty_iban)
    strange = all(map(is_iban, accounts)) and posting.counterparty_iban != posting.account
    if is_bank_return(posting):
        return -_STRANGER if strange else 0.0
    return -inf if strange or likeness is Likeness.OTHER else 0.0


def _amount_weight(posting: Posting, past: PastPosting) -> float:
    was = past.posting
    given, paid = abs(posting.amount_minor), abs(was.amount_minor)
    if past.was_return and given == abs(sum(each.amount_minor for each in past.allocations)):
        return 4.0  # the return took its charges along, which do not come back
    original = abs(posting.original_amount_minor) if posting.original_amount_minor is not None else None
    if original is not None:
        return 4.0 if original == paid else -inf
    if given == paid:
        return 4.0
    if posting.charges_minor and given - posting.charges_minor == paid:
        return 3.5
    if given < paid:
        return 1.0 if posting.amount_minor < 0 and names_payment(posting, past) else -inf
    return 1.0 if given <= most_returned(paid) else -inf


def most_returned(paid_minor: int) -> int:
    """The largest return of a payment of this much, with charges that nothing states; in minor units."""
    return paid_minor + max(2000, paid_minor // MAX_CHARGES_SHARE)
