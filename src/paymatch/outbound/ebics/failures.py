"""Failures between us and an EBICS server; each says what is known of the order afterwards."""

from __future__ import annotations

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message


class EbicsFailed(Refused):
    """The base: an EBICS order did not end as asked."""


class EbicsUnreachable(EbicsFailed):
    """No whole answer came. What was not finished may be continued."""


class EbicsAnswerUnreadable(EbicsFailed):
    """The answer is no EBICS message as the protocol describes it, or its signature is not the bank's."""


class EbicsKeysChanged(EbicsFailed):
    """The bank uses other keys than those that a person compared; nothing is exchanged before a new comparison."""


class EbicsUncertain(EbicsFailed):
    """The last part of an upload left and no trustworthy answer came: only HAC and pain.002 can tell its status."""


class EbicsOrderRefused(EbicsFailed):
    """The bank refused the order; `code` is its return code, and nothing of the order was accepted."""

    def __init__(self, message: Message, code: str) -> None:
        super().__init__(message)
        self.code = code
