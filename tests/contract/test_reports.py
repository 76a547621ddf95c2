"""The reports by API: exact figures of a small shop, as of any day, and clear refusals."""

from __future__ import annotations

import csv
import io
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

import pytest
from beancount import loader
from beancount.core.data import Transaction

from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.reports.catalogue import REPORTS
from paymatch.domain.reports.exports import EXPORTS, FILES
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.reports import closing, exports
from paymatch.usecases.reports.journal import bookings
from paymatch.usecases.statements.imports import undo_import
from tests.contract.bank import ACCOUNT, book, entry, pay
from tests.contract.client import ShopClient
from tests.contract.test_invoices_and_images import PDF, form, upload
from tests.formats.accounting import datev_reader, xlsx_reader


@pytest.fixture
def shop(make_shop: Callable[..., ShopClient]) -> ShopClient:
    """On 2 March A is paid, B in part, C too much for its customer's other order D; on 3 March a debit is set aside,
    on 4 March B is cancelled and E, a payout, keeps a fee."""
    made = make_shop(ibans=[ACCOUNT])
    made.submit("A-1001", amount=50)
    made.submit("B-1002", amount=80, type="INVOICE", dueDate="02-03-2026")
    made.submit("C-1003", amount=30, customerNumber="K-7")
    made.submit("D-1004", amount=25, customerNumber="K-7", type="COD")
    pay(made, "A-1001", 5000)
    pay(made, "B-1002", 2000)
    book(made, entry("Bestellung C-1003", 4000))
    match_rest(made, Part("C-1003", 4000))
    made.clock.pass_time(days=1)
    book(made, entry("Kontogebühr", -490, booking_date=date(2026, 3, 3)))
    [fee] = [row["id"] for row in report(made, "unexplained")["rows"]]
    assigning.set_aside(made.database, made.shop, fee, "bank fee", made.clock.now)
    made.clock.pass_time(days=1)
    assert made.post("order/B-1002/cancel").status == 200
    made.submit("E-1005", amount=100)
    book(made, entry("Auszahlung", 9700, name="Marktplatz", booking_date=date(2026, 3, 4)))
    match_rest(made, Part("E-1005", 9700, 300, FeeKind.COMMISSION))
    return made


def match_rest(shop: ShopClient, part: Part) -> None:
    """A person matches the one posting that nothing explains."""
    [posting] = [row["id"] for row in report(shop, "unexplained")["rows"]]
    assigning.match(shop.database, shop.shop, posting, [part], shop.clock.now)


def report(shop: ShopClient, target: str) -> Any:
    reply = shop.get(f"reports/{target}")
    assert reply.status == 200, reply.body
    return reply.json


def test_every_cent_of_the_month(shop: ShopClient) -> None:
    [row] = report(shop, "cash?from=01-03-2026&to=31-03-2026")["rows"]
    assert row["month"] == "01-03-2026" and row["account"] == ACCOUNT and row["currency"] == "EUR"
    assert (row["in"], row["out"]) == ("207.00", "-4.90")
    assert (row["orders"], row["refunds"], row["aside"], row["open"]) == ("207.00", "0.00", "-4.90", "0.00")
    assert row["postings"] == 5
    rows = report(shop, "postings?from=04-03-2026")["rows"]
    assert [(row["amount"], row["state"], row["orders"], row["fee"]) for row in rows] == [
        (
            "97.00",
            "matched",
            [{"orderNumber": "E-1005", "amount": "97.00", "fee": "3.00", "feeKind": "COMMISSION"}],
            "3.00",
        )
    ]
    [aside] = report(shop, "postings?from=03-03-2026&to=03-03-2026")["rows"]
    assert (aside["state"], aside["aside"], aside["reason"]) == ("set aside", "-4.90", "bank fee")
    assert report(shop, "fees?from=01-03-2026")["rows"] == [
        {"payer": "Marktplatz", "kind": "COMMISSION", "postings": 1, "orders": 1, "credited": "100.00", "fee": "3.00",
         "share": "3.0", "currency": "EUR"}
    ]  # fmt: skip


