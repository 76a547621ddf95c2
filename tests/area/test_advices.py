"""The pages of remittance advices: brought in by a person, whose word counts; listed, shown, undone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.usecases.audit import last_entries
from tests.area.conftest import Person
from tests.area.test_bank import said
from tests.area.test_postings import text
from tests.contract.client import Clock
from tests.usecases.advices.test_advices import CARRIER, advise, bank, orders
from tests.usecases.conftest import ACCOUNT, Books

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)


@pytest.fixture
def books(service: Service, new_shop: Callable[..., Shop], area_clock: Clock) -> Books:
    area_clock.now = NOW
    found = Books(service.database, new_shop(ibans=[ACCOUNT]), now=NOW)
    orders(found)
    return found


@pytest.fixture
def clerk(books: Books, sign_in: Callable[..., Person]) -> Person:
    return sign_in(TeamRole.CLERK, books.shop)


def bring(person: Person, content: str = CARRIER, **more: Any) -> Any:
    files = [SimpleUploadedFile("avis.csv", content.encode())]
    return person.post("bank/advices", {"files": files, **more}, follow=True)


def statuses(books: Books) -> list[str]:
    return [books.status(f"SW-100{n}") for n in (1, 2, 3, 4)]


def posting_of(books: Books) -> str:
    [(found,)] = books.rows("SELECT id FROM postings WHERE shop_id = $1")
    return str(found)


def advice_of(books: Books) -> str:
    [(found,)] = books.rows("SELECT id FROM advices WHERE shop_id = $1")
    return str(found)


def test_an_uploaded_advice_decides_is_listed_and_undone(books: Books, clerk: Person, service: Service) -> None:
    assert said(bring(clerk)) == ["avis.csv is imported: it waits for a payment of 147.00 EUR"]
    bank(books)
    assert statuses(books) == ["PAID", "PAID", "UNPAID", "UNPAID"]
    assert "2 147.00 EUR Matched" in text(clerk.get("bank/advices?state=matched"))
    assert "Nothing found" in text(clerk.get("bank/advices?state=waiting"))
    exported = clerk.get("bank/advices?format=csv")
    assert "147.00" in b"".join(exported.streaming_content).decode()  # type: ignore[attr-defined]
    page = f"bank/advices/{advice_of(books)}"
    shown = text(clerk.get(page))
    assert "SW-1001 100.00 2.00 98.00" in shown
    assert f"postings/{posting_of(books)}" in clerk.get(page).content.decode()
    assert page in clerk.get(f"postings/{posting_of(books)}").content.decode()
    assert said(clerk.post(page, {}, follow=True)) == ["Tick the box to undo the advice"]
    assert statuses(books)[0] == "PAID"
    assert said(clerk.post(page, {"sure": "yes"}, follow=True)) == [
        "The advice is undone: its payments are decided again"
    ]
    assert statuses(books) == ["UNPAID"] * 4
    assert clerk.get(page).status_code == 404
    entries = last_entries(service.database, books.shop, "", 10)
    found = [(row["action"], row["actor"]) for row in entries if row["action"].startswith("advice-")]
    assert found == [("advice-undone", clerk.email), ("advice-imported", clerk.email)]


def test_a_person_vouches_for_what_came_by_the_key_before(books: Books, clerk: Person) -> None:
    bank(books)
    advise(books, CARRIER, StatementChannel.API)
    assert statuses(books) == ["UNPAID"] * 4
    assert said(bring(clerk)) == ["avis.csv is imported: its payment is matched"]
    assert statuses(books) == ["PAID", "PAID", "UNPAID", "UNPAID"]
    advise(books, CARRIER, StatementChannel.API)  # the same file by the key takes nothing away
    assert statuses(books) == ["PAID", "PAID", "UNPAID", "UNPAID"]


def test_an_advice_is_brought_on_the_page_of_its_posting(books: Books, clerk: Person) -> None:
    bank(books, name="Blitz Abrechnung", text="ohne Angabe")
    posting = posting_of(books)
    assert "The payer's list of the orders that this sum is for" in text(clerk.get(f"postings/{posting}"))
    one = "Bestellnummer;Betrag\nSW-1001;100,00\n"
    assert said(bring(clerk, one, posting=posting)) == ["avis.csv is imported: it waits for a payment of 100.00 EUR"]
    answer = bring(clerk, posting=posting)
    assert answer.redirect_chain[-1][0].endswith(f"postings/{posting}")
    assert said(answer) == ["avis.csv is imported: there is a suggestion for its payment, please check it"]
    assert statuses(books) == ["UNPAID"] * 4, "what a payer of no known kind keeps is confirmed by a person"
    assert bring(clerk, posting="pst_none").status_code == 404


def test_a_damaged_file_keeps_nothing_and_an_unclear_one_is_shown(books: Books, clerk: Person) -> None:
    answer = text(bring(clerk, CARRIER.replace("98,00", "x")))
    assert said(bring(clerk, CARRIER.replace("98,00", "x"))) == [
        "avis.csv was not imported: row 3: 'x' is not an amount"
    ]
    assert "No advices" in answer
    assert "avis.csv is saved, but it does not state clearly what is paid" in text(
        bring(clerk, "Hello,\nwe pay SW-1001\n")
    )
    assert "we pay SW-1001" in text(clerk.get(f"bank/advices/{advice_of(books)}"))


def test_whoever_only_reads_brings_nothing(books: Books, sign_in: Callable[..., Person]) -> None:
    reader = sign_in(TeamRole.VIEWER, books.shop)
    bank(books)
    assert bring(reader).status_code == 403
    assert 'name="files"' not in reader.get("bank/advices").content.decode()
    assert 'name="files"' not in reader.get(f"postings/{posting_of(books)}").content.decode()
