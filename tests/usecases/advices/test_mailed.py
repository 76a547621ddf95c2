"""Advices by mail: a confirmed and proved sender decides, a forged twin is a suggestion (D-91)."""

from __future__ import annotations

import pytest

from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.camt.writer import CamtMessage
from paymatch.jobs.advice_mails import AdviceMailReader
from paymatch.outbound.mail.mailbox import Mailbox, mailbox_address
from paymatch.usecases.advices import mailed
from paymatch.usecases.advices.advices import list_advices, show_advice
from paymatch.usecases.advices.mailed import confirm_sender, list_senders, revoke_sender, take_mail
from paymatch.usecases.matching.matching import match_due
from tests.fakes.imap_server import imap_server
from tests.usecases.advices.mails import CARRIER_ADDRESS, HOST, PROVED, mail
from tests.usecases.advices.test_advices import CARRIER, FORGED, bank, orders
from tests.usecases.conftest import Books, camt, paid


def statuses(books: Books) -> list[str]:
    return [books.status(f"SW-100{n}") for n in (1, 2, 3, 4)]


def take(books: Books, table: str, *results: str, sender: str = f"Kurier <{CARRIER_ADDRESS}>") -> None:
    assert take_mail(books.database, mail(books.shop, table, *results, sender=sender), HOST, books.now) == 1


def confirm(books: Books) -> str:
    """A person confirms the carrier's address by an advice that came before."""
    (shown,) = list_advices(books.database, books.shop)
    assert (shown["state"], shown["mailedBy"], shown["proof"]) == ("suggested", CARRIER_ADDRESS, "dkim")
    return str(confirm_sender(books.database, books.shop, shown["id"], shown["postings"][0], books.now)["id"])


@pytest.fixture
def known(books: Books) -> Books:
    """The carrier's first advice paid its orders once a person had confirmed the sender."""
    orders(books)
    bank(books)
    take(books, CARRIER)
    assert statuses(books) == ["UNPAID"] * 4
    confirm(books)
    assert statuses(books) == ["PAID", "PAID", "UNPAID", "UNPAID"]
    for number, amount in (("SW-1005", "70.00"), ("SW-1006", "30.00")):
        books.order(number, amount)
    return books


SECOND = CARRIER.replace("SW-1001;100,00;2,00;98,00", "SW-1005;70,00;2,00;68,00").replace(
    "SW-1002;50,00;1,00;49,00", "SW-1006;30,00;1,00;29,00"
).replace("150,00;3,00;147,00", "100,00;3,00;97,00")  # fmt: skip


def second(books: Books) -> list[str]:
    bank(books, 97_00, text="Sammelauszahlung 2")
    return [books.status(number) for number in ("SW-1005", "SW-1006")]


@pytest.mark.parametrize(
    "results",
    [
        PROVED,
        f"{HOST} 1; spf=pass (ok; dkim=fail) smtp.mailfrom=kurier.example",
        f"{HOST}; dkim=pass header.i=@kurier.example",
    ],
)
def test_a_confirmed_and_proved_sender_decides_without_a_person(known: Books, results: str) -> None:
    take(known, SECOND, results)
    assert second(known) == ["PAID", "PAID"]


@pytest.mark.parametrize(
    "results",
    [
        ("mx.evil.example; dkim=pass header.d=kurier.example",),
        (f"{HOST}; none", PROVED),
        (f"{HOST}; dkim=fail header.d=kurier.example",),
        (f"{HOST}; dkim=pass header.d=evil.example; dkim=fail header.d=kurier.example",),
        (f"{HOST}; dkim=pass header.d=mail.kurier.example",),
        (f"{HOST}; spf=pass smtp.mailfrom=evil.example",),
        (f'{HOST}; spf=pass smtp.mailfrom="a;dkim=pass header.d=kurier.example;"@evil.example',),
        (f"{HOST}; spf=pass (x; dkim=pass header.d=kurier.example) smtp.mailfrom=evil.example",),
        (f"{HOST}; dkim=pass header.d=evil.example header.d=kurier.example",),
        (f"{HOST}; spf=none (open; dkim=pass header.d=kurier.example",),
    ],
)
def test_a_forged_twin_is_a_suggestion(known: Books, results: tuple[str, ...]) -> None:
    take(known, SECOND, *results)
    assert second(known) == ["UNPAID", "UNPAID"]
    shown = sorted((each["state"], each["proof"]) for each in list_advices(known.database, known.shop))
    assert shown == [("matched", "dkim"), ("suggested", "")]