def test_receivables_as_of_each_day(shop: ShopClient) -> None:
    def open_on(day: str) -> list[tuple[str, str, int]]:
        return [(r["number"], r["open"], r["daysOverdue"]) for r in report(shop, f"open?asOf={day}")["rows"]]

    assert open_on("01-03-2026") == []
    assert open_on("02-03-2026") == [("D-1004", "25.00", 1), ("B-1002", "60.00", 0)]
    assert open_on("03-03-2026") == [("D-1004", "25.00", 2), ("B-1002", "60.00", 1)]
    assert open_on("04-03-2026") == [("D-1004", "25.00", 3)]
    first = report(shop, "open?asOf=03-03-2026&limit=1")
    assert [row["number"] for row in first["rows"]] == ["D-1004"]
    rest = report(shop, f"open?asOf=03-03-2026&limit=1&after={first['next'].replace(' ', '%20')}")
    assert [row["number"] for row in rest["rows"]] == ["B-1002"] and "next" not in rest
    ages = {row["age"]: row for row in report(shop, "ageing?asOf=03-03-2026")["rows"]}
    assert ages["1 to 14 days"] == {
        "age": "1 to 14 days", "orders": 2, "invoice": "60.00", "prepayment": "0.00", "cod": "25.00",
        "other": "0.00", "open": "85.00", "currency": "EUR",
    }  # fmt: skip
    assert sum(Decimal(row["open"]) for row in ages.values()) == 85


def test_overpaid_orders_and_what_to_do(shop: ShopClient) -> None:
    rows = report(shop, "overpaid")["rows"]
    found = [(row["number"], row["overpaid"], row["advice"], row.get("otherOrder")) for row in rows]
    assert found == [("B-1002", "20.00", "refund", None), ("C-1003", "10.00", "move", "D-1004")]
    assert [row["number"] for row in report(shop, "overpaid?asOf=03-03-2026")["rows"]] == ["C-1003"]


def test_figures_of_the_period(shop: ShopClient) -> None:
    assert report(shop, "cash-in?from=01-03-2026&by=day")["rows"] == [
        {
            "date": "02-03-2026",
            "postings": 3,
            "amount": "110.00",
            "matched": "110.00",
            "open": "0.00",
            "currency": "EUR",
        },
        {"date": "04-03-2026", "postings": 1, "amount": "97.00", "matched": "97.00", "open": "0.00", "currency": "EUR"},
    ]
    assert report(shop, "matched?from=01-03-2026")["rows"] == [
        {"by": "order number + account or name + amount", "postings": 2, "share": "50.0", "undone": 0},
        {"by": "a person", "postings": 2, "share": "50.0", "undone": 0},
    ]
    [month] = report(shop, "dso?from=01-03-2026")["rows"]
    assert (month["paidOrders"], month["meanDays"], month["sales"], month["open"]) == (3, "1.7", "205.00", "25.00")
    assert month["dso"] == "0.5"  # 25 of 205 in four days
    assert report(shop, "reminders?from=01-03-2026")["rows"] == []


def test_changes_of_a_closed_month_are_listed(shop: ShopClient) -> None:
    assert shop.get("reports/close/2026-03").error == (400, "The month 2026-03 is not closed")
    shop.clock.pass_time(days=30)
    closing.close(shop.database, shop.shop, date(2026, 3, 1), shop.clock.now)
    [closed] = report(shop, "close")["rows"]
    assert (closed["month"], closed["postings"], closed["changes"], closed["seal"]) == ("01-03-2026", 5, 0, "holds")
    posting = next(row["id"] for row in report(shop, "postings?from=02-03-2026")["rows"] if row["amount"] == "50.00")
    assigning.unmatch(shop.database, shop.shop, posting, shop.clock.now)
    [changed] = report(shop, "close/2026-03")
    assert (changed["id"], changed["before"]["state"], changed["after"]["state"]) == (posting, "matched", "open")
    assert changed["before"]["orders"] == [{"orderNumber": "A-1001", "amount": "50.00"}]
    assert report(shop, "close")["rows"][0]["changes"] == 1
    with shop.database.of_shop(shop.shop) as tx:
        assert [row["changes"] for row in closing.overview(tx)] == [1]
    book(shop, entry("Nachtrag", 1200, booking_date=date(2026, 3, 31)))
    with shop.database.of_shop(shop.shop) as tx:
        assert [row["changes"] for row in closing.overview(tx)] == [2]
        assert [row["changes"] for row in closing.list_closed_months(tx)] == [2]
    ((paid,),) = shop.rows(
        "SELECT l.import_id FROM allocations a JOIN statement_lines l ON l.shop_id = $1 AND l.posting_id = a.posting_id"
        " WHERE a.shop_id = $1 AND a.order_number = 'B-1002'"
    )
    undo_import(shop.database, shop.shop, paid, shop.clock.now)
    with shop.database.of_shop(shop.shop) as tx:
        assert [row["changes"] for row in closing.overview(tx)] == [3]
        gone = [row for row in closing.changes(tx, date(2026, 3, 1)) if row["after"] is None]
        assert [row["before"]["orders"][0][0] for row in gone] == ["B-1002"]
    assert [row["number"] for row in report(shop, "open?asOf=31-03-2026")["rows"]] == ["D-1004"]
    assert [row["number"] for row in report(shop, "open")["rows"]] == ["A-1001", "D-1004"]


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("profit", (404, "Report 'profit' not found")),
        ("open?from=01-03-2026", (400, "The report open has no period: it is made as of a day")),
        ("fees?asOf=01-03-2026", (400, "The report fees is not made as of a day")),
        ("open?asOf=03-03-2026", (400, "Parameter asOf is in the future")),
        ("cash?from=02-03-2026&to=01-03-2026", (400, "Parameter from is later than to")),
        ("cash?from=02-03-2010&to=01-03-2026", (400, "The period is longer than 11 years")),
        ("cash-in?by=year", (400, "Parameter by is not valid")),
        ("open?after=x", (400, "Parameter after is not valid")),
        ("close/2026-13", (400, "Parameter month is not valid")),
    ],
)
def test_refusals(make_shop: Callable[..., ShopClient], target: str, error: tuple[int, str]) -> None:
    assert make_shop().get(f"reports/{target}").error == error


