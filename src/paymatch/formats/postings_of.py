"""From the bank's words to ours: the postings of an entry (the posting rule)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from paymatch.domain.money import Currency
from paymatch.domain.postings import Posting
from paymatch.formats.german_codes import RETURN_GVC
from paymatch.formats.statement import Charge, Detail, Entry, EntryStatus, Party, StatementHead

_RETURN_CODE: Final = re.compile(r"PMNT/[A-Z]{4}/(?:RRTN|RPCR|UPDD|PRDD|RCDD|UPCQ|UPCT|CQRV)")
"""ISO external code list, sub-families of reversals due to return, cancellation or lack of cover."""

_BANKS_OWN: Final = re.compile(r"ACMT(?:/.*)?|[A-Z]{4}/[A-Z]{4}/(?:CHRG|COMM|COME|FEES|INTR|TAXE)")
_BANKS_OWN_GVCS: Final = frozenset({"805", "806", "807", "808", "809", "814", "818", "819"})
"""Closing of the account, charges, commission and interest: there is no payer and no payee."""

_NOT_GIVEN: Final = frozenset(
    spelling
    for text in ("NotProvided", "Not Provided", "NonRef", "Nicht angegeben", "null", "-")
    for spelling in (text, text.upper(), text.lower(), text.capitalize())
)
"""What banks write where a reference is mandatory and there is none."""

_NO_DETAIL: Final = Detail(amount_minor=None, currency="")
_NOBODY: Final = Party()


def postings_of(head: StatementHead, entry: Entry) -> tuple[Posting, ...]:
    """Postings of an entry, in the order of its details; none unless it is booked.

    One per detail if every detail has an amount in the entry's currency and they add up to the entry; otherwise one of
    the entry's amount, with the fields of its only detail, or with its several details kept as text.
    """
    if entry.status is not EntryStatus.BOOKED:
        return ()
    details = entry.details
    if len(details) == 1 and not _is_one_of_many(entry, details[0]):
        return (_posting(head, entry, details[0], entry.amount_minor),)
    if not details:
        return (_posting(head, entry, _NO_DETAIL, entry.amount_minor),)
    amounts = amounts_of_details(entry)
    if amounts is None:
        texts = tuple(text for detail in details if (text := text_of(detail)))
        return (_posting(head, entry, _NO_DETAIL, entry.amount_minor, texts=texts),)
    return tuple(
        _posting(head, entry, detail, amount, index=index, size=len(details))
        for index, (detail, amount) in enumerate(zip(details, amounts, strict=True))
    )


def _is_one_of_many(entry: Entry, detail: Detail) -> bool:
    """Whether the only detail that is shown is one payment of a batch that has more of them."""
    return (
        (entry.batch_count or 1) > 1 and detail.amount_minor is not None and detail.amount_minor != entry.amount_minor
    )


def amounts_of_details(entry: Entry) -> tuple[int, ...] | None:
    """Signed amounts of the details if all are known and add up to the entry, else None.

    Where no detail has an amount of its own in the entry's currency, the instructed amounts or else the counter values
    serve, if they are in that currency and add up.
    """
    details, currency = entry.details, entry.currency
    known = _amounts_in(currency, ((detail.amount_minor, detail.currency) for detail in details))
    if not known:
        sign = 1 if entry.amount_minor >= 0 else -1
        instructed = ((detail.instructed_amount_minor, detail.instructed_currency) for detail in details)
        counter = ((detail.counter_value_minor, detail.counter_value_currency) for detail in details)
        known = [sign * minor for minor in _amounts_in(currency, instructed) or _amounts_in(currency, counter)]
    if len(known) != len(details) or sum(known) != entry.amount_minor:
        return None
    return tuple(known)


def _amounts_in(currency: str, amounts: Iterable[tuple[int | None, str]]) -> list[int]:
    return [minor for minor, code in amounts if minor is not None and code == currency]


def text_of(detail: Detail) -> str:
    """What a person, or a search for references, needs of a detail that did not become a posting."""
    party = detail.debtor if detail.debtor.name or detail.debtor.account else detail.creditor
    parts = (
        party.name,
        party.account,
        first_given(detail.end_to_end_id),
        detail.mandate_id,
        *(reference for _, reference in detail.structured_references),
        *detail.referred_documents,
        "".join(detail.remittance_lines),
        *detail.additional_remittance,
        detail.additional_info,
    )
    return " ".join(part for part in parts if part)


def first_given(reference: str) -> str:
    """The reference, or "" where the bank only says that there is none (NOTPROVIDED)."""
    return "" if reference in _NOT_GIVEN else reference


def is_return(entry: Entry, detail: Detail) -> bool:
    """Whether the payment reverses an earlier one: return information, reversal mark, or a code that says so."""
    if entry.reversal or detail.returned:
        return True
    if (detail.gvc or entry.gvc) in RETURN_GVC:
        return True
    return _is_return_code(detail.bank_code or entry.domain_code)


def _iso_code(code: str) -> str:
    """The ISO code; "" where the bank only says that it has none (NTAV)."""
    return "" if "/NTAV" in code else code


def _code_of_type(proprietary: str, amount_minor: int) -> str:
    """The ISO code of an MT940 without GVC whose type (`NDDT` in :61:) says that a debit was collected; else ""."""
    return "PMNT/RDDT" if amount_minor < 0 and proprietary[1:4] == "DDT" else ""


@lru_cache(maxsize=1024)
def _is_return_code(code: str) -> bool:
    return _RETURN_CODE.match(code) is not None


@lru_cache(maxsize=1024)
def _is_banks_own_code(code: str) -> bool:
    return _BANKS_OWN.fullmatch(code) is not None


def counterparty_of(head: StatementHead, detail: Detail, amount_minor: int, *, returned: bool) -> Party:
    """The other side: who paid a credit, who was paid by a debit.

    A return or reversal shows the roles of the payment that it reverses (and some banks turn them round), so there
    it is the side that is not the account's owner.
    """
    payer_is_other = (amount_minor >= 0) != returned
    first, second = (detail.debtor, detail.creditor) if payer_is_other else (detail.creditor, detail.debtor)
    if not returned:
        own = _is_own(head, first)
        return second if own and second.account and not _is_own(head, second) else first
    sides = [side for side in (first, second) if side != _NOBODY and not _is_own(head, side)]
    return next((side for side in sides if side.account), sides[0] if sides else _NOBODY)


def _is_own(head: StatementHead, party: Party) -> bool:
    if party.account and head.account:
        return party.account == head.account
    return bool(party.name) and party.name.casefold() == head.owner_name.casefold()


def charges_minor_of(charges: tuple[Charge, ...], detail: Detail, amount_minor: int, currency: str) -> int:
    """What the bank took off this payment: the included charges; without such a mark (.02) those that explain the
    difference between instructed and booked amount."""
    if not charges:
        return 0
    own = [charge for charge in charges if charge.currency == currency]
    if included := sum(charge.amount_minor for charge in own if charge.included):
        return max(included, 0)
    everything = sum(charge.amount_minor for charge in own)
    if detail.instructed_amount_minor is not None and detail.instructed_currency == currency:
        difference = abs(detail.instructed_amount_minor - abs(amount_minor))
        return everything if everything == difference and everything > 0 else 0
    return 0


def _posting(
    head: StatementHead,
    entry: Entry,
    detail: Detail,
    amount_minor: int,
    *,
    index: int = 0,
    size: int = 1,
    texts: tuple[str, ...] = (),
) -> Posting:
    booking_date = entry.booking_date or entry.value_date
    assert booking_date is not None, "a reader hands out no booked entry without a date"
    returned = is_return(entry, detail)
    code = detail.bank_code or entry.domain_code
    gvc = detail.gvc or entry.gvc
    banks_own = gvc in _BANKS_OWN_GVCS or _is_banks_own_code(code)
    party = _NOBODY if banks_own else counterparty_of(head, detail, amount_minor, returned=returned)
    names = _names(head, entry, detail, amount_minor, size)
    return Posting(
        account=head.account,
        currency=Currency(entry.currency),
        amount_minor=amount_minor,
        booking_date=booking_date,
        value_date=entry.value_date,
        detail_index=index,
        batch_size=size,
        counterparty_name=party.name,
        counterparty_iban=party.account,
        counterparty_bic=party.bic,
        ultimate_name=party.ultimate_name,
        remittance_lines=detail.remittance_lines,
        structured_references=tuple([reference for _, reference in detail.structured_references]),
        referred_documents=detail.referred_documents,
        purpose=detail.purpose,
        bank_code=_iso_code(code) or gvc or code or _code_of_type(entry.proprietary_code, amount_minor),
        booking_text=entry.booking_text,
        is_return=returned,
        return_reason=detail.return_reason,
        return_text=detail.return_text,
        original_end_to_end_id=_original_id(detail, names) if returned else "",
        extra_texts=texts or _further_texts(entry, detail),
        **_sender_fields(entry, detail, amount_minor, size, returned=returned),
        **names,
    )


def _original_id(detail: Detail, names: dict[str, Any]) -> str:
    """The EndToEndId of the payment that a return brings back."""
    return first_given(detail.original_end_to_end_id) or str(names["end_to_end_id"])


def _sender_fields(entry: Entry, detail: Detail, amount_minor: int, size: int, *, returned: bool) -> dict[str, Any]:
    """What the payer sent, by field: the amount before exchange and charges, the rate, and what was charged."""
    instructed, currency = _instructed_amount(entry, detail, size)
    original = detail.original_amount_minor
    if original is None and currency == entry.currency:
        original = instructed
    charges = detail.charges or (entry.charges if size == 1 else ())
    return {
        "original_amount_minor": original if returned else None,
        "instructed_amount_minor": instructed,
        "instructed_currency": currency,
        "exchange_rate": detail.exchange_rate or (entry.exchange_rate if size == 1 else ""),
        "charges_minor": charges_minor_of(charges, detail, amount_minor, entry.currency) if charges else 0,
    }


def _names(head: StatementHead, entry: Entry, detail: Detail, amount_minor: int, size: int) -> dict[str, Any]:
    """The posting's references, by field: those of the bank, and those that payers give."""
    own_reference = first_given(detail.bank_reference)
    entry_reference = first_given(entry.bank_reference)
    message_id = detail.message_id or entry.batch_message_id or _own_reference(head, entry, detail, amount_minor)
    return {
        "bank_reference": own_reference or entry_reference,
        "entry_reference": entry_reference if size > 1 or own_reference not in {"", entry_reference} else "",
        "end_to_end_id": first_given(detail.end_to_end_id),
        "mandate_id": first_given(detail.mandate_id),
        "batch_id": first_given(detail.payment_information_id or entry.batch_payment_information_id),
        "message_id": first_given(message_id),
        "transaction_id": first_given(detail.transaction_id) or detail.uetr,
    }


