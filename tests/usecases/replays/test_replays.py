"""A shop's past replayed: day by day, beside another system's decisions, in a shop that sends nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import msgspec
import pytest

from paymatch.clock import utc_now
from paymatch.domain.replays.figures import ReplayFigure, ReplayResult
from paymatch.domain.shops.sandbox import SandboxRefused
from paymatch.domain.shops.shop import ShopUnknown
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.replays.order_documents import MOST_BYTES, MOST_ROWS
from paymatch.formats.statement import FileRefused
from paymatch.store.ids import new_shop_id
from paymatch.store.lists.sorted_lists import AskedPage
from paymatch.store.replays import replays as store
from paymatch.store.replays.replays import ReplayRow, ReplayStatus
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId
from paymatch.store.work import installation
from paymatch.usecases.matching.assigning import Part, match
from paymatch.usecases.replays import beginning, playing, showing, summing
from paymatch.usecases.replays.beginning import ReplayFile, ReplayFiles
from paymatch.usecases.shops import shops
from tests.formats.settlements.files import STRIPE_PAYOUTS_RECONCILED
from tests.usecases.conftest import Books, camt, paid

FIRST = date(2025, 3, 3)  # a Monday
DUE = FIRST + timedelta(days=7)
CUSTOMERS = (
    (1001, "Ada Berg", "100.00"), (1002, "Bo Christ", "50.00"), (1003, "Cy Dorn", "70.00"),
    (1004, "Di Ernst", "70.00"), (1005, "Ed Frank", "33.00"), (1006, "Flo Gans", "33.00"),
)  # fmt: skip
ORDERS = "Order number;Date;Due;Customer;E-mail;Amount\r\n" + "".join(
    f"B-{number};{FIRST};{DUE};{name};b{number}@example.com;{amount}\r\n" for number, name, amount in CUSTOMERS
)
DECISIONS = (
    "Booking date;Amount;Payer;Order number\r\n"
    "2025-03-05;100.00;Ada Berg;B-1002\r\n"
    "2025-03-06;50.00;Bo Christ;B-1002\r\n"
    "2025-03-07;33.00;Ed Frank;B-1005\r\n"
    "2025-03-13;70.00;Zora Unknown;B-1004\r\n"
)


def statement() -> bytes:
    """Four weeks in one file. A payment names its order, one only its payer; one names the order of another customer,
    which costs as much; one is of a stranger, and fits two orders."""

    def day(after: int) -> date:
        return FIRST + timedelta(days=after)

    entries = [
        paid(10000, "B-1001", booking_date=day(2), counterparty_name="Ada Berg"),
        paid(5000, "thanks", booking_date=day(3), counterparty_name="Bo Christ"),
        paid(3300, "B-1006", booking_date=day(4), counterparty_name="Ed Frank"),
        paid(7000, "greetings", booking_date=day(10), counterparty_name="Zora Unknown"),
        *(
            paid(
                -100 - after,
                f"fee {after}",
                booking_date=day(after),
                counterparty_name="The Bank",
                counterparty_iban="",
            )
            for after in range(1, 29)
            if day(after).weekday() < 5
        ),
    ]
    entries.sort(key=lambda each: each.booking_date)
    return camt(CamtMessage.STATEMENT, *entries, days=(day(0), day(28)))


FILES = ReplayFiles(
    [ReplayFile("orders.csv", ORDERS.encode())],
    [ReplayFile("year.xml", statement())],
    [ReplayFile("decisions.csv", DECISIONS.encode())],
)


def row(books: Books) -> ReplayRow | None:
    with books.database.of_shop(books.shop) as tx:
        return beginning.state(tx)


def result(books: Books) -> ReplayResult:
    found = row(books)
    assert found is not None
    told = summing.result_of(found)
    assert told is not None
    return told


def listed(books: Books, figure: ReplayFigure) -> list[tuple[str, tuple[str, ...], tuple[str, ...] | None]]:
    """(payer, our orders, theirs) of a figure's list."""
    found = row(books)
    assert found is not None
    with books.database.of_shop(ShopId(found.replay_shop)) as tx:
        return [(each.name, each.ours, each.theirs) for each in summing.list_of(tx, figure, "", 100)]


