"""Messages about a collective payer's fee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "tariff-share": "{share} %",
    "tariff-shares": "{low} % to {high} %",
    "tariff-per-order": "{amount} per order",
    "tariff-per-payout": "{amount} per payout",
    "tariff-nothing": "nothing",
    "tariff-and": "{one} and {other}",
    "tariff-or": "{one} or {other}",
    "tariff-stated": "{tariff}, as stated",
    "tariff-single": "single orders: {tariff}",
    "tariff-both": "{several}; {single}",
}
