"""Settlement files end to end: orders, payouts, and the postings that they are."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.payouts.movements import MovementKind
from paymatch.domain.reports.ledger import AccountRole
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.statement import FileRefused
from paymatch.store.database import Database
from paymatch.store.orders.order_json import Include
from paymatch.store.statements.posting_list import PostingFilter, read_page
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.payouts import provider_accounts
from paymatch.usecases.payouts.payout_alerts import payout_alerts
from paymatch.usecases.payouts.payout_lists import list_payouts, one_payout
from paymatch.usecases.payouts.tying import decide
from paymatch.usecases.refunds import refunds
from paymatch.usecases.reports.journal import bookings, ledger_accounts
from paymatch.usecases.shops import shops
from paymatch.usecases.statements import accounts
from paymatch.usecases.statements.accounts import unconfirmed_alerts
from paymatch.usecases.statements.imports import undo_import
from tests.domain.payouts.weeks import weeks
from tests.formats.settlements import files
from tests.length import times
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

MONDAY = date(2026, 11, 16)


@pytest.fixture(autouse=True)
def _november(books: Books) -> None:
    books.now = datetime(2026, 11, 20, 9, tzinfo=UTC)


def stripe_orders(books: Books) -> None:
    books.order("SO-101", "42.60")
    books.order("SO-102", "27.50")
    books.order("SO-103", "42.00", currency="USD")
    books.order("SO-104", "100.00")


def bank(
    books: Books, text: str = "STRIPE PO_1QLBWM4C", minor: int = 10760, day: date = MONDAY, payer: str = ""
) -> bytes:
    return camt(
        CamtMessage.STATEMENT,
        paid(minor, text, booking_date=day, counterparty_name="Stripe Payments Europe", counterparty_iban=payer),
        days=(day, day),
    )


def test_a_settlement_credits_orders_and_its_payout_is_the_posting(books: Books) -> None:
    stripe_orders(books)
    report = books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    assert report.format == "settlement"
    assert report.version == "Stripe, payout reconciliation, 2 payouts"
    assert report.new_accounts == ["stripe:Stripe"]
    assert {number: books.status(number) for number in ("SO-101", "SO-102", "SO-103", "SO-104")} == {
        "SO-101": "REFUNDED", "SO-102": "PAID", "SO-103": "PAID", "SO-104": "PAID",
    }  # fmt: skip
    books.bring(bank(books))
    assert books.rows(
        "SELECT p.status, p.aside_reason, y.payout_id, y.reason FROM postings p JOIN payouts y"
        " ON y.shop_id = p.shop_id AND y.posting_id = p.id WHERE p.shop_id = $1"
    ) == [("ignored", "payout po_1QLbWm4c: 3 orders, 2.40 kept, rest 0.00", "po_1QLbWm4c", "id")]
    books.sound()


def snapshot(books: Books) -> list[tuple[object, ...]]:
    """What the books say, without the ids of rows that a bank's file brought."""
    return [
        *books.rows("SELECT number, status, postings_minor, refunded_minor FROM orders WHERE shop_id = $1 ORDER BY 1"),
        *books.rows(
            "SELECT account, amount_minor, booking_date, status, aside_reason, allocated_minor FROM postings"
            " WHERE shop_id = $1 ORDER BY 1, 2, 3, 5"
        ),
        *books.rows(
            "SELECT account, payout_id, amount_minor, fee_minor, line_count, order_count, short_minor, reason,"
            " posting_id <> '' FROM payouts WHERE shop_id = $1 ORDER BY 1, 2"
        ),
    ]


def test_any_order_of_imports_and_undo_give_the_same(books: Books, database: Database) -> None:
    imports = [
        ("a", files.STRIPE_PAYOUTS_RECONCILED.encode()),
        ("b", bank(books)),
        ("c", files.STRIPE_ACTIVITY.encode()),
        ("d", files.STRIPE_PAYOUTS.encode()),
    ]
    seen = []
    for order in permutations(imports):
        fresh = Books(database, shops.create(database, "Books", books.now - timedelta(days=60), ibans=[ACCOUNT]).shop)
        fresh.now = books.now
        stripe_orders(fresh)
        reports = [fresh.bring(content, name) for name, content in order]
        seen.append(snapshot(fresh))
        undo_import(database, fresh.shop, reports[1].import_id, fresh.now)
        match_due(database, fresh.shop, fresh.now)
        fresh.sound()
        fresh.bring(order[1][1], order[1][0])
        assert snapshot(fresh) == seen[-1], [name for name, _ in order]
        fresh.sound()
    assert all(each == seen[0] for each in seen)