def test_a_strangers_proved_mail_is_a_suggestion_and_blocks_no_confirmed_one(known: Books) -> None:
    proved = f"{HOST}; dkim=pass header.d=evil.example"
    take(known, SECOND.replace("SW-1005;70,00;2,00;68,00", "SW-1004;70,00;2,00;68,00"), proved, sender="a@evil.example")
    take(known, SECOND, proved, sender="a@evil.example")
    assert second(known) == ["UNPAID", "UNPAID"]
    take(known, SECOND)  # the very file that the stranger has sent before
    assert (known.status("SW-1005"), known.status("SW-1006"), known.status("SW-1004")) == ("PAID", "PAID", "UNPAID")


def test_a_confirmed_sender_speaks_for_its_payer_only(known: Books) -> None:
    take(known, SECOND.replace("Kurier Blitz GmbH", "Eva Post"))
    other = paid(97_00, "Danke", counterparty_name="Eva Post", counterparty_iban="DE02120300000000202051")
    known.bring(camt(CamtMessage.STATEMENT, other))
    match_due(known.database, known.shop, known.now)
    assert [known.status(number) for number in ("SW-1005", "SW-1006")] == ["UNPAID", "UNPAID"]


def test_revoking_gives_the_state_before(known: Books) -> None:
    (sender,) = list_senders(known.database, known.shop)
    revoke_sender(known.database, known.shop, sender["id"], known.now)
    assert (statuses(known), list_senders(known.database, known.shop)) == (["UNPAID"] * 4, [])


def test_an_unproved_sender_cannot_be_confirmed(books: Books) -> None:
    orders(books)
    bank(books)
    take(books, FORGED, f"{HOST}; none")
    (shown,) = list_advices(books.database, books.shop)
    with pytest.raises(SettingRefused, match="not proved"):
        confirm_sender(books.database, books.shop, shown["id"], shown["postings"][0], books.now)
    assert list_senders(books.database, books.shop) == []


def test_a_damaged_file_is_shown_and_strangers_fill_no_more_than_a_day(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(books, CARRIER.replace("98,00", "x"))
    (shown,) = list_advices(books.database, books.shop)
    assert (shown["state"], "3" in str(show_advice(books.database, books.shop, shown["id"])["problem"])) == (
        "unreadable", True,
    )  # fmt: skip
    monkeypatch.setattr(mailed, "MOST_UNCONFIRMED_A_DAY", 2)
    take(books, CARRIER, "x; none")
    assert take_mail(books.database, mail(books.shop, SECOND, "x; none"), HOST, books.now) == 0
    own_domain = mail(books.shop, SECOND, f"{HOST}; dkim=pass header.d=evil.example", sender="a@evil.example")
    assert take_mail(books.database, own_domain, HOST, books.now) == 0
    assert len(list_advices(books.database, books.shop)) == 2


def test_the_mailbox_is_read_and_each_mail_taken_once(books: Books) -> None:
    with imap_server() as server:
        server.add(mail(books.shop, CARRIER), b"From: x\r\n\r\nno shop", mail(books.shop, SECOND))
        mailbox = Mailbox(mailbox_address(f"imap://advices:secret@127.0.0.1:{server.port}"))
        reader = AdviceMailReader(books.database, mailbox, lambda: books.now, HOST)
        assert (reader.look(), reader.look(), server.seen) == (2, 0, {1, 2, 3})
    assert len(list_advices(books.database, books.shop)) == 2
