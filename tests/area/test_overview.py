"""The overview: figures of orders and payments, what waits, the way to the first paid order, and few queries."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.calendar import plus_bank_days
from paymatch.domain.money import EUR
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message, Sum
from paymatch.formats.mt940.writer import StatementToWrite, write_mt940
from paymatch.store.work import alerts
from paymatch.usecases.reports import receivables
from paymatch.usecases.statements.statements import import_file
from tests.area.conftest import Person
from tests.contract.bank import ACCOUNT, entry
from tests.contract.client import Clock


def text_of(page: bytes) -> str:
    """The words of a page, one blank between them."""
    return " ".join(re.sub(r"<[^>]+>", " ", page.decode()).split())


def with_orders(service: Service, person: Person) -> None:
    """Three open orders, not due, 10 and 70 days late on 2 March 2026, and one paid within 4 days of its date."""
    rows = [
        ("A", "2026-03-01", "2026-03-20", 1000, 0, "UNPAID", None),
        ("B", "2026-02-01", "2026-02-20", 2000, 500, "PAID_PARTIAL", None),
        ("C", "2025-12-01", "2025-12-22", 3000, 0, "UNPAID", None),
        ("D", "2026-02-20", None, 4000, 4000, "PAID", "2026-02-24"),
    ]
    with service.database.of_shop(person.shop) as tx:
        for number, ordered, due, minor, paid, status, last in rows:
            tx.run(
                "INSERT INTO orders (shop_id, number, doc, type, order_date, due_date, currency, digits, amount_minor,"
                " postings_minor, status, last_posting_date, reference, created_at, updated_at) VALUES ($1, $2, '{}',"
                " 'INVOICE', $3::date, $4::date, 'EUR', 2, $5, $6, $7, $8::date, $2, $9, $9)",
                person.shop.id, number, ordered, due, minor, paid, status, last, service.clock(),
            )  # fmt: skip


def test_receivables_by_age_and_days_until_paid(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.VIEWER)
    with_orders(service, person)
    page = text_of(person.get("overview").content)
    assert "Open receivables 55.00 EUR 45.00 overdue" in page
    assert "Not due 1 10.00 EUR 18.2 %" in page
    assert "1 to 14 days 1 15.00 EUR 27.3 %" in page
    assert "15 to 30 days 0 0.00 EUR 0.0 %" in page
    assert "over 60 days 1 30.00 EUR 54.5 %" in page
    assert "Sum 3 55.00 EUR" in page
    assert "Days until paid 4.0 days" in page


def test_ages_say_what_has_been_sent(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.VIEWER)
    with_orders(service, person)
    with service.database.of_shop(person.shop) as tx:
        tx.run("UPDATE orders SET payment_info_at = created_at WHERE shop_id = $1 AND number = 'A'", person.shop.id)
        tx.run("UPDATE orders SET dunning_level = 2 WHERE shop_id = $1 AND number = 'C'", person.shop.id)
        tx.run(
            "INSERT INTO orders (shop_id, number, doc, type, order_date, due_date, currency, digits, amount_minor,"
            " status, reference, created_at, updated_at) SELECT $1, 'N' || n, '{}', 'INVOICE', '2026-03-01',"
            " '2026-03-20', 'EUR', 2, 100, 'UNPAID', 'N' || n, $2, $2 FROM generate_series(1, 1200) n",
            person.shop.id,
            service.clock(),
        )
    page = text_of(person.get("overview").content)
    assert "Not due 1,201 1,210.00 EUR 96.4 % nothing yet (1,200) , Payment information (1) 1 to 14 days" in page
    assert "1 to 14 days 1 15.00 EUR 1.2 % nothing yet 15 to 30 days 0 0.00 EUR 0.0 % 31 to 60" in page
    assert "over 60 days 1 30.00 EUR 2.4 % Reminder 2 Sum 1,203 1,255.00 EUR" in page
    german = text_of(person.get("overview", headers={"accept-language": "de"}).content)
    assert "Nicht fällig 1.201 1.210,00 EUR 96,4 % noch nichts (1.200) , Zahlungsinformationen (1)" in german


def test_checklist_until_the_first_paid_order(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    assert "To the first paid order" in text_of(person.get("overview").content)
    with_orders(service, person)
    page = text_of(person.get("overview").content)
    assert "To the first paid order" not in page and "Nothing waits for you." in page


def test_what_waits_is_counted_in_the_navigation(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    with service.database.of_shop(person.shop) as tx:
        tx.run(
            "INSERT INTO callbacks (shop_id, id, order_number, order_seq, status, attempts, queued_at)"
            " VALUES ($1, 'cb_1', 'A', 1, 'PENDING', 3, $2), ($1, 'cb_2', 'B', 1, 'PENDING', 0, $2)",
            person.shop.id,
            service.clock(),
        )
    page = person.get("callbacks").content.decode()
    assert '<span class="count amber">1</span>' in page
    assert "1 callback fails" in text_of(person.get("overview").content)


def test_what_to_do_names_overpaid_orders_and_alerts(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    with_orders(service, person)
    with service.database.of_shop(person.shop) as tx:
        tx.run("UPDATE orders SET postings_minor = 4500 WHERE shop_id = $1 AND number = 'D'", person.shop.id)
        for number, kind in enumerate(("silent-feed", "statement-gap", "statement-gap", "mail-refused"), 1):
            tx.run(
                "INSERT INTO alerts (shop_id, id, kind, subject, text, created_at) VALUES ($1, $2, $3, $2, 'x', $4)",
                person.shop.id, f"al_{number}", kind, service.clock(),
            )  # fmt: skip
        tx.run("UPDATE alerts SET resolved_at = created_at WHERE shop_id = $1 AND id = 'al_4'", person.shop.id)
    page = person.get("overview").content
    assert "1 overpaid order Refund, or match the payment elsewhere 5.00 EUR" in text_of(page)
    assert f'/shops/{person.shop.id}/orders?status=OVERPAID"' in page.decode()
    assert "No new statements Import them, or look at the connection" in text_of(page)
    assert "Statements missing 2 Import the missing statements" in text_of(page)
    assert "Mail not delivered" not in text_of(page)


def test_what_to_do_leads_to_the_order_that_an_alert_names(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    with_orders(service, person)

    def shown(*numbers: str) -> tuple[str, str]:
        """The task in words, and where it leads."""
        with service.database.of_shop(person.shop) as tx:
            for number in numbers:
                text = Message("alert-given-back-twice", order=number, amount=Sum(100, "EUR"))
                alerts.add(tx, AlertKind.GIVEN_BACK_TWICE, number, text, service.clock())
        page = person.get("overview").content
        link = re.search(r'href="([^"]*)"[^>]*>(?:(?!</a>).)*refunded twice', page.decode(), re.DOTALL)
        assert link is not None
        return text_of(page).partition("refunded twice")[2][:60], link[1]

    words, link = shown("D")
    assert words.startswith(" Ask the customers for the money: D ") and link == f"/shops/{person.shop.id}/orders/D"
    words, link = shown("A", "B", "C")
    assert words.startswith(" 4 Ask the customers for the money: A, B, C, …") and link.endswith("/orders")


def test_days_until_paid_are_drawn_by_parts_of_the_period(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    with_orders(service, person)
    assert 'aria-label="Days until paid:' not in person.get("overview").content.decode()
    with service.database.of_shop(person.shop) as tx:
        tx.run(
            "UPDATE orders SET status = 'PAID', last_posting_date = '2026-03-02' WHERE shop_id = $1 AND number = 'A'",
            person.shop.id,
        )
    page = person.get("overview").content
    assert "Days until paid 2.5 days" in text_of(page)
    assert page.decode().count('<svg class="spark" viewBox="0 0 80 32" role="img" aria-label="Days until paid: ') == 1


def test_period_is_one_of_three(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    with_orders(service, person)
    assert "Nothing to show yet" in text_of(person.get("overview?days=7").content)  # no payment so far
    day = service.clock().date()
    paid = StatementToWrite(ACCOUNT, EUR, 0, day - timedelta(days=1), day, 1, (entry("tea", 990),))
    import_file(
        service.database, person.shop, io.BytesIO(write_mt940([paid])), "1.sta", service.clock(),
        channel=StatementChannel.COMMAND_LINE,
    )  # fmt: skip
    for asked, days in (("7", 7), ("90", 90), ("100000", 30), ("x", 30)):
        assert (
            person.get(f"overview?days={asked}").content.decode().count('<rect class="bar') == 2 * days
        )  # for wide windows and for the phone


def test_open_receivables_are_drawn_by_day(service: Service, sign_in: Callable[..., Person]) -> None:
    """At the end of each part of the period: B was paid in part, and D wholly, on the way."""
    person = sign_in()
    with_orders(service, person)
    with service.database.of_shop(person.shop) as tx:
        tx.run("UPDATE orders SET since_date = order_date WHERE shop_id = $1", person.shop.id)
        for number, until in (("B", "2026-02-16"), ("D", "2026-02-24")):
            tx.run(
                "INSERT INTO order_past (shop_id, order_number, since_date, until_date, status, type, order_date,"
                " due_date, currency, amount_minor, postings_minor, refunded_minor) SELECT shop_id, number, order_date,"
                " $3::date, 'UNPAID', type, order_date, due_date, currency, amount_minor, 0, 0 FROM orders"
                " WHERE shop_id = $1 AND number = $2",
                person.shop.id, number, until,
            )  # fmt: skip
            tx.run(
                "UPDATE orders SET since_date = $3::date WHERE shop_id = $1 AND number = $2",
                person.shop.id, number, until,
            )  # fmt: skip
        days = [date(2026, 1, 25) + timedelta(days=step) for step in range(37)]
        owed = receivables.owed_by_day(tx, days)
        assert owed == [sum(row["open"] for row in receivables.ageing(tx, day)) for day in days]
    page = person.get("overview?days=7").content.decode()
    said = "45.00 EUR · 45.00 EUR · 45.00 EUR · 55.00 EUR · 55.00 EUR"
    [label] = re.findall(r'aria-label="Open receivables: ([^"]*)"', page)
    assert label == f"45.00 EUR · 45.00 EUR · {said}"


def test_changes_since_the_period_before_have_a_sign_and_a_unit(
    service: Service, sign_in: Callable[..., Person]
) -> None:
    person = sign_in(TeamRole.VIEWER)
    with_orders(service, person)
    with service.database.of_shop(person.shop) as tx:
        tx.run(
            "UPDATE orders SET status = 'PAID', order_date = '2026-01-10', last_posting_date = '2026-01-20'"
            " WHERE shop_id = $1 AND number = 'C'",
            person.shop.id,
        )
    german = person.get("overview", headers={"accept-language": "de"})
    assert "−6.0 days vs the period before" in text_of(person.get("overview").content)
    assert "−6,0 Tage gegenüber dem Zeitraum davor" in text_of(german.content)


def test_signed_numbers() -> None:
    from paymatch.area.language.figures import signed_number

    assert [signed_number(value) for value in (-3.66, 0.12, 0.04, -0.04, 1234.5)] == [
        "−3.7", "+0.1", "0.0", "0.0", "+1,234.5",
    ]  # fmt: skip


def test_late_feed_is_named_with_the_days_of_each_account(
    service: Service, new_shop: Callable[..., Shop], sign_in: Callable[..., Person], area_clock: Clock
) -> None:
    person = sign_in(TeamRole.CLERK, new_shop(ibans=[ACCOUNT]))
    with_orders(service, person)
    days = [plus_bank_days(date(2026, 2, 2), place) for place in range(12)]
    for number, day in enumerate(days, 1):
        area_clock.now = datetime.combine(plus_bank_days(day, 1), time(8), UTC)
        content = write_mt940([StatementToWrite(ACCOUNT, EUR, 0, day, day, number, ())])
        import_file(
            service.database, person.shop, io.BytesIO(content), "bank.sta", area_clock(), channel=StatementChannel.AREA
        )
    area_clock.now = datetime(2026, 2, 26, 9, tzinfo=UTC)
    page = text_of(person.get("overview").content)
    assert "A feed is late" not in page and "When each account was fed" not in page
    said = Message("alert-silent-feed", account=ACCOUNT, day=days[-1])
    with service.database.of_shop(person.shop) as tx:
        assert alerts.add(tx, AlertKind.SILENT_FEED, ACCOUNT, said, person.shop.now(area_clock()))
    page = text_of(person.get("overview").content)
    assert "A feed is late." in page and "as of 17 Feb at" in page
    table = page.partition("When each account was fed")[2].partition("The day on which")[0]
    assert table.endswith("in time, 17 Feb in time, 18 Feb missing missing missing missing missing not due not due "), (
        table
    )
