"""Witnesses of a fact: a payer's text or a customer's choice never counts as a bank's statement (D-80)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NewType


class Witness(StrEnum):
    """The source that states a fact of a posting, an order or a rule."""

    BANK = "bank"  # places of a bank format that a payer cannot write to: amount, sign, dates, accounts, return marks
    PROVIDER = "provider"  # columns of a settlement file that arrived by a trusted channel
    PERSON = "person"  # a user who is signed in to the merchant area or the command line
    MERCHANT = "merchant"  # data that arrived with the shop's API key
    PAYER = "payer"  # remittance text, EndToEndId, purpose, and a name where the format lets the payer choose it
    CUSTOMER = "customer"  # order data that the shop's customer chooses: names, company, addresses, e-mail, user name


BankWord = NewType("BankWord", str)
"""A text that the bank wrote, in a place that payers cannot write to."""

PayerWord = NewType("PayerWord", str)
"""A text that the payer wrote, or may have written."""

STATES_MONEY: Final = frozenset({Witness.BANK, Witness.PROVIDER, Witness.PERSON})
"""Witnesses that may state what moves money: signs, charges, withheld amounts, returns."""


def may_state_money(witness: Witness) -> bool:
    """Whether a fact with this witness may change what is paid, withheld or returned without a person (D-80)."""
    return witness in STATES_MONEY


def may_lower_claim(witness: Witness) -> bool:
    """Whether a fact with this witness may settle an order for less: the merchant disposes of his own claim (D-96)."""
    return witness is Witness.MERCHANT or may_state_money(witness)


class Place(StrEnum):
    """The source of a posting's field."""

    BOOKING = "booking"  # computed or known by the bank itself
    PARTY = "party"  # the other side, as the bank names it
    REFERENCE = "reference"  # given with the payment by the payer or the payer's bank
    TEXT = "text"  # the remittance information, and anything indistinguishable from it


@dataclass(frozen=True, slots=True)
class Fact:
    """A field of a posting: who states it, its place in each format, and what it may do alone."""

    field: str
    place: Place
    witness: Witness
    camt: str
    mt940: str
    table: str
    ofx: str
    alone: str
    report: str = "-"  # account information by a provider


_NO: Final = "-"
_BANK, _PAYER = Witness.BANK, Witness.PAYER
_P = Place

