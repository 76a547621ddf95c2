"""Learning attacked: a wrong confirmation, strangers, spouses, accountants; nothing is matched wrongly.

Each attack has its honest twin, which goes on without a person.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.matching import assigning
from tests.usecases.conftest import Books, camt, paid

AUNT = {"counterparty_name": "Rosa Anders", "counterparty_iban": "DE02120300000000202051"}


class Teaching:
    """A shop whose clerk decides by hand what one account pays, in the course of months."""

    def __init__(self, books: Books) -> None:
        self.books = books
        self._opening = 0
        self._numbers = count(471200)

    def order(self, amount: str, customer: str, first: str, last: str) -> str:
        number = f"SO-{next(self._numbers)}"
        billing = {"firstName": first, "lastName": last, "countryCode": "DE"}
        self.books.order(number, amount, customerNumber=customer, billing=billing)
        return number

    def pays(self, minor: int, text: str = "Danke", **payer: Any) -> str:
        """A payment that comes; its posting."""
        before = self._ids()
        self.books.bring(
            camt(CamtMessage.STATEMENT, paid(minor, text, **payer), opening=self._opening, number=self.books.files + 1)
        )
        self._opening += minor
        (new,) = self._ids() - before
        return new

    def confirms(self, posting: str, *numbers: str) -> None:
        if self.matched(posting) != numbers:
            assigning.match(
                self.books.database,
                self.books.shop,
                posting,
                [assigning.Part(each) for each in numbers],
                self.books.now,
            )

    def matched(self, posting: str) -> tuple[str, ...]:
        """The orders that the posting pays without a person, or after one."""
        rows = self.books.rows("SELECT posting_id, order_number FROM allocations WHERE shop_id = $1 ORDER BY 2")
        return tuple(number for each, number in rows if each == posting)

    def _ids(self) -> set[str]:
        return {row[0] for row in self.books.rows("SELECT id FROM postings WHERE shop_id = $1")}


@pytest.fixture
def teaching(books: Books) -> Teaching:
    return Teaching(books)


def nine_of_ten_right(teaching: Teaching, wrong_at: int) -> None:
    """The aunt pays ten orders of her nephew; one confirmation gives her money to a stranger's order."""
    for place in range(10):
        minor = 2000 + 37 * place
        amount = f"{minor / 100:.2f}"
        own = teaching.order(amount, "K-77", "Timo", "Kern")
        other = teaching.order(amount, "K-99", "Fred", "Vogt")
        posting = teaching.pays(minor, f"fuer Timo {place}", **AUNT)
        teaching.confirms(posting, other if place == wrong_at else own)


@pytest.mark.parametrize("wrong_at", [0, 4, 9])
def test_one_wrong_confirmation_of_ten_matches_nothing_wrongly(teaching: Teaching, wrong_at: int) -> None:
    nine_of_ten_right(teaching, wrong_at)
    stranger = teaching.order("61.11", "K-99", "Fred", "Vogt")
    posting = teaching.pays(6111, "Geburtstag", **AUNT)
    assert teaching.matched(posting) == (), stranger
    # The honest twin: what she pays for her nephew is matched by her account.
    own = teaching.order("62.22", "K-77", "Timo", "Kern")
    assert teaching.matched(teaching.pays(6222, "fuer Timo", **AUNT)) in ((own,), ())
    number = teaching.order("63.33", "K-77", "Timo", "Kern")
    assert teaching.matched(teaching.pays(6333, f"fuer {number}", **AUNT)) == (number,)


def test_an_account_that_only_ever_paid_for_one_customer_goes_on_alone(teaching: Teaching) -> None:
    for place in range(3):
        minor = 2000 + 37 * place
        own = teaching.order(f"{minor / 100:.2f}", "K-77", "Timo", "Kern")
        teaching.confirms(teaching.pays(minor, "fuer meinen Neffen", **AUNT), own)
    own = teaching.order("62.22", "K-77", "Timo", "Kern")
    assert teaching.matched(teaching.pays(6222, f"Nr {own}", **AUNT)) == (own,)


