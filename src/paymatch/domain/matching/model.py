"""Inputs and outputs of the matching engine: facts of orders and postings in, decisions with their reasons out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from paymatch.domain.matching.catalogue import Reason
from paymatch.domain.orders.fees import USUAL_CHARGES, ChargeLimit, FeeKind, PayerTariffs
from paymatch.domain.orders.invoice_terms import DiscountOffer
from paymatch.domain.postings import Posting

Payer = tuple[str, str]
"""The identity of a payer, and the currency of its payouts."""


class OrderState(StrEnum):
    """An order's state for matching: OPEN awaits money, SETTLED is paid or refunded, CLOSED is cancelled or gone."""

    OPEN = "OPEN"
    SETTLED = "SETTLED"
    CLOSED = "CLOSED"


class FirstSuggestion(NamedTuple):
    """An undecided posting that is proposed for an order first, by its payer or a number (`explain.first_orders`)."""

    booked: date
    posting: str


@dataclass(frozen=True, slots=True)
class OrderFacts:
    """What the engine knows of an order. Amounts in minor units of the order's currency."""

    number: str
    currency: str
    amount_minor: int
    open_minor: int  # amount - paid by postings + processed refunds; negative when overpaid
    state: OrderState
    order_date: date
    type: str  # INVOICE PREPAYMENT COD OTHER
    due_date: date | None = None
    exchange_rate: Decimal | None = None
    asked_in: str = ""  # the currency that its customer is asked to pay if it has a rate; empty if unknown
    creditor_reference: str = ""  # our RF reference
    customer_number: str = ""
    marketplace_number: str = ""
    invoice_numbers: tuple[str, ...] = ()
    proforma_numbers: tuple[str, ...] = ()
    shipping_numbers: tuple[str, ...] = ()
    item_numbers: tuple[str, ...] = ()
    item_names: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # "First Last", company, of billing and shipping, as submitted
    recipient_names: tuple[str, ...] = ()  # those of `names` that are of shipping alone
    contact_names: tuple[str, ...] = ()  # those of `names` that are of the person at the company that ordered
    email: str = ""
    post_code: str = ""
    city: str = ""
    phone: str = ""
    paid_minor: int = 0  # by postings so far
    refund_references: tuple[str, ...] = ()  # EndToEndIds of its refunds
    contested: bool = False  # an undecided posting names it and may be its payment (`explain.contests`)
    first_for: tuple[FirstSuggestion, ...] = ()
    lapsed: bool = False  # cancelled because it was not paid in time (D-42)
    in_collection: bool = False  # an agency collects its money, and keeps its commission (D-54)
    announced_date: date | None = None  # when the customer last said that the payment was made (D-51)
    discounts: tuple[DiscountOffer, ...] = ()  # stated by its invoice, in the order's currency (D-96)


@dataclass(frozen=True, slots=True)
class PostingFacts:
    """A posting to be decided; `id` is opaque to the engine."""

    id: str
    posting: Posting
    open_minor: int  # the unallocated part, signed like the posting


class Delay(NamedTuple):
    """How late an order was paid: days after its date, and after it was due; None if it has no due date."""

    age: int
    overdue: int | None


class Caution(StrEnum):
    """The shop's setting: how sure a match must be to be made without a person."""

    CAUTIOUS = "cautious"
    NORMAL = "normal"
    BOLD = "bold"


class AllocationProposal(NamedTuple):
    """A part of a posting for an order, and the amount withheld from it: the order is credited both (D-36)."""

    order_number: str
    amount_minor: int  # of the posting, in the posting's currency, signed as the posting
    order_amount_minor: int | None  # the credit in the order's currency; None if no rate is known: it cannot be booked
    withheld_minor: int = 0  # in the posting's currency, signed as the posting
    fee_kind: FeeKind | None = None

    @property
    def credited_minor(self) -> int:
        """The amount credited to the order, in the posting's currency."""
        return self.amount_minor + self.withheld_minor

    @property
    def pays_minor(self) -> int:
        """The amount credited to the order, in the order's currency."""
        assert self.order_amount_minor is not None, "without a rate nothing is matched or booked"
        return self.order_amount_minor


