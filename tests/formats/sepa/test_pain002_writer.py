from __future__ import annotations

import io
from datetime import UTC, datetime

from paymatch.formats.sepa.pain002 import StatusReason, TransferAnswer, read_pain002
from paymatch.formats.sepa.pain002_writer import AnsweredTransfer, write_pain002


def test_what_is_written_is_read_again() -> None:
    content = write_pain002(
        "SB1",
        datetime(2026, 3, 2, 8, 0, tzinfo=UTC),
        original_message_id="PM<1>&",
        original_version="pain.001.001.09",
        payment_information_id="PM1-1",
        answers=[AnsweredTransfer("PMR1", "RJCT", "AC04"), AnsweredTransfer("PMR2", "ACSP")],
    )
    report = read_pain002(io.BytesIO(content))
    answers = report.of_batch("PM1-1")
    assert (report.version, report.message_id, report.original_message_id) == ("001.10", "SB1", "PM<1>&")
    assert report.original_message_name == "pain.001.001.09"
    assert answers.answer("PMR1") == TransferAnswer("RJCT", (StatusReason("AC04"),))
    assert answers.answer("PMR2") == TransferAnswer("ACSP", ())
    assert answers.answer("PMR3") == TransferAnswer("", ())
