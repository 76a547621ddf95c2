"""Every operation of the client once, as one story; the same calls for the blocking client and for asyncio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from paymatch_client.models import (
    Address,
    CollectionReport,
    CollectionReportStatus,
    ExportFormat,
    ImageType,
    OrderSubmission,
    OrderType,
    PaymentStatus,
    RefundAccount,
    RefundCreation,
    RefundStatus,
    ReportName,
    SandboxBank,
    SandboxJourney,
    SandboxOther,
    SandboxPayment,
    SandboxPayout,
    SandboxRefund,
    SandboxRefundOutcome,
    SandboxReturn,
)
from tests.contract.test_invoices_and_images import PDF
from tests.contract.test_statement_upload import camt


@dataclass(frozen=True)
class Step:
    """A call: who makes it, which operation it is, and how it is made of the client and of earlier answers."""

    who: str
    operation: str
    call: Callable[[Any, dict[str, Any]], Any]


def order(number: str, amount: str = "19.90") -> OrderSubmission:
    """An order as a shop submits it."""
    return OrderSubmission(
        number=number, date=date(2026, 3, 1), type=OrderType.PREPAYMENT, amount=Decimal(amount), currency="EUR",
        billing=Address(last_name="Muster", country_code="DE"),
    )  # fmt: skip


def refund(reference: str) -> RefundCreation:
    """A refund of EUR 5."""
    return RefundCreation(
        external_reference=reference, amount=Decimal("5.00"), currency="EUR", planned_date=date(2026, 3, 10)
    )


def _shop(operation: str, call: Callable[[Any, dict[str, Any]], Any]) -> Step:
    return Step("shop", operation, call)


def _sandbox(operation: str, call: Callable[[Any, dict[str, Any]], Any]) -> Step:
    return Step("sandbox", operation, call)


_ACCOUNT = RefundAccount(iban="DE75 5121 0800 1245 1261 99", account_holder="Eva Muster")
_OPEN = [PaymentStatus.UNPAID, PaymentStatus.PAID_PARTIAL]
_LEGAL = CollectionReport(order_number="C/3", file="IN-7", status=CollectionReportStatus.LEGAL)

STORY: Final = (
    _shop("submitOrder", lambda c, _: c.orders.submit_order("C/1", order("C/1"), include_postings=True)),
    _shop("submitOrders", lambda c, _: c.orders.submit_orders([order(f"C/{n}", f"{n}0.50") for n in range(2, 8)])),
    _shop("readOrder", lambda c, _: c.orders.read_order("C/2")),
    _shop("setPaid", lambda c, _: c.orders.set_paid("C/1")),
    _shop("setUnpaid", lambda c, _: c.orders.set_unpaid("C/1")),
    _shop("cancelOrder", lambda c, _: c.orders.cancel_order("C/4")),
    _shop("removeOrder", lambda c, _: c.orders.remove_order("C/5")),
    _shop("listOrders", lambda c, _: c.orders.list_orders(payment_status=_OPEN, max_age=7, limit=3)),
    _shop("uploadInvoice", lambda c, _: c.invoices.upload_invoice("C/2", "RE/1", PDF, "invoice.pdf")),
    _shop("readInvoice", lambda c, _: c.invoices.read_invoice("C/2", "RE/1")),
    _shop("readImage", lambda c, _: c.invoices.read_image("C/2", type=ImageType.QRCODE)),
    _shop("uploadStatement", lambda c, _: c.postings.upload_statement(
        camt(AMOUNT="20.50", TEXT="Bestellung C/2"), "may.xml")),
    _shop("readImport", lambda c, known: c.postings.read_import(known["uploadStatement"].import_id)),
    _shop("uploadAdvice", lambda c, _: c.postings.upload_advice(b"Order,Amount\nC/7,9.10\nC/8,7.20\n", "advice.csv")),
    _shop("listPostings", lambda c, _: c.postings.list_postings(created_min=date(2026, 3, 1), include_postings=True)),
    _shop("createRefund", lambda c, _: c.refunds.create_refund("C/2", refund("R-1"))),
    _shop("setRefundAccount", lambda c, known: c.refunds.set_refund_account(known["createRefund"].id, _ACCOUNT)),
    _shop("listRefunds", lambda c, _: c.refunds.list_refunds(status=[RefundStatus.NEW])),
    _shop("cancelRefund", lambda c, known: c.refunds.cancel_refund(known["createRefund"].id)),
    _shop("handOver", lambda c, _: c.collection.hand_over("C/3")),
    Step("agency", "takeReports", lambda c, _: c.collection.take_reports([_LEGAL])),
    _shop("listCases", lambda c, _: c.collection.list_cases(active=True)),
    _shop("withdraw", lambda c, _: c.collection.withdraw("C/3")),
    _shop("syncOrders", lambda c, _: c.orders.sync_orders(["C/1", "C/2", "C/6", order("C/3", "30.50")], detail=True)),
    _shop("listSynchronisations", lambda c, _: c.orders.list_synchronisations()),
    _shop("undoSynchronisation", lambda c, known: c.orders.undo_synchronisation(known["syncOrders"].id)),
    _shop("listEvents", lambda c, _: c.events.list_events(limit=2)),
    _shop("listCallbacks", lambda c, _: c.events.list_callbacks(limit=2)),
    _shop("showCallback", lambda c, known: c.events.show_callback(known["listCallbacks"][0].id)),
    _shop("resend", lambda c, known: c.events.resend(known["listCallbacks"][0].id)),
    _shop("resendFailed", lambda c, _: c.events.resend_failed(since=datetime(2026, 3, 1, 8, 30))),  # noqa: DTZ001
    _shop("sendTest", lambda c, _: c.events.send_test()),
    _shop("readReport", lambda c, _: c.reports.read_report(ReportName.POSTINGS, to=date(2026, 3, 2))),
    _shop("readExport", lambda c, _: c.reports.read_export("orders", format=ExportFormat.CSV)),
    _shop("listChangesSinceClose", lambda c, _: c.reports.list_changes_since_close("2026-02")),
    _sandbox("submitOrders", lambda c, _: c.orders.submit_orders([order("S-1"), order("S-2"), order("S-3")])),
    _sandbox("readClock", lambda c, _: c.sandbox.read_clock()),
    _sandbox("pay", lambda c, _: c.sandbox.pay(SandboxPayment(order_number="S-1", amount=Decimal("19.90")))),
    _sandbox("payOut", lambda c, _: c.sandbox.pay_out(
        SandboxPayout(order_numbers=["S-2", "S-3"], fee=Decimal("1.80")))),
    _sandbox("bookOther", lambda c, _: c.sandbox.book_other(SandboxOther(amount=Decimal("-12.50"), name="Energie"))),
    _sandbox("moveClock", lambda c, _: c.sandbox.move_clock(SandboxJourney(advance="1d"))),
    _sandbox("listPayments", lambda c, _: c.sandbox.list_payments(order_number="S-1")),
    _sandbox("giveBack", lambda c, _: c.sandbox.give_back(SandboxReturn(order_number="S-1", reason="AC04"))),
    _sandbox("createRefund", lambda c, _: c.refunds.create_refund("S-2", refund("R-9"))),
    _sandbox("decideOutcome", lambda c, _: c.sandbox.decide_outcome(
        SandboxRefund(external_reference="R-9", outcome=SandboxRefundOutcome.RETURNED))),
    _sandbox("listMails", lambda c, _: c.sandbox.list_mails()),
    _sandbox("speak", lambda c, _: c.sandbox.speak(SandboxBank(silent=True))),
)  # fmt: skip