def test_a_past_is_played_day_by_day_and_judged(books: Books) -> None:
    beginning.begin(books.database, books.shop, FILES, utc_now())
    with pytest.raises(SandboxRefused, match="has a replay already"):
        beginning.begin(books.database, books.shop, FILES, utc_now())
    sittings = 0
    while not playing.play(books.database, books.shop, utc_now, seconds=0):
        sittings += 1
    found = row(books)
    assert found is not None
    assert (found.status, found.orders, found.refused, found.percent, found.error) == (
        ReplayStatus.FINISHED, 6, 0, 100, "",
    )  # fmt: skip
    assert sittings > 15  # each goes on where the one before ended
    assert result(books) == ReplayResult(
        postings=24, matched=2, suggested=2, left=0, aside=20, compared=4, suggested_compared=2, suggested_right=1,
        ours=1, theirs=0, both=1, reminders=4, wrong_reminders=0, days=1, longest_days=1, slow=0,
    )  # fmt: skip
    assert result(books).clicks_saved == 2 * 3 + 2
    assert listed(books, ReplayFigure.MATCHED) == [
        ("Ada Berg", ("B-1001",), ("B-1002",)), ("Bo Christ", ("B-1002",), ("B-1002",)),
    ]  # fmt: skip
    assert listed(books, ReplayFigure.SUGGESTED_RIGHT) == [("Ed Frank", ("B-1005",), ("B-1005",))]
    assert listed(books, ReplayFigure.OURS) == [("Ada Berg", ("B-1001",), ("B-1002",))]
    assert listed(books, ReplayFigure.BOTH) == [("Zora Unknown", ("B-1003",), ("B-1004",))]
    with books.database.of_shop(ShopId(found.replay_shop)) as tx:
        paid_orders = tx.rows("SELECT number FROM orders WHERE shop_id = $1 AND status = 'PAID' ORDER BY 1", tx.shop_id)
        sent = tx.rows("SELECT DISTINCT status FROM mails WHERE shop_id = $1", tx.shop_id)
        assert tx.value("SELECT count(*) FROM callback_attempts WHERE shop_id = $1", tx.shop_id) == 0
    # What the other system's people decided is done by hand the same morning, so that nobody is reminded of it.
    assert [each[0] for each in paid_orders] == ["B-1001", "B-1002", "B-1004", "B-1005"]
    assert [each[0] for each in sent] == ["KEPT"]
    assert books.rows("SELECT count(*) FROM orders WHERE shop_id = $1") == [(0,)]  # the shop itself has none of it

    assert beginning.erase(books.database, books.shop, utc_now)
    assert row(books) is None
    with books.database.of_shop(ShopId(found.replay_shop)) as tx:
        for table in ("shops", "orders", "postings", "mails", "replay_parts", "replay_outcomes"):
            assert tx.value(f"SELECT count(*) FROM {table} WHERE shop_id = $1", tx.shop_id) == 0


