"""Connections to banks: what is fetched is imported once, what fails is asked for again, consents are watched."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message
from paymatch.formats.camt.writer import CamtMessage
from paymatch.outbound.bank_channel import FetchedFile, NullBankChannel
from paymatch.outbound.fints.access import BankRefused
from paymatch.store.shops import shops as shop_store
from paymatch.store.statements.bank_connections import ConnectionRow
from paymatch.usecases.shops import shops
from paymatch.usecases.statements import bank_connections as use
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

GOOD = FetchedFile("a.xml", camt(CamtMessage.INTRADAY, paid(1990, "A")))
BROKEN = FetchedFile("b.xml", GOOD.content[:-40])


@dataclass
class Bank:
    """Hands out what it is told to, and keeps what it was asked."""

    files: list[FetchedFile] = field(default_factory=list)
    tan_given: bool = False
    system_id: str = "S-1"
    tan_mechanism: str = ""
    tan_medium: str = ""
    asked: list[tuple[str, date]] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    refuses: bool = False

    def fetch(self, account: str, since: date) -> list[FetchedFile]:
        self.asked.append((account, since))
        if self.refuses:
            raise BankRefused(Message("text", value="no"))
        return self.files

    def opened(self, row: ConnectionRow) -> Bank:
        self.seen.append(row.system_id)
        return self


def connect(books: Books, consent_until: date | None = None) -> None:
    row = ConnectionRow(ACCOUNT, "37040044", "https://bank.example/fints", "user", consent_until=consent_until)
    use.add(books.database, books.shop, row)


def fetch(books: Books, bank: Bank, now: datetime | None = None) -> list[use.Fetched]:
    return use.fetch(books.database, books.shop, "", bank.opened, now or books.now)


def last_fetched(books: Books) -> object:
    return use.list_connections(books.database, books.shop)[0]["lastFetchedAt"]


def test_files_are_imported_once_and_the_next_fetch_overlaps(books: Books) -> None:
    connect(books)
    bank = Bank([GOOD])
    [found] = fetch(books, bank)
    assert [(each["new"], each["provisional"]) for each in found.reports] == [(1, 1)]
    assert last_fetched(books) == books.now
    [again] = fetch(books, bank, books.now + timedelta(days=1))
    assert [(each["new"], each["known"]) for each in again.reports] == [(0, 1)]
    assert bank.asked == [(ACCOUNT, date(2025, 12, 11)), (ACCOUNT, date(2026, 3, 1))]
    assert bank.seen == ["", "S-1"]
    assert books.postings() == [("2026-03-10", 1990, "INTRADAY", "unmatched")]
    fetch(books, bank, books.now + timedelta(days=400))
    assert bank.asked[-1][1] == (books.now + timedelta(days=310)).date()
    books.sound()


def test_pending_files_are_shown_and_not_booked(books: Books) -> None:
    connect(books)
    [found] = fetch(books, Bank([FetchedFile("p.xml", GOOD.content, pending=True)]))
    assert [(each["entries"], each["pending"], each["dryRun"]) for each in found.reports] == [(1, True, True)]
    assert books.postings() == []
    assert last_fetched(books) == books.now


def test_a_broken_file_leaves_the_others_and_is_asked_for_again(books: Books) -> None:
    connect(books)
    [found] = fetch(books, Bank([BROKEN, GOOD]))
    assert ["error" in each for each in found.reports] == [True, False]
    assert len(books.postings()) == 1
    assert last_fetched(books) is None


def test_a_bank_that_refuses_changes_nothing(books: Books) -> None:
    connect(books)
    assert fetch(books, Bank([GOOD], refuses=True)) == [use.Fetched(ACCOUNT, [], "no")]
    assert (books.postings(), last_fetched(books)) == ([], None)


def alerts(books: Books, now: datetime) -> list[tuple[str, str]]:
    with books.database.of_shop(books.shop, at=now) as tx:
        keep_alerts(tx)
    return [(row["kind"], row["subject"]) for row in list_alerts(books.database, books.shop)]


def test_a_consent_that_ends_is_told_a_week_before_and_closes_with_a_tan(books: Books) -> None:
    connect(books, consent_until=date(2026, 3, 19))
    assert alerts(books, books.now) == []
    told = [("consent-ends", f"{ACCOUNT} 2026-03-19")]
    assert alerts(books, books.now + timedelta(days=1)) == told
    use.fetch(books.database, books.shop, ACCOUNT, lambda row: NullBankChannel(), books.now)
    assert alerts(books, books.now + timedelta(days=9)) == told
    fetch(books, Bank(tan_given=True), books.now + timedelta(days=9))
    assert alerts(books, books.now + timedelta(days=9)) == []
    until = use.list_connections(books.database, books.shop)[0]["consentUntil"]
    assert until == date(2026, 3, 20) + timedelta(days=180)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"account": "DE00"}, "is not a valid IBAN"),
        ({"bank_code": "3704"}, "bank code of eight digits"),
        ({"server_url": "http://bank.example/"}, "must be an https:// URL"),
    ],
)
def test_unusable_connections_are_refused(books: Books, change: dict[str, str], text: str) -> None:
    values: dict[str, Any] = {"account": ACCOUNT, "bank_code": "37040044", "server_url": "https://b.example/"}
    with pytest.raises((SettingRefused, BankRefused), match=text):
        use.add(books.database, books.shop, ConnectionRow(**values | {"user": "u"} | change))
    assert use.list_connections(books.database, books.shop) == []


def test_one_connection_per_account(books: Books) -> None:
    with pytest.raises(SettingRefused, match="no connection to a bank"):
        fetch(books, Bank())
    connect(books)
    with pytest.raises(SettingRefused, match="has a connection already"):
        connect(books)
    assert use.remove(books.database, books.shop, ACCOUNT) == {"account": ACCOUNT, "removed": True}
    with pytest.raises(SettingRefused, match="has no connection"):
        use.remove(books.database, books.shop, ACCOUNT)


OTHER = "DE02120300000000202051"


@pytest.mark.parametrize("own", [True, False])
def test_the_statement_of_another_account_is_refused_and_asked_for_again(books: Books, own: bool) -> None:
    """Booked, it would count as fetched for the account that was asked for, whose days would then be missing."""
    connect(books)
    if own:
        with books.database.of_shop(books.shop, at=books.now) as tx:
            shop_store.add_account(tx, shop_store.AccountRow(OTHER, "EUR", "", "", "", confirmed=True), books.now)
    wrong = FetchedFile("c.xml", camt(CamtMessage.STATEMENT, paid(1990, "A"), account=OTHER))
    [found] = fetch(books, Bank([wrong]))
    assert [str(each["error"]) for each in found.reports] == [
        f"it is the statement of account {OTHER}, but the bank was asked for {ACCOUNT}"
    ]
    assert (books.postings(), last_fetched(books)) == ([], None)
    [again] = fetch(books, Bank([GOOD]))
    assert [each["new"] for each in again.reports] == [1]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("written", ["37040044/0532013000", "DE89 3704 0044 0532 0130 00", "0532013000"])
def test_the_account_in_another_spelling_is_the_one_that_was_asked_for(books: Books, written: str, known: bool) -> None:
    if not known:
        shop = shops.create(books.database, "New", books.now - timedelta(days=60)).shop
        books = Books(books.database, shop)
    connect(books)
    content = f":20:S\r\n:25:{written}\r\n:28C:7/1\r\n:60F:C260309EUR0,00\r\n:61:2603100310C1,00NTRFNONREF\r\n"
    [found] = fetch(books, Bank([FetchedFile("d.sta", f"{content}:62F:C260310EUR1,00\r\n-\r\n".encode())]))
    assert [("error" in each, each["new"]) for each in found.reports] == [(False, 1)]
    assert books.rows("SELECT DISTINCT account FROM postings WHERE shop_id = $1") == [(ACCOUNT,)]
    assert last_fetched(books) == books.now
