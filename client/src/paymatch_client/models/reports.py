"""Reports: what is sent and what is answered. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from decimal import Decimal
from typing import TypeAlias

from paymatch_client.models.enumerations import FeeKind, PostingState
from paymatch_client.values import Day, Moment, Value


class CashReport(Value, kw_only=True, tag_field="report", tag="cash"):
    """Opening balance, postings and closing balance of each account and month, and what the postings were for."""

    from_: Day
    """First day of the period."""
    to: Day
    """Last day of the period."""
    as_of: Day
    """The report shows things as they were at the end of this day."""
    rows: list[CashRow]
    """A row of the report `cash`; what is not set is left out."""


class CashRow(Value, kw_only=True):
    """A row of the report `cash`; what is not set is left out."""

    month: Day | None = None
    """Month"""
    account: str | None = None
    """Account"""
    currency: str | None = None
    """Currency"""
    opening: Decimal | None = None
    """Opening balance, in the row's currency."""
    in_: Decimal | None = None
    """In, in the row's currency."""
    out: Decimal | None = None
    """Out, in the row's currency."""
    missing: Decimal | None = None
    """Not in the statements, in the row's currency."""
    closing: Decimal | None = None
    """Closing balance, in the row's currency."""
    known_to: Day | None = None
    """Known to"""
    postings: int | None = None
    """Postings"""
    orders: Decimal | None = None
    """For orders, in the row's currency."""
    refunds: Decimal | None = None
    """Refunds, in the row's currency."""
    aside: Decimal | None = None
    """Set aside, in the row's currency."""
    open: Decimal | None = None
    """Open, in the row's currency."""


class PostingsReport(Value, kw_only=True, tag_field="report", tag="postings"):
    """Each posting of the period: matched to which orders, with what fee; refund, set aside or open, and why."""

    from_: Day
    """First day of the period."""
    to: Day
    """Last day of the period."""
    as_of: Day
    """The report shows things as they were at the end of this day."""
    rows: list[PostingsRow]
    """A row of the report `postings`; what is not set is left out."""
    next: str | None = None
    """`after` of the next page; missing on the last one."""


class PostingsRow(Value, kw_only=True):
    """A row of the report `postings`; what is not set is left out."""

    id: str | None = None
    """Posting"""
    booking_date: Day | None = None
    """Booked"""
    account: str | None = None
    """Account"""
    originator: str | None = None
    """From"""
    text: str | None = None
    """Payment text"""
    amount: Decimal | None = None
    """Amount, in the row's currency."""
    currency: str | None = None
    """Currency"""
    state: str | None = None
    """State"""
    orders: list[PostingPart] | None = None
    """Orders"""
    for_orders: Decimal | None = None
    """For orders, in the row's currency."""
    for_refunds: Decimal | None = None
    """Refunds, in the row's currency."""
    aside: Decimal | None = None
    """Set aside, in the row's currency."""
    open: Decimal | None = None
    """Open, in the row's currency."""
    fee: Decimal | None = None
    """Fee withheld, in the row's currency."""
    reason: str | None = None
    """Reason"""


class PostingPart(Value, kw_only=True):
    """A part of a posting."""

    order_number: str
    """Order number."""
    amount: Decimal
    """The posting's money for this order, in the posting's currency."""
    fee: Decimal | None = None
    """What the payer withheld."""
    fee_kind: FeeKind | None = None
    """Why."""


class UnexplainedReport(Value, kw_only=True, tag_field="report", tag="unexplained"):
    """Postings, or parts of them, that belong to no order and no refund and were not set aside."""

    from_: Day
    """First day of the period."""
    to: Day
    """Last day of the period."""
    as_of: Day
    """The report shows things as they were at the end of this day."""
    rows: list[UnexplainedRow]
    """A row of the report `unexplained`; what is not set is left out."""
    next: str | None = None
    """`after` of the next page; missing on the last one."""


