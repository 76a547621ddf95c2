"""An agency with a server of its own, and one that gets mail: cases go out, reports come in by its key (D-54)."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes, policy
from time import process_time

import pikepdf
import pytest

from paymatch.domain.collection.cases import CaseStatus
from paymatch.outbound.collection_agency import AgencyNotReached
from paymatch.outbound.http import HttpClient
from paymatch.outbound.mail.smtp import MailServer, SmtpDoor
from paymatch.usecases.collection import cases
from paymatch.usecases.collection.tokens import OVERLAP, roll_token
from paymatch.usecases.work.job_kinds import BY_NAME, JobGateways
from tests.contract.bank import pay
from tests.contract.client import ShopClient, call, with_scope
from tests.fakes.agency import Agency, agency_server
from tests.fakes.mail_server import mail_server

CUSTOMER = {
    "billing": {"lastName": "Muster", "street": "Weg 1", "postCode": "10115", "city": "Berlin", "countryCode": "DE"}
}


def new_token(shop: ShopClient, overlap: timedelta = OVERLAP) -> str:
    with shop.database.of_shop(shop.shop, at=shop.clock()) as tx:
        return roll_token(tx, overlap)


def as_agency(shop: ShopClient, token: str) -> ShopClient:
    return replace(shop, key=token)


@pytest.fixture
def agency() -> Iterator[Agency]:
    with agency_server() as found:
        yield found


def set_agency(shop: ShopClient, **settings: str) -> None:
    with shop.database.of_shop(shop.shop) as tx:
        cases.set_agency(tx, {"name": "Agency Ltd"} | settings)


def work(shop: ShopClient, doors: JobGateways) -> str:
    """The day's work for the agency, as the worker does it; what it says that it did."""
    return BY_NAME["collection"].do(shop.database, doors, shop.shop, shop.clock()).words


def test_an_agency_with_a_server_hears_everything_once_and_reports_by_its_key(shop: ShopClient, agency: Agency) -> None:
    shop.change(callback_ports=str(agency.port))
    set_agency(shop, channel="http", address=agency.url)
    doors = JobGateways(http=HttpClient(allow_private=True))
    for number in ("R-20411", "R-20422", "R-20433"):
        shop.submit(number, **CUSTOMER)
        assert shop.post(f"order/{number}/collection").status == 200
    agency.down = True
    for _ in range(3):
        with pytest.raises(AgencyNotReached, match="answered with 503"):
            work(shop, doors)
        shop.clock.pass_time(hours=8)
    assert (len(agency.calls), agency.parcels) == (3, {})
    agency.down, agency.loses_answers = False, 1
    with pytest.raises(AgencyNotReached, match="closed the connection without an answer"):
        work(shop, doors)
    assert "3 messages delivered" in work(shop, doors)
    assert sorted(agency.told()) == [("handover", number, "19.90") for number in ("R-20411", "R-20422", "R-20433")]
    assert "0 messages delivered" in work(shop, doors)
    assert "summary.pdf" in next(iter(agency.parcels.values()))
    assert sorted(agency.subjects.values()) == [
        f"{shop.shop.name}: handover of order {number}" for number in ("R-20411", "R-20422", "R-20433")
    ], "its program reads the same words whatever the shop's language"

    assert set(agency.credentials) == {""}
    token = new_token(shop)
    reported = as_agency(shop, token).post(
        "collection/reports",
        [
            {"orderNumber": "R-20411", "file": "IN-1", "status": "ACCEPTED"},
            {"orderNumber": "R-20422", "file": "IN-2", "status": "REJECTED", "description": "address unknown"},
            {"orderNumber": "R-20433", "file": "IN-3", "status": "INSTALMENT"},
        ],
    )
    assert reported.json == {"taken": 3, "refused": []}
    assert shop.post("order/R-20422/collection/withdraw").json["paymentStatus"] == "UNPAID"
    pay(shop, "R-20411", 1990)
    pay(shop, "R-20433", 500)
    assert "3 messages delivered" in work(shop, doors)
    assert sorted(agency.told()[3:]) == [
        ("payment", "R-20411", "0.00"),
        ("payment", "R-20433", "14.90"),
        ("withdrawal", "R-20422", "19.90"),
    ]
    assert (shop.status("R-20411"), shop.status("R-20433")) == ("PAID", "COLLECTION")
    assert len(agency.calls) == len(agency.parcels) + 3 + 1, "three times down, one lost answer"
    assert agency.credentials[-3:] == [f"Bearer {token}"] * 3, "which identifies us to the agency"
    shown = {row["orderNumber"]: (row["file"], row["status"], row["active"]) for row in shop.get("collection").json}
    assert shown == {
        "R-20411": ("IN-1", "PAID", True),
        "R-20422": ("IN-2", "REJECTED", False),
        "R-20433": ("IN-3", "INSTALMENT", True),
    }