def test_orders_that_come_later_find_their_rows(books: Books) -> None:
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    stripe_orders(books)
    match_due(books.database, books.shop, books.now)
    match_due(books.database, books.shop, books.now)
    assert [books.status(number) for number in ("SO-101", "SO-102", "SO-103", "SO-104")] == [
        "REFUNDED", "PAID", "PAID", "PAID",
    ]  # fmt: skip
    books.sound()


def test_the_books_of_the_bank_account_hold_the_payout_alone(books: Books) -> None:
    stripe_orders(books)
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    books.bring(bank(books))
    sums = "SELECT account, sum(amount_minor)::bigint FROM postings WHERE shop_id = $1 GROUP BY 1 ORDER BY 1"
    assert books.rows(sums) == [(ACCOUNT, 10760), ("stripe:Stripe", 0)]


def test_a_marketplaces_order_is_found_by_the_marketplaces_number(books: Books) -> None:
    books.order("A-1", "170.00", marketplaceNumber="303-1234567-1234567")
    books.order("A-2", "30.00", marketplaceNumber="303-7654321-7654321")
    books.bring(files.AMAZON_V2.encode())
    assert (books.status("A-1"), books.status("A-2")) == ("PAID", "REFUNDED")
    kept = "SELECT order_number, withheld_minor, fee_kind FROM allocations WHERE shop_id = $1 ORDER BY 1"
    assert books.rows(kept) == [("A-1", 2640, "COMMISSION"), ("A-2", -360, "COMMISSION")]
    books.sound()


def test_a_refund_that_waited_to_be_transferred_is_not_transferred_again(books: Books) -> None:
    stripe_orders(books)
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.split("po_1QN2xK9d", 1)[0].encode())
    with books.database.of_shop(books.shop, at=books.now) as tx:
        refunds.file_by_hand(tx, "SO-101", 4260, "sent back")
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    assert books.rows("SELECT status, posting_id <> '' FROM refunds WHERE shop_id = $1") == [("PROCESSED", True)]
    assert books.status("SO-101") == "REFUNDED"
    books.sound()


def test_a_file_that_no_trusted_channel_brought_is_a_suggestion(books: Books) -> None:
    books.order("SO-101", "58.77")
    books.bring(files.MOLLIE.encode(), channel=StatementChannel.API)
    assert books.status("SO-101") == "UNPAID"
    sql = "SELECT status FROM postings WHERE shop_id = $1 AND amount_minor = 5877"
    assert books.rows(sql) == [("suggested",)]


def test_several_accounts_at_a_provider_ask_which(books: Books) -> None:
    for name in ("Shop", "Market"):
        provider_accounts.add(books.database, books.shop, "mollie", name, "EUR", books.now)
    with pytest.raises(FileRefused, match="several accounts at Mollie"):
        books.bring(files.MOLLIE.encode())
    assert books.bring(files.MOLLIE.encode(), account="mollie:Market").accounts == ["mollie:Market"]


def tied(books: Books) -> list[tuple[object, ...]]:
    return books.rows(
        "SELECT y.payout_id, y.reason, y.short_minor, p.status, p.aside_reason FROM payouts y JOIN postings p"
        " ON p.shop_id = y.shop_id AND p.id = y.posting_id WHERE y.shop_id = $1 ORDER BY 1"
    )


def test_a_person_takes_a_posting_back_and_names_it_again(books: Books) -> None:
    stripe_orders(books)
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    books.bring(bank(books))
    sql = "SELECT id FROM postings WHERE shop_id = $1 AND account LIKE 'DE%'"
    [(posting,)] = books.rows(sql)
    assigning.reconsider(books.database, books.shop, posting, books.now)
    books.bring(files.STRIPE_ACTIVITY.encode())
    assert tied(books) == []
    books.sound()
    with books.database.of_shop(books.shop, at=books.now) as tx:
        decide(tx, posting, "stripe:Stripe", "EUR", "po_1QLbWm4c")
    said = "payout po_1QLbWm4c: 3 orders, 2.40 kept, rest 0.00"
    assert tied(books) == [("po_1QLbWm4c", "person", 0, "ignored", said)]
    books.sound()


def test_a_payout_that_a_known_account_sends_short_says_so(books: Books) -> None:
    stripe_orders(books)
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    day = date(2026, 11, 24)
    books.bring(bank(books, "PO_1QN2XK9D", 4530, day, "IE29AIBK93115212345678"))
    books.bring(bank(books, minor=9760, payer="IE29AIBK93115212345678"))
    said = "payout po_1QLbWm4c: 3 orders, 2.40 kept, rest 0.00, short by 10.00"
    assert tied(books)[0] == ("po_1QLbWm4c", "id", 1000, "ignored", said)
    assert [each.kind for each in alerts_of(books)] == [AlertKind.ACCOUNT_UNCONFIRMED, AlertKind.PAYOUT_SHORT]
    books.sound()