class UnexplainedRow(Value, kw_only=True):
    """A row of the report `unexplained`; what is not set is left out."""

    id: str | None = None
    """Posting"""
    booking_date: Day | None = None
    """Booked"""
    account: str | None = None
    """Account"""
    originator: str | None = None
    """From"""
    text: str | None = None
    """Payment text"""
    amount: Decimal | None = None
    """Amount, in the row's currency."""
    open: Decimal | None = None
    """Open, in the row's currency."""
    currency: str | None = None
    """Currency"""
    reason: str | None = None
    """Reason"""


class OpenReport(Value, kw_only=True, tag_field="report", tag="open"):
    """Every order that was still to be paid at the end of the day, the longest overdue first."""

    as_of: Day
    """The report shows things as they were at the end of this day."""
    rows: list[OpenRow]
    """A row of the report `open`; what is not set is left out."""
    next: str | None = None
    """`after` of the next page; missing on the last one."""


class OpenRow(Value, kw_only=True):
    """A row of the report `open`; what is not set is left out."""

    number: str | None = None
    """Order"""
    customer: str | None = None
    """Customer"""
    type: str | None = None
    """Type"""
    status: str | None = None
    """Status"""
    date: Day | None = None
    """Ordered"""
    due_date: Day | None = None
    """Due"""
    days_overdue: int | None = None
    """Days overdue"""
    dunning_level: int | None = None
    """Dunning level"""
    amount: Decimal | None = None
    """Amount, in the row's currency."""
    paid: Decimal | None = None
    """Paid, in the row's currency."""
    open: Decimal | None = None
    """Open, in the row's currency."""
    currency: str | None = None
    """Currency"""


class CustomersReport(Value, kw_only=True, tag_field="report", tag="customers"):
    """What each customer owed at the end of the day: number, name, orders and sum, the largest first."""

    as_of: Day
    """The report shows things as they were at the end of this day."""
    rows: list[CustomersRow]
    """A row of the report `customers`; what is not set is left out."""


class CustomersRow(Value, kw_only=True):
    """A row of the report `customers`; what is not set is left out."""

    customer_number: str | None = None
    """Customer number"""
    customer: str | None = None
    """Customer"""
    orders: int | None = None
    """Orders"""
    due_date: Day | None = None
    """Oldest due date"""
    overdue: Decimal | None = None
    """Overdue, in the row's currency."""
    open: Decimal | None = None
    """Open, in the row's currency."""
    currency: str | None = None
    """Currency"""


class ReconciliationReport(Value, kw_only=True, tag_field="report", tag="reconciliation"):
    """Debtors of the journal with sales = open - overpaid + each item of difference; the rest is 0.00."""

    as_of: Day
    """The report shows things as they were at the end of this day."""
    rows: list[ReconciliationRow]
    """A row of the report `reconciliation`; what is not set is left out."""


class ReconciliationRow(Value, kw_only=True):
    """A row of the report `reconciliation`; what is not set is left out."""

    item: str | None = None
    """Item"""
    orders: int | None = None
    """Orders"""
    amount: Decimal | None = None
    """Amount, in the row's currency."""
    currency: str | None = None
    """Currency"""


class AgeingReport(Value, kw_only=True, tag_field="report", tag="ageing"):
    """What was still to be paid at the end of the day, by days after the due date and by type of order."""

    as_of: Day
    """The report shows things as they were at the end of this day."""
    rows: list[AgeingRow]
    """A row of the report `ageing`; what is not set is left out."""


class AgeingRow(Value, kw_only=True):
    """A row of the report `ageing`; what is not set is left out."""

    age: str | None = None
    """After the due date"""
    orders: int | None = None
    """Orders"""
    invoice: Decimal | None = None
    """Invoice, in the row's currency."""
    prepayment: Decimal | None = None
    """Prepayment, in the row's currency."""
    cod: Decimal | None = None
    """Cash on delivery, in the row's currency."""
    other: Decimal | None = None
    """Other types, in the row's currency."""
    open: Decimal | None = None
    """Open, in the row's currency."""
    currency: str | None = None
    """Currency"""


