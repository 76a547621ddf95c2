"""The kinds of shops: what their orders, customers, prices and numbers look like, and which cases are frequent."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

EASY: Final[dict[str, float]] = {
    "exact_ref": 24,
    "prefix_words": 22,
    "sep_missing": 3.5,
    "digits_spaced": 1.5,
    "line_wrap": 3,
    "invoice_no": 8,
    "proforma_no": 1.2,
    "shipping_no": 0.6,
    "customer_no": 3,
    "customer_no_many": 0.8,
    "customer_and_order": 2.5,
    "eref_only": 2.5,
    "service_ref": 3,
    "service_ref_text": 1,
    "short_ref": 1.2,
    "extra_numbers": 2.5,
    "foreign_words": 1.5,
    "greeting_noise": 2,
    "odd_characters": 0.6,
    "bank_envelope": 4,
}
TYPOS: Final[dict[str, float]] = {
    "typo_wrong": 0.8,
    "typo_swap": 0.7,
    "typo_missing": 0.7,
    "typo_double": 0.5,
    "typo_letter": 0.5,
    "typo_zeros": 0.5,
    "typo_prefix": 0.5,
    "typo_hits_other": 0.8,
}
NUMBERS_AMISS: Final[dict[str, float]] = {
    "stale_ref": 1.2,
    "stale_same_amount": 0.4,
    "wrong_number": 0.7,
    "date_number": 0.5,
    "item_only": 0.4,
}
NAMES_ONLY: Final[dict[str, float]] = {
    "name_only": 3.5,
    "name_variant_only": 3,
    "empty_text": 1.2,
    "amount_only": 0.6,
    "third_party": 3,
    "third_party_name": 1,
    "on_behalf": 1,
    "spouse_ref": 1.2,
    "spouse_no_ref": 1.2,
    "twin": 1.2,
    "twin_ref": 0.8,
}
SEVERAL: Final[dict[str, float]] = {
    "multi": 2,
    "multi_suffix": 0.5,
    "multi_range": 0.4,
    "sum_no_ref": 0.6,
    "multi_one_paid": 0.4,
    "multi_typo": 0.2,
    "instalments": 0.8,
    "two_halves": 0.4,
    "partial": 0.8,
    "partial_no_ref": 0.5,
    "rest_payment": 0.4,
}
AMOUNTS: Final[dict[str, float]] = {
    "overpaid": 0.6,
    "rounded_up": 1,
    "off_cents": 0.6,
    "amount_swap": 0.5,
    "cash_discount": 0.5,
    "fee_deducted": 0.5,
    "foreign": 0.3,
    "reminder_fee": 0.4,
    "shipping_left_out": 0.3,
}
TROUBLE: Final[dict[str, float]] = {
    "duplicate": 0.9,
    "cancelled": 0.7,
    "paid_by_other": 0.4,
    "too_early": 0.2,
    "returned_debit": 0.5,
    "refund_out": 1.2,
    "refund_returned": 0.4,
    "chargeback": 0.3,
}

TRAPS: Final[dict[str, float]] = {
    "sum_one_ref": 0.4,
    "crossed": 0.5,
    "stale_slip": 0.4,
    "two_numbers_two_orders": 0.4,
    "typo_year": 0.3,
    "bureau_ref": 0.5,
    "bureau_plain": 0.3,
    "number_in_name": 0.3,
    "quantity": 0.6,
    "donation_added": 0.2,
    "returned_multi": 0.15,
    "refund_no_ref": 0.2,
    "number_end": 0.4,
    "second_try": 0.2,
}

SPECIAL: Final = frozenset(
    [
        "sum_one_ref",
        "crossed",
        "stale_slip",
        "returned_multi",
        "typo_year",
        "wrong_currency",
        "multi",
        "multi_suffix",
        "multi_range",
        "multi_one_paid",
        "multi_typo",
        "multi_cash_discount",
        "remittance_list",
        "sum_no_ref",
        "twin",
        "twin_ref",
        "stale_ref",
        "stale_same_amount",
        "group_pays",
        "foreign",
        "isr_ref",
        "user_name_only",
        "service_ref_partial",
        "shipping_no",
        "credit_note",
        "typo_zeros",
        "typo_prefix",
        "balance_used",
        "balance_used_silent",
        "employer",
        "forged_carrier",
        "group_many",
        "group_many_silent",
        "siblings",
    ]
)
"""Cases that few orders fit; they get a turn of their own, or they would be crowded out by those that always fit."""


def mix(**changes: float) -> dict[str, float]:
    """The usual frequencies with some of them changed; 0 takes a case out."""
    base = EASY | TYPOS | NUMBERS_AMISS | NAMES_ONLY | SEVERAL | AMOUNTS | TROUBLE | TRAPS | changes
    return {case: weight for case, weight in base.items() if weight > 0}


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of shop. Weights need not add up to anything."""

    name: str
    country: str
    currency: str
    countries: dict[str, float]
    types: dict[str, float]
    numbers: tuple[tuple[str, int, float], ...]  # (pattern with {n} and {y}, first value of its counter, weight)
    prices: str  # retail round large b2b fees subscription
    invoice: str = "RE{y}{n:06d}"
    invoice_share: float = 0.6
    customer_first: int = 20001
    repeat: float = 0.2  # share of orders by a customer who has already ordered
    companies: float = 0.1
    marketplace: float = 0.0
    users: float = 0.0  # share of customers with a marketplace user name
    families: float = 0.03
    tracking: str = "sscc"
    shipping_share: float = 0.25
    references: str = "RF"  # RF QRR or none
    reference_share: float = 0.3
    second_currency: str = ""  # an account in it exists
    second_share: float = 0.0
    rate_currencies: dict[str, float] = field(default_factory=dict)  # order currency -> rate
    rate_share: float = 0.0
    default_orders: int = 300
    special: float = 0.25  # share of orders for which SPECIAL cases are tried first
    noise: float = 0.08  # unrelated postings per order
    commission: int = 0  # per mille that every marketplace keeps; 0: each its own
    parcel_fee: int = 0  # minor units that every carrier keeps of a parcel; 0: each its own terms
    cash_discount: int = 0  # per mille that the shop grants
    alphabets: float = 0.0  # share of customers whose names are not in Latin letters
    fee_tolerance: int = 0  # minor units of bank charges that the shop bears
    same_item: int = 60  # number of different prices; few make many orders of one price
    cases: dict[str, float] = field(default_factory=mix)


