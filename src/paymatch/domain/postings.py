"""Postings: the bank's bookings on the shop's account, in our terms (D-8, D-40)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from paymatch.domain.lifecycle import Lifecycle
from paymatch.domain.money import Currency
from paymatch.domain.refusal import Refused
from paymatch.domain.witnesses import Witness
from paymatch.domain.words.message import Message


class PostingSource(StrEnum):
    """The kind of bank message a posting was read from; FINAL confirms the other two (D-40)."""

    FINAL = "FINAL"  # camt.053, MT940, account exports
    INTRADAY = "INTRADAY"  # camt.052, MT942
    NOTIFICATION = "NOTIFICATION"  # camt.054


class PostingStatus(StrEnum):
    """The status of a posting."""

    UNMATCHED = "unmatched"
    SUGGESTED = "suggested"  # a person is asked
    MATCHED = "matched"
    IGNORED = "ignored"  # a person said that it is not an order payment


OWN_TRANSFER: Final = "transfer between own accounts"
"""Why a posting from or to another account of the shop is set aside (D-100)."""


class PostingEvent(StrEnum):
    """What can happen to a posting."""

    ENGINE_MATCHED = "matched automatically"
    ENGINE_SUGGESTED = "suggested automatically"
    ENGINE_FOUND_NOTHING = "nothing found automatically"
    NO_ORDER_RECOGNISED = "recognised as a payout, or as a provider's own row"  # D-83
    NO_ORDER_TAKEN_BACK = "not recognised so any more"
    PAYMENT_LEFT = "the payment that it reverses left its order"
    REFUND_RECOGNISED = "recognised as a refund of ours"  # by its EndToEndId, or the reference of its transfer file
    PERSON_MATCHED = "matched by a person"
    PERSON_UNDID = "match undone by a person"
    PERSON_IGNORED = "ignored by a person"
    PERSON_SET_ASIDE = "set aside by a person"
    PERSON_RECONSIDERED = "returned to matching by a person"


class PostingMoveRefused(Refused):
    """The posting cannot make this move from its present state."""

    def __init__(self, status: PostingStatus, event: PostingEvent) -> None:
        super().__init__(Message("posting-status-does-not-take", status=status, event=event))


_S, _E = PostingStatus, PostingEvent

INITIAL: Final = _S.UNMATCHED

POSTING_LIFECYCLE: Final = Lifecycle(
    frozenset({INITIAL}),
    {
        # docs/matching.md: automatic, else suggestions, else unmatched; again when something changes
        (_S.UNMATCHED, _E.ENGINE_MATCHED): _S.MATCHED,
        (_S.UNMATCHED, _E.ENGINE_SUGGESTED): _S.SUGGESTED,
        (_S.UNMATCHED, _E.ENGINE_FOUND_NOTHING): _S.UNMATCHED,
        (_S.SUGGESTED, _E.ENGINE_MATCHED): _S.MATCHED,
        (_S.SUGGESTED, _E.ENGINE_SUGGESTED): _S.SUGGESTED,
        (_S.SUGGESTED, _E.ENGINE_FOUND_NOTHING): _S.UNMATCHED,
        (_S.UNMATCHED, _E.REFUND_RECOGNISED): _S.MATCHED,  # D-4
        (_S.SUGGESTED, _E.REFUND_RECOGNISED): _S.MATCHED,  # D-4
        (_S.UNMATCHED, _E.NO_ORDER_RECOGNISED): _S.IGNORED,  # D-83
        (_S.SUGGESTED, _E.NO_ORDER_RECOGNISED): _S.IGNORED,
        (_S.IGNORED, _E.NO_ORDER_RECOGNISED): _S.IGNORED,  # another payout, in other words
        (_S.IGNORED, _E.NO_ORDER_TAKEN_BACK): _S.UNMATCHED,
        (_S.MATCHED, _E.PAYMENT_LEFT): _S.UNMATCHED,  # a return follows what it reverses
        # A person decides as often as they like; what is matched is undone first, unless another match takes its place.
        (_S.UNMATCHED, _E.PERSON_MATCHED): _S.MATCHED,
        (_S.SUGGESTED, _E.PERSON_MATCHED): _S.MATCHED,
        (_S.MATCHED, _E.PERSON_MATCHED): _S.MATCHED,
        (_S.IGNORED, _E.PERSON_MATCHED): _S.MATCHED,
        (_S.MATCHED, _E.PERSON_UNDID): _S.UNMATCHED,
        (_S.UNMATCHED, _E.PERSON_IGNORED): _S.IGNORED,
        (_S.SUGGESTED, _E.PERSON_IGNORED): _S.IGNORED,
        (_S.IGNORED, _E.PERSON_IGNORED): _S.IGNORED,  # with another reason
        (_S.UNMATCHED, _E.PERSON_SET_ASIDE): _S.UNMATCHED,
        (_S.SUGGESTED, _E.PERSON_SET_ASIDE): _S.UNMATCHED,
        (_S.IGNORED, _E.PERSON_SET_ASIDE): _S.UNMATCHED,
        (_S.IGNORED, _E.PERSON_RECONSIDERED): _S.UNMATCHED,
        (_S.UNMATCHED, _E.PERSON_RECONSIDERED): _S.UNMATCHED,  # was set aside
    },
    PostingMoveRefused,
)


@dataclass(frozen=True, slots=True)
class Posting:
    """One payment on the shop's account as its bank reported it.

    `amount_minor` is signed in the account's view: money in is positive, money out negative, regardless of the
    bank's     reversal mark. Dates are calendar dates of the bank. Empty strings mean "the bank did not say".
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
    ultimate_name: str = ""  # ultimate party (UltmtDbtr for a credit, UltmtCdtr for a debit)
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
    charges_minor: int = 0  # charges that were deducted from this payment, account currency, positive
    charges_by: Witness = Witness.BANK  # who states the charges: a bank, or the provider of a settlement file (D-80)
    extra_texts: tuple[str, ...] = ()  # details of a batch that could not be split, kept as text
    forgotten: tuple[str, ...] = ()  # fingerprints of its texts, once the other side was forgotten (D-63)

    @property
    def text(self) -> str:
        """The remittance information as one text: lines as sent, joined without inventing spaces (D-8)."""
        return "".join(self.remittance_lines) or " ".join(self.structured_references)

    @property
    def shown_text(self) -> str:
        """The text that people see: the remittance information, else the bank's other text."""
        return self.text or " ".join(self.extra_texts)
