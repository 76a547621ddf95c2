"""Advices of strangers by mail, key and upload: they move no other's money, and stop none (D-91, D-94)."""

from __future__ import annotations

from collections.abc import Sequence
from email.message import EmailMessage
from io import BytesIO
from typing import Any, Final

import pytest
import typst

from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.advices.advices import import_advice, list_advices
from paymatch.usecases.advices.mailed import confirm_sender, take_mail
from paymatch.usecases.matching.matching import match_due
from tests.usecases.conftest import Books, camt, paid

HOST: Final = "mx.shop.example"
PROVED: Final = f"{HOST}; dkim=pass header.d=kurier.example"
EVA: Final = {"billing": {"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"}}
TOM: Final = {"billing": {"firstName": "Tom", "lastName": "Thief", "countryCode": "DE"}}
OTHER: Final = "DE02120300000000202051"
COURIER: Final = "Kurier Blitz GmbH"


def advice(*rows: tuple[str, str], payer: str = "Eva Muster", number: str = "AV-12345") -> bytes:
    """A table of orders and amounts."""
    head = f"Auftraggeber: {payer}\nAvisnummer: {number}\nBestellnummer;Betrag\n"
    return (head + "".join(f"{order};{amount}\n" for order, amount in rows)).encode()


FORGED: Final = advice(("EVIL-1", "60,00"), ("EVIL-2", "40,00"))


def mail(books: Books, *files: tuple[str, bytes], results: Sequence[str] = (), **headers: str) -> bytes:
    """A mail with these files, as the mailbox's host hands it over."""
    made = EmailMessage()
    for each in results:
        made["Authentication-Results"] = each
    made["From"] = headers.pop("sender", "Kurier <avis@kurier.example>")
    made["To"] = f"advices+{books.shop.id}@shop.example"
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content("See the attachment.")
    made.add_alternative("<table><tr><td>EVIL-1</td><td>100,00</td></tr></table>", subtype="html")
    for name, content in files:
        made.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return made.as_bytes()


def take(books: Books, *files: tuple[str, bytes], **more: Any) -> int:
    """A mail arrives; the number of files that are kept."""
    taken = take_mail(books.database, mail(books, *files, **more), HOST, books.now)
    match_due(books.database, books.shop, books.now)
    return taken


def pay(books: Books, minor: int, text: str, name: str = "Eva Muster", number: int = 1, opening: int = 0) -> None:
    """The bank shows a payment."""
    posting = paid(minor, text, counterparty_name=name)
    books.bring(camt(CamtMessage.STATEMENT, posting, number=number, opening=opening))
    match_due(books.database, books.shop, books.now)


def paid_orders(books: Books) -> list[str]:
    """The orders that are paid."""
    found = books.rows("SELECT number FROM orders WHERE shop_id = $1 AND status LIKE 'PAID%' ORDER BY number")
    return [number for (number,) in found]


@pytest.fixture
def shop(books: Books) -> Books:
    """Eva's order, and two of a thief that cost as much together."""
    books.order("SW-1001", "100.00", **EVA)
    books.order("EVIL-1", "60.00", **TOM)
    books.order("EVIL-2", "40.00", **TOM)
    return books


@pytest.mark.parametrize("when", ["before", "after", "before and after"])
@pytest.mark.parametrize("text", ["Danke", "SW-1001", "Zahlung AV-12345", "EVIL"])
@pytest.mark.parametrize("way", ["mail", "key"])
def test_a_strangers_advice_takes_no_payment_of_eva(shop: Books, when: str, text: str, way: str) -> None:
    def arrive() -> None:
        if way == "mail":
            assert take(shop, ("avis.csv", FORGED)) == 1
        else:
            import_advice(shop.database, shop.shop, BytesIO(FORGED), "avis.csv", shop.now, StatementChannel.API)

    if "before" in when:
        arrive()
    pay(shop, 100_00, text)
    if "after" in when:
        arrive()
    match_due(shop.database, shop.shop, shop.now)
    assert paid_orders(shop) == ["SW-1001"]
    shop.sound()


