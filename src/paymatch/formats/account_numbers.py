"""Account numbers and references as statements write them: a currency behind, a BIC before, a word for the kind."""

from __future__ import annotations

import re
from typing import Final

from paymatch.domain.bank_accounts import has_creditor_reference_form, has_qrr_form, is_iban
from paymatch.formats.bank_amounts import known_currency

_PREFIXED: Final = re.compile(r"[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?/([A-Z]{2}[0-9]{2}.+)")


def account_of(text: str) -> tuple[str, str]:
    """Account without spaces and the currency that some banks append (`NL47INGB0001212121EUR`), else "".

    Polish banks begin it with a slash, others with their BIC and a slash before an IBAN.
    """
    plain = re.sub(r"\s", "", text).removeprefix("/")
    if prefixed := _PREFIXED.fullmatch(plain):
        plain = prefixed[1]
    code = plain[-3:]
    if len(plain) > 6 and known_currency(code) and (plain[-4].isdigit() or plain[-4] == "/") and not is_iban(plain):
        return plain[:-3].removesuffix("/"), code
    return plain, ""


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
