"""Refunds in words: what one waits for, what the bank says of a transfer, and why it was rejected or came back.

Codes: ISO 20022 external code sets ExternalPaymentTransactionStatus1Code, ExternalStatusReason1Code and
ExternalReturnReason1Code, as far as SEPA credit transfers use them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.figures import day
from paymatch.area.language.sentences import as_sentence, in_words
from paymatch.domain.bank_feeds.uploads import UploadStatus
from paymatch.domain.refunds.payee_check import PayeeMatch
from paymatch.domain.refunds.refunds import HoldReason, RefundStatus

FINTS_UPLOADS: Final[Mapping[UploadStatus, tuple[str, str | Promise]]] = {
    UploadStatus.OPEN: ("amber", gettext_lazy("Being sent by FinTS")),
    UploadStatus.UNCERTAIN: ("red", gettext_lazy("Check your online banking")),
    UploadStatus.ACCEPTED: ("accent", gettext_lazy("Sent by FinTS")),
    UploadStatus.REFUSED: ("amber", gettext_lazy("Not sent")),
}
PAYEE_MATCHES: Final[Mapping[PayeeMatch, tuple[str, str | Promise]]] = {
    PayeeMatch.MATCH: ("green", gettext_lazy("Name and IBAN match")),
    PayeeMatch.CLOSE: ("amber", gettext_lazy("Name and IBAN match closely")),
    PayeeMatch.NONE: ("red", gettext_lazy("Name and IBAN do not match")),
    PayeeMatch.NOT_POSSIBLE: ("grey", gettext_lazy("Name could not be checked")),
}
_STATUSES: Final[Mapping[str, str | Promise]] = {
    "RCVD": gettext_lazy("Received"),
    "ACTC": gettext_lazy("Accepted, format checked"),
    "ACCP": gettext_lazy("Accepted, customer checked"),
    "ACSP": gettext_lazy("Accepted, being executed"),
    "ACWC": gettext_lazy("Accepted with a change"),
    "ACSC": gettext_lazy("Booked"),
    "ACCC": gettext_lazy("Booked, credited to the payee"),
    "PDNG": gettext_lazy("Being checked"),
    "PART": gettext_lazy("Accepted in part"),
    "CANC": gettext_lazy("Cancelled"),
    "RJCT": gettext_lazy("Rejected"),
    "RVCM": gettext_lazy("Names were checked, some do not match"),
    **{each.value: words for each, (_, words) in PAYEE_MATCHES.items()},
}
_REASONS: Final[Mapping[str, str | Promise]] = {
    "AB05": gettext_lazy("the payee's bank did not answer in time"),
    "AB06": gettext_lazy("a bank on the way did not answer in time"),
    "AB07": gettext_lazy("a bank on the way is not reachable"),
    "AB08": gettext_lazy("the payee's bank is not reachable"),
    "AB09": gettext_lazy("a fault at the payee's bank"),
    "AB10": gettext_lazy("a fault at a bank on the way"),
    "AC01": gettext_lazy("the account number is wrong"),
    "AC03": gettext_lazy("the payee's account number is invalid"),
    "AC04": gettext_lazy("the account is closed"),
    "AC06": gettext_lazy("the account is blocked"),
    "AC13": gettext_lazy("the account does not take transfers"),
    "AC14": gettext_lazy("the account does not take transfers"),
    "AG01": gettext_lazy("transfers to this account are forbidden"),
    "AG02": gettext_lazy("the bank does not offer this kind of transfer"),
    "AG03": gettext_lazy("the account does not take this kind of transfer"),
    "AG10": gettext_lazy("a bank on the way is suspended"),
    "AG11": gettext_lazy("the payee's bank is suspended"),
    "AM02": gettext_lazy("the amount is above the bank's limit"),
    "AM03": gettext_lazy("the bank does not take this currency"),
    "AM04": gettext_lazy("your account lacks the money"),
    "AM05": gettext_lazy("the bank takes it for a duplicate"),
    "AM09": gettext_lazy("the amount is wrong"),
    "AM23": gettext_lazy("the amount is above what can be settled at once"),
    "ARDT": gettext_lazy("it was returned before"),
    "BE01": gettext_lazy("name and account do not belong together"),
    "BE04": gettext_lazy("the payee's address is missing"),
    "BE05": gettext_lazy("the bank does not know who ordered it"),
    "BE06": gettext_lazy("the bank does not know the payee"),
    "CNOR": gettext_lazy("the payee's bank is not reached by SEPA transfers"),
    "CUST": gettext_lazy("returned at the customer's request"),
    "DNOR": gettext_lazy("your bank is not registered for SEPA transfers"),
    "DUPL": gettext_lazy("the bank takes it for a duplicate"),
    "ED05": gettext_lazy("the banks could not settle it"),
    "FF01": gettext_lazy("the format of the file is wrong"),
    "FOCR": gettext_lazy("returned because it was recalled"),
    "FRAD": gettext_lazy("the bank suspects fraud"),
    "LEGL": gettext_lazy("the law forbids it"),
    "MD07": gettext_lazy("the account holder has died"),
    "MS02": gettext_lazy("the payee refuses it, without a reason"),
    "MS03": gettext_lazy("the bank refuses it, without a reason"),
    "NOAS": gettext_lazy("the payee has not answered"),
    "RC01": gettext_lazy("the bank's BIC is wrong"),
    "RC07": gettext_lazy("the BIC of the payee's bank is wrong"),
    "RF01": gettext_lazy("the reference was used before"),
    "RR01": gettext_lazy("regulation: the ordering account is missing"),
    "RR02": gettext_lazy("regulation: name or address of who ordered it is missing"),
    "RR03": gettext_lazy("regulation: name or address of the payee is missing"),
    "RR04": gettext_lazy("regulation: the bank refuses it"),
    "TECH": gettext_lazy("a technical fault of the bank"),
    "TM01": gettext_lazy("it came after the bank's closing time"),
}


def bank_status_words(status: str) -> str:
    """What a status code of pain.002 says; the code itself where it is none of these."""
    return str(_STATUSES.get(status, status))


def bank_reason_words(code: str) -> str:
    """The reason of a rejection or a return with its code: `the account is closed (AC04)`; "" without a code."""
    if not code:
        return ""
    words = _REASONS.get(code)
    return f"{words} ({code})" if words else code


def hold_words(reason: str) -> str:
    """Why a refund is held back; "" if it is not."""
    return as_sentence(HoldReason(reason).message) if reason in set(HoldReason) else reason


def _asked_words(row: Mapping[str, Any]) -> str:
    """When the customer was asked for the IBAN and when next, or why no one is asked."""
    said = []
    if row["asked_at"]:
        said.append(_("asked by mail on {day}, no answer yet").format(day=day(row["asked_at"])))
    if row["ask_at"]:
        said.append(
            (_("asked again on {day}") if row["asked_at"] else _("asked on {day}")).format(day=day(row["ask_at"]))
        )
    elif row["ask_note"]:
        said.append(in_words(row["ask_note"]))
    return _("The customer's IBAN: {said}").format(said="; ".join(said)) if said else _("The customer's IBAN")


def why_words(row: Mapping[str, Any], status: RefundStatus) -> str:
    """What the refund waits for; "" for one that waits for nothing."""
    match status:
        case RefundStatus.BANKDETAILS_MISSING:
            return _asked_words(row)
        case RefundStatus.ERROR | RefundStatus.RETURNED:
            said = bank_reason_words(row["bank_code"])
            return _("Another account: {reason}").format(reason=said) if said else _("Another account")
        case RefundStatus.IN_PROCESS:
            return _("The bank, file {file}").format(file=row["transfer_file"])
        case RefundStatus.NEW:
            return hold_words(row["held_reason"]) or _("The planned date")
    return ""