FACTS: Final = (
    Fact("account", _P.BOOKING, _BANK, "Acct/Id", ":25:", "account column", "ACCTID", "finds the shop's account",
         report="account"),
    Fact("currency", _P.BOOKING, _BANK, "Amt/@Ccy", ":60F:", "currency column", "CURDEF", "pays", report="currency"),
    Fact("amount_minor", _P.BOOKING, _BANK, "Amt, CdtDbtInd; reversals: balances", ":61:; reversals: balances",
         "amount column", "TRNAMT", "pays", report="amount, is_credit"),
    Fact("booking_date", _P.BOOKING, _BANK, "BookgDt", ":61: entry date", "date column", "DTPOSTED", "dates",
         report="booking_date"),
    Fact("value_date", _P.BOOKING, _BANK, "ValDt", ":61: value date", "value date column", "DTAVAIL", "dates",
         report="value_date"),
    Fact("bank_reference", _P.BOOKING, _BANK, "AcctSvcrRef", ":61: behind //", "reference column", "FITID",
         "recognises the same posting", report="reference"),
    Fact("entry_reference", _P.BOOKING, _BANK, "Ntry/AcctSvcrRef", _NO, _NO, _NO, "recognises the same posting"),
    Fact("detail_index", _P.BOOKING, _BANK, "order of TxDtls", _NO, _NO, _NO, "recognises the same posting"),
    Fact("batch_size", _P.BOOKING, _BANK, "number of TxDtls", _NO, _NO, _NO, "recognises the same posting"),
    Fact("bank_code", _P.BOOKING, _BANK, "BkTxCd", "GVC", _NO, _NO, "says that it is the bank's own booking",
         report="code"),
    Fact("booking_text", _P.BOOKING, _BANK, "AddtlNtryInf", "?00", "type column", "TRNTYPE", "nothing",
         report="booking_text"),
    Fact("is_return", _P.BOOKING, _BANK, "RtrInf, RvslInd, BkTxCd", "RC, RD, GVC; RTRN in front of the text",
         "type and return columns", _NO, "marks a return", report="code"),
    Fact("return_reason", _P.BOOKING, _BANK, "RtrInf/Rsn", "?34; RTRN in front of the text", "return column", _NO,
         "explains a return"),
    Fact("return_text", _P.BOOKING, _BANK, "RtrInf/AddtlInf", "?00", "type column", _NO, "explains a return"),
    Fact("original_amount_minor", _P.BOOKING, _BANK, "AmtDtls", "/OCMT/ of :61:; OAMT in front of the text",
         "original amount column", _NO, "explains a return's charge"),
    Fact("instructed_amount_minor", _P.BOOKING, _BANK, "AmtDtls/InstdAmt",
         "/OCMT/ of :61:; OAMT in front of the text", "gross and original amount columns", _NO,
         "explains a charge or an exchange"),
    Fact("instructed_currency", _P.BOOKING, _BANK, "AmtDtls/InstdAmt/@Ccy", "/OCMT/ of :61:", "currency columns", _NO,
         "explains an exchange"),
    Fact("exchange_rate", _P.BOOKING, _BANK, "CcyXchg/XchgRate", _NO, _NO, _NO, "explains an exchange"),
    Fact("charges_minor", _P.BOOKING, _BANK, "Chrgs", "/CHGS/ of :61:", "fee column", _NO, "explains a charge"),
    Fact("charges_by", _P.BOOKING, _BANK, "the format", "the format", "the format", _NO, "whose bound charges have"),
    Fact("batch_id", _P.BOOKING, _BANK, "PmtInfId", _NO, "batch column", _NO, "finds our transfer file"),
    Fact("message_id", _P.BOOKING, _BANK, "MsgId", "KREF of money out, :61: reference", _NO, _NO,
         "finds our transfer file"),
    Fact("transaction_id", _P.BOOKING, _BANK, "TxId, UETR", _NO, _NO, _NO, "recognises the same posting"),
    Fact("counterparty_iban", _P.PARTY, _BANK, "DbtrAcct, CdtrAcct", "?31, ?38; /IBAN/, /CNTP/ in front of /REMI/",
         "account columns", "BANKACCTTO", "recognises a known payer", report="debtor.account, creditor.account"),
    Fact("counterparty_bic", _P.PARTY, _BANK, "DbtrAgt, CdtrAgt", "?30; /BIC/, /CNTP/ in front of /REMI/",
         "BIC column", "BANKACCTTO", "nothing", report="debtor.bic, creditor.bic"),
    Fact("counterparty_name", _P.PARTY, _PAYER, "Dbtr/Nm, Cdtr/Nm", "?32, ?33; /NAME/, /CNTP/ in front of /REMI/",
         "name columns", "NAME", "nothing", report="debtor.name, creditor.name"),
    Fact("ultimate_name", _P.PARTY, _PAYER, "UltmtDbtr, UltmtCdtr", "ABWA, ABWE in front of the text",
         "ultimate name column", _NO, "nothing"),
    Fact("end_to_end_id", _P.REFERENCE, _PAYER, "EndToEndId", "EREF in front of the text, /EREF/",
         "reference column; EREF in front of the text", _NO, "names an order"),
    Fact("original_end_to_end_id", _P.REFERENCE, _PAYER, "EndToEndId of a return", "EREF of a return",
         "reference column of a return", _NO, "names a refund, together with the bank's return mark"),
    Fact("mandate_id", _P.REFERENCE, _PAYER, "MndtId", "MREF in front of the text, /MARF/", "mandate column", _NO,
         "nothing"),
    Fact("purpose", _P.REFERENCE, _PAYER, "Purp/Cd", "PURP in front of the text", _NO, _NO, "nothing"),
    Fact("remittance_lines", _P.TEXT, _PAYER, "RmtInf/Ustrd", "?20-?29, ?60-?63 behind SVWZ; behind /REMI/",
         "text columns", "MEMO", "names an order", report="remittance"),
    Fact("structured_references", _P.TEXT, _PAYER, "RmtInf/Strd/CdtrRefInf", "/REMI/STRD, /CDTRREF/",
         "reference column", _NO, "names an order", report="creditor_reference"),
    Fact("referred_documents", _P.TEXT, _PAYER, "RmtInf/Strd/RfrdDocInf", _NO, _NO, _NO, "names an order"),
    Fact("extra_texts", _P.TEXT, _PAYER, "AddtlRmtInf, AddtlTxInf", "what has no place of its own", "creditor id",
         _NO, "names an order"),
    Fact("forgotten", _P.TEXT, Witness.PERSON, _NO, _NO, _NO, _NO, "recognises a posting after erasure"),
)  # fmt: skip
"""Every field of a posting. The document `docs/witnesses.md` is printed from it."""