_KINDS: Final = (
    Kind(
        "small-shop",
        "DE",
        "EUR",
        {"DE": 80, "AT": 9, "CH": 1, "NL": 4, "FR": 3, "PL": 3},
        {"PREPAYMENT": 60, "INVOICE": 40},
        (("#{n}", 1833, 0.8), ("SW-{n}", 10840, 0.2)),
        "retail",
        users=0.1,
        rate_currencies={"PLN": 4.27},
        rate_share=0.01,
    ),
    Kind(
        "large-shop",
        "DE",
        "EUR",
        {"DE": 70, "AT": 12, "NL": 8, "FR": 5, "PL": 4, "CH": 1},
        {"PREPAYMENT": 50, "INVOICE": 50},
        (("{n}", 40017231, 1),),
        "round",
        invoice="{n}",
        customer_first=5510233,
        repeat=0.25,
        default_orders=3000,
        same_item=14,
        noise=0.05,
        families=0.02,
        reference_share=0.15,
        users=0.05,
    ),
    Kind(
        "b2b-invoices",
        "DE",
        "EUR",
        {"DE": 62, "AT": 10, "CH": 3, "NL": 10, "FR": 8, "PL": 7},
        {"INVOICE": 90, "PREPAYMENT": 10},
        (("R-{y}/{n:05d}", 293, 0.6), ("{n}", 100004796, 0.4)),
        "b2b",
        invoice="RG{yy}-{n:05d}",
        invoice_share=0.85,
        special=0.5,
        cash_discount=30,
        fee_tolerance=1500,
        repeat=0.65,
        companies=0.88,
        families=0.0,
        noise=0.12,
        rate_currencies={"PLN": 4.27},
        rate_share=0.015,
        cases=mix(
            multi=7,
            multi_cash_discount=3,
            cash_discount=4,
            remittance_list=4,
            group_pays=2,
            multi_suffix=1,
            sum_no_ref=1.2,
            fee_deducted=1,
            credit_note=1.2,
            spouse_ref=0.1,
            spouse_no_ref=0.1,
            instalments=0.6,
            paid_by_other=0.3,
            multi_range=0.6,
        ),
    ),
    Kind(
        "swiss-shop",
        "CH",
        "CHF",
        {"CH": 84, "DE": 7, "AT": 3, "FR": 6},
        {"INVOICE": 75, "PREPAYMENT": 25},
        (("{n}", 310224, 0.7), ("CH-{n}", 7120, 0.3)),
        "retail",
        invoice="R{yy}{n:05d}",
        references="QRR",
        reference_share=0.55,
        second_currency="EUR",
        second_share=0.15,
        rate_currencies={"EUR": 1.06},
        rate_share=0.05,
        companies=0.2,
        cases=mix(
            service_ref=30,
            service_ref_text=3,
            foreign=2,
            isr_ref=2,
            exact_ref=16,
            service_ref_partial=0.6,
            wrong_currency=0.12,
            stale_slip=1.5,
        ),
    ),
    Kind(
        "marketplace",
        "DE",
        "EUR",
        {"DE": 74, "AT": 10, "NL": 6, "FR": 6, "PL": 4},
        {"PREPAYMENT": 100},
        (("{n}", 88214, 0.7), ("M{n}", 5012, 0.3)),
        "retail",
        marketplace=0.7,
        customer_first=88150,
        users=0.7,
        repeat=0.12,
        companies=0.06,
        reference_share=0.05,
        noise=0.1,
        cases=mix(
            marketplace_no=14, user_name=7, marketplace_payout=5, exact_ref=14, prefix_words=13, user_name_only=2
        ),
    ),
    Kind(
        "cash-on-delivery",
        "DE",
        "EUR",
        {"DE": 82, "AT": 10, "PL": 5, "NL": 3},
        {"COD": 68, "PREPAYMENT": 32},
        (("{n}", 61077, 1),),
        "retail",
        tracking="mixed",
        shipping_share=0.5,
        repeat=0.1,
        reference_share=0.1,
        cases=mix(carrier_single=12, shipping_no=3),
    ),
    Kind(
        "ticket-club",
        "DE",
        "EUR",
        {"DE": 85, "AT": 8, "CH": 2, "NL": 2, "FR": 1, "PL": 2},
        {"INVOICE": 70, "PREPAYMENT": 30},
        (("{n}", 217, 0.85), ("T{n}", 205, 0.15)),
        "fees",
        invoice_share=0.15,
        families=0.45,
        repeat=0.35,
        companies=0.03,
        customer_first=1040,
        shipping_share=0.0,
        same_item=9,
        reference_share=0.1,
        noise=0.1,
        cases=mix(
            spouse_ref=5,
            spouse_no_ref=4,
            child=5,
            child_name=4,
            twin=3,
            multi=3.5,
            sum_no_ref=1.5,
            extra_numbers=4,
            date_number=2,
        ),
    ),
    Kind(
        "subscription",
        "AT",
        "EUR",
        {"AT": 55, "DE": 35, "CH": 1, "NL": 3, "FR": 2, "PL": 4},
        {"INVOICE": 100},
        (("AB{n:07d}", 20418, 1),),
        "subscription",
        invoice="{y}-{n:06d}",
        invoice_share=0.95,
        repeat=0.7,
        companies=0.25,
        customer_first=730011,
        same_item=6,
        shipping_share=0.0,
        families=0.06,
        rate_currencies={"CHF": 0.94},
        rate_share=0.01,
        cases=mix(
            customer_no=6,
            customer_no_many=4,
            twin=3,
            twin_ref=2,
            multi=3,
            sum_no_ref=1.5,
            month_word=3,
            name_only=4,
            stale_ref=2.5,
            stale_same_amount=2.5,
            standing_order=2,
        ),
    ),
)
_BY_NAME: Final = {kind.name: kind for kind in _KINDS}


def _payouts_of(per_cent: int) -> Kind:
    """A marketplace shop most of whose orders are paid out less this commission."""
    marketplace = _BY_NAME["marketplace"]
    name, cases = f"commission-{per_cent}", {**marketplace.cases, "marketplace_payout": 30}
    return replace(marketplace, name=name, commission=10 * per_cent, cases=cases)


_WITH_FEES: Final = (
    *map(_payouts_of, (7, 12, 15)),
    replace(_BY_NAME["cash-on-delivery"], name="parcel-fees", parcel_fee=250),
)
_BEGINNING: Final = replace(
    _BY_NAME["small-shop"],
    name="new-shop",
    numbers=(("{n}", 1, 0.6), ("SW-{n}", 1, 0.2), ("{y}-{n}", 1, 0.2)),
    invoice="{n}/{y}",
    customer_first=1,
    repeat=0.35,
    same_item=8,
    default_orders=60,
)
"""The first weeks of a shop that counts from 1."""
FIRST_KINDS: Final[dict[str, Kind]] = {kind.name: kind for kind in (*_KINDS, *_WITH_FEES, _BEGINNING)}
