"""Delivery reports (RFC 3464): what did not arrive for good, of which mail, and why; nothing else is a bounce."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.formats.mail.delivery_report import MAX_BYTES, Bounce, bounces

ID = "<ml_1@shop.example>"


def report(
    action: str = "failed", status: str = "5.1.1", *, returned: str = "message/rfc822", message_id: str = ID
) -> bytes:
    """A report as mail servers write it."""
    return (
        "From: MAILER-DAEMON@mx.example\r\nTo: post@shop.example\r\nSubject: Undelivered Mail Returned to Sender\r\n"
        'MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary="B"\r\n\r\n'
        "--B\r\nContent-Type: text/plain\r\n\r\nI am sorry.\r\n"
        "--B\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n"
        f"Final-Recipient: rfc822; eva@example.com\r\nAction: {action}\r\nStatus: {status}\r\n"
        "Diagnostic-Code: smtp; 550 5.1.1 <eva@example.com>:\r\n    no such user\r\n\r\n"
        f"--B\r\nContent-Type: {returned}\r\n\r\nMessage-ID: {message_id}\r\nSubject: Payment reminder\r\n\r\nHello\r\n"
        "--B--\r\n"
    ).encode()


@pytest.mark.parametrize("returned", ["message/rfc822", "text/rfc822-headers"])
def test_a_mail_that_did_not_arrive_is_told_with_its_reason(returned: str) -> None:
    reason = "5.1.1 550 5.1.1 <eva@example.com>: no such user"
    assert bounces(report(returned=returned)) == [Bounce("eva@example.com", reason, ID)]


@pytest.mark.parametrize(
    ("added", "writer"),
    [
        (b"", ""),
        (b"Return-Path: <>\r\n", ""),
        (b"Return-Path: <MAILER-DAEMON@mx.example>\r\n", ""),
        (b"Return-Path: <eva@example.com>\r\n", "eva@example.com"),
        (b"Return-Path: <friend@example.net>\r\n", "friend@example.net"),
    ],
)
def test_a_report_that_a_person_has_sent_says_so(added: bytes, writer: str) -> None:
    assert [each.written_by for each in bounces(added + report())] == [writer]


def test_a_report_from_the_recipient_is_no_mail_servers() -> None:
    written = report().replace(b"From: MAILER-DAEMON@mx.example", b"From: Eva <Eva@example.com>")
    assert [each.written_by for each in bounces(written)] == ["Eva@example.com"]


@pytest.mark.parametrize(
    "content",
    [
        report("delayed", "4.4.1"),
        report("failed", "4.2.2"),
        report("delivered", "2.0.0"),
        report(message_id="nobody"),
        report().replace(b"multipart/report; report-type=delivery-status", b"multipart/mixed"),
        report().replace(b"message/delivery-status", b"text/plain"),
        b"Subject: Out of office\r\n\r\nI am back on Monday.\r\n",
        b"",
    ],
    ids=["delayed", "passing", "delivered", "no id", "no report", "no status", "out of office", "empty"],
)
def test_nothing_else_is_a_bounce(content: bytes) -> None:
    assert bounces(content) == []


def test_a_report_that_is_cut_off_behind_the_headers_is_understood() -> None:
    whole = report() + b"x" * (2 * MAX_BYTES)
    assert [each.message_id for each in bounces(whole)] == [ID]


@given(st.data())
def test_damaged_reports_raise_nothing(data: st.DataObject) -> None:
    content = bytearray(report())
    for _ in range(data.draw(st.integers(0, 20))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    del content[data.draw(st.integers(0, len(content))) :]
    for bounce in bounces(bytes(content)):
        assert len(bounce.reason) <= 300 and bounce.message_id
        assert bounce.recipient.isprintable() and bounce.reason.isprintable()
