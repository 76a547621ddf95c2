"""What people teach poisons nothing: a wrong confirmation among right ones, and a stranger who wants to be learnt."""

from __future__ import annotations

from datetime import date, timedelta

from paymatch.domain.postings import Posting
from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.matching import aliases, assigning
from tests.usecases.conftest import DAY, Books, camt, paid

CUSTOMERS = ("Adler", "Berger", "Conrad", "Dorn", "Ernst", "Falk", "Gruber", "Huber", "Ilg", "Jahn")


def iban(place: int) -> str:
    """A German account with right check digits."""
    body = f"37040044{place:010d}"
    return f"DE{98 - int(body + '131400') % 97:02d}{body}"


def order(books: Books, number: str, amount: str, place: int, day: date = DAY) -> None:
    customer = {"lastName": CUSTOMERS[place], "firstName": "Kim", "countryCode": "DE"}
    books.order(number, amount, date=f"{day:%d-%m-%Y}", customerNumber=f"K-{place}", billing=customer)


def payment(place: int, minor: int, day: date, name: str = "", text: str = "") -> Posting:
    return paid(minor, text, booking_date=day, counterparty_iban=iban(place), counterparty_name=name)


def test_one_wrong_confirmation_of_ten_makes_no_wrong_match(books: Books) -> None:
    for place in range(10):
        order(books, f"SO-{1000 + place}", f"{20 + place}.00", place)
    first = [payment(place, (20 + place) * 100 - 7, DAY, "Familienkonto") for place in range(10)]
    books.bring(camt(CamtMessage.STATEMENT, *first))
    postings = dict(books.rows("SELECT amount_minor, id FROM postings WHERE shop_id = $1"))
    for place in range(10):
        told = 8 if place == 9 else place  # the last one is confirmed for another customer
        assigning.match(
            books.database, books.shop, postings[(20 + place) * 100 - 7], [assigning.Part(f"SO-{1000 + told}")],
            books.now,
        )  # fmt: skip
    with books.database.of_shop(books.shop) as tx:
        assert len(aliases.alias_rows(tx)) == 10
    later = DAY + timedelta(days=1)
    for place in range(10):
        order(books, f"SO-{2000 + place}", "77.00", place, later)
    books.now += timedelta(days=2)
    again = [payment(place, 7700, later, f"Kim {CUSTOMERS[place]}") for place in range(10)]
    before = sum(each.amount_minor for each in first)
    books.bring(camt(CamtMessage.STATEMENT, *again, number=2, days=(later, later), opening=before))
    wrong = [
        (row[0], row[1])
        for row in books.rows(
            "SELECT a.order_number, p.counterparty_name FROM allocations a JOIN postings p ON p.shop_id = a.shop_id"
            " AND p.id = a.posting_id WHERE a.shop_id = $1 AND NOT a.by_hand ORDER BY 1"
        )
        if row[1] != f"Kim {CUSTOMERS[int(row[0][-1])]}"
    ]
    assert wrong == []
    right = books.rows("SELECT count(*) FROM allocations WHERE shop_id = $1 AND NOT by_hand")
    assert right[0][0] >= 8  # what was taught rightly goes on working
    books.sound()


def test_a_stranger_is_not_learnt_by_naming_the_orders_of_another(books: Books) -> None:
    order(books, "SO-3001", "40.00", 0)
    bait = [payment(5, 1, DAY, "Kim Stranger", "SO-3001")]
    books.bring(camt(CamtMessage.STATEMENT, *bait))
    with books.database.of_shop(books.shop) as tx:
        assert aliases.alias_rows(tx) == []
    order(books, "SO-3002", "55.00", 0)
    order(books, "SO-3003", "55.00", 5)
    later = DAY + timedelta(days=1)
    books.now += timedelta(days=2)
    own = payment(5, 5500, later, f"Kim {CUSTOMERS[5]}", "SO-3003")
    bare = payment(5, 3999, later, "Kim Stranger")
    books.bring(camt(CamtMessage.STATEMENT, own, bare, number=2, days=(later, later), opening=1))
    paid_now = books.rows(
        "SELECT a.order_number FROM allocations a JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id"
        " WHERE a.shop_id = $1 AND p.booking_date > '2026-03-10' ORDER BY 1"
    )
    assert [row[0] for row in paid_now] == ["SO-3003"]
    books.sound()
