"""FinTS in the browser: a fetch with PIN and TAN, and a transfer file that leaves once (D-138)."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service, provide
from paymatch.domain.bank_feeds.fints import BankQuestion, BankQuestionKind
from paymatch.formats.camt.writer import CamtMessage
from paymatch.outbound.http import HttpClient, HttpLimits
from paymatch.store.bank_feeds import fints as store
from paymatch.usecases.fints import talking
from paymatch.usecases.fints.dialogues import LEASE
from paymatch.usecases.fints.gateway import FintsGateway
from paymatch.usecases.refunds.transfer_files import write_out
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.area.conftest import Person, prove, signed_in
from tests.contract.bank import ACCOUNT
from tests.contract.client import Clock
from tests.fakes.fints_bank import FintsBank, fints_server
from tests.usecases.conftest import camt, paid
from tests.usecases.refunds.refund_world import RefundWorld
from tests.waiting import wait_until

pytest.importorskip("fints")

PIN = "geheime-pin-4711"
SECOND, THIRD = "DE02120300000000202051", "DE02500105170137075030"
DOOR = HttpClient(allow_private=True, limits=HttpLimits(total_seconds=2.0))
OPEN = ("RUNNING", "ASKING")


@dataclass
class Desk:
    """A live shop with a bank that speaks FinTS, and a person at its pages."""

    books: RefundWorld
    bank: FintsBank
    person: Person
    clock: Clock

    def page(self, path: str, status: int = 200) -> str:
        answer = self.person.get(path)
        assert answer.status_code == status, path
        return unescape(answer.content.decode())

    def fetch(self, pin: str = PIN) -> str:
        """Begins to fetch all accounts; the address of the dialogue."""
        answer = self.person.post("bank/fints", {"account": [ACCOUNT, *self.bank.others], "pin": pin})
        assert answer.status_code == 302, unescape(answer.content.decode())
        return str(answer.headers["Location"])

    def state(self, address: str, *wanted: str) -> str:
        """The page once the dialogue is in one of these states."""
        wait_until(lambda: self._is_in(address, wanted), lambda: f"{self.page(address)} {self.bank.asked}")
        return self.page(address)

    def _is_in(self, address: str, states: tuple[str, ...]) -> bool:
        with self.books.database.of_shop(self.books.client.shop) as tx:
            row = store.dialogue(tx, address.rsplit("/", 1)[-1])
        assert row is not None
        return row.status in states and not (row.status == "ASKING" and row.question is None)

    def answer(self, address: str, text: str = "") -> None:
        asked = re.search(r'name="asked" value="(\d+)"', self.page(address))
        assert asked is not None
        said = self.person.post(address, {"asked": asked[1], "answer": text})
        assert said.status_code == 302, unescape(said.content.decode())

    def ended(self, address: str) -> str:
        return self.state(address, "DONE", "REFUSED", "LOST")

    def transfer_file(self) -> str:
        """A refund that is released and in a file; the file's message id."""
        self.books.paid("SO-1")
        self.refund = self.books.file("SO-1", 12.5)
        self.books.pass_days(1)
        (file,) = self.books.run().files
        return file.message_id

    def send(self, file: str, **more: str) -> str:
        answer = self.person.post(f"refunds/files/{file}/fints", {"pin": PIN, **more})
        assert answer.status_code == 302, unescape(answer.content.decode())
        return str(answer.headers["Location"])

    def upload(self) -> tuple[str, str]:
        return self.books.client.rows("SELECT status, phase FROM fints_uploads WHERE shop_id = $1")[0]

    def alerts(self) -> list[str]:
        """Kinds of open alerts, of those about transfers by FinTS."""
        with self.books.database.of_shop(self.books.client.shop, at=self.clock()) as tx:
            keep_alerts(tx)
        return [
            row["kind"] for row in list_alerts(self.books.database, self.books.client.shop) if row["kind"] == "fints"
        ]