def test_a_short_payout_of_no_known_account_is_for_a_person(books: Books) -> None:
    stripe_orders(books)
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    books.bring(bank(books, minor=1, payer="DE75512108001245126199"))
    assert tied(books) == []
    with books.database.of_shop(books.shop, at=books.now) as tx:
        shown = one_payout(tx, "stripe:Stripe", "EUR", "po_1QLbWm4c")
        assert shown is not None
        (may_be,) = shown.may_be
        decide(tx, may_be.id, "stripe:Stripe", "EUR", "po_1QLbWm4c")
    assert [row[:3] for row in tied(books)] == [("po_1QLbWm4c", "person", 10759)]
    books.sound()


def test_a_payout_that_does_not_arrive_raises_an_alert(books: Books) -> None:
    stripe_orders(books)
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    books.now = datetime(2026, 12, 15, 9, tzinfo=UTC)
    assert [(each.kind, each.subject) for each in alerts_of(books)][1:] == [
        (AlertKind.PAYOUT_OVERDUE, "stripe:Stripe EUR po_1QN2xK9d"),
        (AlertKind.PAYOUT_OVERDUE, "stripe:Stripe EUR po_1QLbWm4c"),
    ]


def test_a_chargeback_opens_its_order_again_with_an_alert(books: Books) -> None:
    books.order("SO-101", "58.77")
    books.order("SO-102", "55.00", currency="EUR")
    books.bring(files.MOLLIE.replace('"USD","60.00"', '"EUR","55.00"').encode())
    assert books.status("SO-102") == "UNPAID"
    assert books.status("SO-101") == "REFUNDED_PARTIAL"
    assert [(each.kind, each.subject) for each in alerts_of(books)][1:] == [(AlertKind.CHARGED_BACK, "SO-102 5500")]
    books.sound()


def test_a_payout_without_its_file_raises_an_alert(books: Books) -> None:
    stripe_orders(books)
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    books.bring(bank(books, "STRIPE PAYOUT", 99999, date(2026, 11, 17)))
    books.now = datetime(2026, 11, 24, 9, tzinfo=UTC)
    assert AlertKind.PAYOUT_WITHOUT_FILE in [each.kind for each in alerts_of(books)]


def alerts_of(books: Books) -> list[Alert]:
    with books.database.of_shop(books.shop, at=books.now) as tx:
        unconfirmed = list(unconfirmed_alerts(tx))
        return unconfirmed + list(payout_alerts(tx))


def test_payouts_are_listed_with_their_postings(books: Books) -> None:
    stripe_orders(books)
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    books.bring(bank(books))
    with books.database.of_shop(books.shop, at=books.now) as tx:
        listed = list_payouts(tx)
        orders, _, _ = read_page(tx, PostingFilter(account=ACCOUNT), None, 10, Include())
    shown = [(row["id"], row["state"], row["rows"], row["fee"], row["rest"]) for row in listed]
    assert shown == [
        ("po_1QN2xK9d", "on its way", 6, "2.10", "0.00"),
        ("po_1QLbWm4c", "arrived", 3, "2.40", "0.00"),
    ]
    [posting] = json.loads(f"[{orders}]")
    assert [order["number"] for order in posting["orders"]] == ["SO-101", "SO-102", "SO-103"]
    assert posting["reason"] == "payout po_1QLbWm4c: 3 orders, 2.40 kept, rest 0.00"


@settings(
    max_examples=times(3, 8),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.data())
