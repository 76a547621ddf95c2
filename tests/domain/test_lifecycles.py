"""Transfers, mails, letters, postings: every status meets every event (D-4, D-31, D-33, D-52)."""

from __future__ import annotations

from itertools import product

import pytest

from paymatch.domain import postings
from paymatch.domain.postings import PostingEvent, PostingMoveRefused, PostingStatus
from paymatch.domain.refunds import transfers
from paymatch.domain.refunds.transfers import TransferEvent, TransferMoveRefused, TransferStatus
from paymatch.domain.reminders import letters, mails
from paymatch.domain.reminders.letters import LetterEvent, LetterMoveRefused, LetterStatus
from paymatch.domain.reminders.mails import MailEvent, MailMoveRefused, MailStatus

TS, TE = TransferStatus, TransferEvent
TRANSFERS = {
    (TS.RELEASED, TE.REPORTED_REJECTED): TS.REJECTED,
    (TS.RELEASED, TE.REPORTED_SETTLED): TS.BOOKED,
    (TS.RELEASED, TE.DEBIT_BOOKED): TS.BOOKED,
    (TS.RELEASED, TE.RETURN_BOOKED): TS.RETURNED,
    (TS.BOOKED, TE.DEBIT_BOOKED): TS.BOOKED,
    (TS.BOOKED, TE.REPORTED_REJECTED): TS.REJECTED,
    (TS.REJECTED, TE.REPORTED_SETTLED): TS.BOOKED,
    (TS.BOOKED, TE.RETURN_BOOKED): TS.RETURNED,
    (TS.BOOKED, TE.DEBIT_UNDONE): TS.RELEASED,
    (TS.REJECTED, TE.DEBIT_BOOKED): TS.BOOKED,
    (TS.REJECTED, TE.DEBITED_WITH_ITS_FILE): TS.REJECTED,
    (TS.REJECTED, TE.RETURN_BOOKED): TS.REJECTED,
    (TS.RETURNED, TE.DEBIT_BOOKED): TS.RETURNED,
    (TS.RETURNED, TE.RETURN_BOOKED): TS.RETURNED,
    (TS.RETURNED, TE.RETURN_UNDONE): TS.BOOKED,
    (TS.RETURNED, TE.DEBIT_UNDONE): TS.RELEASED,
    (TS.RELEASED, TE.FILE_DISCARDED): TS.DISCARDED,
    (TS.DISCARDED, TE.DEBIT_BOOKED): TS.BOOKED,
    (TS.DISCARDED, TE.RETURN_BOOKED): TS.RETURNED,
    (TS.DISCARDED, TE.REPORTED_SETTLED): TS.BOOKED,
    (TS.DISCARDED, TE.REPORTED_REJECTED): TS.REJECTED,
}
MS, ME = MailStatus, MailEvent
MAILS = {
    (MS.PENDING, ME.ACCEPTED): MS.SENT,
    (MS.PENDING, ME.STORED): MS.KEPT,
    (MS.PENDING, ME.FAILED): MS.PENDING,
    (MS.PENDING, ME.REFUSED): MS.REFUSED,
    (MS.PENDING, ME.REASON_GONE): MS.WITHDRAWN,
    (MS.REFUSED, ME.TRIED_AGAIN): MS.WITHDRAWN,
    (MS.SENT, ME.CAME_BACK): MS.BOUNCED,
    (MS.KEPT, ME.CAME_BACK): MS.BOUNCED,
    (MS.BOUNCED, ME.TRIED_AGAIN): MS.SENT,
}
LS, LE = LetterStatus, LetterEvent
LETTERS = {
    (LS.NEW, LE.WRITTEN): LS.SPOOLED,
    (LS.SPOOLED, LE.TAKEN): LS.PRINTING,
    (LS.SPOOLED, LE.ACCEPTED): LS.SENT,
    (LS.SPOOLED, LE.STORED): LS.KEPT,
    (LS.SPOOLED, LE.FAILED): LS.SPOOLED,
    (LS.SPOOLED, LE.CHANGED): LS.NEW,
    (LS.PRINTING, LE.PRINTED): LS.PRINTED,
    (LS.PRINTING, LE.PUT_BACK): LS.SPOOLED,
    (LS.SENT, LE.POSTED): LS.POSTED,
    (LS.SENT, LE.RETURNED): LS.RETURNED,
    (LS.POSTED, LE.RETURNED): LS.RETURNED,
    (LS.REFUSED, LE.TRIED_AGAIN): LS.NEW,
    **{(start, LE.REFUSED): LS.REFUSED for start in (LS.NEW, LS.SPOOLED)},
    **{(start, LE.REASON_GONE): LS.WITHDRAWN for start in (LS.NEW, LS.SPOOLED)},
    **{(start, LE.DISCARDED): LS.DISCARDED for start in (LS.NEW, LS.SPOOLED, LS.PRINTING, LS.REFUSED)},
}
PS, PE = PostingStatus, PostingEvent
POSTINGS = {
    **{(start, PE.ENGINE_MATCHED): PS.MATCHED for start in (PS.UNMATCHED, PS.SUGGESTED)},
    **{(start, PE.ENGINE_SUGGESTED): PS.SUGGESTED for start in (PS.UNMATCHED, PS.SUGGESTED)},
    **{(start, PE.ENGINE_FOUND_NOTHING): PS.UNMATCHED for start in (PS.UNMATCHED, PS.SUGGESTED)},
    **{(start, PE.REFUND_RECOGNISED): PS.MATCHED for start in (PS.UNMATCHED, PS.SUGGESTED)},
    **{(start, PE.NO_ORDER_RECOGNISED): PS.IGNORED for start in PS if start is not PS.MATCHED},
    (PS.IGNORED, PE.NO_ORDER_TAKEN_BACK): PS.UNMATCHED,
    (PS.MATCHED, PE.PAYMENT_LEFT): PS.UNMATCHED,
    **{(start, PE.PERSON_MATCHED): PS.MATCHED for start in PS},
    (PS.MATCHED, PE.PERSON_UNDID): PS.UNMATCHED,
    **{(start, PE.PERSON_IGNORED): PS.IGNORED for start in PS if start is not PS.MATCHED},
    **{(start, PE.PERSON_SET_ASIDE): PS.UNMATCHED for start in PS if start is not PS.MATCHED},
    **{(start, PE.PERSON_RECONSIDERED): PS.UNMATCHED for start in (PS.IGNORED, PS.UNMATCHED)},
}


