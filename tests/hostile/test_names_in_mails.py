"""Names, articles and addresses that a customer types stay text in the mails that a shop sends (D-80)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from email import message_from_bytes, policy
from email.message import EmailMessage
from html import unescape
from typing import Final

import pytest

from paymatch.domain.orders.submission import OrderRefused
from paymatch.formats.collection.cover import Cover
from paymatch.outbound.collection_agency import MailAgency, Parcel
from paymatch.store.database import Database
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import Door, MailWorld, new_world

HOSTILE: Final = {
    "markup": "<script>alert(1)</script><img src=x onerror=1>",
    "an attribute": '"><a href="https://evil.example">pay here</a>',
    "template signs": "{{7*7}}{% include 'x' %}${7*7}{order}{{number}}",
    "format signs": "{0.__class__} %(password)s %s {secret}",
    "header lines": "Tom\r\nBcc: x@evil.example\r\n\r\nhello",
    "bidi signs": "Tom \u202egro.elpmaxe\u202c",
    "a terminal": "\x1b[2J\x1b]0;x\x07Tom",
    "a link": "https://evil.example/login Tom",
    "a boundary": "--===============1==\nContent-Type: text/html\n\n<b>x",
    "encoded word": "=?utf-8?q?Tom=0ABcc:_x=40evil.example?=",
}


@pytest.fixture(scope="module")
def opened(module_url: str) -> Iterator[Database]:
    found = Database(module_url, size=4, keyring=KEYRING)
    yield found
    found.close()


@pytest.fixture
def world(opened: Database) -> MailWorld:
    return new_world(opened)


def remind(world: MailWorld) -> None:
    """A week after the order was due, and the bank shows no payment."""
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 10:00")
    world.send()


def sent(world: MailWorld) -> tuple[EmailMessage, str]:
    """The one mail that has gone out, and its page."""
    remind(world)
    (mail,) = world.door.sent
    message = message_from_bytes(mail.content, policy=policy.default)
    assert isinstance(message, EmailMessage)
    parts = [part for part in message.walk() if part.get_content_type() == "text/html"]
    return message, "\n".join(part.get_content() for part in parts)


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("field", ["firstName", "lastName", "company"])
def test_a_name_is_text(world: MailWorld, kind: str, field: str) -> None:
    billing = {"firstName": "Tom", "lastName": "Thief", "countryCode": "DE", field: HOSTILE[kind]}
    try:
        world.order("A-1001", billing=billing)
    except OrderRefused:
        assert world.rows("SELECT number FROM orders WHERE shop_id = $1") == []
        return
    message, text = sent(world)
    assert ([each.addr_spec for each in message["To"].addresses], message["Bcc"], message["Cc"]) == (
        ["a-1001@example.com"], None, None,
    )  # fmt: skip
    assert len(message.get_all("From") or ()) == len(message.get_all("Subject") or ()) == 1
    assert "<script" not in text
    assert "<img src=x" not in text
    assert '<a href="https://evil' not in text
    assert 'href="https://evil' not in text
    if field == "lastName" and kind == "template signs":
        assert "{{7*7}}" in text
    assert b"\nBcc" not in world.door.sent[0].content
    assert not {"\x1b", "\x07", "\u202e"}.intersection(text)


ENCODED: Final = "=?utf-8?q?A=0D=0ABcc:_x=40evil.example?="


def test_an_order_number_begins_no_header(world: MailWorld) -> None:
    world.order(ENCODED, customerEmail="a@example.com")
    message, _ = sent(world)
    assert (message["Bcc"], message["To"].addresses[0].addr_spec) == (None, "a@example.com")
    assert b"\nBcc" not in world.door.sent[0].content


def test_an_order_number_begins_no_header_of_a_mail_to_the_agency() -> None:
    door = Door()
    cover = Cover(f"Shop: handover of order {ENCODED}", "x")
    parcel = Parcel("P-1", "shop", cover.subject, cover, b"PK")
    MailAgency(door, "post@shop.example", f"Shop {ENCODED}", "agency@example.com").deliver(parcel)
    (mail,) = door.sent
    assert b"\nBcc" not in mail.content
    assert message_from_bytes(mail.content, policy=policy.default)["Bcc"] is None


ADDRESSES: Final = (
    "a@b.example\r\nBcc: x@evil.example", "a@b.example, x@evil.example", "a@b.example;x@evil.example", "a b@c.example",
    "<x@evil.example>", '"a" <x@evil.example>', "a@b.example\x00", "a@", "@b.example", "a@b.example\n", "a@b@c.example",
    "=?utf-8?q?x?=@b.example", "a@[127.0.0.1]", "a@b.example?bcc=x@evil.example", "a" * 65 + "@b.example",
)  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_one_address_or_none(world: MailWorld, address: str) -> None:
    try:
        world.order("A-1001", customerEmail=address)
    except OrderRefused:
        return
    remind(world)
    for mail in world.door.sent:
        message = message_from_bytes(mail.content, policy=policy.default)
        assert mail.recipient.count("@") == 1
        assert not set(mail.recipient) & set(' ,;<>\r\n\x00"')
        assert (message.get_all("Bcc"), message.get_all("Cc"), len(message.get_all("To") or ())) == (None, None, 1)
        assert "evil" not in mail.recipient


@pytest.mark.parametrize("name", ["Jörg Müller-Lüdenscheidt", "Łukasz O'Neill", "Zoë & Söhne GmbH", "Ng", "李 小龙"])
def test_honest_names_are_written_as_they_are(world: MailWorld, name: str) -> None:
    first, _, last = name.partition(" ")
    world.order("A-1001", billing={"firstName": first, "lastName": last or "Ng", "countryCode": "DE"})
    message, text = sent(world)
    assert [each.addr_spec for each in message["To"].addresses] == ["a-1001@example.com"]
    assert (last or "Ng").split()[-1] in unescape(text)
