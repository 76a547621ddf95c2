"""The channel of a bank statement, and which channels vouch for its content (D-37)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class StatementChannel(StrEnum):
    """The channel or person that a statement came from."""

    API = "api"
    DROP_FOLDER = "drop-folder"
    FINTS = "fints"
    EBICS = "ebics"
    ACCOUNT_INFORMATION = "account-information"
    COMMAND_LINE = "command-line"
    AREA = "area"
    SANDBOX_BANK = "sandbox-bank"
    MAIL = "mail"  # advices only; its sender decides whose word it is (D-91)
    UNKNOWN = "unknown"  # imported before channels were recorded


TRUSTED: Final = frozenset(
    {
        StatementChannel.DROP_FOLDER,
        StatementChannel.FINTS,
        StatementChannel.EBICS,
        StatementChannel.ACCOUNT_INFORMATION,
        StatementChannel.COMMAND_LINE,
        StatementChannel.AREA,
    }
)
"""Channels that an API key of the shop alone does not open."""