@pytest.mark.parametrize("name", [*REPORTS, *EXPORTS, *FILES])
@pytest.mark.parametrize("day", ["01-01-0001", "31-12-9999"])
def test_days_at_the_ends_of_the_calendar_are_refused(
    make_shop: Callable[..., ShopClient], name: str, day: str
) -> None:
    shop = make_shop()
    report = REPORTS.get(name)
    place = f"reports/{name}" if report else f"exports/{name}"
    expected = "a day from 01-01-1900 to 31-12-9998"
    if report is None or report.has_period:
        for target, wrong in ((f"from={day}&to={day}", "from"), (f"to={day}", "to")):
            reply = shop.get(f"{place}?{target}")
            assert (*reply.error, reply.json["expected"]) == (400, f"Parameter {wrong} is not valid", expected)
    if report is not None and report.has_day:
        text = "Parameter asOf is in the future" if day == "31-12-9999" else "Parameter asOf is not valid"
        assert shop.get(f"{place}?asOf={day}").error == (400, text)


def test_exports_say_the_same(shop: ShopClient) -> None:
    """The journal, the DATEV file and the table of allocations move the same sums."""
    first, last = date(2026, 3, 1), date(2026, 3, 31)
    with shop.database.of_shop(shop.shop) as tx:
        tables = {name: list(exports.rows(tx, name, first, last)) for name in EXPORTS}
        journal = [(row["debit"], row["credit"], row["amount"], row["document"]) for row in tables["journal"]]
        assert sorted(journal, key=lambda row: row[3]) == [
            ("1800", "10000", 5000, "A-1001"),
            ("1800", "10000", 2000, "B-1002"),
            ("1800", "10000", 4000, "C-1003"),
            ("1800", "10000", 9700, "E-1005"),
            ("6770", "10000", 300, "E-1005"),
            ("1370", "1800", 490, journal[3][3]),
        ]
        assert sum(row["amount"] + row["fee"] for row in tables["allocations"]) == 21_000
        assert [(row["number"], row["credited"], row["fee"]) for row in tables["fees"]] == [("E-1005", 10_000, 300)]
        assert sum(row["amount"] for row in tables["postings"]) == 20_700 - 490
        orders = {row["number"]: (row["status"], row["open"], row["customerNumber"]) for row in tables["orders"]}
        assert orders["D-1004"] == ("UNPAID", 2500, "K-7") and orders["B-1002"] == ("CANCELLED", 0, "")
        assert tables["refunds"] == []
        [paid] = exports.rows(tx, "orders", first, last, ["CANCELLED"])
        assert paid["number"] == "B-1002"
        sold = list(bookings(tx, first, last, sales=True))
        placed = {each.document: each.minor for each in sold if each.credit.number == "4400"}
        assert placed == {"A-1001": 5000, "B-1002": 8000, "C-1003": 3000, "D-1004": 2500, "E-1005": 10_000}
        [credit_note] = [each for each in sold if each.debit.number == "4400"]  # B-1002 was cancelled
        assert (credit_note.document, credit_note.minor, credit_note.date) == ("B-1002", 8000, date(2026, 3, 4))
        with pytest.raises(exports.ExportRefused, match="DATEV needs its numbers"):
            exports.as_datev(tx, first, last, shop.clock.now)
    shop.change(
        ledger_chart="SKR03", ledger_bank=f"1200,{ACCOUNT}:1210", datev_consultant="29098", datev_client="55003"
    )
    with shop.database.of_shop(shop.shop) as tx:
        batch = datev_reader.read(b"".join(exports.as_datev(tx, first, last, shop.clock.now)))
        assert len(batch.bookings) == len(journal) and (batch.header[21], batch.header[26]) == ("EUR", "03")
        moved = [(each.base, each.debit, each.credit) for each in batch.bookings]
        assert (Decimal(97), "1210", "10000") in moved and (Decimal(3), "4760", "10000") in moved
        with pytest.raises(exports.ExportRefused, match="one fiscal year"):
            exports.as_datev(tx, date(2025, 12, 1), last, shop.clock.now)