class OverpaidReport(Value, kw_only=True, tag_field="report", tag="overpaid"):
    """Orders for which more was paid than they cost, or that were cancelled after the payment: refund, keep or
    move the money to another order of the customer.
    """

    as_of: Day
    """The report shows things as they were at the end of this day."""
    rows: list[OverpaidRow]
    """A row of the report `overpaid`; what is not set is left out."""
    next: str | None = None
    """`after` of the next page; missing on the last one."""


class OverpaidRow(Value, kw_only=True):
    """A row of the report `overpaid`; what is not set is left out."""

    number: str | None = None
    """Order"""
    customer: str | None = None
    """Customer"""
    type: str | None = None
    """Type"""
    status: str | None = None
    """Status"""
    date: Day | None = None
    """Ordered"""
    amount: Decimal | None = None
    """Amount, in the row's currency."""
    paid: Decimal | None = None
    """Paid, in the row's currency."""
    overpaid: Decimal | None = None
    """Overpaid, in the row's currency."""
    planned: Decimal | None = None
    """Refund planned, in the row's currency."""
    currency: str | None = None
    """Currency"""
    advice: str | None = None
    """What to do"""
    other_order: str | None = None
    """Open order of the customer"""


class FeesReport(Value, kw_only=True, tag_field="report", tag="fees"):
    """What each payer kept of the period's payments, by kind: commission, delivery and payment fees, bank charges,
    cash discount.
    """

    from_: Day
    """First day of the period."""
    to: Day
    """Last day of the period."""
    rows: list[FeesRow]
    """A row of the report `fees`; what is not set is left out."""


class FeesRow(Value, kw_only=True):
    """A row of the report `fees`; what is not set is left out."""

    payer: str | None = None
    """Payer"""
    kind: str | None = None
    """Kind"""
    postings: int | None = None
    """Postings"""
    orders: int | None = None
    """Orders"""
    credited: Decimal | None = None
    """Credited, in the row's currency."""
    fee: Decimal | None = None
    """Fee, in the row's currency."""
    share: float | None = None
    """Share, %"""
    currency: str | None = None
    """Currency"""


class CashInReport(Value, kw_only=True, tag_field="report", tag="cash-in"):
    """What customers paid per day, week or month, matched or open. A payment stays in it after its return;
    returned refunds and postings that were set aside are left out.
    """

    from_: Day
    """First day of the period."""
    to: Day
    """Last day of the period."""
    rows: list[CashInRow]
    """A row of the report `cash-in`; what is not set is left out."""


class CashInRow(Value, kw_only=True):
    """A row of the report `cash-in`; what is not set is left out."""

    date: Day | None = None
    """From"""
    postings: int | None = None
    """Payments"""
    amount: Decimal | None = None
    """Amount, in the row's currency."""
    matched: Decimal | None = None
    """For orders, in the row's currency."""
    open: Decimal | None = None
    """Open, in the row's currency."""
    currency: str | None = None
    """Currency"""


class MatchedReport(Value, kw_only=True, tag_field="report", tag="matched"):
    """How the period's payments were matched: the evidence together, a person, or not yet."""

    from_: Day
    """First day of the period."""
    to: Day
    """Last day of the period."""
    rows: list[MatchedRow]
    """A row of the report `matched`; what is not set is left out."""


class MatchedRow(Value, kw_only=True):
    """A row of the report `matched`; what is not set is left out."""

    by: str | None = None
    """Matched by"""
    postings: int | None = None
    """Payments"""
    share: float | None = None
    """Share, %"""
    undone: int | None = None
    """Undone"""


class SetPaidReport(Value, kw_only=True, tag_field="report", tag="set-paid"):
    """What orders owed that were set paid by hand: when, on which account, why and by whom; negative if undone."""

    from_: Day
    """First day of the period."""
    to: Day
    """Last day of the period."""
    rows: list[SetPaidRow]
    """A row of the report `set-paid`; what is not set is left out."""