def test_generated_weeks_end_the_same_in_both_orders_and_after_undo(database: Database, data: st.DataObject) -> None:
    week = data.draw(weeks(states_totals=False, names_ids=True))
    names = (
        "automatic_payout_id,automatic_payout_effective_at,balance_transaction_id,created_utc,currency,gross,fee,net"
    )
    rows = [f"{names},reporting_category,payment_metadata[order_id]"]
    words = {
        MovementKind.SALE: "charge", MovementKind.REFUND: "refund", MovementKind.CHARGEBACK: "dispute",
        MovementKind.FEE: "fee",
    }  # fmt: skip
    for each in week.movements:
        kind = words.get(each.kind, "risk_reserved_funds")
        gross, fee = (-each.fee_minor, 0) if each.kind is MovementKind.FEE else (each.gross_minor, each.fee_minor)
        cells = [
            each.payout_id, f"{each.payout_date} 00:00:00", each.provider_id, f"{each.at:%Y-%m-%d %H:%M:%S}", "eur",
            *(f"{minor / 100:.2f}" for minor in (gross, fee, gross - fee)), kind,
            each.order_reference if kind in ("charge", "refund", "dispute") else "",
        ]  # fmt: skip
        rows.append(",".join(cells))
    settlement = "\n".join(rows).encode()
    entries = [
        paid(
            each.amount_minor, each.text, booking_date=each.booked_on, counterparty_name="STRIPE", counterparty_iban=""
        )
        for each in week.postings
    ]
    imports = [("settlement", settlement)]
    if entries:
        days = (min(each.booking_date for each in entries), max(each.booking_date for each in entries))
        imports.append(("bank", camt(CamtMessage.STATEMENT, *entries, days=days)))
    seen = []
    for order in (imports, imports[::-1]):
        shop = shops.create(database, "Weeks", datetime(2026, 9, 1, tzinfo=UTC), ibans=[ACCOUNT]).shop
        books = Books(database, shop, datetime(2026, 12, 1, 9, tzinfo=UTC))
        for each in week.movements:
            if each.kind is MovementKind.SALE:
                books.order(each.order_reference, f"{each.gross_minor / 100:.2f}")
        reports = [books.bring(content, name) for name, content in order]
        seen.append(snapshot(books))
        undo_import(database, shop, reports[0].import_id, books.now)
        match_due(database, shop, books.now)
        books.sound()
        books.bring(order[0][1], order[0][0])
        assert snapshot(books) == seen[-1]
        books.sound()
        ways = books.rows("SELECT payout_id, posting_id <> '' FROM payouts WHERE shop_id = $1 AND amount_minor <> 0")
        assert {name for name, is_tied in ways if is_tied} == set(week.truth.values())
    assert seen[0] == seen[-1]


def test_the_journal_books_each_cent_once(books: Books) -> None:
    stripe_orders(books)
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    books.bring(bank(books))
    with books.database.of_shop(books.shop) as tx:
        chart = ledger_accounts(tx)
        booked = list(bookings(tx, date(2026, 11, 1), date(2026, 11, 30)))
    saldo: Counter[str] = Counter()
    for each in booked:
        saldo[each.debit.number] += each.minor
        saldo[each.credit.number] -= each.minor
    service = chart.bank("stripe:Stripe").number
    assert (saldo[chart.of(AccountRole.BANK).number], saldo[service]) == (10760, 0)
    assert saldo[chart.of(AccountRole.CLEARING).number] == 4530 + 1000, "on its way, and held in reserve"
    assert saldo[chart.fee("PAYMENT_FEE").number] == 89 + 66 + 85 + 200 + 10


def test_the_account_of_a_service_is_confirmed_listed_and_removed(books: Books) -> None:
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    database, shop = books.database, books.shop
    listed = {row["account"]: (row["provider"], row["confirmed"]) for row in accounts.list_accounts(database, shop)}
    assert listed == {ACCOUNT: ("", True), "stripe:Stripe": ("stripe", False)}
    accounts.confirm(database, shop, "stripe:Stripe")
    assert alerts_of(books) == []
    accounts.remove(database, shop, "stripe:Stripe")
    for use in (accounts.confirm, accounts.remove):
        with pytest.raises(SettingRefused, match="no account 'stripe:Stripe'"):
            use(database, shop, "stripe:Stripe")


def test_rows_without_a_payout_leave_earlier_payouts_as_they_are(books: Books) -> None:
    stripe_orders(books)
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    later = files.STRIPE_ACTIVITY.replace("txn_1", "txn_8").replace("2026-11-14", "2026-11-19")
    books.bring(later.encode())
    left = "SELECT amount_minor FROM postings WHERE shop_id = $1 AND aside_reason LIKE '%: payout %' ORDER BY 1"
    assert books.rows(left) == [(-10760,), (-4530,)]
    books.sound()


def test_refunds_follow_the_order_that_a_person_gives_their_payment(books: Books) -> None:
    books.order("KASSE-7", "42.60")
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    sql = "SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = 4171"
    ((posting,),) = books.rows(sql)
    part = assigning.Part("KASSE-7", 4171, 89, FeeKind.PAYMENT_FEE)
    assigning.match(books.database, books.shop, posting, [part], books.now)
    match_due(books.database, books.shop, books.now)
    assert books.status("KASSE-7") == "REFUNDED"
    books.sound()