def test_a_reminder_to_a_customer_who_had_paid_is_counted_and_listed(books: Books) -> None:
    halves = [
        paid(3500, f"part {place}", booking_date=FIRST + timedelta(days=2), counterparty_name="Uwe Other")
        for place in (1, 2)
    ]
    last = paid(-100, "fee", booking_date=FIRST + timedelta(days=20), counterparty_iban="")
    bank_file = camt(CamtMessage.STATEMENT, *halves, last, days=(FIRST, FIRST + timedelta(days=20)))
    orders = "".join(ORDERS.splitlines(keepends=True)[:1] + ORDERS.splitlines(keepends=True)[3:4])
    files = ReplayFiles([ReplayFile("orders.csv", orders.encode())], [ReplayFile("bank.xml", bank_file)])
    beginning.begin(books.database, books.shop, files, utc_now())
    assert playing.play(books.database, books.shop, utc_now)
    told = result(books)
    assert (told.left, told.reminders, told.wrong_reminders) == (2, 1, 0)  # nobody has said whose money it is
    found = row(books)
    assert found is not None
    played_in = shops.find(books.database, str(found.replay_shop))
    for name, _, _ in listed(books, ReplayFigure.LEFT):
        assert name == "Uwe Other"
    with books.database.of_shop(played_in) as tx:
        ids = [each.posting_id for each in summing.list_of(tx, ReplayFigure.LEFT, "", 10)]
    for posting_id in ids:
        match(books.database, played_in, posting_id, [Part("B-1003")], utc_now())
    with books.database.of_shop(played_in) as tx:
        wrong = summing.reminders_of(tx, ReplayFigure.WRONG_REMINDERS, 0, 10)
    assert [(each.order_number, each.dunning_level, each.booked_on) for each in wrong] == [
        ("B-1003", 1, FIRST + timedelta(days=2))
    ]


def test_a_file_that_cannot_be_read_ends_the_replay_with_the_reason(books: Books) -> None:
    files = ReplayFiles([ReplayFile("orders.csv", b"nothing at all")], [ReplayFile("bank.xml", statement())])
    beginning.begin(books.database, books.shop, files, utc_now())
    assert playing.play(books.database, books.shop, utc_now)
    found = row(books)
    assert found is not None
    assert found.status is ReplayStatus.FAILED
    assert "orders.csv" in str(beginning.failure_of(found))
    assert beginning.erase(books.database, books.shop, utc_now)


def test_orders_of_a_dump_of_the_api_are_read_and_bad_ones_are_told(books: Books) -> None:
    dump = msgspec.json.encode({
        "orders": [
            {"number": "B-1", "date": "03-03-2025", "type": "INVOICE", "amount": 12.5, "currency": "EUR",
             "paymentStatus": "PAID", "billing": {"lastName": "Berg", "countryCode": "DE"}},
            {"number": "B-2", "date": "31-31-2025", "type": "INVOICE", "amount": 1, "currency": "EUR"},
        ]
    })  # fmt: skip
    files = ReplayFiles([ReplayFile("dump.json", dump)], [ReplayFile("bank.xml", statement())])
    beginning.begin(books.database, books.shop, files, utc_now())
    assert playing.play(books.database, books.shop, utc_now)
    found = row(books)
    assert found is not None
    assert (found.status, found.orders, found.refused) == (ReplayStatus.FINISHED, 1, 1)
    assert [(place, str(why)[:40]) for place, why in beginning.refused_orders(found)] == [
        (2, "Missing parameter billing")
    ]


def play_all(books: Books, files: ReplayFiles) -> ReplayRow:
    beginning.begin(books.database, books.shop, files, utc_now())
    assert playing.play(books.database, books.shop, utc_now)
    found = row(books)
    assert found is not None
    return found


def test_the_shop_of_a_replay_is_found_by_its_id_only(books: Books) -> None:
    found = play_all(books, FILES)
    with books.database.of_all_shops() as tx:
        assert found.replay_shop not in {each.id for each in shop_store.find(tx, books.shop.name)}
    assert found.replay_shop not in {each.id for each in shops.every(books.database)}
    assert shops.find(books.database, str(found.replay_shop)).id == found.replay_shop
    with pytest.raises(ShopUnknown):
        shops.find(books.database, str(found.replay_shop)[:13])
    with books.database.of_all_shops() as tx:
        named = installation.shops(tx, wanted=str(found.replay_shop), asked=AskedPage(10))
        assert (named.rows, installation.counts(tx, [str(found.replay_shop)])[1]) == ([], {})