def test_an_agency_that_gets_mail_gets_the_whole_case(shop: ShopClient) -> None:
    shop.change(mail_from="post@shop.example")
    set_agency(shop, channel="mail", address="cases@agency.example")
    shop.submit("R-20411", **CUSTOMER)
    shop.post("order/R-20411/collection")
    with mail_server({"MESSAGE": "451 try later"}) as server:
        door = SmtpDoor(MailServer("127.0.0.1", server.port, "", "", False, False), timeout_seconds=5)
        with pytest.raises(AgencyNotReached, match="451 try later"):
            work(shop, JobGateways(mail=door))
        server.answers.clear()
        assert "1 message delivered" in work(shop, JobGateways(mail=door))
        assert "0 messages delivered" in work(shop, JobGateways(mail=door))
        door.close()
    ((sender, recipient, raw),) = server.taken
    assert (sender, recipient) == ("post@shop.example", "cases@agency.example")
    mail = message_from_bytes(raw, policy=policy.default)
    assert mail["Subject"] == f"{shop.shop.name}: Übergabe der Forderung zu Bestellung R-20411"
    said = mail.get_body(("plain",))
    assert said is not None and "Alle Angaben stehen in der beigefügten Datei." in said.get_content()
    (attached,) = mail.iter_attachments()
    assert mail["Message-ID"] == f"<{(attached.get_filename() or '').removesuffix('.zip')}@shop.example>"
    with zipfile.ZipFile(io.BytesIO(attached.get_content())) as bundle:
        assert sorted(bundle.namelist()) == ["message.json", "postings.csv", "reminders.csv", "summary.pdf"]
        message = json.loads(bundle.read("message.json"))
        with pikepdf.open(io.BytesIO(bundle.read("summary.pdf"))) as pdf:
            assert str(pdf.docinfo["/Title"]) == "Inkassoauftrag zu Bestellung R-20411"
    assert (message["kind"], message["orderNumber"], message["total"]) == ("handover", "R-20411", "19.90")
    assert message["customer"]["address"] == "Weg 1, 10115 Berlin, DE"


@pytest.mark.parametrize("status", list(CaseStatus))
def test_every_collection_status_is_reached_from_outside(shop: ShopClient, status: CaseStatus) -> None:
    set_agency(shop)
    shop.submit("R-20411")
    assert shop.post("order/R-20411/collection").json["collectionStatus"] == "SUBMITTED"
    if status is CaseStatus.WITHDRAWN:
        shop.post("order/R-20411/collection/withdraw")
    elif status is not CaseStatus.SUBMITTED:
        with_scope(shop, "collection").post("collection/reports", [{"orderNumber": "R-20411", "status": str(status)}])
        assert shop.read("R-20411")["collectionStatus"] == status
        assert shop.status("R-20411") == "COLLECTION", "what an agency says pays nothing"
    assert [row["status"] for row in shop.get("collection").json] == [status]


REPORT = [{"orderNumber": "R-20411", "status": "ACCEPTED"}]


