"""Content of a bank file in the bank's words: statements, entries, details."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Final

import msgspec

from paymatch.domain.refusal import Refused
from paymatch.domain.witnesses import BankWord
from paymatch.domain.words.message import Message

_NOTHING: Final = BankWord("")


class FileRefused(Refused):
    """The file cannot be read as a whole; nothing of it may be booked. The message names the place and the reason."""

    message: Message

    def __init__(self, message: Message) -> None:
        super().__init__(message)


class TableQuestion(FileRefused):
    """A table that may be a statement or a list of something else: a person says which, and of which account (D-82)."""


class EntryStatus(StrEnum):
    BOOKED = "BOOK"
    PENDING = "PDNG"
    INFORMATION = "INFO"
    FUTURE = "FUTR"


class Balance(msgspec.Struct, frozen=True):
    code: str  # OPBD PRCD CLBD ITBD CLAV ...; of MT940: 60F OPBD, 60M ITBD, 62F CLBD, 62M ITBD, 64 CLAV, 65 FWAV
    amount_minor: int  # signed: credit positive
    currency: str
    date: date | None


class Party(msgspec.Struct, frozen=True):
    name: str = ""
    account: BankWord = _NOTHING  # IBAN or other number, without spaces
    bic: str = ""
    ultimate_name: str = ""


_NO_PARTY: Final = Party()


class Charge(msgspec.Struct, frozen=True):
    amount_minor: int  # as given, positive = charged
    currency: str
    included: bool
    bearer: str = ""


class Detail(msgspec.Struct, frozen=True):
    """One TxDtls of an entry (ISO 20022), or the :86: of a MT940 entry."""

    amount_minor: int | None  # signed as its entry (or its own CdtDbtInd), in `currency`; None if the bank gave none
    currency: str
    end_to_end_id: str = ""
    instruction_id: str = ""
    transaction_id: str = ""
    uetr: str = ""
    mandate_id: str = ""
    message_id: str = ""
    payment_information_id: BankWord = _NOTHING
    bank_reference: str = ""
    clearing_reference: str = ""
    instructed_amount_minor: int | None = None
    instructed_currency: BankWord = _NOTHING
    counter_value_minor: int | None = None
    counter_value_currency: str = ""
    exchange_rate: BankWord = _NOTHING
    charges: tuple[Charge, ...] = ()
    debtor: Party = _NO_PARTY
    creditor: Party = _NO_PARTY
    remittance_lines: tuple[str, ...] = ()
    structured_references: tuple[tuple[str, str], ...] = ()  # (type QRR|SCOR|ISR|OCR|other, reference)
    referred_documents: tuple[str, ...] = ()
    additional_remittance: tuple[str, ...] = ()
    purpose: str = ""
    returned: bool = False  # carries return information (RtrInf), be it empty
    return_reason: BankWord = _NOTHING
    return_text: str = ""
    original_bank_code: str = ""  # OrgnlBkTxCd of the payment that is returned
    original_end_to_end_id: str = ""
    original_amount_minor: int | None = None
    additional_info: str = ""
    bank_code: str = ""  # of the detail, if it has one of its own: PMNT/RCDT/ESCT
    proprietary_code: str = ""  # likewise
    gvc: BankWord = _NOTHING  # likewise
    cheque_number: str = ""
    other_references: tuple[tuple[str, str], ...] = ()  # (kind, reference): Prtry, AcctOwnrTxId, MktInfrstrctrTxId ...
    trading_party: str = ""
    initiating_party: str = ""


class Entry(msgspec.Struct, frozen=True):
    """One Ntry, or one :61: with its :86:."""

    amount_minor: int  # signed: effect on the account, reversals included
    currency: str
    status: EntryStatus
    booking_date: date | None
    value_date: date | None
    position: int  # 0-based within the statement
    line: int  # line of the file where it begins, 1-based; 0 if unknown
    reversal: bool = False
    entry_reference: str = ""  # NtryRef
    bank_reference: str = ""  # AcctSvcrRef
    customer_reference: str = ""  # MT940 :61: before //
    domain_code: str = ""  # PMNT/RCDT/ESCT
    proprietary_code: str = ""  # NTRF+166+9248
    gvc: BankWord = _NOTHING  # German business transaction code, 3 digits
    booking_text: str = ""
    batch_message_id: str = ""
    batch_payment_information_id: str = ""
    batch_count: int | None = None
    batch_total_minor: int | None = None
    charges: tuple[Charge, ...] = ()
    additional_info: str = ""
    instructed_amount_minor: int | None = None  # AmtDtls of the entry itself
    instructed_currency: BankWord = _NOTHING
    counter_value_minor: int | None = None
    counter_value_currency: str = ""
    exchange_rate: BankWord = _NOTHING
    details: tuple[Detail, ...] = ()


class UnreadableEntry(msgspec.Struct, frozen=True):
    """An entry that a person must see: kept with its raw text, never guessed."""

    position: int
    line: int
    reason: Message
    raw: str  # up to 4,000 characters of the source


class UnknownLayout(msgspec.Struct, frozen=True):
    """A table for which no layout of a bank, and no person, says that it is a statement (D-82)."""

    first_row: tuple[str, ...]  # its headings, if it has any
    list_headings: tuple[str, ...]  # those that lists of orders, invoices, customers or articles have


class StatementHead(msgspec.Struct, frozen=True):
    """Everything of a statement but its entries. Balances that follow the entries (MT940) arrive in StatementEnd."""

    format: str  # camt.053, camt.052, camt.054, MT940, MT942, CSV, OFX
    version: str  # camt: 001.08; MT940: ""; CSV: name of the profile
    account: str  # IBAN or the bank's account number, without spaces
    currency: str  # "" if the file does not say
    message_id: str = ""
    statement_id: str = ""
    electronic_sequence: str = ""
    legal_sequence: str = ""
    page: int | None = None
    last_page: bool | None = None
    created_at: datetime | None = None
    from_date: date | None = None
    to_date: date | None = None
    copy_duplicate: str = ""
    servicer_bic: str = ""
    bank_code: str = ""  # national, of an account that is given as a number (OFX BANKID)
    owner_name: str = ""
    account_name: str = ""
    reporting_source: str = ""  # RptgSrc, how the bank says which of its reports this is
    guesses: tuple[Message, ...] = ()  # what a table does not prove and how it was read; of the first statement
    unknown_layout: UnknownLayout | None = None  # of a table that no layout shows to be a statement; else None


class StatementEnd(msgspec.Struct, frozen=True):
    """Closes a statement: its balances, and the bank's own count and sums where it gives them (TxsSummry, :90:)."""

    balances: tuple[Balance, ...] = ()
    summary_count: int | None = None
    summary_credit_minor: int | None = None
    summary_debit_minor: int | None = None
    summary_credit_count: int | None = None
    summary_debit_count: int | None = None
    additional_info: str = ""
    unreadable: tuple[Message, ...] = ()  # balances and sums that could not be read: which, and why
    guesses: tuple[Message, ...] = ()  # as those of the head, found while the entries were read


StatementEvent = StatementHead | Entry | UnreadableEntry | StatementEnd
"""What a reader yields: per statement one head, its entries in order, one end."""