@pytest.mark.parametrize(("status", "event"), list(product(TS, TE)))
def test_transfers(status: TransferStatus, event: TransferEvent) -> None:
    if (expected := TRANSFERS.get((status, event))) is not None:
        assert transfers.TRANSFER_LIFECYCLE.move(status, event) is expected
        return
    with pytest.raises(TransferMoveRefused, match=f"^Transfer in status {status} does not take: {event}$"):
        transfers.TRANSFER_LIFECYCLE.move(status, event)


@pytest.mark.parametrize(("status", "event"), list(product(MS, ME)))
def test_mails(status: MailStatus, event: MailEvent) -> None:
    if (expected := MAILS.get((status, event))) is not None:
        assert mails.MAIL_LIFECYCLE.move(status, event) is expected
        return
    with pytest.raises(MailMoveRefused, match=f"^Mail in status {status} does not take: {event}$"):
        mails.MAIL_LIFECYCLE.move(status, event)


@pytest.mark.parametrize(("status", "event"), list(product(LS, LE)))
def test_letters(status: LetterStatus, event: LetterEvent) -> None:
    if (expected := LETTERS.get((status, event))) is not None:
        assert letters.LETTER_LIFECYCLE.move(status, event) is expected
        return
    with pytest.raises(LetterMoveRefused, match=f"^A letter in status {status} does not take: {event}$"):
        letters.LETTER_LIFECYCLE.move(status, event)


@pytest.mark.parametrize(("status", "event"), list(product(PS, PE)))
def test_postings(status: PostingStatus, event: PostingEvent) -> None:
    if (expected := POSTINGS.get((status, event))) is not None:
        assert postings.POSTING_LIFECYCLE.move(status, event) is expected
        return
    with pytest.raises(PostingMoveRefused, match=f"^Posting in status {status} does not take: {event}$"):
        postings.POSTING_LIFECYCLE.move(status, event)


def test_what_is_new() -> None:
    assert (transfers.INITIAL, mails.INITIAL, postings.INITIAL) == (TS.RELEASED, MS.PENDING, PS.UNMATCHED)
    assert letters.INITIAL is LS.NEW
