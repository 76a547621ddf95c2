"""Invoices that would do something when they are opened are refused; electronic invoices are not."""

from __future__ import annotations

import io
import threading
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pikepdf
import pytest

from paymatch.formats.invoice_file import InvoiceRefused
from paymatch.store.orders.invoices import InvoiceRow
from paymatch.usecases.orders import invoices
from paymatch.usecases.shops import shops
from tests.contract.client import ShopClient
from tests.contract.test_invoices_and_images import N, form, upload
from tests.waiting import PATIENCE_SECONDS

JAVASCRIPT = "File not allowed: it holds JavaScript"
NO_XML = "File not allowed: it holds a file that is not XML"


def pdf(change: Callable[[pikepdf.Pdf], None] = lambda _: None, **options: object) -> bytes:
    """A PDF of one page after `change`."""
    made, out = pikepdf.new(), io.BytesIO()
    made.add_blank_page(page_size=(595, 842))
    change(made)
    made.save(out, **options)  # type: ignore[arg-type]
    return out.getvalue()


def opens(action: pikepdf.Dictionary) -> Callable[[pikepdf.Pdf], None]:
    def change(made: pikepdf.Pdf) -> None:
        made.Root["/OpenAction"] = action

    return change


def on_page(made: pikepdf.Pdf) -> None:
    action = pikepdf.Dictionary(S=pikepdf.Name("/JavaScript"), JS="app.alert(1)")
    made.pages[0].obj["/AA"] = pikepdf.Dictionary(O=action)


def attached(name: str, content: bytes) -> Callable[[pikepdf.Pdf], None]:
    def change(made: pikepdf.Pdf) -> None:
        made.attachments[name] = content

    return change


SCRIPT = pikepdf.Dictionary(S=pikepdf.Name("/JavaScript"), JS="app.alert(1)")
LAUNCH = pikepdf.Dictionary(S=pikepdf.Name("/Launch"), F="calc.exe")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (pdf(opens(SCRIPT)), JAVASCRIPT),
        (pdf(on_page), JAVASCRIPT),
        (pdf(opens(SCRIPT), object_stream_mode=pikepdf.ObjectStreamMode.generate), JAVASCRIPT),
        (pdf(opens(LAUNCH)), "File not allowed: it holds an action that starts programs"),
        (pdf(attached("run.exe", b"MZ")), NO_XML),
        (pdf(attached("factur-x.xml", b"MZ")), NO_XML),
        (pdf(encryption=pikepdf.Encryption(owner="o", user="u")), "File not allowed: it is encrypted"),
        (pdf(encryption=pikepdf.Encryption(owner="o", user="")), "File not allowed: it is encrypted"),
        (pdf() + b"MZ program", "File type not allowed"),
    ],
    ids=["open", "page", "packed", "launch", "program", "false-xml", "password", "owner", "trailer"],
)
def test_pdf_that_does_something_is_refused(shop: ShopClient, content: bytes, text: str) -> None:
    """Before, each of them was kept and handed out as the shop's invoice."""
    shop.submit(N)
    with shop.unchanged():
        assert upload(shop, form(content)).error == (400, text)


def test_file_that_is_a_zip_too_is_refused(shop: ShopClient) -> None:
    shop.submit(N)
    whole = io.BytesIO(pdf())
    with zipfile.ZipFile(whole, "a") as archive:
        archive.writestr("run.exe", b"MZ")
    assert upload(shop, form(whole.getvalue())).error == (400, "File type not allowed")


def test_ordinary_and_electronic_invoices_are_kept(shop: ShopClient) -> None:
    shop.submit(N)
    assert upload(shop, form(pdf()), "RE-1").status == 200
    assert upload(shop, form(pdf(attached("factur-x.xml", b"<?xml version='1.0'?><a/>"))), "RE-2").status == 200
    assert shop.count("invoices") == 2


def test_quota_of_a_shop(shop: ShopClient, make_shop: Callable[..., ShopClient]) -> None:
    content = pdf()
    shop.api._config = replace(shop.api._config, invoice_quota_bytes=len(content) + 10)
    shop.submit(N)
    assert upload(shop, form(content), "RE-1").status == 200
    text = "Invoices of this shop take too much room (max 0 MB)"
    assert upload(shop, form(content), "RE-2").error == (400, text)
    other = make_shop()
    other.submit(N)
    assert upload(other, form(content), "RE-1").status == 200
    with other.database.of_shop(other.shop) as tx:
        shops.change(tx, {"invoice-quota": "1"})
    assert upload(other, form(content), "RE-2").status == 200


def test_two_uploads_at_once_do_not_pass_the_quota_together(shop: ShopClient) -> None:
    """Each in the state in which both have been found small enough, and their files are written."""
    shop.submit(N)
    shop.submit("A-2")
    quota, passed, clock = 1_500, [], shop.clock()
    gate = threading.Barrier(2)

    def upload_to(number: str) -> None:
        row = InvoiceRow(number, "RE-1", number, "application/pdf", 1_000, b"")
        with suppress(InvoiceRefused), shop.database.of_shop(shop.shop, at=clock) as tx:
            invoices.check_quota(tx, 1_000, quota)
            gate.wait(PATIENCE_SECONDS)
            passed.append(invoices.add(tx, row, quota))

    threads = [threading.Thread(target=upload_to, args=(number,)) for number in (N, "A-2")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (passed, shop.count("invoices")) == ([True], 1)