def test_a_replay_whose_files_never_came_is_erased_by_the_worker(books: Books) -> None:
    now = utc_now()
    new_id = new_shop_id()
    with books.database.of_shop(books.shop, at=now) as tx:
        assert store.add(tx, new_id, now)
    with books.database.of_all_shops() as tx:
        assert books.shop.id not in store.shops_with_due(tx, now)  # the process that has begun it is given time
        assert books.shop.id in store.shops_with_due(tx, now + timedelta(minutes=3))
    shops.create(books.database, "X", now, sandbox=True, start=now, shop_id=new_id)
    assert playing.play(books.database, books.shop, utc_now)
    assert row(books) is None
    assert books.rows("SELECT count(*) FROM replays WHERE shop_id = $1") == [(0,)]
    with books.database.of_shop(ShopId(new_id)) as tx:
        assert tx.value("SELECT count(*) FROM shops WHERE shop_id = $1", tx.shop_id) == 0


def test_a_result_is_erased_after_a_month(books: Books) -> None:
    found = play_all(books, FILES)
    assert found.finished_at is not None
    for days, is_due in ((29, False), (30, True)):
        with books.database.of_all_shops() as tx:
            assert (books.shop.id in store.shops_with_due(tx, found.finished_at + timedelta(days=days))) is is_due
    playing.play(books.database, books.shop, lambda: utc_now() + timedelta(days=29))
    assert row(books) is not None
    assert playing.play(books.database, books.shop, lambda: utc_now() + timedelta(days=31))
    assert row(books) is None
    with books.database.of_shop(ShopId(found.replay_shop)) as tx:
        assert tx.value("SELECT count(*) FROM orders WHERE shop_id = $1", tx.shop_id) == 0


def test_another_process_is_watched_until_it_is_done(books: Books) -> None:
    beginning.begin(books.database, books.shop, FILES, utc_now())
    said: list[tuple[str, int]] = []
    with ThreadPoolExecutor(2) as pool:
        both = [
            pool.submit(playing.play_or_watch, books.database, books.shop, utc_now, lambda *each: said.append(each))
            for _ in range(2)
        ]
        for each in both:
            each.result(120)
    found = row(books)
    assert found is not None
    assert (found.status, found.percent) == (ReplayStatus.FINISHED, 100)
    assert result(books).postings == 24
    assert ("played by the service", 0) in said or any(what.startswith("2025") for what, _ in said)


def test_decisions_wait_for_their_payment_in_whatever_order_statements_are_given(books: Books) -> None:
    """One statement of a month with one booking; its decision has the day after, and another number's form."""
    last = FIRST + timedelta(days=28)
    one = camt(
        CamtMessage.STATEMENT,
        paid(7000, "greetings", booking_date=FIRST + timedelta(days=10), counterparty_name="Zora Unknown"),
        days=(FIRST, last),
    )
    decisions = (
        "Paid at;Amount;Payer;Order number\r\n2025-03-14;70.00;Zora Unknown;1004\r\n2025-03-20;1.00;Nemo;B-1001\r\n"
    )
    files = ReplayFiles(FILES.orders, [ReplayFile("month.xml", one)], [ReplayFile("decisions.csv", decisions.encode())])
    found = play_all(books, files)
    told = result(books)
    assert (told.postings, told.compared, told.decisions_unknown, told.longest_days) == (1, 1, 1, 1)
    assert listed(books, ReplayFigure.BOTH) == [("Zora Unknown", ("B-1003",), ("B-1004",))]
    with books.database.of_shop(ShopId(found.replay_shop)) as tx:
        (unknown,) = summing.unknown_decisions(tx, 0, 10)
    assert (unknown.amount_minor, unknown.name, unknown.order_number) == (100, "Nemo", "B-1001")
    assert found.day == last + timedelta(days=1)  # the month is played to its end