FORGERIES: Final[dict[str, dict[str, Any]]] = {
    "no proof": {},
    "another host's proof": {"results": ["evil.example; dkim=pass header.d=kurier.example"]},
    "a proof below the host's": {"results": [f"{HOST}; dkim=fail header.d=kurier.example", PROVED]},
    "a longer domain": {"results": [f"{HOST}; dkim=pass header.d=kurier.example.evil.example"]},
    "a subdomain": {"results": [f"{HOST}; dkim=pass header.d=mail.kurier.example"]},
    "another sender's proof": {"sender": "x@evil.example", "results": [f"{HOST}; dkim=pass header.d=evil.example"]},
    "the sender as a name": {
        "sender": '"avis@kurier.example" <x@evil.example>', "results": [f"{HOST}; dkim=pass header.d=evil.example"],
    },
    "two senders": {"sender": "avis@kurier.example, x@evil.example", "results": [PROVED]},
    "Reply-To and Sender": {
        "sender": "x@evil.example", "Reply_To": "avis@kurier.example", "Sender": "avis@kurier.example",
        "results": [f"{HOST}; dkim=pass header.d=evil.example"],
    },
    "a comment": {"results": [f"{HOST}; dkim=none (dkim=pass header.d=kurier.example)"]},
    "a quoted string": {"results": [f'{HOST}; spf=pass smtp.mailfrom="a;dkim=pass header.d=kurier.example"@evil.com']},
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES)
def test_nobody_speaks_for_a_confirmed_sender(books: Books, forgery: str) -> None:
    numbers = {
        "SW-1": "100.00",
        "SW-2": "50.00",
        "SW-3": "70.00",
        "SW-4": "30.00",
        "EVIL-1": "60.00",
        "EVIL-2": "40.00",
    }
    for number, amount in numbers.items():
        books.order(number, amount, **TOM)
    pay(books, 150_00, "Sammelauszahlung", COURIER)
    take(books, ("1.csv", advice(("SW-1", "100,00"), ("SW-2", "50,00"), payer=COURIER)), results=[PROVED])
    (shown,) = list_advices(books.database, books.shop)
    confirm_sender(books.database, books.shop, shown["id"], shown["postings"][0], books.now)
    assert paid_orders(books) == ["SW-1", "SW-2"]
    forged = advice(("EVIL-1", "60,00"), ("EVIL-2", "40,00"), payer=COURIER, number="AV-2")
    take(books, ("2.csv", forged), **FORGERIES[forgery])
    pay(books, 100_00, "Sammelauszahlung 2", COURIER, number=2, opening=150_00)
    assert paid_orders(books) == ["SW-1", "SW-2"]
    take(books, ("3.csv", advice(("SW-3", "70,00"), ("SW-4", "30,00"), payer=COURIER, number="AV-3")), results=[PROVED])
    assert paid_orders(books) == ["SW-1", "SW-2", "SW-3", "SW-4"]
    books.sound()


def test_a_confirmed_sender_speaks_for_no_other_payer(books: Books) -> None:
    for number, amount in {"SW-1": "100.00", "SW-2": "50.00", "EVIL-1": "60.00", "EVIL-2": "40.00"}.items():
        books.order(number, amount, **TOM)
    pay(books, 150_00, "Sammelauszahlung", COURIER)
    take(books, ("1.csv", advice(("SW-1", "100,00"), ("SW-2", "50,00"), payer=COURIER)), results=[PROVED])
    (shown,) = list_advices(books.database, books.shop)
    confirm_sender(books.database, books.shop, shown["id"], shown["postings"][0], books.now)
    forged = advice(("EVIL-1", "60,00"), ("EVIL-2", "40,00"), payer="Grosskunde AG", number="RG-999-1")
    take(books, ("2.csv", forged), results=[PROVED])
    books.bring(
        camt(
            CamtMessage.STATEMENT,
            paid(
                100_00, "Zahlung RG-999-1", counterparty_name="Grosskunde AG", counterparty_iban=OTHER
            ),
            number=2, opening=150_00,
        )
    )  # fmt: skip
    match_due(books.database, books.shop, books.now)
    assert paid_orders(books) == ["SW-1", "SW-2"]


ROWS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "a refund": (("SW-1001", "100,00"), ("EVIL-1", "-99,00")),
    "more than is open": (("SW-1001", "150,00"),),
    "the same order twice": (("SW-1001", "60,00"), ("SW-1001", "60,00")),
    "an unknown order": (("SW-1001", "60,00"), ("SW-9999", "40,00")),
    "a paid one": (("SW-1001", "60,00"), ("DONE-1", "40,00")),
}


@pytest.mark.parametrize("kind", ROWS)
def test_an_advice_that_does_not_fit_asks_a_person_even_if_a_person_brings_it(shop: Books, kind: str) -> None:
    shop.order("DONE-1", "0.00", **TOM)
    rows = ROWS[kind]
    data = advice(*rows, payer="Tom Thief")
    import_advice(shop.database, shop.shop, BytesIO(data), "a.csv", shop.now, StatementChannel.COMMAND_LINE)
    pay(shop, sum(int(amount.replace(",", "")) for _, amount in rows), "Sammelzahlung", "Tom Thief")
    assert [number for number in paid_orders(shop) if number != "DONE-1"] == []
    shop.sound()


def test_one_mail_with_many_files_keeps_each_and_books_none(shop: Books) -> None:
    pdf = bytes(typst.compile(b"Payer: Eva Muster \\\n Order EVIL-1 60.00 \\\n Order EVIL-2 40.00 \\\n Total 100.00"))
    files = [
        ("a.csv", FORGED),
        ("b.pdf", pdf),
        ("c.txt", b"EVIL-1 100,00"),
        ("../d.csv", FORGED + b"\n"),
        ("e.exe", b"MZ"),
    ]
    assert take(shop, *files) == 4
    pay(shop, 100_00, "Danke")
    assert paid_orders(shop) == ["SW-1001"]


def test_the_courier_and_the_person_go_on_automatically(shop: Books) -> None:
    data = advice(("EVIL-1", "60,00"), ("EVIL-2", "40,00"), payer=COURIER)
    import_advice(shop.database, shop.shop, BytesIO(data), "a.csv", shop.now, StatementChannel.COMMAND_LINE)
    pay(shop, 100_00, "Sammelauszahlung", COURIER)
    assert paid_orders(shop) == ["EVIL-1", "EVIL-2"]