def _instructed_amount(entry: Entry, detail: Detail, size: int) -> tuple[int | None, str]:
    """(amount, currency) that the payer instructed: of the detail, or of an entry that has no other."""
    if detail.instructed_amount_minor is None and size == 1:
        return entry.instructed_amount_minor, entry.instructed_currency
    return detail.instructed_amount_minor, detail.instructed_currency


def _own_reference(head: StatementHead, entry: Entry, detail: Detail, amount_minor: int) -> str:
    """In MT940 KREF, or subfield 7 of :61:, of a debit is what we called our order: its PmtInfId or MsgId (DK annex 3,
    chapter 8)."""
    if amount_minor >= 0 or not head.format.startswith("MT"):
        return ""
    return detail.instruction_id or entry.customer_reference


def _further_texts(entry: Entry, detail: Detail) -> tuple[str, ...]:
    """Texts that may hold a reference beside the remittance information; the entry's own only if there is no other.

    Abroad, subfield 7 of :61: of a credit is what the payer called the payment; Rabobank's classic one holds account
    and name, with blanks between them.
    """
    texts = (*detail.additional_remittance, detail.additional_info)
    reference = entry.customer_reference
    if (
        reference
        and entry.amount_minor > 0
        and "  " not in reference
        and reference not in {detail.end_to_end_id, detail.debtor.account}
    ):
        texts = (*texts, reference)
    if not (detail.remittance_lines or detail.structured_references or detail.additional_info):
        texts = (*texts, entry.additional_info)
    return tuple([text for text in texts if text])
