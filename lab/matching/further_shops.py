"""Further kinds of shops: what the first ones did not have."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lab.matching.shops import FIRST_KINDS, Kind, mix

_small, _b2b = FIRST_KINDS["small-shop"], FIRST_KINDS["b2b-invoices"]
_club, _market = FIRST_KINDS["ticket-club"], FIRST_KINDS["marketplace"]

FURTHER: Final[tuple[Kind, ...]] = (
    replace(
        _small,
        name="small-fees",
        cases=mix(small_fee_stated=25, small_fee_silent=8, small_fee_twice=5, fee_deducted=2, off_cents=2),
    ),
    replace(
        _small,
        name="rare-alphabets",
        alphabets=0.7,
        cases=mix(other_words=14, roman_name_only=10, roman_name_turned=14, name_only=5, third_party_name=2),
    ),
    replace(
        _market,
        name="forged-texts",
        marketplace=0.4,
        shipping_share=0.5,
        cash_discount=30,
        cases=mix(
            forged_charges=8,
            honest_charges=8,
            forged_payout=8,
            marketplace_payout=8,
            forged_carrier=6,
            forged_discount=5,
            cash_discount=5,
            forged_tags=6,
            forged_others_name=6,
        ),
    ),
    replace(
        _small,
        name="credit-balances",
        repeat=0.6,
        special=0.5,
        cases=mix(
            balance_used=12, balance_used_silent=6, balance_paid_in=8, balance_sent_back=8, overpaid=3, duplicate=3
        ),
    ),
    replace(
        _club,
        name="one-fee-club",
        same_item=1,
        families=0.6,
        cases={**_club.cases, "siblings": 6.0, "name_only": 8.0},
    ),
    replace(
        _small,
        name="instalments",
        prices="b2b",
        cases=mix(
            instalments=12,
            instalment_plan=12,
            instalment_plan_silent=6,
            instalment_too_many=5,
            partial=4,
            partial_no_ref=4,
            two_halves=4,
            rest_payment=5,
        ),
    ),
    replace(
        _b2b,
        name="group-payers",
        companies=0.6,
        cases={
            **_b2b.cases, "group_pays": 10.0, "group_many": 12.0, "group_many_silent": 5.0, "employer": 6.0,
            "bureau_ref": 6.0, "bureau_plain": 3.0, "on_behalf": 4.0,
        },
    ),
)  # fmt: skip