@pytest.fixture
def open_desk(
    service: Service,
    area_clock: Clock,
    new_shop: Callable[..., object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[FintsBank], Desk]]:
    """Opens a desk at a bank; the pages reach it."""
    monkeypatch.setattr(talking, "_LOOK_SECONDS", 0.02)
    with ExitStack() as stack:

        def build(bank: FintsBank) -> Desk:
            new_shop()  # sets the clock back to the start
            books = RefundWorld(service.database, tmp_path, ibans=(ACCOUNT, *bank.others), clock=area_clock)
            bank.pin = PIN
            person = signed_in(TeamRole.OWNER, books.client.shop, proven=True)
            desk = Desk(books, bank, person, area_clock)
            url = stack.enter_context(fints_server(bank))
            for account in (ACCOUNT, *bank.others):
                given = {"do": "add", "account": account, "bank_code": "37040044", "server_url": url, "user": "user-7"}
                assert person.post("bank/fints-connections", given).status_code == 302
            return desk

        provide(replace(service, fints=lambda: FintsGateway(DOOR, "PRODUCT")))
        yield build
        provide(service)


def statement() -> bytes:
    return camt(CamtMessage.INTRADAY, paid(10_000, "SO-1"))


OpenDesk = Callable[[FintsBank], Desk]


def test_a_fetch_with_a_typed_tan_shows_what_was_recognised(open_desk: OpenDesk) -> None:
    desk = open_desk(FintsBank(ACCOUNT, camt=[statement()], tan="123456"))
    desk.books.client.submit("SO-1", amount=100)
    address = desk.fetch()
    shown = desk.state(address, "ASKING")
    assert "Enter the TAN" in shown
    assert "Bitte den Abruf der Umsaetze freigeben" in shown
    assert "http-equiv" not in shown
    desk.answer(address, "123456")
    done = desk.ended(address)
    assert "Done" in done
    assert re.search(r'data-label="New payments">1<.*data-label="Matched">1<', done)
    assert desk.books.client.get("order/SO-1").json["paymentStatus"] == "PAID"
    assert "Last dialogues" in desk.page("bank/fints")


def test_one_dialogue_fetches_the_accounts_of_one_login(open_desk: OpenDesk) -> None:
    """One PIN for all, a TAN for each; an account without news is named as well."""
    second = camt(CamtMessage.INTRADAY, paid(5_000, "SO-2"), account=SECOND)
    desk = open_desk(FintsBank(ACCOUNT, camt=[statement()], tan="123456", others={SECOND: [second], THIRD: []}))
    desk.books.client.submit("SO-1", amount=100)
    desk.books.client.submit("SO-2", amount=50)
    address = desk.fetch()
    for _ in range(3):
        desk.state(address, "ASKING")
        desk.answer(address, "123456")
        desk.state(address, "ASKING", "RUNNING", "DONE")
    done = desk.ended(address)
    assert [each in done for each in (ACCOUNT, SECOND, THIRD)] == [True] * 3
    assert re.findall(r'data-label="New payments">(\d*)<', done) == ["1", "1"]
    assert [desk.books.client.get(f"order/{each}").json["paymentStatus"] for each in ("SO-1", "SO-2")] == ["PAID"] * 2
    assert (desk.bank.asked.count("HKCAZ"), desk.bank.open_dialogs) == (3, 0)


def test_the_pin_is_nowhere(open_desk: OpenDesk, capfd: pytest.CaptureFixture[str]) -> None:
    desk = open_desk(FintsBank(ACCOUNT, camt=[statement()], tan="654321"))
    address = desk.fetch()
    desk.state(address, "ASKING")
    desk.answer(address, "654321")
    assert PIN not in desk.ended(address)
    for table in ("fints_dialogues", "bank_connections", "audit_log", "imports"):
        rows = desk.books.client.rows(f"SELECT t::text FROM {table} t WHERE shop_id = $1")
        assert rows
        assert not any(PIN in row[0] or "654321" in row[0] for row in rows), table
    assert PIN not in "".join(capfd.readouterr())


