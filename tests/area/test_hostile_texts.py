"""What customers, banks, receivers and colleagues wrote is shown on the merchant area's pages, and is no markup."""

from __future__ import annotations

import io
from typing import Any, Final
from urllib.parse import quote

from django.core.files.uploadedfile import SimpleUploadedFile
from lxml import html

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtMessage
from paymatch.jobs.worker import Worker
from paymatch.outbound.http import HttpAnswer, HttpCall, NullHttp
from paymatch.usecases import callbacks
from paymatch.usecases.statements.statements import import_file
from tests.area.conftest import Person, signed_in
from tests.area.every_page import pages_of
from tests.area.filled_shop import fill
from tests.usecases.conftest import camt, paid
from tests.usecases.refunds.refund_world import RefundWorld

EVIL: Final = "\"'><xevil onx=1></script></textarea></style><xevil>{{7*7}}<!--"
SHORT: Final = "\"'><xevil onx=1>"
NAMES: Final = {
    "firstName": SHORT,
    "lastName": SHORT,
    "company": SHORT,
    "street": SHORT,
    "city": SHORT,
    "countryCode": "DE",
}


def test_no_text_of_others_is_markup(world: RefundWorld, service: Service) -> None:
    owner = signed_in(TeamRole.OWNER, world.client.shop, staff=True, proven=True)
    fill(world, service, owner)
    order = f"N{SHORT}"
    world.client.submit(
        order, amount=31, type="INVOICE", billing=NAMES, shipping=NAMES, customerNumber=SHORT,
        customerEmail="evil@example.org", shippingNumbers=[SHORT], invoiceNumbers=[SHORT], dueDate="05-03-2026",
    )  # fmt: skip
    _imported(world)
    _called_back(world, service)
    postings = [
        row[0] for row in world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = 1234")
    ]
    _said_by_colleagues(owner, postings)
    base = f"/shops/{owner.shop.id}/"
    addresses = [*pages_of(owner).values(), f"{base}orders/{quote(order, safe='')}"]
    addresses += [f"{base}postings/{posting}" for posting in postings]
    shown = [address for address in addresses if _shows(owner, address)]
    assert len(shown) >= 15


def _imported(world: RefundWorld) -> None:
    """A payment full of such texts, in a file that is called so, and an entry that cannot be read."""
    posting = paid(1234, f"XX {EVIL}", counterparty_name=EVIL, end_to_end_id=SHORT, bank_reference=SHORT)
    torn = camt(CamtMessage.STATEMENT, paid(1235, SHORT), number=78).replace(b"12.35", b"12..35")
    for content in (camt(CamtMessage.STATEMENT, posting, number=77), torn):
        import_file(
            world.client.database, world.client.shop, io.BytesIO(content), f"{SHORT}.xml", world.clock(),
            channel=StatementChannel.COMMAND_LINE,
        )  # fmt: skip


def _called_back(world: RefundWorld, service: Service) -> None:
    def answer(_call: HttpCall) -> HttpAnswer:
        return HttpAnswer(503, EVIL.encode(), truncated=False, retry_after=SHORT, elapsed_seconds=0.03, address=SHORT)

    with world.client.database.of_shop(world.client.shop, at=world.clock()) as tx:
        callbacks.send_test(tx)
    world.clock.pass_time(minutes=1)
    Worker(service.database, NullHttp(answer), world.clock).drain()


def _said_by_colleagues(owner: Person, postings: list[str]) -> None:
    for posting in postings:
        owner.post(f"postings/{posting}", {"do": "comment", "said": EVIL})
    owner.post("postings/rules/new", {"do": "make", "action": "set-aside", "name": f"A{SHORT}", "reason": SHORT})
    table = f"Buchungstag;Verwendungszweck;Betrag;{EVIL}\n10.03.2026;{EVIL};19,90;5,00\n".encode()
    owner.post("bank", {"action": "upload", "files": [SimpleUploadedFile(f"x{SHORT}.csv", table)]})


def _shows(owner: Person, address: str) -> bool:
    """Whether the page shows one of the texts. AssertionError if it is an element or an attribute there."""
    answer = owner.get(address)
    assert answer.status_code == 200, address
    page: Any = html.fromstring(answer.content)
    assert page.xpath("//xevil | //*[@onx] | //*[starts-with(@href, 'javascript')]") == [], address
    return b"xevil" in answer.content
