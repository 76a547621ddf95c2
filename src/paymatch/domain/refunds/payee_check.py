"""Banks' answers to a verification of payee: one table of codes for status reports and FinTS (D-131)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PayeeMatch(StrEnum):
    """The payee's bank's answer on name and account (Regulation (EU) 2024/886, article 5c)."""

    MATCH = "RCVC"
    CLOSE = "RVMC"
    NONE = "RVNM"
    NOT_POSSIBLE = "RVNA"


@dataclass(frozen=True, slots=True)
class PayeeAnswer:
    """The bank's answer for one payee. `bank_name`: the holder's name if ours is close to it, "" if not given."""

    iban: str
    name: str
    match: PayeeMatch
    bank_name: str = ""
    reason: str = ""


def match_of(code: str) -> PayeeMatch:
    """The answer with this code; any other code is NOT_POSSIBLE."""
    return PayeeMatch(code) if code in {str(each) for each in PayeeMatch} else PayeeMatch.NOT_POSSIBLE
