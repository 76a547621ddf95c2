"""The account that a customer names for a refund: checked, confirmed, then used by the refund (D-5, D-37, D-51)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from paymatch.domain.bank_accounts import IbanRefused, registered_iban, same_account
from paymatch.domain.countries import SEPA
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.formats.sepa.pain001 import sendable_name
from paymatch.store.customers import pages
from paymatch.store.customers.pages import ShownRefund
from paymatch.store.orders import orders as order_store
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.refunds import refunds

MAX_HOLDER: Final = 70
"""Characters of a name in a SEPA transfer (EPC130-08)."""


class Wrong(StrEnum):
    """Faults of the details; the page shows them in the customer's language."""

    HOLDER_MISSING = "holder-missing"
    HOLDER_TOO_LONG = "holder-too-long"
    IBAN_MISSING = "iban-missing"
    IBAN_INVALID = "iban-invalid"
    IBAN_NOT_REACHED = "iban-not-reached"  # not in SEPA
    OWN_ACCOUNT = "own-account"  # the shop's, copied from the same page
    OUTDATED = "outdated"  # the confirmed details differ from the present ones


class DetailsRefused(Refused):
    """The details are refused; `why` and the fields say what must be corrected."""

    def __init__(self, *why: Wrong) -> None:
        super().__init__(Message("bank-details-not-taken", reasons=", ".join(why)), parameter="iban")
        self.why = why


@dataclass(frozen=True, slots=True)
class BankDetails:
    """An account that can be paid; `bank` is "" if the registry does not know it."""

    holder: str
    iban: str
    bank: str


def check(tx: ShopTx, refund: ShownRefund, holder: str, iban: str) -> BankDetails:
    """The details in their final form. DetailsRefused with all faults."""
    holder = " ".join(holder.split())
    wrong: list[Wrong] = []
    if not sendable_name(holder, MAX_HOLDER):
        wrong.append(Wrong.HOLDER_MISSING)
    elif len(holder) > MAX_HOLDER:
        wrong.append(Wrong.HOLDER_TOO_LONG)
    compact = "".join(char for char in iban.upper() if not char.isspace() and char not in "-.")
    if not compact:
        raise DetailsRefused(*wrong, Wrong.IBAN_MISSING)
    try:
        known = registered_iban(compact.removeprefix("IBAN").lstrip(":"))
    except IbanRefused:
        raise DetailsRefused(*wrong, Wrong.IBAN_INVALID) from None
    if refund.currency == "EUR" and known.iban[:2] not in SEPA:
        wrong.append(Wrong.IBAN_NOT_REACHED)
    if any(same_account(account.account, known.iban) for account in shop_store.accounts(tx)):
        wrong.append(Wrong.OWN_ACCOUNT)
    if wrong:
        raise DetailsRefused(*wrong)
    return BankDetails(holder, known.iban, known.bank_name)


def give(tx: ShopTx, number: str, refund_id: str, version: int, holder: str, iban: str) -> BankDetails:
    """The refund goes to this account, once a person has released it or a day has passed (D-37). DetailsRefused.

    `version` is that of the account when the customer saw the form: sending the form again, or confirming it on two
    devices, changes nothing a second time.
    """
    order_store.lock(tx, [number])
    refund = next((each for each in pages.refunds(tx, number) if each.id == refund_id), None)
    if refund is None or refund.account_version != version or not (refund.wants_details or refund.may_be_redirected):
        raise DetailsRefused(Wrong.OUTDATED)
    details = check(tx, refund, holder, iban)
    refunds.set_iban(tx, refund_id, details.iban, details.holder)
    return details