def ledger_of(content: bytes) -> dict[str, Decimal]:
    """Account -> debit less credit, by beancount's own parser."""
    entries, errors, _ = loader.load_string(content.decode())
    assert errors == []
    found: Counter[str] = Counter()
    for each in entries:
        for leg in each.postings if isinstance(each, Transaction) else ():
            assert leg.units is not None and leg.units.number is not None
            found[leg.account.rpartition(":")[2]] += leg.units.number  # type: ignore[assignment]
    return {account: Decimal(sum) for account, sum in found.items() if sum}


def moved(bookings: Iterable[tuple[str, str, Decimal]]) -> dict[str, Decimal]:
    """Account -> debit less credit."""
    found: dict[str, Decimal] = {}
    for debit, credit, amount in bookings:
        found[debit] = found.get(debit, Decimal(0)) + amount
        found[credit] = found.get(credit, Decimal(0)) - amount
    return {account: total for account, total in found.items() if total}


def test_exports_are_read_again_with_equal_sums(shop: ShopClient) -> None:
    """CSV, XLSX, DATEV and beancount as they leave by the API: the sums of each account, and those of the report."""
    shop.change(datev_consultant="29098", datev_client="55003", datev_links="BEDI", datev_tax_keys="4400:3")
    assert upload(shop, form(PDF), "RE-1", number="A-1001").status == 200
    days = "from=01-03-2026&to=31-03-2026"
    datev = None
    for sales in ("", "&sales=true"):
        table = list(csv.DictReader(io.StringIO(shop.get(f"exports/journal?{days}{sales}").body.decode())))
        sums = moved((row["debit"], row["credit"], Decimal(row["amount"])) for row in table)
        sheet = xlsx_reader.read(io.BytesIO(shop.get(f"exports/journal?{days}{sales}&format=xlsx").body))
        assert moved((str(row["Debit"]), str(row["Credit"]), Decimal(str(row["Amount"]))) for row in sheet) == sums
        datev = datev_reader.read(shop.get(f"exports/datev?{days}{sales}").body)
        assert moved((each.debit, each.credit, each.base) for each in datev.bookings) == sums
        assert ledger_of(shop.get(f"exports/beancount?{days}{sales}").body) == sums
        [cash] = report(shop, f"cash?{days}")["rows"]
        assert sums["1800"] == Decimal(str(cash["in"])) + Decimal(str(cash["out"]))
        assert sums["6770"] == sum(Decimal(str(row["fee"])) for row in report(shop, f"fees?{days}")["rows"])
    assert datev is not None
    linked = {
        each.fields["Belegfeld 1"]: each.fields["Beleglink"] for each in datev.bookings if "Beleglink" in each.fields
    }
    with zipfile.ZipFile(io.BytesIO(shop.get(f"exports/datev-documents?{days}").body)) as package:
        [document, index] = package.namelist()
        assert package.read(document) == PDF and index == "document.xml"
    assert linked == {"A-1001": f'BEDI "{document.removesuffix(".pdf")}"'}
    revenue = [each for each in datev.bookings if "4400" in (each.debit, each.credit)]
    assert {each.fields.get("BU-Schlüssel") for each in revenue} == {"0003"}


def found(shop: ShopClient, name: str, **query: str) -> list[str]:
    """The orders in the rows of an export that is filtered; the same in CSV and XLSX."""
    asked = urlencode({"from": "01-01-2026"} | query)
    rows = list(csv.DictReader(io.StringIO(shop.get(f"exports/{name}?{asked}").body.decode())))
    sheet = xlsx_reader.read(io.BytesIO(shop.get(f"exports/{name}?{asked}&format=xlsx").body))
    assert len(sheet) == len(rows)
    return [row.get("number") or row.get("orders") or row["posting"] for row in rows]


