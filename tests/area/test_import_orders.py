"""Orders from a file: looked at, mapped, refused by row, imported all or none, undone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from tests.area.conftest import Person, page_of

TABLE = "Bestellnr.;Kunde;Wieviel;Fällig\n10427;Hotel Meeresblick;1.112,00;\n10428;Emil Docht;58,40;\n"


SUBMITTED_TWICE = """() => {
    let sent = 0;
    const count = (event) => { sent += !event.defaultPrevented; event.preventDefault(); };
    addEventListener("submit", count);
    for (const _ of [1, 2]) document.querySelector("form[data-busy]").requestSubmit();
    removeEventListener("submit", count);
    return sent;
}"""
"""How often a form is sent whose button is pressed twice; nothing is sent in fact."""


def upload(person: Person, text: str) -> Any:
    return person.post("import-orders", {"file": SimpleUploadedFile("orders.csv", text.encode())})


def numbers(service: Service, person: Person) -> list[tuple[str, str]]:
    with service.database.of_shop(person.shop) as tx:
        return [tuple(row) for row in tx.rows("SELECT number, status FROM orders WHERE shop_id = $1 ORDER BY 1",
                                              person.shop.id)]  # fmt: skip


def counts(page: str) -> list[str]:
    return re.findall(r'class="import-count[^"]*">(\d+)<', page)


def test_a_file_is_looked_at_mapped_imported_and_undone(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.CLERK)
    assert 'href="' + f"/shops/{person.shop.id}/import-orders" in person.get("orders").content.decode()
    address = upload(person, TABLE)["Location"]
    page = person.get(address).content.decode()
    assert counts(page) == ["0", "0", "0", "2"]
    form = {"column_0": "number", "column_1": "customer", "column_2": "amount", "column_3": "dueDate", "kind": "COD"}
    page = person.post(address, form | {"action": "show"}).content.decode()
    assert counts(page) == ["2", "0", "0", "0"]
    assert "Import 2 orders" in page
    assert numbers(service, person) == []
    answer = person.post(address, form | {"action": "import", "remember": "1"})
    assert answer["Location"] == f"/shops/{person.shop.id}/orders"
    assert numbers(service, person) == [("10427", "UNPAID"), ("10428", "UNPAID")]
    assert person.get(address).status_code == 404
    again = person.get(upload(person, TABLE)["Location"]).content.decode()
    assert counts(again) == ["0", "0", "2", "0"]
    undo = re.search(r'name="undo" value="(oi_[^"]+)"', person.get("import-orders").content.decode())
    assert undo is not None
    person.post("import-orders", {"undo": undo[1]})
    assert numbers(service, person) == [("10427", "DISAPPEARED"), ("10428", "DISAPPEARED")]
    assert 'name="undo"' not in person.get("import-orders").content.decode()


def test_refused_rows_say_why_and_nothing_is_stored(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.CLERK)
    text = "Order number,Customer,Amount\nA-1,Eva,10.00\nA-2,<b>Eva</b>,12O.00\n"
    address = upload(person, text)["Location"]
    form = {"column_0": "number", "column_1": "customer", "column_2": "amount", "kind": "INVOICE"}
    answer = person.post(address, form | {"action": "import"})
    page = answer.content.decode()
    assert (answer.status_code, counts(page)) == (422, ["1", "0", "0", "1"])
    assert "Import all: 1 row is refused" in page
    assert "<b>Eva</b>" not in page
    assert numbers(service, person) == []
    person.post(address, form | {"action": "leave-out"})
    assert numbers(service, person) == [("A-1", "UNPAID")]


def test_what_is_no_table_is_refused_and_a_file_can_be_thrown_away(
    service: Service, sign_in: Callable[..., Person]
) -> None:
    person = sign_in(TeamRole.CLERK)
    assert upload(person, "hello").status_code == 422
    assert person.post("import-orders", {}).status_code == 422
    address = upload(person, TABLE)["Location"]
    assert "orders.csv" not in person.get("bank").content.decode()
    person.post(address, {"action": "cancel"})
    assert person.get(address).status_code == 404
    assert sign_in(TeamRole.VIEWER).get("import-orders").status_code == 403


def test_refused_rows_are_mended_in_place(service: Service, sign_in: Callable[..., Person]) -> None:
    """The wrong cell is retyped, or the row left out; nothing is stored before the button."""
    person = sign_in(TeamRole.CLERK)
    text = "Order number,Customer,Amount\nA-1,Eva Muster,10.00\nA-2,Muster Eva,12O.00\nA-1,Emil,5.00\n"
    address = upload(person, text)["Location"]
    form = {"column_0": "number", "column_1": "customer", "column_2": "amount", "kind": "INVOICE"}
    page = person.get(address).content.decode()
    assert 'name="cell_3_2" value="12O.00" aria-label="Amount of row 3"' in page
    page = person.post(address, form | {"cell_3_2": "120.00", "action": "show"}).content.decode()
    assert counts(page) == ["2", "0", "0", "1"]
    assert '<input type="hidden" name="cell_3_2" value="120.00">' in page
    mended = form | {"cell_3_2": "120.00", "drop_4": "1"}
    assert counts(person.post(address, mended).content.decode()) == ["2", "0", "0", "0"]
    assert numbers(service, person) == []
    assert person.post(address, mended | {"action": "import"}).status_code == 302
    assert numbers(service, person) == [("A-1", "UNPAID"), ("A-2", "UNPAID")]


def test_every_fault_of_a_row_is_said_and_mended_at_once(service: Service, sign_in: Callable[..., Person]) -> None:
    """A row with five wrong cells needs one look, not five; its neighbours with one fault or none stay as they were."""
    person = sign_in(TeamRole.CLERK)
    text = (
        "Order number,Customer,Amount,Due date,Country\n"
        "A-1,Eva Muster,10.00,,DE\n"
        "A-1,,12O.00,2099-01-01,XX\n"
        "A-3,Emil,5.00,2099-01-01,DE\n"
    )
    address = upload(person, text)["Location"]
    fields = ("number", "customer", "amount", "dueDate", "billing.countryCode")
    form = {f"column_{place}": field for place, field in enumerate(fields)} | {"kind": "INVOICE"}
    page = person.post(address, form | {"action": "show"}).content.decode()
    assert counts(page) == ["1", "0", "0", "2"]
    rows = [row for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL) if "import-why" in row]
    mended = [re.findall(r'name="(cell_\d+_\d+)" value="([^"]*)"', row) for row in rows]
    assert sorted(mended[0]) == [
        ("cell_3_0", "A-1"), ("cell_3_1", ""), ("cell_3_2", "12O.00"), ("cell_3_3", "2099-01-01"),
        ("cell_3_4", "XX"),
    ]  # fmt: skip
    assert mended[1] == [("cell_4_3", "2099-01-01")]
    assert numbers(service, person) == []
    right = {
        "cell_3_0": "A-2", "cell_3_1": "Emma", "cell_3_2": "120.00", "cell_3_3": "", "cell_3_4": "DE",
        "cell_4_3": "",
    }  # fmt: skip
    assert person.post(address, form | right | {"action": "import"}).status_code == 302
    assert numbers(service, person) == [("A-1", "UNPAID"), ("A-2", "UNPAID"), ("A-3", "UNPAID")]


def test_the_day_of_orders_without_one_is_asked_for(service: Service, sign_in: Callable[..., Person]) -> None:
    """A payment before the day of an order is not its payment: a table without days would match nothing of the past."""
    person = sign_in(TeamRole.CLERK)
    page = person.get(upload(person, "Bestellnummer;Name;Betrag\nA-1;Eva;10,00\n")["Location"])
    address, text = page.request["PATH_INFO"], page.content.decode()
    assert counts(text) == ["1", "0", "0", "0"]
    assert 'name="ordered" value="2 Mar 2026"' in text
    form = {"column_0": "number", "column_1": "customer", "column_2": "amount", "kind": "INVOICE"}
    wrong = person.post(address, form | {"action": "import", "ordered": "soon"})
    assert (wrong.status_code, "Enter a day such as" in wrong.content.decode()) == (422, True)
    assert numbers(service, person) == []
    assert person.post(address, form | {"action": "import", "ordered": "1.2.2026"}).status_code == 302
    with service.database.of_shop(person.shop) as tx:
        assert tx.value("SELECT order_date::text FROM orders WHERE shop_id = $1", person.shop.id) == "2026-02-01"
    dated = person.get(upload(person, "Bestellnummer;Datum;Name;Betrag\nA-2;1.2.2026;Eva;10,00\n")["Location"])
    assert 'name="ordered"' not in dated.content.decode()


def test_a_column_that_is_needed_and_not_chosen_is_named(sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.CLERK)
    address = upload(person, TABLE)["Location"]
    assert "No column is chosen for: Amount." in person.get(address).content.decode()
    form = {"column_0": "number", "column_1": "customer", "column_2": "amount", "column_3": "dueDate", "kind": "COD"}
    assert "No column is chosen" not in person.post(address, form | {"action": "show"}).content.decode()


@pytest.mark.browser
def test_a_long_reading_says_so_and_is_sent_once(
    sign_in: Callable[..., Person], browser: Callable[[], Any], address: str, tmp_path: Path
) -> None:
    """The form stays after the answer of a browser's back button, and can be sent then."""
    person, table = sign_in(TeamRole.CLERK), tmp_path / "orders.csv"
    table.write_text(TABLE)
    page = page_of(browser(), address, person)
    page.goto(f"/shops/{person.shop.id}/import-orders")
    page.get_by_label("File").set_input_files(table)
    sent = page.evaluate(SUBMITTED_TWICE)
    line = page.get_by_role("status").filter(has_text="Reading the file. Large tables take up to a minute.")
    assert (sent, line.count()) == (1, 1)
    page.evaluate("dispatchEvent(new Event('pageshow'))")
    assert (page.evaluate(SUBMITTED_TWICE), line.count()) == (1, 1)
    page.evaluate("dispatchEvent(new Event('pageshow'))")
    assert line.count() == 0


def test_an_empty_file_is_called_empty(sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.CLERK)
    assert "The file has no rows" in upload(person, "\n").content.decode()
    assert "this is not a table" in upload(person, "hello").content.decode()


def test_thousands_are_apart_in_the_reader_s_way(sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.CLERK)
    rows = "".join(f"T-{place};Eva;10,00\n" for place in range(1_001))
    address = upload(person, "Bestellnummer;Kunde;Betrag\n" + rows)["Location"]
    page = person.get(address).content.decode()
    assert re.findall(r'class="import-count[^"]*">([\d,]+)<', page) == ["1,001", "0", "0", "0"]
    assert "1,001 rows" in page
    assert "Import 1,001 orders" in page
    person.post("/preferences", {"language": "de"})
    assert "1.001 Zeilen" in person.get(address).content.decode()
