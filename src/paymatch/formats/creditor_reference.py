"""The kind of a creditor reference: QRR and SCOR of the QR-bill, ISR, OCR of the North, or the bank's own word."""

from __future__ import annotations

from paymatch.domain.bank_accounts import has_creditor_reference_form, has_qrr_form


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
    if word in {"", "SCOR", "RF"} and has_creditor_reference_form(compact):
        return "SCOR"
    if word in {"", "SCOR"} and has_qrr_form(compact):
        return "QRR"
    return said