@pytest.mark.parametrize("form", ["json", "csv"])
def test_attack_a_report_of_ever_so_many_rows_holds_no_thread_and_no_orders(shop: ShopClient, form: str) -> None:
    """A hundred thousand rows fit into a body, and took more than a minute of CPU under one lock."""
    set_agency(shop)
    shop.submit("R-20412")
    shop.post("order/R-20412/collection")
    agency = as_agency(shop, new_token(shop))

    def sent(count: int) -> bytes:
        rows = [("R-20412" if place == 0 else f"X-{place}", "ACCEPTED") for place in range(count)]
        if form == "json":
            return json.dumps([{"orderNumber": number, "status": status} for number, status in rows]).encode()
        return b"orderNumber;status\n" + "".join(f"{number};{status}\n" for number, status in rows).encode()

    with shop.unchanged():
        reply = agency.post("collection/reports", sent(1_001))
        assert (reply.status, "1,000" in reply.json["error"]) == (400, True)
    begun = process_time()
    reply = agency.post("collection/reports", sent(1_000))
    assert (reply.status, reply.json["taken"], len(reply.json["refused"])) == (200, 1, 999)
    assert process_time() - begun < 2


def test_the_agency_s_token_reports_and_does_nothing_else(shop: ShopClient) -> None:
    set_agency(shop)
    shop.submit("R-20411")
    shop.post("order/R-20411/collection")
    agency = as_agency(shop, new_token(shop))
    for reply in (
        agency.get("order/R-20411"), agency.get("orders"), agency.get("collection"), agency.get("postings"),
        agency.post("order/R-20411/setpaid"), agency.post("order/R-20411/collection/withdraw"),
        agency.post("orders", []), agency.get("invoice/1"),
    ):  # fmt: skip
        assert reply.status in (400, 401, 404, 405) and "R-20411" not in str(reply.json)
    assert shop.read("R-20411")["collectionStatus"] == "SUBMITTED"
    assert agency.post("collection/reports", REPORT).json == {"taken": 1, "refused": []}
    bearer = {"Authorization": f"Bearer {agency.key}"}
    plain = call(shop.api, "POST", "/api/v2/collection/reports", b"[]", bearer)
    assert (plain.status, plain.json) == (200, {"taken": 0, "refused": []})
    bearer = {"Authorization": f"Bearer {shop.key}"}
    assert call(shop.api, "POST", "/api/v2/collection/reports", b"[]", bearer).status == 401, "keys have their header"


def test_tokens_that_are_not_the_agency_s_open_nothing(shop: ShopClient, make_shop: Callable[..., ShopClient]) -> None:
    other_shop = make_shop()
    set_agency(shop)
    set_agency(other_shop)
    shop.submit("R-20411")
    shop.post("order/R-20411/collection")
    token, foreign = new_token(shop), new_token(other_shop)
    for wrong in (token[:-1], token[:-1] + "~", f"{token}x", foreign[:30] + token[30:], token[:30] + foreign[30:]):
        assert as_agency(shop, wrong).post("collection/reports", REPORT).status == 401, wrong
    reply = as_agency(shop, foreign).post("collection/reports", REPORT)
    assert reply.json["taken"] == 0 and len(reply.json["refused"]) == 1, "the other shop has no such case"
    assert shop.read("R-20411")["collectionStatus"] == "SUBMITTED"


def test_a_new_token_takes_the_place_of_the_one_before(shop: ShopClient) -> None:
    set_agency(shop)
    shop.submit("R-20411")
    shop.post("order/R-20411/collection")
    first = as_agency(shop, new_token(shop))
    second = as_agency(shop, new_token(shop))
    assert [each.post("collection/reports", REPORT).status for each in (first, second)] == [200, 200]
    shop.clock.pass_time(hours=25)
    assert [each.post("collection/reports", REPORT).status for each in (first, second)] == [401, 200]
    third = as_agency(shop, new_token(shop, timedelta(0)))
    assert [each.post("collection/reports", REPORT).status for each in (second, third)] == [401, 200]
    ((stored,),) = shop.rows("SELECT token FROM collection_agencies WHERE shop_id = $1")
    assert third.key not in stored, "sealed at rest"
