"""Postings: what the bank booked on the shop's account, in our words (API document, Posting; DESIGN.md section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from paymatch.domain.money import Currency


class PostingSource(StrEnum):
    """The kind of bank message a posting was read from; FINAL confirms the other two (DESIGN.md section 5)."""

    FINAL = "FINAL"  # camt.053, MT940, account exports
    INTRADAY = "INTRADAY"  # camt.052, MT942
    NOTIFICATION = "NOTIFICATION"  # camt.054


@dataclass(frozen=True, slots=True)
class Posting:
    """One payment on the shop's account as its bank reported it.

    `amount_minor` is signed in the account's view: money in is positive, money out negative, whatever the bank's
    reversal mark. Dates are calendar dates of the bank. Empty strings mean "the bank did not say".
    """

    account: str  # IBAN, or the bank's own account number as in the statement, without spaces
    currency: Currency
    amount_minor: int
    booking_date: date
    value_date: date | None = None
    bank_reference: str = ""  # AcctSvcrRef; in MT940 what follows // in :61:
    entry_reference: str = ""  # AcctSvcrRef of the entry that this posting is a detail of; else ""
    detail_index: int = 0  # position among the details of its entry, 0-based
    batch_size: int = 1  # number of details of its entry that became postings
    counterparty_name: str = ""
    counterparty_iban: str = ""  # IBAN or other account number of the other side, without spaces
    counterparty_bic: str = ""
    ultimate_name: str = ""  # on behalf of whom was paid (UltmtDbtr for a credit, UltmtCdtr for a debit)
    end_to_end_id: str = ""  # "" for NOTPROVIDED
    mandate_id: str = ""
    batch_id: str = ""  # PmtInfId of the batch, for debits of our own transfer files
    message_id: str = ""  # MsgId of the batch, likewise
    transaction_id: str = ""  # TxId or UETR
    remittance_lines: tuple[str, ...] = ()  # unstructured remittance information, line by line as sent
    structured_references: tuple[str, ...] = ()  # QRR, SCOR (RF...), ISR and other creditor references
    referred_documents: tuple[str, ...] = ()  # RfrdDocInf numbers
    purpose: str = ""  # Purp code
    bank_code: str = ""  # "PMNT/RCDT/ESCT" or the German GVC "166" when the ISO code is missing
    booking_text: str = ""  # "GUTSCHRIFT", AddtlNtryInf
    is_return: bool = False  # carries return information or a reversal mark
    return_reason: str = ""  # AC01, MD06 ...
    return_text: str = ""
    original_end_to_end_id: str = ""  # of the payment that is returned
    original_amount_minor: int | None = None  # of the payment that is returned, before the return's charges, if given
    instructed_amount_minor: int | None = None  # InstdAmt, in `instructed_currency`
    instructed_currency: str = ""
    exchange_rate: str = ""  # decimal text as sent
    charges_minor: int = 0  # charges that the bank took off this payment, account currency, positive
    extra_texts: tuple[str, ...] = ()  # details of a batch that could not be split, kept as text

    @property
    def text(self) -> str:
        """The remittance information as one text: lines as sent, joined without inventing spaces (D-8)."""
        return "".join(self.remittance_lines) or " ".join(self.structured_references)
