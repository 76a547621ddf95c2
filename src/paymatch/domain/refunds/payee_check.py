"""What banks answer when they verify the payee: a table of codes, the same in status reports and in FinTS (D-131)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PayeeMatch(StrEnum):
    """What the payee's bank says of name and account (Regulation (EU) 2024/886, article 5c)."""

    MATCH = "RCVC"
    CLOSE = "RVMC"
    NONE = "RVNM"
    NOT_POSSIBLE = "RVNA"


@dataclass(frozen=True, slots=True)
class PayeeAnswer:
    """The bank's answer for one payee. `bank_name`: the holder's name where ours is close to it, "" if not named."""

    iban: str
    name: str
    match: PayeeMatch
    bank_name: str = ""
    reason: str = ""


def match_of(code: str) -> PayeeMatch:
    """The answer with this code; a code that says nothing about the payee is NOT_POSSIBLE."""
    return PayeeMatch(code) if code in {str(each) for each in PayeeMatch} else PayeeMatch.NOT_POSSIBLE