class SetPaidRow(Value, kw_only=True):
    """A row of the report `set-paid`; what is not set is left out."""

    date: Day | None = None
    """Date"""
    number: str | None = None
    """Order"""
    customer: str | None = None
    """Customer"""
    account: str | None = None
    """Account"""
    amount: Decimal | None = None
    """Amount, in the row's currency."""
    currency: str | None = None
    """Currency"""
    reason: str | None = None
    """Reason"""
    by: str | None = None
    """By"""


class DsoReport(Value, kw_only=True, tag_field="report", tag="dso"):
    """Per month: days from the order to its last payment, and the receivables at the month's end as days of the
    month's sales.
    """

    from_: Day
    """First day of the period."""
    to: Day
    """Last day of the period."""
    rows: list[DsoRow]
    """A row of the report `dso`; what is not set is left out."""


class DsoRow(Value, kw_only=True):
    """A row of the report `dso`; what is not set is left out."""

    month: Day | None = None
    """Month"""
    paid_orders: int | None = None
    """Orders paid"""
    mean_days: float | None = None
    """Days until paid, mean"""
    median_days: float | None = None
    """Days until paid, median"""
    sales: Decimal | None = None
    """Sales, in the row's currency."""
    open: Decimal | None = None
    """Open at the end, in the row's currency."""
    dso: float | None = None
    """DSO"""
    known_to: Day | None = None
    """Known to"""
    currency: str | None = None
    """Currency"""


class RemindersReport(Value, kw_only=True, tag_field="report", tag="reminders"):
    """Of the reminders sent in the period: how many orders were paid within 7, 14 and 30 days."""

    from_: Day
    """First day of the period."""
    to: Day
    """Last day of the period."""
    rows: list[RemindersRow]
    """A row of the report `reminders`; what is not set is left out."""


class RemindersRow(Value, kw_only=True):
    """A row of the report `reminders`; what is not set is left out."""

    dunning_level: int | None = None
    """Dunning level"""
    sent: int | None = None
    """Sent"""
    paid7: int | None = None
    """Paid within 7 days"""
    paid14: int | None = None
    """Paid within 14 days"""
    paid30: int | None = None
    """Paid within 30 days"""
    share14: float | None = None
    """Within 14 days, %"""
    open: int | None = None
    """Still open"""


class CloseReport(Value, kw_only=True, tag_field="report", tag="close"):
    """The months that were closed, whether their seal holds, and what has changed since."""

    rows: list[CloseRow]
    """A row of the report `close`; what is not set is left out."""


class CloseRow(Value, kw_only=True):
    """A row of the report `close`; what is not set is left out."""

    month: Day | None = None
    """Month"""
    closed_at: Moment | None = None
    """Closed"""
    closed_by: str | None = None
    """By"""
    postings: int | None = None
    """Postings"""
    changes: int | None = None
    """Changed since"""
    seal: str | None = None
    """Seal"""
    hash: str | None = None
    """SHA-256"""


Report: TypeAlias = (
    CashReport
    | PostingsReport
    | UnexplainedReport
    | OpenReport
    | CustomersReport
    | ReconciliationReport
    | AgeingReport
    | OverpaidReport
    | FeesReport
    | CashInReport
    | MatchedReport
    | SetPaidReport
    | DsoReport
    | RemindersReport
    | CloseReport
)


class ChangeSinceClose(Value, kw_only=True):
    """A posting that has changed since its month was closed."""

    id: str
    """Id of the posting."""
    before: PostingWhenClosed | None = None
    """How a posting was or is explained."""
    after: PostingWhenClosed | None = None
    """How a posting was or is explained."""


class PostingWhenClosed(Value, kw_only=True):
    """How a posting was or is explained."""

    account: str | None = None
    """Account of the shop."""
    currency: str | None = None
    """Currency of the account."""
    booking_date: Day | None = None
    """Booking date."""
    amount: Decimal | None = None
    """Amount, negative for outgoing money."""
    state: PostingState | None = None
    """What it was."""
    reason: str | None = None
    """Why it was set aside."""
    orders: list[PostingPart] | None = None
    """The orders that it was matched to."""
