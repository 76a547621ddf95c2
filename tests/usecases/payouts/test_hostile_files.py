"""Settlement files that are broken or hostile: one sentence that names the row, and nothing of them in the books."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime

import pytest

from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.statement import FileRefused
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.payouts import provider_accounts
from paymatch.usecases.statements.import_process import import_in_process
from paymatch.usecases.statements.imports import undo_import
from tests.formats.settlements import files
from tests.usecases.conftest import Books, camt, paid

STRIPE = files.STRIPE_PAYOUTS_RECONCILED
_TABLES = ("imports", "statements", "settlement_lines", "stated_payouts", "postings", "payouts", "provider_accounts")


@pytest.fixture(autouse=True)
def _november(books: Books) -> None:
    books.now = datetime(2026, 11, 25, 9, tzinfo=UTC)
    for number, amount in (("SO-101", "42.60"), ("SO-102", "27.50"), ("SO-104", "100.00")):
        books.order(number, amount)


def kept(books: Books) -> dict[str, int]:
    """How many rows each table of the books has."""
    return {table: books.rows(f"SELECT count(*) FROM {table} WHERE shop_id = $1")[0][0] for table in _TABLES}


BROKEN = {
    "a zero byte far below": (
        STRIPE + STRIPE.partition("\n")[2].replace("txn_1", "txn_2").replace("ch_1a", "ch_2\0"),
        "line 11: a control character within text",
    ),
    "an amount with the other mark": (STRIPE.replace("42.60,0.89", '"42,60",0.89'), "row 2: '42,60' is not an amount"),
    "an amount without end": (STRIPE.replace("27.50,0.66", f"{'9' * 30}.00,0.66"), "row 3: "),
    "a heading within": (STRIPE + STRIPE, "row 11: unknown currency 'CURRENCY'"),
    "a cut row": (STRIPE[:-60], "row 10: the row ends after 4 of 15 columns"),
    "a day too far ahead": (
        STRIPE.replace("2026-11-17 00", "2028-11-17 00"), "row 5: the day 2028-11-17 is more than a year ahead",
    ),
    "one id, two amounts": (
        STRIPE.replace("txn_1c", "txn_1b"), "row 4: the transaction txn_1b has other amounts than in row 3",
    ),
    "a total that a cent is missing from": (files.KLARNA.replace("134.01", "134.00"), "row 2: total_settlement_amount"),
    "no rows": (STRIPE.partition("\n")[0] + "\n", "the settlement file has no rows"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_refused_by_row_and_books_nothing(books: Books, text: str, said: str) -> None:
    before = kept(books)
    with pytest.raises(FileRefused) as refusal:
        books.bring(text.encode())
    assert str(refusal.value).startswith(said)
    assert "\n" not in str(refusal.value)
    assert kept(books) == before
    books.bring(STRIPE.encode())
    assert (books.status("SO-101"), books.status("SO-104")) == ("REFUNDED", "PAID")


def test_a_file_that_contradicts_an_earlier_one_names_it_and_follows_its_undo(books: Books) -> None:
    forged = STRIPE.replace("100.00,0.10,99.90", "900.00,0.10,899.90").replace(",100.00,eur,ch_1h", ",900.00,eur,ch_1h")
    earlier = books.bring(forged.encode(), "forged.csv", channel=StatementChannel.API)
    assert books.status("SO-104") == "UNPAID"
    said = (
        r"row 9: the transaction txn_1h has other amounts than in forged\.csv, which was imported before: undo the"
        " import of the wrong file"
    )
    with pytest.raises(FileRefused, match=said):
        import_in_process(
            books.database,
            books.shop,
            io.BytesIO(STRIPE.encode()),
            "stripe.csv",
            books.now,
            channel=StatementChannel.COMMAND_LINE,
        )
    undo_import(books.database, books.shop, earlier.import_id, books.now)
    books.bring(STRIPE.encode())
    assert books.status("SO-104") == "PAID"
    books.sound()


def test_a_file_of_another_service_does_not_enter_a_named_account(books: Books) -> None:
    provider_accounts.add(books.database, books.shop, "stripe", "Stripe", "EUR", books.now)
    before = kept(books)
    said = "the file is a settlement of Mollie: it does not belong to the account stripe:Stripe"
    with pytest.raises(FileRefused, match=said):
        books.bring(files.MOLLIE.encode(), account="stripe:Stripe")
    assert kept(books) == before
    assert books.bring(STRIPE.encode(), account="stripe:Stripe").version == "Stripe, payout reconciliation, 2 payouts"


def test_numbers_of_other_orders_in_a_text_credit_none_of_them(books: Books) -> None:
    forged = STRIPE.replace("ch_1b,Order SO-102", "ch_1b,SO-104 or SO-101 paid").replace(
        "ch_1h,SO-104,", "ch_1h,=SO-101,"
    )
    books.bring(forged.encode())
    assert (books.status("SO-102"), books.status("SO-104")) == ("UNPAID", "PAID")
    assert books.rows("SELECT order_number, amount_minor FROM allocations WHERE shop_id = $1 ORDER BY 1, 2") == [
        ("SO-101", -4260), ("SO-101", 4171), ("SO-104", 9990),
    ]  # fmt: skip
    books.sound()


def test_a_transfer_that_failed_and_went_again_is_one_payout(books: Books) -> None:
    *_, transfer = files.AMAZON_RANGE_DE.splitlines(keepends=True)
    failed = transfer.replace("24.11.2026 11", "25.11.2026 11").replace('"-104,60"', '"104,60"')
    books.bring((files.AMAZON_RANGE_DE + failed + transfer.replace("24.11.2026 11", "26.11.2026 11")).encode())
    assert books.rows("SELECT payout_id, amount_minor FROM payouts WHERE shop_id = $1") == [("81021822748", 10460)]
    books.sound()


def test_the_same_rows_pasted_below_themselves_credit_once(books: Books) -> None:
    books.order("#1001", "58.77")
    heading, *rows = files.SHOPIFY.splitlines(keepends=True)
    charges = [row for row in rows if ",charge," in row]
    books.bring("".join([heading, *rows, *charges]).encode())
    assert books.rows("SELECT amount_minor FROM allocations WHERE shop_id = $1 AND order_number = '#1001'") == [(5724,)]
    books.sound()


PAYPAL = (
    '"Date","Time","TimeZone","Name","Type","Status","Currency","Gross","Fee","Net","Transaction ID",'
    '"Reference Txn ID","Invoice Number","Note","Balance"\n'
)


def paypal(*rows: tuple[str, str, str, str, str, str, str]) -> bytes:
    """An activity download; rows as (type, gross, fee, net, id, reference, invoice number and note)."""
    made, balance = [PAYPAL], 0
    for place, (kind, gross, fee, net, own, reference, named) in enumerate(rows):
        balance += round(float(net) * 100)
        invoice, _, note = named.partition("|")
        cells = (
            f"{13 + place:02d}/11/2026", "10:00:00", "UTC", "Mila Kora", kind, "Completed", "EUR", gross, fee, net, own,
            reference, invoice, note, f"{balance / 100:.2f}",
        )  # fmt: skip
        made.append(",".join(f'"{cell}"' for cell in cells) + "\n")
    return "".join(made).encode()


def test_what_a_customer_notes_gives_back_and_takes_nothing_of_anothers_order(books: Books) -> None:
    sales = [("Website Payment", "42.60", "-1.00", "41.60", "7AB1", "", "SO-101|"),
             ("Website Payment", "27.50", "-1.00", "26.50", "7AB2", "", "SO-102|")]  # fmt: skip
    against = [("Chargeback", "-27.50", "0.00", "-27.50", "7AB3", "7AB2", "|about SO-101, never got it")]
    books.bring(paypal(*sales, *against))
    assert (books.status("SO-101"), books.status("SO-102")) == ("PAID", "UNPAID")
    books.sound()


@pytest.mark.parametrize("note", ["SO-104", "Bestellung SO-104 danke"])
@pytest.mark.parametrize(("gross", "net", "status"), [("1.00", "0.65", "UNPAID"), ("100.00", "99.65", "PAID")])
def test_a_note_credits_an_order_only_with_its_amount(
    books: Books, note: str, gross: str, net: str, status: str
) -> None:
    sale = ("General Payment", gross, "-0.35", net, "7AB1", "", f"|{note}")
    back = ("Payment Refund", f"-{gross}", "0.35", f"-{net}", "7AB2", "7AB1", "")
    books.bring(paypal(sale))
    assert books.status("SO-104") == status
    books.bring(paypal(sale, back))
    assert books.status("SO-104") == ("REFUNDED" if status == "PAID" else "UNPAID")
    books.sound()


@pytest.mark.parametrize(
    ("note", "status"),
    [("Bestellung 1501", "REFUNDED"), ("Refund of order no. #1501", "REFUNDED"), ("1501", "REFUNDED"),
     ("1501 grams too little", "PAID"), ("Order of 1501 grams", "PAID")],
)  # fmt: skip
def test_a_short_number_gives_back_what_the_note_calls_an_order(books: Books, note: str, status: str) -> None:
    books.order("#1501", "5.00")
    sale = ("Website Payment", "5.00", "-0.35", "4.65", "7AB1", "", "#1501|")
    books.bring(paypal(sale, ("Payment Refund", "-5.00", "0.00", "-5.00", "7AB2", "", f"|{note}")))
    assert books.status("#1501") == status
    books.sound()


def test_a_number_of_goods_is_no_order(books: Books) -> None:
    books.order("100", "30.00")
    books.order("13", "9.00")
    sales = [("Website Payment", "5.00", "-0.35", "4.65", "7AB1", "", "|100 tea bags"),
             ("Payment Refund", "-2.00", "0.00", "-2.00", "7AB2", "", "|13 cups")]  # fmt: skip
    books.bring(paypal(*sales))
    assert (books.status("100"), books.status("13")) == ("UNPAID", "UNPAID")
    assert books.rows("SELECT order_number FROM allocations WHERE shop_id = $1") == []
    books.sound()


@pytest.mark.parametrize(("amount", "status"), [("58.77", "PAID"), ("100.00", "UNPAID")])
def test_the_reference_of_a_transfer_to_wise_is_its_payers_word(books: Books, amount: str, status: str) -> None:
    books.order("SO-105", amount)
    books.bring(files.WISE.replace("SO-101", "SO-105").encode())
    assert books.status("SO-105") == status
    books.sound()


@pytest.mark.parametrize("kind", ["Chargeback", "Payment Refund"])
@pytest.mark.parametrize("payment", ["", "7ZZ9"])
@pytest.mark.parametrize("amount", ["42.60", "10.00"])
def test_a_note_takes_nothing_of_an_order_that_was_paid_elsewhere(
    books: Books, kind: str, payment: str, amount: str
) -> None:
    day = date(2026, 11, 10)
    books.bring(camt(CamtMessage.STATEMENT, paid(4260, "SO-101", booking_date=day), days=(day, day)))
    books.bring(paypal((kind, f"-{amount}", "0.00", f"-{amount}", "7AB3", payment, "|SO-101 never arrived")))
    assert books.status("SO-101") == "PAID"
    assert books.rows("SELECT amount_minor FROM allocations WHERE shop_id = $1") == [(4260,)]
    assert books.rows("SELECT status FROM postings WHERE shop_id = $1 AND amount_minor < 0") == [("suggested",)]
    books.sound()


@pytest.mark.parametrize("is_sale_first", [True, False])
@pytest.mark.parametrize(
    ("amount", "status"), [("20.00", "REFUNDED_PARTIAL"), ("42.60", "REFUNDED"), ("50.00", "PAID")]
)
def test_a_text_gives_back_what_the_same_service_collected_in_any_order_of_files(
    books: Books, is_sale_first: bool, amount: str, status: str
) -> None:
    heading = files.MOLLIE.partition("\n")[0]
    row = (
        '"2026-11-{day} 10:12:44","{method}","EUR","{amount}","Paid","{own}","Order SO-101","","","","EUR","{amount}",'
        '"{week}",""'
    )
    sale = row.format(day=18, method="ideal", amount="42.60", own="tr_7U", week="1234567.2611.01")
    back = row.format(day=25, method="refund", amount=f"-{amount}", own="re_1U", week="1234567.2611.02")
    texts = [f"{heading}\n{each}\n".encode() for each in (sale, back)]
    first, second = texts if is_sale_first else texts[::-1]
    brought = [books.bring(first)]
    assert books.status("SO-101") == ("PAID" if is_sale_first else "UNPAID")
    brought.append(books.bring(second))
    _settle(books)
    assert books.status("SO-101") == status
    undo_import(books.database, books.shop, brought[0 if is_sale_first else 1].import_id, books.now)
    _settle(books)
    assert books.status("SO-101") == "UNPAID"
    assert books.rows("SELECT count(*) FROM allocations WHERE shop_id = $1") == [(0,)]
    books.sound()


def _settle(books: Books) -> None:
    """The matching that is due is done."""
    match_due(books.database, books.shop, books.now)
