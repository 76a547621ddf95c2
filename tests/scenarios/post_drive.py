"""Post, print runs, the agency and requests for bank details, each as a process of its own; run again after a stop."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from uuid import UUID

from paymatch.outbound.files import DirectoryFiles
from paymatch.outbound.letters import LetterReport, OutgoingLetter, Posted
from paymatch.store.database import Database
from paymatch.store.fault import boundary_from_environment
from paymatch.store.orders import invoices as invoice_store
from paymatch.store.orders.invoices import InvoiceRow
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.collection import cases, exchange
from paymatch.usecases.customers import refund_requests
from paymatch.usecases.letters import printing
from paymatch.usecases.letters.writing import LetterGateways, work_due
from paymatch.usecases.orders import invoices
from paymatch.usecases.reminders.reminders import send_due
from tests.contract.test_invoices_and_images import PDF
from tests.keys import KEYRING
from tests.scenarios.mail_drive import Log

BASE = "https://pay.shop.example"


class Post:
    """A provider that keeps every call: a repetition is a file of its own, `<call>-<id>.pdf`."""

    delivers = True
    reports = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def send(self, letter: OutgoingLetter) -> str:
        (self._folder / f"{len(list(self._folder.iterdir()))}-{letter.id}.pdf").write_bytes(letter.pdf)
        return ""

    def report(self, shop: str, letter_id: str) -> LetterReport:
        return LetterReport(Posted.ACCEPTED)

    def close(self) -> None:
        """Nothing to let go of."""


def main(url: str, shop_text: str, folder: Path, what: str, now: datetime) -> None:
    """Does all that is due of `what`; what it hands out is in `folder`."""
    database = Database(url, size=4, at_boundary=boundary_from_environment(), keyring=KEYRING)
    shop_id = ShopId(UUID(shop_text))
    with database.of_shop(shop_id) as tx:
        shop = shop_store.load(tx)
    assert shop is not None
    files = DirectoryFiles(folder.parent / f"{folder.name}-files")
    match what:
        case "letters":
            with database.of_shop(shop, at=now) as tx:
                if not invoice_store.count_printable(tx, "A-2"):  # the shop uploads again what was not answered
                    row = InvoiceRow("A-2", "RE-1", files.put(PDF, "pdf"), "application/pdf", len(PDF), b"")
                    invoices.add(tx, row, 10**9)
            while send_due(database, shop, Log(folder), now):
                pass
            while work_due(database, shop, LetterGateways(Post(folder), files, BASE), now):
                pass
        case "print":
            printing.print_daily(database, shop, folder, now)
        case "agency":
            cases.hand_over_due(database, shop, now)
            exchange.tell_agency(database, shop, exchange.AgencyGateways(folder), now)
        case "bank details":
            while refund_requests.send_due(database, shop, Log(folder), BASE, now):
                pass
    database.close()