def test_a_wrong_pin_is_asked_once(open_desk: OpenDesk) -> None:
    desk = open_desk(FintsBank(ACCOUNT, camt=[statement()]))
    assert "The bank refuses the PIN; it was not tried again" in desk.ended(desk.fetch("99999"))
    assert desk.bank.asked.count("HKIDN") == 1
    desk.bank.locked = True
    assert "has locked this user" in desk.ended(desk.fetch())


def test_approval_in_the_app(open_desk: OpenDesk) -> None:
    desk = open_desk(FintsBank(ACCOUNT, camt=[statement()], tan="-", decoupled=True, app_approves_after=1))
    address = desk.fetch()
    shown = desk.state(address, "ASKING")
    assert "Approve it in your bank's app" in shown
    assert '<meta http-equiv="refresh" content="3">' in shown
    desk.answer(address)
    desk.state(address, "ASKING")
    desk.answer(address)
    assert "Done" in desk.ended(address)


def test_an_app_that_is_never_used(open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talking, "ANSWER_MINUTES", 0.01)
    desk = open_desk(FintsBank(ACCOUNT, camt=[statement()], tan="-", decoupled=True, app_approves_after=1000))
    assert "The bank's question was not answered" in desk.ended(desk.fetch())
    assert desk.bank.open_dialogs == 0


def test_ways_are_chosen_on_the_page_and_remembered(open_desk: OpenDesk) -> None:
    desk = open_desk(FintsBank(ACCOUNT, camt=[statement()], tan="123456", ways=("pushTAN",), media=("A", "B")))
    address = desk.fetch()
    assert "How do you get TANs?" in desk.state(address, "ASKING")
    assert desk.person.post(address, {"asked": "1", "answer": "999"}).status_code == 422
    desk.answer(address, "911")
    wait_until(lambda: "On which device?" in desk.page(address))
    desk.answer(address, "B")
    desk.person.post(address, {"do": "stop"})
    assert "Stopped by" in desk.page(address)
    assert desk.person.post(address, {"asked": "3", "answer": "1"}).status_code == 422


def test_a_second_tab_and_another_person_do_not_answer_twice(open_desk: OpenDesk) -> None:
    desk = open_desk(FintsBank(ACCOUNT, camt=[statement()], tan="123456"))
    address = desk.fetch()
    desk.state(address, "ASKING")
    again = desk.person.post("bank/fints", {"account": [ACCOUNT], "pin": PIN})
    assert again.status_code == 422
    assert "A dialogue with the bank is open" in unescape(again.content.decode())
    other = signed_in(TeamRole.CLERK, desk.books.client.shop, proven=True)
    assert "who began this dialogue" in unescape(other.get(address).content.decode())
    assert other.post(address, {"asked": "1", "answer": "123456"}).status_code == 422
    desk.answer(address, "123456")
    desk.ended(address)
    assert desk.person.post(address, {"asked": "1", "answer": "123456"}).status_code == 422
    assert desk.bank.asked.count("HKCAZ") == 1


