"""Labels of the reports' catalogue in the reader's language, and badges for values of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from paymatch.area.badges import Badge, order_badge
from paymatch.domain.orders.settlement import SetPaidAccount
from paymatch.domain.reports.evidence import TOGETHER, MatchedBy

EXPORTED_TABLES: Final = (
    ("postings", _("Postings with what they were for")),
    ("allocations", _("Allocations: which posting pays which order")),
    ("orders", _("Orders, by their date")),
    ("refunds", _("Refunds, by their planned date")),
    ("fees", _("Fees withheld, each one")),
    ("journal", _("Double-entry journal")),
)
EXPORTED_FILES: Final = (
    ("datev", _("DATEV: Buchungsstapel")),
    ("datev-documents", _("DATEV: invoices that the Buchungsstapel links")),
    ("beancount", _("beancount: ledger in plain text")),
)

TEXTS: Final[tuple[str | Promise, ...]] = (
    _("Account"), _("After the due date"), _("Amount"), _("Booked"), _("By"), _("Cash by month"), _("Cash in"),
    _("Cash on delivery"), _("Changed since"), _("Closed"), _("Closed months"), _("Closing balance"), _("Credited"),
    _("Currency"), _("Customer"), _("DSO"), _("Days overdue"), _("Days sales outstanding"),
    _("Days until paid, mean"), _("Days until paid, median"), _("Due"), _("Dunning level"), _("Fee"),
    _("Fee withheld"), _("Fees withheld"), _("For orders"), _("From"), _("In"), _("Invoice"), _("Kind"),
    _("Known to"),
    _("Matched by"), _("Month"), _("Not in the statements"), _("Open"), _("Open at the end"),
    _("Open order of the customer"),
    _("Open receivables"), _("Open receivables by age"), _("Opening balance"), _("Order"), _("Ordered"), _("Orders"),
    _("Orders paid"), _("Other types"), _("Out"), _("Overpaid"), _("Overpaid orders"), _("Paid"),
    _("Paid within 14 days"), _("Paid within 30 days"), _("Paid within 7 days"), _("Payer"), _("Payment text"),
    _("Payments"), _("Posting"), _("Postings"), _("Postings explained"), _("Prepayment"), _("Reason"),
    _("Refund planned"), _("Refunds"), _("SHA-256"), _("Sales"), _("Seal"), _("Sent"), _("Share, %"),
    _("State"), _("Status"), _("Still open"), _("Success of reminders"), _("Type"), _("Undone"),
    _("Unexplained postings"), _("What to do"), _("Within 14 days, %"),
    _(
        "Opening balance, postings and closing balance of each account and month, and what the postings were for."
    ),
    _("Each posting of the period: matched to which orders, with what fee; refund, set aside or open, and why."),
    _("Postings, or parts of them, that belong to no order and no refund and were not set aside."),
    _("Every order that was still to be paid at the end of the day, the longest overdue first."),
    _("What was still to be paid at the end of the day, by days after the due date and by type of order."),
    _(
        "Orders for which more was paid than they cost, or that were cancelled after the payment: refund, keep or"
        " move the money to another order of the customer."
    ),
    _(
        "What each payer kept of the period's payments, by kind: commission, delivery and payment fees, bank"
        " charges, cash discount."
    ),
    _(
        "What customers paid per day, week or month, matched or open. A payment stays in it after its return; returned"
        " refunds and postings that were set aside are left out."
    ),
    _("Customer number"), _("Oldest due date"), _("Overdue"), _("Open receivables by customer"), _("Item"),
    _("Reconciliation"),
    _("What each customer owed at the end of the day: number, name, orders and sum, the largest first."),
    _(
        "Debtors of the journal with sales = open - "
        "overpaid + each item of difference; the rest is 0.00."
    ),
    _("Set paid without money"), _("Date"),
    _(
        "What orders owed that were set paid by hand: when, "
        "on which account, why and by whom; negative if undone."
    ),
    _("How the period's payments were matched: the evidence together, a person, or not yet."),
    _(
        "Per month: days from the order to its last payment, and the receivables at the month's end as days of"
        " the month's sales."
    ),
    _("Of the reminders sent in the period: how many orders were paid within 7, 14 and 30 days."),
    _("The months that were closed, whether their seal holds, and what has changed since."),
)  # fmt: skip
"""Every text of the catalogue, here for the translation."""

_VALUES: Final[Mapping[str, str | Promise]] = {
    "not due": _("Not due"),
    "1 to 14 days": _("1 to 14 days"),
    "15 to 30 days": _("15 to 30 days"),
    "31 to 60 days": _("31 to 60 days"),
    "over 60 days": _("over 60 days"),
    "debtors of the journal": _("Debtors of the journal"),
    "open orders": _("Open orders"),
    "overpaid orders": _("Overpaid orders"),
    "payments known later": _("Payments known later"),
    "corrections booked in a later month": _("Corrections booked in a later month"),
    "orders known on another day": _("Orders known on another day"),
    "set paid without money, not booked": _("Set paid without money, not booked"),
    "refunds without credit note": _("Refunds without credit note"),
    "refunds that no posting shows yet": _("Refunds that no posting shows yet"),
    "paid within the tolerance": _("Paid within the tolerance"),
    "left out of the list of open orders": _("Left out of the list of open orders"),
    "removed orders": _("Removed orders"),
    "orders below 0.00": _("Orders below 0.00"),
    "cancelled orders with more paid out than paid in": _("Cancelled orders with more paid out than paid in"),
    "paid or refunded in another currency": _("Paid or refunded in another currency"),
    "difference": _("Difference"),
    "COMMISSION": _("Commission"),
    "DELIVERY_FEE": _("Delivery fee"),
    "PAYMENT_FEE": _("Payment fee"),
    "BANK_CHARGE": _("Bank charge"),
    "CASH_DISCOUNT": _("Cash discount"),
    "REMINDER_FEE": _("Reminder fee"),
    "payment reference": _("Payment reference"),
    "order number": _("Order number"),
    "invoice number": _("Invoice number"),
    "another number": _("Another number"),
    "account or name": _("Account or name"),
    "amount": _("Amount"),
    "several orders, sum": _("Several orders, sum"),
    MatchedBy.REFUND: _("Refund or returned payment"),
    "other evidence": _("Other evidence"),
    "a person": _("Decided by a person"),
    "set aside": pgettext_lazy("posting", "Set aside"),
    "not matched yet": _("Not matched yet"),
    "not an order payment": _("not an order payment"),
    "INVOICE": _("Invoice"),
    "PREPAYMENT": _("Prepayment"),
    "COD": _("Cash on delivery"),
    "OTHER": pgettext_lazy("type of order", "Other"),
}
_PAID_ON: Final[Mapping[str, str | Promise]] = {
    SetPaidAccount.OTHER: _("Clearing account"),
    SetPaidAccount.CASH: pgettext_lazy("money in the till", "Cash"),
    SetPaidAccount.VOUCHER: _("Voucher"),
}
_STATES: Final[Mapping[str, tuple[str, str | Promise]]] = {
    "matched": ("green", _("Matched")),
    "refund": ("accent", _("Refund")),
    "set aside": ("grey", pgettext_lazy("posting", "Set aside")),
    "open": ("amber", pgettext_lazy("posting", "Open")),
}
_ADVICE: Final[Mapping[str, tuple[str, str | Promise]]] = {
    "refund-planned": ("grey", _("Wait: refund planned")),
    "move": ("accent", _("Move to another order")),
    "keep": ("grey", _("Keep: within tolerance")),
    "refund": ("amber", _("Refund")),
}
_SEALS: Final[Mapping[str, tuple[str, str | Promise]]] = {
    "holds": ("green", _("Intact")),
    "broken": ("red", _("Broken")),
}


STATES_OF_POSTINGS: Final[Mapping[str, str | Promise]] = {"Set aside": pgettext_lazy("posting", "Set aside")}
"""Labels that are a state in other languages, not what one does."""


def label(text: str) -> str:
    """A label of the catalogue in the reader's language."""
    return str(STATES_OF_POSTINGS.get(text) or gettext(text))


def word(value: Any) -> Any:
    """The word for a value of a text column; the value itself if it is not a word of ours."""
    if isinstance(value, str) and all(part in _VALUES for part in value.split(TOGETHER)):
        return TOGETHER.join(str(_VALUES[part]) for part in value.split(TOGETHER))
    return _VALUES.get(value, value)


def paid_on(account: str) -> str | Promise | None:
    """The account that an order was set paid on, in words; None for an account of a bank."""
    return _PAID_ON.get(account)


def badge(key: str, value: str) -> Badge | None:
    """The badge that shows a value; None for columns without."""
    if key == "status":
        return order_badge(value)
    known = {"state": _STATES, "advice": _ADVICE, "seal": _SEALS}.get(key)
    if known is None or value not in known:
        return None
    colour, text = known[value]
    return colour, value, text
