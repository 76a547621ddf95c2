"""The kind of a creditor reference: QRR and SCOR of the QR-bill, ISR, OCR of the North, or the bank's own word."""

from __future__ import annotations

import re
from typing import Final

_RF: Final = re.compile(r"RF[0-9]{2}[0-9A-Z]{1,21}")
_QRR_LENGTH: Final = 27


def reference_kind(said: str, reference: str) -> str:
    """QRR, SCOR, ISR, OCR or what the bank `said`; guessed from the form only where the bank said nothing.

    `RF18 5390 ...` is an ISO 11649 reference (SCOR), 27 digits are a Swiss QR reference (QRR), as the older ISR has
    the same form.
    """
    word = said.upper()
    if word.startswith("ISR"):
        return "ISR"
    if word in {"QRR", "OCR"}:
        return word
    compact = reference.replace(" ", "").upper()
    if word in {"", "SCOR", "RF"} and _RF.fullmatch(compact):
        return "SCOR"
    if word in {"", "SCOR"} and len(compact) == _QRR_LENGTH and compact.isascii() and compact.isdigit():
        return "QRR"
    return said
