"""Return codes of the bank: their meaning for the order, and the sentence that says what to do (EBICS 3.0, annex 1)."""

from __future__ import annotations

from typing import Final

from paymatch.domain.words.message import Message
from paymatch.outbound.ebics.failures import EbicsFailed, EbicsKeysChanged, EbicsOrderRefused, EbicsUncertain

OK: Final = "000000"
RECEIVED: Final = frozenset({OK, "011000", "011001", "011301", "031001"})
"""The step was carried out; 011000 and 011001 acknowledge a receipt."""

NO_DATA: Final = "090005"
RESUME: Final = "061101"
KEYS_CHANGED: Final = "091008"

_SENTENCES: Final = {
    "061001": "ebics-not-authenticated",
    "061002": "ebics-invalid-request",
    "061099": "ebics-internal-error",
    "090003": "ebics-not-permitted",
    "090004": "ebics-wrong-format",
    "090006": "ebics-unsupported",
    "091002": "ebics-user-state",
    "091003": "ebics-user-unknown",
    "091004": "ebics-user-state",
    "091005": "ebics-unsupported",
    "091006": "ebics-unsupported",
    "091007": "ebics-approval-not-permitted",
    "091008": "ebics-bank-keys-changed",
    "091010": "ebics-invalid-request",
    "091011": "ebics-host-unknown",
    "091101": "ebics-transaction-lost",
    "091102": "ebics-transaction-lost",
    "091103": "ebics-replayed",
    "091112": "ebics-unsupported",
    "091117": "ebics-too-large",
    "091118": "ebics-too-large",
    "091119": "ebics-too-many",
    "091120": "ebics-partner-mismatch",
    "091204": "ebics-key-too-short",
    "091205": "ebics-key-too-short",
    "091206": "ebics-key-too-short",
    "091208": "ebics-certificate-refused",
    "091209": "ebics-certificate-refused",
    "091210": "ebics-certificate-refused",
    "091214": "ebics-certificate-refused",
    "091217": "ebics-certificate-refused",
    "091218": "ebics-key-used-twice",
    "091219": "ebics-certificate-refused",
    "091301": "ebics-signature-refused",
    "091302": "ebics-account-not-permitted",
    "091303": "ebics-amount-not-permitted",
    "091304": "ebics-signature-refused",
    "091305": "ebics-signature-refused",
    "091306": "ebics-signed-twice",
}

_SURELY_REFUSED: Final = frozenset(_SENTENCES) - {"061099", "091101", "091102", "091103", "091119", "091306"}
"""After these the bank has nothing of the order, also if its last segment had left."""


def sentence(code: str, report_text: str) -> Message:
    """What the code means and what to do; the bank's own words for a code that is not known."""
    said = report_text.strip()[:200] or "-"
    return Message(_SENTENCES.get(code, "ebics-other-code"), code=code, said=said)


def failure(code: str, report_text: str, *, last_segment_left: bool = False) -> EbicsFailed:
    """The exception for a code that is no success; without a known refusal an order that left is uncertain."""
    said = sentence(code, report_text)
    if code == KEYS_CHANGED:
        return EbicsKeysChanged(said)
    if last_segment_left and code not in _SURELY_REFUSED:
        return EbicsUncertain(said)
    return EbicsOrderRefused(said, code)