def test_spouses_with_one_account_are_not_mixed_up(teaching: Teaching) -> None:
    joint = {"counterparty_iban": AUNT["counterparty_iban"]}
    for place in range(4):
        minor = 2000 + 37 * place
        who = ("K-1", "Anna", "Berg") if place % 2 else ("K-2", "Bernd", "Berg")
        own = teaching.order(f"{minor / 100:.2f}", *who)
        teaching.confirms(teaching.pays(minor, counterparty_name="Anna und Bernd Berg", **joint), own)
    his, hers = teaching.order("44.00", "K-2", "Bernd", "Berg"), teaching.order("44.00", "K-1", "Anna", "Berg")
    posting = teaching.pays(4400, counterparty_name="Anna und Bernd Berg", **joint)
    assert teaching.matched(posting) == (), (his, hers)
    # The honest twin names the number.
    assert teaching.matched(teaching.pays(4400, his, counterparty_name="Anna und Bernd Berg", **joint)) == (his,)


@pytest.mark.parametrize("text", ["Danke", "Umbuchung"])
def test_an_accountant_who_pays_for_many_proves_no_customer(teaching: Teaching, text: str) -> None:
    office = {"counterparty_name": "Treuhand Weber", "counterparty_iban": "DE02500105170137075030"}
    names = ("Adler", "Busch", "Carl", "Dorn", "Ernst", "Frank")
    for place, name in enumerate(names):
        minor = 3000 + 41 * place
        own = teaching.order(f"{minor / 100:.2f}", f"K-{place}", "Max", name)
        teaching.confirms(teaching.pays(minor, f"Mandant {place}", **office), own)
    left = teaching.order("77.70", "K-1", "Max", "Busch")
    assert teaching.matched(teaching.pays(7770, text, **office)) == (), left
    assert teaching.matched(teaching.pays(7770, f"{left} Busch", **office)) == (left,)


def test_a_stranger_who_pays_others_orders_for_months_is_not_their_customer(teaching: Teaching) -> None:
    """He names the orders that he pays, small ones; then a payment of his names nothing and has another's amount."""
    stranger = {"counterparty_name": "Igor Fremd", "counterparty_iban": "DE02370502990000684712"}
    for place in range(8):
        minor = 500 + 7 * place
        own = teaching.order(f"{minor / 100:.2f}", "K-50", "Maria", "Lang")
        assert teaching.matched(teaching.pays(minor, f"Bestellung {own}", **stranger)) == (own,)
    big = teaching.order("480.00", "K-50", "Maria", "Lang")
    assert teaching.matched(teaching.pays(48000, "privat", **stranger)) == (), big
    # The honest twin: Maria pays it herself.
    assert teaching.matched(teaching.pays(48000, big, counterparty_name="Maria Lang", counterparty_iban="")) == (big,)


def test_a_payer_with_a_new_name_is_known_by_the_account_but_no_proof_for_others(teaching: Teaching) -> None:
    account = {"counterparty_iban": "DE02300209000106531065"}
    for place in range(3):
        minor = 2500 + 11 * place
        own = teaching.order(f"{minor / 100:.2f}", "K-8", "Lena", "Alt")
        teaching.confirms(teaching.pays(minor, counterparty_name="Lena Alt", **account), own)
    hers = teaching.order("88.00", "K-8", "Lena", "Alt")
    other = teaching.order("88.00", "K-9", "Lena", "Kraft")
    posting = teaching.pays(8800, counterparty_name="Lena Neu", **account)
    assert teaching.matched(posting) in ((), (hers,)), other
    # The honest twin: with the number, the new name stops nothing.
    named = teaching.order("89.00", "K-8", "Lena", "Alt")
    assert teaching.matched(teaching.pays(8900, named, counterparty_name="Lena Neu", **account)) == (named,)
    teaching.books.sound()
