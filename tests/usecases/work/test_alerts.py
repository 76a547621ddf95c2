"""Completeness and alerts over days: raised, closed by themselves, closed by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from paymatch.domain.words.message import Message
from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.statements.completeness import KeptGaps, check_statements
from paymatch.usecases.work import alerts
from tests.usecases.conftest import ACCOUNT, DAY, Books, camt, paid

FINAL, EARLY = CamtMessage.STATEMENT, CamtMessage.INTRADAY


def statement(day: date, minor: int, *, opening: int, number: int) -> bytes:
    return camt(FINAL, paid(minor, "A", booking_date=day), opening=opening, number=number, days=(day, day))


def keep(books: Books) -> list[tuple[str, str]]:
    """Housekeeping; (kind, text) of what is open then."""
    with books.database.of_shop(books.shop, at=books.now) as tx:
        alerts.keep_alerts(tx)
    return [(row["kind"], row["text"]) for row in alerts.list_alerts(books.database, books.shop)]


def days(books: Books) -> frozenset[date]:
    with books.database.of_shop(books.shop) as tx:
        return KeptGaps().incomplete_days(tx).get("EUR", frozenset())


def test_a_gap_is_told_flagged_and_closed(books: Books) -> None:
    books.bring(statement(DAY, 100, opening=0, number=1))
    report = books.bring(statement(DAY + timedelta(days=2), 100, opening=200, number=3))
    text = "between camt.053 1 and camt.053 3 a statement is missing: the balances do not meet"
    assert report.notes == [f"account {ACCOUNT}: {text}"]
    missing = DAY + timedelta(days=1)
    assert days(books) == {missing}
    found = check_statements(books.database, books.shop)
    gap = {"kind": "gap", "from": missing, "to": missing, "proven": True, "text": text}
    assert found == [
        {
            "account": ACCOUNT, "currency": "EUR", "statements": 2, "firstDate": DAY,
            "lastDate": DAY + timedelta(days=2), "complete": False, "gaps": [gap],
        }
    ]  # fmt: skip
    assert keep(books) == [("statement-gap", f"Account {ACCOUNT}: {text}")] == keep(books)
    books.bring(statement(missing, 100, opening=100, number=2))
    assert (keep(books), days(books)) == ([], frozenset())
    assert check_statements(books.database, books.shop)[0]["complete"] is True


def test_alerts_keep_their_code_and_older_ones_their_words(books: Books) -> None:
    books.bring(statement(DAY, 100, opening=0, number=1))
    books.bring(statement(DAY + timedelta(days=2), 100, opening=200, number=3))
    keep(books)
    (found,) = alerts.list_alerts(books.database, books.shop)
    gap = Message("gap-balance", one="camt.053 1", other="camt.053 3")
    assert (found["code"], found["text"].values) == ("alert-gap", {"account": ACCOUNT, "gap": gap})
    assert found["text"].values["gap"].code == "gap-balance"
    with books.database.of_shop(books.shop) as tx:
        tx.run("UPDATE alerts SET code = DEFAULT, named = DEFAULT WHERE shop_id = $1", books.shop.id)
    (older,) = alerts.list_alerts(books.database, books.shop)
    assert (older["code"], older["text"], type(older["text"])) == ("", str(found["text"]), str)


def test_balances_that_do_not_fit(books: Books) -> None:
    file = statement(DAY, 100, opening=0, number=1).replace(
        b">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt>", b">9.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt>"
    )
    report = books.bring(file)
    assert report.balance == "mismatch"
    assert [kind for kind, _ in keep(books)] == ["balance-mismatch"]
    assert days(books) == {DAY}


def test_an_unreadable_entry_flags_the_day(books: Books) -> None:
    file = statement(DAY, 100, opening=0, number=1).replace(b">1.00<", b">1.x0<", 1)
    good = camt(FINAL, paid(700, "B"), paid(100, "A"), opening=0)
    at = good.rindex(b">1.00<")
    del file
    report = books.bring(good[:at] + b">1.x0<" + good[at + 6 :])
    assert (report.entries, report.new, report.errors) == (2, 1, 1)
    assert {kind for kind, _ in keep(books)} == {"unreadable"}
    assert days(books) == {DAY}


def test_an_announcement_that_is_never_confirmed(books: Books) -> None:
    books.bring(camt(EARLY, paid(1990, "SO-471101", bank_reference="R1")))
    books.bring(statement(DAY, 100, opening=0, number=1))
    books.now += timedelta(days=5)
    assert keep(books) == []  # Monday: four bank days
    books.now += timedelta(days=2)
    text = f"Account {ACCOUNT}: 19.90 EUR from Eva Muster, announced for {DAY}, is in no final statement"
    assert keep(books) == [("never-confirmed", text)]
    assert ("2026-03-10", 1990, "INTRADAY", "unmatched") in books.postings()
    books.bring(camt(FINAL, paid(1990, "SO-471101", bank_reference="R1"), paid(100, "A"), number=2))
    assert keep(books) == []


def test_one_that_a_person_closed_is_not_raised_again(books: Books) -> None:
    books.bring(camt(EARLY, paid(1990, "A", bank_reference="R1")))
    books.bring(statement(DAY, 100, opening=0, number=1))
    books.now += timedelta(days=9)
    keep(books)
    row = alerts.list_alerts(books.database, books.shop)[0]
    alerts.resolve(books.database, books.shop, row["id"], books.now)
    assert keep(books) == []
    with pytest.raises(alerts.AlertUnknown):
        alerts.resolve(books.database, books.shop, row["id"], books.now)
    closed = alerts.list_alerts(books.database, books.shop, with_resolved=True)
    assert [(each["id"], each["resolvedAt"]) for each in closed] == [(row["id"], books.now)]


def test_a_silent_account(books: Books) -> None:
    for number in range(6):
        day = DAY + timedelta(days=number)
        books.bring(statement(day, 100, opening=100 * number, number=number + 1))
    books.now = books.now.replace(day=19)
    assert keep(books) == []
    books.now = books.now.replace(day=20)
    assert keep(books) == [
        ("silent-feed", f"Account {ACCOUNT}: no statement since 2026-03-15, which is longer than usual")
    ]
    day = DAY + timedelta(days=9)
    books.bring(statement(day, 100, opening=600, number=7))
    assert keep(books) == []


def test_a_shop_that_only_gets_announcements_is_left_in_peace(books: Books) -> None:
    books.bring(camt(CamtMessage.NOTIFICATION, replace(paid(1990, "A"), bank_reference="R1")))
    books.now += timedelta(days=20)
    assert keep(books) == []


def test_kept_gaps_lead_to_the_same_alerts(books: Books) -> None:
    """A replay keeps them from day to day; a job of the service sums all postings, and so notices one that is lost."""
    kept = KeptGaps()

    def keep_with_them() -> list[str]:
        with books.database.of_shop(books.shop, at=books.now) as tx:
            alerts.keep_alerts(tx, kept)
        return [row["kind"] for row in alerts.list_alerts(books.database, books.shop)]

    assert keep_with_them() == []
    books.bring(statement(DAY, 100, opening=0, number=1))
    books.bring(statement(DAY + timedelta(days=2), 100, opening=200, number=3))
    assert keep_with_them() == ["statement-gap"] == keep_with_them()
    books.bring(statement(DAY + timedelta(days=1), 100, opening=100, number=2))
    assert keep_with_them() == []
    books.rows("DELETE FROM postings WHERE shop_id = $1 AND id = (SELECT min(id) FROM postings) RETURNING id")
    assert keep_with_them() == []
    assert [kind for kind, _ in keep(books)] == ["balance-mismatch"]