class Proposal(NamedTuple):
    """A complete way to explain a posting: the orders it pays and their amounts, the probability, and the reasons."""

    allocations: tuple[AllocationProposal, ...]
    probability: float
    reasons: tuple[Reason, ...]


class MatchOutcome(StrEnum):
    MATCHED = "matched"
    SUGGESTED = "suggested"
    UNMATCHED = "unmatched"


class Decision(NamedTuple):
    """The engine's decision on one posting: `match` when MATCHED, `suggestions` ranked when SUGGESTED."""

    posting_id: str
    outcome: MatchOutcome
    match: Proposal | None = None
    suggestions: tuple[Proposal, ...] = ()
    review_reason: str = ""  # a `Message`, why the best proposal was not taken, or why the runner-up lost
    flags: tuple[str, ...] = ()  # overpayment, duplicate, cancelled-order, returned, fee, cash-discount ...


@dataclass(frozen=True, slots=True)
class PastPosting:
    """An earlier posting of the account with its allocations, which a return or a refund may reverse."""

    id: str
    posting: Posting
    allocations: tuple[AllocationProposal, ...] = ()
    refund_reference: str = ""  # of the shop's own refund that it executed
    returned: bool = False  # given back already
    was_return: bool = False  # it is itself booked as the return of a payment


@dataclass(frozen=True, slots=True)
class Related:
    """The ledger's context of one posting; usually empty."""

    earlier: tuple[PastPosting, ...] = ()  # postings that a return may reverse (`returns.may_give_back`)
    names_returned: bool = False  # the bank names a payment that was given back already


@dataclass(frozen=True, slots=True)
class ShopFacts:
    """Settings and learnt state of the shop that influence decisions."""

    caution: Caution = Caution.NORMAL
    tolerance_minor: int = 0
    fee_tolerance_minor: int = 0
    common_words: frozenset[str] = frozenset()
    """Words that identify none of its customers, in canonical spelling: of its own name, and often in its postings."""
    bank_headings: frozenset[str] = frozenset()
    """Words of banks, in flat capitals, before the texts of most of its postings: they say nothing about a payment."""
    charge_limit: ChargeLimit = USUAL_CHARGES  # limit of the charges that a bank may state (D-84)
    discount_basis_points: int = 0  # cash discount that the shop grants
    tariffs: Mapping[Payer, PayerTariffs] = field(default_factory=dict)  # (`payers.payer_of`)
    known_ibans: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # IBAN -> customer numbers or names paid for
    paid_customers: Mapping[str, tuple[PaidCustomer, ...]] = field(default_factory=dict)
    """IBAN -> customers whose orders it has paid, by any match: a reason to ask, never one to match (D-149)."""
    newest_orders: tuple[tuple[date, str], ...] = ()
    """The latest orders up to the latest of the postings: day, and number in flat capitals without separators."""
    open_orders: int = 1000  # about how many orders await money: chance hits are more likely among many
    weight_shifts: Mapping[str, float] = field(default_factory=dict)  # learnt, per reason code, bounded (`learn`)
    delays: tuple[Delay, ...] = ()  # of the last payments, for ranking suggestions
    ignore_rules: tuple[IgnoreRule, ...] = ()
    always_rules: tuple[AlwaysRule, ...] = ()
    aside_rules: tuple[IgnoreRule, ...] = ()  # made by a person: matching postings wait with their reason (D-49)


@dataclass(frozen=True, slots=True)
class PaidCustomer:
    """The customer of an order that an account has paid; empty texts where the order says nothing."""

    number: str = ""
    email: str = ""
    post_code: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """Postings that the shop never wants matched: every given part must agree (names and words in flat capitals)."""

    name: str = ""  # words of the counterparty's name, all required
    iban: str = ""
    words: tuple[str, ...] = ()  # words of the text, all required
    reason: str = ""  # for setting aside; empty for a rule that was learnt
    id: str = ""


@dataclass(frozen=True, slots=True)
class AlwaysRule:
    """A payer whose money is always for one customer: confirmed by a person, it counts like that customer's name."""

    iban: str = ""
    name: str = ""  # words of the counterparty's name, all required
    customer_number: str = ""
    customer_name: str = ""
    words: tuple[str, ...] = ()  # words of the text, all required