def test_each_figure_has_as_many_rows_as_its_list(books: Books) -> None:
    found = play_all(books, FILES)
    told = showing.shown(result(books))
    counted: dict[ReplayFigure, int] = {}
    with books.database.of_shop(ShopId(found.replay_shop)) as tx:
        for each in (*told.payments, *told.differences, *told.reminders, *told.times):
            if each.figure in (ReplayFigure.REMINDERS, ReplayFigure.WRONG_REMINDERS):
                rows: int = len(summing.reminders_of(tx, each.figure, 0, 1000))
            else:
                rows = len(summing.list_of(tx, each.figure, "", 1000))
            counted[each.figure] = rows
            assert rows == each.count, each
    assert counted == {
        ReplayFigure.MATCHED: 2, ReplayFigure.SUGGESTED: 2, ReplayFigure.SUGGESTED_RIGHT: 1, ReplayFigure.LEFT: 0,
        ReplayFigure.ASIDE: 20, ReplayFigure.POSTINGS: 24, ReplayFigure.OURS: 1, ReplayFigure.THEIRS: 0,
        ReplayFigure.BOTH: 1, ReplayFigure.WRONG_REMINDERS: 0, ReplayFigure.REMINDERS: 4, ReplayFigure.SLOW: 0,
    }  # fmt: skip


def test_a_shop_without_accounts_is_played_as_with_them(books: Books) -> None:
    """A stranger's first shop: without an account of its own no one would be reminded, and 0 would be no proof."""
    bare = shops.create(books.database, f"Bare {new_shop_id()}", utc_now()).shop
    beginning.begin(books.database, bare, FILES, utc_now())
    assert playing.play(books.database, bare, utc_now)
    with books.database.of_shop(bare) as tx:
        found = beginning.state(tx)
        assert shop_store.accounts(tx) == []
    assert found is not None
    told = summing.result_of(found)
    assert told is not None
    assert (told.matched, told.reminders, told.wrong_reminders) == (2, 4, 0)


def test_a_payment_for_several_orders_was_money_for_each_of_them(books: Books) -> None:
    """Their system has assigned one payment to two orders, and paymatch has no idea: both had paid."""
    one = paid(8300, "hello", booking_date=FIRST + timedelta(days=2), counterparty_name="Uwe Other")
    last = paid(-100, "fee", booking_date=FIRST + timedelta(days=20), counterparty_iban="")
    bank_file = camt(CamtMessage.STATEMENT, one, last, days=(FIRST, FIRST + timedelta(days=20)))
    decisions = f"Booking date;Amount;Order number\r\n{FIRST + timedelta(days=2)};83.00;Z-1\r\n"
    files = ReplayFiles(FILES.orders, [ReplayFile("b.xml", bank_file)], [ReplayFile("d.csv", decisions.encode())])
    found = play_all(books, files)
    with books.database.of_shop(ShopId(found.replay_shop)) as tx:
        tx.run("UPDATE replay_outcomes SET theirs = '{B-1002,B-1005}' WHERE shop_id = $1 AND theirs = '{Z-1}'",
               tx.shop_id)  # fmt: skip
        wrong = summing.reminders_of(tx, ReplayFigure.WRONG_REMINDERS, 0, 10)
    assert [each.order_number for each in wrong] == ["B-1002", "B-1005"]


def test_a_decision_for_an_order_outside_the_files_proves_nothing(books: Books) -> None:
    decisions = "Booking date;Amount;Order number\r\n2025-03-05;100.00;Z-9\r\n"
    files = ReplayFiles(FILES.orders, FILES.statements, [ReplayFile("decisions.csv", decisions.encode())])
    found = play_all(books, files)
    with books.database.of_shop(ShopId(found.replay_shop)) as tx:
        (one,) = summing.list_of(tx, ReplayFigure.BOTH, "", 10)
    assert (one.ours, one.theirs, one.their_facts) == (("B-1001",), ("Z-9",), ("unknown",))


