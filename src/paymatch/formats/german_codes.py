"""German codes in account statements: business transaction codes (GVC) of returns, return reasons in ?34."""

from __future__ import annotations

from typing import Final

RETURN_GVC: Final = frozenset({"009", "059", "108", "109", "159", "181", "184"})
"""GVC of payments that come back: direct debits (009, 108, 109; credited again: 181, 184) and transfers (059, 159)."""

_RETURN_REASONS: Final[dict[str, str]] = {
    "901": "AC01",
    "902": "AC04",
    "903": "AC06",
    "911": "AM05",
    "912": "MD06",
    "914": "MS03",
}


def return_reason(extension: str) -> str:
    """ISO reason code of a text key extension (?34) of a return; "" where the table has none."""
    return _RETURN_REASONS.get(extension, "")


def text_key_extension(reason: str) -> str:
    """The text key extension (?34) of an ISO reason code; "" where the table has none."""
    return _EXTENSIONS.get(reason, "")


_EXTENSIONS: Final = {reason: extension for extension, reason in reversed(_RETURN_REASONS.items())}
