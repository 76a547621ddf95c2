"""The pages of the reports: figures of a small shop, days in the URL, exports, closing a month, few queries."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.domain.reports.catalogue import REPORTS
from paymatch.store.transactions import Tx
from paymatch.usecases.matching import assigning
from tests.area.conftest import Person
from tests.area.test_overview import text_of
from tests.formats.accounting import datev_reader
from tests.usecases.refunds.refund_world import RefundWorld


@pytest.fixture
def owner(world: RefundWorld, sign_in: Callable[..., Person]) -> Person:
    """On 2 March A-1001 is paid in full; B-1002 is an open invoice, due on 10 March."""
    world.paid("A-1001")
    world.client.submit("B-1002", amount=80, type="INVOICE", dueDate="10-03-2026", customerNumber="=1+1")
    return sign_in(TeamRole.OWNER, world.client.shop)


def words(person: Person, path: str) -> str:
    answer = person.get(path)
    assert answer.status_code == 200, path
    return text_of(answer.content)


def test_summary_compares_two_days(owner: Person, world: RefundWorld) -> None:
    world.pass_days(10)
    page = words(owner, "reports?as-of=2026-03-12&compared=2026-03-01")
    assert "1 to 14 days 80.00 – – 80.00 +80.00" in page
    assert "Sum 80.00 0.00 0.00 80.00 +80.00" in page
    assert "100.00 EUR March 2026" in page and "1.0 days until paid" in page
    assert "Order number + Account or name + Amount 100.0 % 1 0" in page and "Automatic 100.0 % 1" in page
    assert "Sum 0.00 0.00 0.00 0.00 0.00" in words(owner, "reports?as-of=2026-03-01&compared=2026-03-01")


def test_each_report_has_its_page_and_days_stand_in_the_address(owner: Person, world: RefundWorld) -> None:
    world.pass_days(10)
    assert "B-1002 Muster Invoice Open 1 Mar 10 Mar 2 0 80.00 – 80.00" in words(owner, "reports/open")
    assert "Nothing here" in words(owner, "reports/open?as-of=2026-03-01")
    cash = words(owner, "reports/cash?from=2026-03-01&to=2026-03-31")
    assert "March 2026" in cash and "Amounts in EUR" in cash
    assert "100.00 Matched A-1001" in words(owner, "reports/postings?from=2026-03-01")
    assert "The period ends before it begins" in words(owner, "reports/fees?from=2026-03-05&to=2026-03-01")
    assert "The day is in the future" in words(owner, "reports/open?as-of=2030-01-01")
    assert "Choose days of the years 1900 to 9998." in words(owner, "reports/fees?to=9999-12-31")
    assert "Choose days of the years 1900 to 9998." in words(owner, "reports/open?as-of=0001-01-01")
    for name in REPORTS:
        assert words(owner, f"reports/{name}")
    assert owner.get("reports/profit").status_code == 404
    assert owner.get("reports/open?after=x").status_code == 404


def test_each_currency_is_summed_by_itself(owner: Person, world: RefundWorld) -> None:
    world.client.submit("C-1003", amount=20, type="INVOICE", dueDate="10-03-2026")
    world.client.submit("D-1004", amount=5, currency="CHF", type="INVOICE", dueDate="10-03-2026")
    page = words(owner, "reports/ageing")
    assert "Sum 2 100.00 0.00 0.00 0.00 100.00 Amounts in CHF" in page
    assert page.count("Sum 1 5.00 0.00 0.00 0.00 5.00") == 1


def test_money_set_aside_is_a_state_in_german(owner: Person) -> None:
    german = {"accept-language": "de"}
    assert ">Zurückgestellt</th>" in owner.get("reports/cash", headers=german).content.decode()
    for report in ("cash", "postings"):
        assert "Zurückstellen" not in owner.get(f"reports/{report}", headers=german).content.decode()


def test_accounts_stand_together_by_currency(owner: Person, world: RefundWorld) -> None:
    page = owner.get("reports/cash").content.decode()
    assert "Amounts in EUR" in page and '<span class="currency">EUR</span>' not in page


def test_whole_report_as_a_file(owner: Person) -> None:
    answer = owner.get("reports/open?format=csv")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [(row["number"], row["open"], row["currency"], row["dueDate"]) for row in rows] == [
        ("B-1002", "80.00", "EUR", "2026-03-10")
    ]
    book = zipfile.ZipFile(io.BytesIO(b"".join(owner.get("reports/cash-in?format=xlsx").streaming_content)))
    sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<v>100.00</v>" in sheet and "<f>" not in sheet


def test_open_items_of_a_customer_are_searched_and_lead_to_the_statement(owner: Person, world: RefundWorld) -> None:
    world.client.submit("B-1003", amount=20, type="INVOICE", dueDate="10-03-2026", customerNumber="K-9")
    world.pass_days(10)
    assert "=1+1 Muster 1" in words(owner, "reports/customers") and "K-9" in words(owner, "reports/customers")
    found = owner.get("reports/customers?search=k-9").content.decode()
    assert "K-9" in found and "=1+1" not in found
    rows = b"".join(owner.get("reports/customers?search=k-9&format=csv").streaming_content).decode().splitlines()
    assert len(rows) == 2
    (address,) = re.findall(r"reports/customers/[0-9a-f]{32}", found)
    page = words(owner, address)
    assert "B-1003" in page and "20.00 EUR" in page and "B-1002" not in page
    answer = owner.get(f"{address}?format=pdf")
    assert answer["Content-Type"] == "application/pdf" and answer.content.startswith(b"%PDF")
    assert "The orders of this customer name no e-mail address" in text_of(owner.post(address, {}, follow=True).content)
    assert owner.get("reports/customers/x").status_code == 404
    assert "This customer has no open order" in words(owner, f"reports/customers/{'0' * 32}")


def test_bookkeeping_files_are_downloaded(owner: Person, world: RefundWorld) -> None:
    assert "DATEV needs its two numbers" in words(owner, "reports/exports?what=datev&format=datev")
    days = "from=2026-03-01&to=2026-03-31"
    for what in ("postings", "allocations", "orders", "refunds", "fees", "journal"):
        answer = owner.get(f"reports/exports?what={what}&format=csv&{days}")
        lines = b"".join(answer.streaming_content).decode().splitlines()
        assert len(lines) == {"orders": 3, "refunds": 1, "fees": 1}.get(what, 2), what
    for query, count in (
        ("where=status%3DPAID", 2),
        ("where=amount%3E%3D100;type%3DPREPAYMENT", 2),
        ("search=nobody", 1),
    ):
        answer = owner.get(f"reports/exports?what=orders&format=csv&{query}&{days}")
        assert len(b"".join(answer.streaming_content).decode().splitlines()) == count, query
    refused = words(owner, "reports/exports?what=orders&format=xlsx&where=profit%3D1")
    assert "The filter cannot be used: There is no column" in refused and "in orders. number, date, dueDate" in refused
    world.client.change(datev_consultant="29098", datev_client="55003")
    datev = owner.get(f"reports/exports?what=datev&format=datev&{days}")
    assert datev["Content-Disposition"] == 'attachment; filename="EXTF_paymatch.csv"'
    [paid] = datev_reader.read(b"".join(datev.streaming_content)).bookings
    assert (paid.debit, paid.credit, paid.base) == ("1800", "10000", Decimal(100))
    package = owner.get(f"reports/exports?what=datev-documents&format=datev-documents&{days}")
    assert zipfile.ZipFile(io.BytesIO(b"".join(package.streaming_content))).namelist() == ["document.xml"]
    ledger = owner.get(f"reports/exports?what=beancount&format=beancount&sales=1&{days}")
    assert b"Income:Sales:4400  -80.00 EUR" in b"".join(ledger.streaming_content)


def test_month_is_closed_and_what_changes_is_listed(
    owner: Person, world: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    assert "No month is closed yet" in words(owner, "reports/close")
    refused = owner.post("reports/close", {"month": "2026-03"}, follow=True)
    assert "The month is not over yet, or is already closed." in text_of(refused.content)
    world.pass_days(30)
    asked = text_of(owner.post("reports/close", {"month": "2026-03"}, follow=True).content)
    assert "March 2026 is unfinished" in asked and "its statements end on 2 Mar" in asked
    assert "No month is closed yet" in words(owner, "reports/close")
    closed = owner.post("reports/close", {"month": "2026-03", "sure": "1"}, follow=True)
    assert "March 2026 is closed." in text_of(closed.content)
    [posting] = world.client.rows("SELECT id FROM postings WHERE shop_id = $1")
    assigning.unmatch(world.database, world.client.shop, posting[0], world.clock.now)
    page = words(owner, "reports/close?month=2026-03")
    assert "31 Mar" not in page and "1 Intact" in page  # one change, and the seal is whole
    assert "1 Check" in words(owner, "reports/close")
    assert "Changed since March 2026 was closed" in page and "2 Mar matched to A-1001 open 100.00 EUR" in page
    viewer = sign_in(TeamRole.VIEWER, world.client.shop)
    assert viewer.post("reports/close", {"month": "2026-02"}).status_code == 403
    assert "Close a month" not in words(viewer, "reports/close")
    assert world.client.rows("SELECT month FROM closed_months WHERE shop_id = $1") == [(date(2026, 3, 1),)]


def test_every_text_of_the_catalogue_is_marked_for_translation(owner: Person) -> None:
    from paymatch.area.views.reports.labels import STATES_OF_POSTINGS, TEXTS  # the area, which `owner` has loaded

    texts = {str(text) for text in TEXTS} | set(STATES_OF_POSTINGS)
    wanted = {text for report in REPORTS.values() for text in (report.title, report.about)}
    wanted |= {column.label for report in REPORTS.values() for column in report.columns}
    assert texts == wanted


def test_pages_ask_little(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside what sign-in asks on every page: the shop, the frame, and at most five statements of the report.

    The reconciliation compares the whole journal with the orders: it has what any page may have.
    """
    asked: list[str] = []
    for name in ("rows", "named", "row", "stream"):
        plain = getattr(Tx, name)

        def counted(tx: Tx, statement: str, *params: Any, _plain: Any = plain, **more: Any) -> Any:
            asked.append(statement)
            return _plain(tx, statement, *params, **more)

        monkeypatch.setattr(Tx, name, counted)
    for path in ("reports", *(f"reports/{name}" for name in REPORTS)):
        asked.clear()
        assert owner.get(path).status_code == 200
        assert len(asked) <= (15 if path == "reports/reconciliation" else 7), (path, asked)