def test_tables_are_exported_with_any_filter(shop: ShopClient) -> None:
    every = found(shop, "orders")
    assert len(every) > 2 and "B-1002" in every
    assert found(shop, "orders", where="status=cancelled") == ["B-1002"]
    assert found(shop, "orders", where="number~b-1002") == ["B-1002"]
    assert found(shop, "orders", search="B-1002") == ["B-1002"]
    assert found(shop, "orders", where="status!=CANCELLED;number=B-1002") == []
    rows = list(csv.DictReader(io.StringIO(shop.get("exports/orders?from=01-01-2026").body.decode())))
    middle = sorted(Decimal(row["amount"]) for row in rows)[len(rows) // 2]
    dear = [row["number"] for row in rows if Decimal(row["amount"]) >= middle]
    cheap = [row["number"] for row in rows if Decimal(row["amount"]) < middle]
    assert found(shop, "orders", where=f"amount>={middle}") == dear and dear
    assert found(shop, "orders", where=f"amount<{middle}") == cheap
    late = max(row["date"] for row in rows)
    assert found(shop, "orders", where=f"date={late}") == [row["number"] for row in rows if row["date"] == late]
    postings = list(csv.DictReader(io.StringIO(shop.get("exports/postings?from=01-01-2026").body.decode())))
    incoming = [row["id"] for row in postings if Decimal(row["amount"]) > 0 and row["orders"]]
    asked = urlencode({"from": "01-01-2026", "where": "amount>0;orders!="})
    kept = list(csv.DictReader(io.StringIO(shop.get(f"exports/postings?{asked}").body.decode())))
    assert [row["id"] for row in kept] == incoming and incoming


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("orders?where=profit%3D1", "There is no column 'profit' in orders"),
        ("orders?where=amount", "Filter 'amount' is not a condition"),
        ("orders?where=amount%3E%3Dmuch", "'much' is not a value of amount"),
        ("orders?where=amount%3DNaN", "'NaN' is not a value of amount"),
        ("orders?where=amount~1", "amount is not a text"),
        ("orders?where=date%3E31.3.2026", "'31.3.2026' is not a value of date"),
        ("beancount?where=amount%3E1", "beancount is exported whole"),
        ("datev?search=Muster", "datev is exported whole"),
    ],
)
def test_filters_that_fit_no_table_are_refused(shop: ShopClient, target: str, error: str) -> None:
    assert shop.get(f"exports/{target}").error == (400, error)


_NUMBERS = "DATEV needs its numbers:"


def test_exports_by_api_and_their_refusals(shop: ShopClient) -> None:
    cancelled = shop.get("exports/orders?status=CANCELLED&from=01-03-2026")
    assert [row["number"] for row in csv.DictReader(io.StringIO(cancelled.body.decode()))] == ["B-1002"]
    for target, error in (
        ("profit", (404, "Export 'profit' not found")),
        ("orders?status=NEW", (400, "Parameter status is not valid")),
        ("datev", (400, f"{_NUMBERS} `paymatch shop set SHOP datev-consultant=... datev-client=...`")),
        ("beancount?format=xlsx", (400, "Parameter format is not valid")),
        ("fees?from=02-03-2026&to=01-03-2026", (400, "Parameter from is later than to")),
    ):  # fmt: skip
        assert shop.get(f"exports/{target}").error == error
    shop.change(datev_consultant="29098", datev_client="55003")
    shop.submit("F-1006", amount=9, currency="CHF", date="04-03-2026")
    assert shop.get("exports/datev?from=01-03-2026&to=31-03-2026").status == 200
    refused = shop.get("exports/datev?from=01-03-2026&to=31-03-2026&sales=true")
    assert refused.error == (400, "DATEV needs the rate of CHF: `paymatch shop set SHOP datev-rates=CHF:...`")
    shop.change(datev_rates="CHF:0.9000")
    sold = datev_reader.read(shop.get("exports/datev?from=01-03-2026&to=31-03-2026&sales=true").body).bookings
    assert [each.base for each in sold if each.fields["Belegfeld 1"] == "F-1006"] == [Decimal(10)]
    shop.change(datev_rates="")
    shop.submit("F-1006", amount=9, currency="EUR", date="04-03-2026")
    shop.clock.pass_time(days=1)
    shop.submit("F-1006", amount=7, currency="CHF", date="04-03-2026")
    with shop.database.of_shop(shop.shop) as tx:
        sold_again = bookings(tx, date(2026, 3, 1), date(2026, 3, 31), sales=True)
        of_order = [(each.debit.number, each.minor, each.currency) for each in sold_again if each.document == "F-1006"]
    assert of_order == [("10000", 900, "EUR"), ("4400", 900, "EUR"), ("10000", 700, "CHF")]