def test_a_dialogue_whose_process_is_gone_says_so(open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = open_desk(FintsBank(ACCOUNT, camt=[statement()], tan="123456"))
    monkeypatch.setattr(sys.modules["paymatch.area.views.bank.fints"], "talk", lambda *given: None)
    address = desk.fetch()
    assert "The bank is being asked" in desk.page(address)
    with desk.books.database.of_shop(desk.books.client.shop) as tx:
        store.ask(tx, address.rsplit("/", 1)[-1], BankQuestion(BankQuestionKind.TAN, "Auftrag 7"))
    assert "Auftrag 7" in desk.page(address)
    desk.answer(address, "123456")
    shown = desk.page(address)  # before the dialogue has read the answer
    assert ("Auftrag 7" in shown, 'http-equiv="refresh"' in shown) == (False, True)
    desk.clock.pass_time(seconds=LEASE.total_seconds() + 1)
    assert "The service was restarted" in desk.page(address)
    assert desk.fetch() != address


def test_what_the_operator_has_to_do_is_said(open_desk: OpenDesk, service: Service) -> None:
    desk = open_desk(FintsBank(ACCOUNT))
    provide(replace(service, fints=lambda: FintsGateway(DOOR, "")))
    assert "has not named a registered FinTS product" in desk.page("bank/fints")
    provide(replace(service, fints=lambda: FintsGateway(DOOR, "PRODUCT", lambda: False)))
    assert "FinTS is not installed on this server" in desk.page("bank/fints")
    refused = desk.person.post("bank/fints", {"account": [ACCOUNT], "pin": PIN})
    assert (refused.status_code, desk.bank.asked) == (422, [])


def test_a_file_is_sent_after_the_answer_on_its_payee(open_desk: OpenDesk) -> None:
    desk = open_desk(FintsBank(ACCOUNT, tan="123456", payee="RVMC", payee_name="Erika Muster-Mann"))
    file = desk.transfer_file()
    assert "12.50" in desk.page(f"refunds/files/{file}/fints")
    address = desk.send(file)
    shown = desk.state(address, "ASKING")
    assert "The bank's answer on the payees" in shown
    assert "Erika Muster-Mann" in shown
    assert "Name and IBAN match closely" in shown
    assert desk.bank.executed == []
    desk.answer(address)
    wait_until(lambda: "Enter the TAN" in desk.page(address))
    desk.answer(address, "123456")
    assert "The bank has the file" in desk.ended(address)
    assert (len(desk.bank.executed), desk.upload()) == (1, ("ACCEPTED", "SENT"))
    again = desk.person.post(f"refunds/files/{file}/fints", {"pin": PIN, "not_taken": "yes"})
    assert again.status_code == 422
    assert "has left by FinTS" in unescape(again.content.decode())
    desk.person.post("refunds/file", {"file": file})
    desk.person.post("refunds/file", {"file": file, "discard": "1"})
    assert "Sent by FinTS" in desk.page("refunds/files")
    desk.books.debit(1250, desk.books.end_to_end(desk.refund))
    assert desk.books.status(desk.refund) == "PROCESSED"
    assert len(desk.bank.executed) == 1


def test_a_file_in_a_folder_needs_a_word_and_leaves_the_folder(
    open_desk: OpenDesk, service: Service, tmp_path: Path
) -> None:
    desk = open_desk(FintsBank(ACCOUNT, tan="123456"))
    file, shop = desk.transfer_file(), desk.books.client.shop
    folder = service.settings.transfers() / str(shop.id)
    (written,) = write_out(desk.books.database, shop, folder, desk.clock())
    refused = desk.person.post(f"refunds/files/{file}/fints", {"pin": PIN})
    assert refused.status_code == 422
    assert written.path.exists()
    desk.send(file, not_taken="yes")
    assert not written.path.exists()
    assert write_out(desk.books.database, shop, folder, desk.clock(), missing_too=True) == []
    written.path.write_bytes(b"what a hard stop left there")
    assert write_out(desk.books.database, shop, folder, desk.clock()) == []
    assert not written.path.exists()


def test_a_break_in_the_middle_is_decided_by_a_person(open_desk: OpenDesk) -> None:
    desk = open_desk(FintsBank(ACCOUNT, tan="123456", breaks_at="HKCCS"))
    file = desk.transfer_file()
    address = desk.send(file)
    assert "It is not known whether the bank has the file" in desk.ended(address)
    assert desk.upload() == ("UNCERTAIN", "SENT")
    assert desk.alerts() == ["fints"]
    path = f"refunds/files/{file}/fints"
    assert desk.person.post(path, {"pin": PIN, "not_taken": "yes"}).status_code == 422
    discarded = desk.person.post("refunds/file", {"file": file, "discard": "1"}, follow=True)
    assert "has left by FinTS" in unescape(discarded.content.decode())
    assert "Does the bank have it?" in desk.page(path)
    assert desk.person.post(path, {"do": "not-there"}).status_code == 302
    assert desk.person.post(path, {"do": "there"}).status_code == 422
    assert desk.alerts() == []
    desk.bank.breaks_at = ""
    address = desk.send(file, not_taken="yes")
    desk.state(address, "ASKING")
    desk.answer(address, "123456")
    desk.ended(address)
    assert desk.upload() == ("ACCEPTED", "SENT")
    assert len(desk.bank.executed) == 1


@pytest.mark.parametrize("phase, status", [("PREPARED", "REFUSED"), ("SENT", "UNCERTAIN"), ("ASKED", "REFUSED")])
def test_a_death_at_each_phase(open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch, phase: str, status: str) -> None:
    desk = open_desk(FintsBank(ACCOUNT, tan="123456"))
    file = desk.transfer_file()
    monkeypatch.setattr(sys.modules["paymatch.area.views.bank.fints_transfer"], "talk", lambda *given: None)
    address = desk.send(file)
    desk.books.client.run(f"UPDATE fints_uploads SET phase = '{phase}' WHERE shop_id = $1")
    desk.clock.pass_time(seconds=LEASE.total_seconds() + 1)
    assert "The service was restarted" in desk.page(address)
    assert desk.upload()[0] == status


def test_stopping_while_the_app_is_asked_leaves_it_to_a_person(open_desk: OpenDesk) -> None:
    desk = open_desk(FintsBank(ACCOUNT, tan="-", decoupled=True, app_approves_after=1000))
    address = desk.send(desk.transfer_file())
    desk.state(address, "ASKING")
    desk.person.post(address, {"do": "stop"})
    assert desk.upload()[0] == "UNCERTAIN"


def test_a_wrong_tan_and_no_agreement_are_no_sending(open_desk: OpenDesk) -> None:
    desk = open_desk(FintsBank(ACCOUNT, tan="123456"))
    file = desk.transfer_file()
    address = desk.send(file)
    desk.state(address, "ASKING")
    desk.answer(address, "1")
    assert "The bank refuses the TAN" in desk.ended(address)
    assert (desk.upload()[0], desk.bank.executed) == ("REFUSED", [])
    desk.bank.payee = "RVNM"
    address = desk.send(file, not_taken="yes")
    assert "Name and IBAN do not match" in desk.state(address, "ASKING")
    desk.person.post(address, {"do": "stop"})
    assert (desk.upload()[0], desk.bank.executed) == ("REFUSED", [])
    gone = desk.person.post("refunds/file", {"file": file, "discard": "1"}, follow=True)
    assert "is discarded" in unescape(gone.content.decode())


def test_sending_needs_a_second_factor_and_the_right(open_desk: OpenDesk) -> None:
    desk = open_desk(FintsBank(ACCOUNT, tan="123456"))
    file, shop = desk.transfer_file(), desk.books.client.shop
    path = f"refunds/files/{file}/fints"
    assert signed_in(TeamRole.VIEWER, shop).post(path, {"pin": PIN}).status_code == 403
    clerk = signed_in(TeamRole.CLERK, shop)
    prove(clerk, minutes_ago=60)
    clerk.post(path, {"pin": PIN})
    assert desk.books.client.rows("SELECT 1 FROM fints_uploads WHERE shop_id = $1") == []
    assert desk.bank.asked == []


def test_a_refused_dialogue_says_why_and_how_to_go_on(open_desk: OpenDesk) -> None:
    desk = open_desk(FintsBank(ACCOUNT, camt=[statement()]))
    ended = desk.ended(desk.fetch("99999"))
    assert re.search(r'class="btn btn-primary" href="/shops/[^"]+/bank/fints">', ended)
    last = desk.page("bank/fints").partition("Last dialogues")[2]
    assert "The bank refuses the PIN; it was not tried again" in last
    done = desk.ended(desk.fetch())
    assert "Start again" not in done
