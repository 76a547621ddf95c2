"""Postings: what is sent and what is answered. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from paymatch_client.models.enumerations import AdviceState, FeeKind, ImportBalance, ImportState, PostingStatus, Witness
from paymatch_client.models.orders import Order
from paymatch_client.values import Day, Value


class Advice(Value, kw_only=True):
    """A remittance advice: what a payer says a sum is for. It is evidence, never a payment."""

    id: str
    """Id of the advice."""
    file: str | None = None
    """Name of the file."""
    format: str | None = None
    """Format of the file, found by its content; empty where it could not be read."""
    channel: str | None = None
    """The channel of the first delivery, or the channel of a person's confirmation."""
    sender: str | None = None
    """Name of the payer as the advice states it."""
    number: str | None = None
    """Number of the advice, or of its payment."""
    date: str | None = None
    """Day of the advice, or on which it came."""
    amount: str | None = None
    """The sum after all deductions; empty where it could not be read."""
    currency: str | None = None
    """Currency of the sum."""
    orders: int | None = None
    """Lines of the advice."""
    state: AdviceState
    """State of its payment: matched, has a suggestion, or not known yet."""
    postings: list[str] | None = None
    """The postings that it explains."""
    problem: str | None = None
    """Why it could not be read."""


class PostingWithOrders(Value, kw_only=True):
    """A payment, the orders that it pays and why."""

    id: str
    """Assigned by the service."""
    amount: Decimal
    """Booked amount; negative for money out."""
    currency: str
    """ISO 4217 code."""
    posting_date: Day | None = None
    """Booking date."""
    valuation_date: Day | None = None
    """Value date."""
    originator: str | None = None
    """Name of the counterparty."""
    reference: str | None = None
    """The bank's own reference of the booking."""
    text: str | None = None
    """Remittance information."""
    status: PostingStatus | None = None
    """Current state."""
    booked_on: str | None = None
    """The shop's account."""
    provisional: bool | None = None
    """Not yet confirmed by the statement of the day."""
    reason: str | None = None
    """Why it was set aside."""
    allocations: list[Allocation]
    """The part of the posting that pays one order."""
    decision: Decision | None = None
    """Result of the matching, in words and weights."""
    orders: list[Order] | None = None
    """The orders that it pays; left out with `includeOrders=false`."""


class Allocation(Value, kw_only=True):
    """The part of the posting that pays one order."""

    order_number: str | None = None
    """Order number."""
    amount: Decimal | None = None
    """What the order is credited: the part, and what was withheld of it; with paid reminder fees."""
    fee: Decimal | None = None
    """Amount that the payer kept, if any: the posting is smaller by it. Negative for a paid reminder fee, which is
    within the amount.
    """
    fee_kind: FeeKind | None = None
    """Kind of the fee; only with `fee`."""
    by_hand: bool | None = None
    """Assigned by a person."""


class Decision(Value, kw_only=True):
    """Result of the matching, in words and weights."""

    flags: list[str] | None = None
    """What is special about a match: overpayment, cash-discount, by-hand and the like."""
    held_back: str | None = None
    """Why a person has to decide, or why the second-best proposal lost."""
    held_back_reason: HeldBackReason | None = None
    """The same for programs."""
    probability: float | None = None
    """How likely it is, from 0 to 1."""
    evidence: list[Evidence] | None = None
    """Of the match."""
    suggestions: list[Suggestion] | None = None
    """The likeliest first."""


class HeldBackReason(Value, kw_only=True):
    """The same for programs."""

    code: str | None = None
    """Stable name of the sentence."""
    values: dict[str, Any] | None = None
    """What the sentence names."""


class Evidence(Value, kw_only=True):
    """A fact that speaks for or against."""

    code: str | None = None
    """Stable name of the kind of fact."""
    weight: float | None = None
    """Its weight: log-likelihood ratio, negative if it speaks against."""
    words: str | None = None
    """The fact in words."""
    witness: Witness | None = None
    """Who states it."""
    says: str | None = None
    """Stable name of the sentence, if it is not the code."""
    values: dict[str, Any] | None = None
    """What the sentence names."""
    highlight: list[list[int]] | None = None
    """Where it was seen: from, up to."""


class Suggestion(Value, kw_only=True):
    """A complete proposal: all orders that the posting would pay."""

    allocations: list[SuggestedAllocation] | None = None
    """The part of the posting for one order."""
    probability: float | None = None
    """How likely it is, from 0 to 1."""
    evidence: list[Evidence] | None = None
    """A fact that speaks for or against."""


class SuggestedAllocation(Value, kw_only=True):
    """The part of the posting for one order."""

    order_number: str | None = None
    """Order number."""
    amount: Decimal | None = None
    """What the order would be credited, in the posting's currency."""
    fee: Decimal | None = None
    """Amount that the payer kept, if any: the posting is smaller by it. Negative for a paid reminder fee, which is
    within the amount.
    """
    fee_kind: FeeKind | None = None
    """Kind of the fee; only with `fee`."""
    order_amount: Decimal | None = None
    """The same in the order's currency, if that is another; null: no rate is known."""
    order_currency: str | None = None
    """The order's currency, if it is another."""


class Import(Value, kw_only=True):
    """An import of a bank statement: the content of the file and the result."""

    import_id: str
    """To ask for it; empty after a rehearsal."""
    state: ImportState | None = None
    """How far it is; missing where it ended while the upload waited."""
    error: str | None = None
    """Why it was refused; nothing of the file is booked."""
    file: str | None = None
    """Name of the file."""
    format: str | None = None
    """Format of the file, found by its content."""
    version: str | None = None
    """Version of the format."""
    statements: int | None = None
    """Statements in the file."""
    entries: int | None = None
    """Entries in them."""
    sum_credit: str | None = None
    """Sum of what came in."""
    sum_debit: str | None = None
    """Sum of outgoing money."""
    currency: str | None = None
    """Currencies of the file, separated by blanks."""
    new: int | None = None
    """Postings that were not known before."""
    known: int | None = None
    """Postings that an earlier file had brought."""
    errors: int | None = None
    """Entries that could not be read; a person sees them."""
    matched: int | None = None
    """Postings that were matched to orders."""
    suggested: int | None = None
    """Postings that have suggestions."""
    balance: ImportBalance | None = None
    """Whether opening and booked amounts add up."""
    dry_run: bool | None = None
    """A rehearsal: nothing was booked."""