def test_orders_outside_of_the_statements_are_said(books: Books) -> None:
    early, late = FIRST - timedelta(days=90), FIRST + timedelta(days=90)
    more = f"B-1;{early};{early};Old One;o@example.com;5.00\r\nB-2;{late};{late};New One;n@example.com;5.00\r\n"
    files = ReplayFiles([ReplayFile("orders.csv", (ORDERS + more + more).encode())], FILES.statements)
    found = play_all(books, files)
    assert (found.orders, found.refused, found.percent) == (7, 0, 100)
    assert [str(why) for _, why in beginning.refused_orders(found)] == [
        "1 order was placed after the last statement and was not played.",
        "1 order was placed more than a week before the first booking; its payment may be missing.",
    ]


def test_a_settlement_file_comes_with_its_last_day_and_pays_its_orders(books: Books) -> None:
    """A year holds payouts; without the service's file their customers would be reminded although they have paid."""
    monday = date(2026, 11, 16)
    orders = "Order number;Date;Due;Customer;E-mail;Amount\r\n" + "".join(
        f"SO-{number};2026-11-09;2026-11-12;Kim Test;k@example.com;{amount}\r\n"
        for number, amount in ((101, "42.60"), (102, "27.50"), (104, "100.00"))
    )
    payout = paid(10760, "STRIPE PO_1QLBWM4C", booking_date=monday, counterparty_name="Stripe Payments Europe")
    last = paid(-100, "fee", booking_date=monday + timedelta(days=9), counterparty_iban="")
    bank_file = ReplayFile("bank.xml", camt(CamtMessage.STATEMENT, payout, last, days=(monday, last.booking_date)))
    settlement = ReplayFile("stripe.csv", STRIPE_PAYOUTS_RECONCILED.encode())
    files = ReplayFiles([ReplayFile("orders.csv", orders.encode())], [settlement, bank_file])
    found = play_all(books, files)
    assert (found.status, found.percent) == (ReplayStatus.FINISHED, 100)
    with books.database.of_shop(ShopId(found.replay_shop)) as tx:
        paid_orders = tx.rows("SELECT number FROM orders WHERE shop_id = $1 AND status = 'PAID' ORDER BY 1", tx.shop_id)
        aside = tx.rows("SELECT aside_reason FROM postings WHERE shop_id = $1 AND amount_minor = 10760", tx.shop_id)
    assert [each[0] for each in paid_orders] == ["SO-102", "SO-104"]  # SO-101 was refunded by the service
    assert aside == [("payout po_1QLbWm4c: 3 orders, 2.40 kept, rest 0.00",)]
    told = result(books)
    assert told.wrong_reminders == 0
    assert told.matched > 0


@pytest.mark.long
def test_more_orders_than_a_replay_takes_are_refused_before_anything_is_stored(books: Books) -> None:
    content = b"Order number;Date;Amount\n" + b"A;2025-03-03;1.00\n" * (MOST_ROWS + 1)
    files = ReplayFiles([ReplayFile("all.csv", content)], [ReplayFile("year.xml", statement())])
    with pytest.raises(FileRefused, match=r"^all.csv: the file has more than 500000 rows$"):
        beginning.begin(books.database, books.shop, files, utc_now())
    with books.database.of_shop(books.shop) as tx:
        assert beginning.state(tx) is None


def test_a_file_that_is_too_large_for_a_replay_is_refused_by_its_size(books: Books) -> None:
    files = ReplayFiles([ReplayFile("all.json", b"[" + b" " * MOST_BYTES)], [ReplayFile("year.xml", statement())])
    with pytest.raises(FileRefused, match=r"^all.json: the file has more than 200 MB$"):
        beginning.begin(books.database, books.shop, files, utc_now())
    with books.database.of_shop(books.shop) as tx:
        assert beginning.state(tx) is None
