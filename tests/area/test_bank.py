"""The bank's pages: files are looked at before they are booked, and what a person does is done once and recorded."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.clock import utc_now
from paymatch.domain.calendar import plus_bank_days
from paymatch.domain.money import EUR
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message
from paymatch.formats.mt940.writer import EntryToWrite, StatementToWrite, write_mt940
from paymatch.store.payouts import payouts
from paymatch.store.payouts.payouts import ProviderAccountRow
from paymatch.store.work import alerts
from paymatch.usecases.audit import last_entries
from paymatch.usecases.statements import accounts
from paymatch.usecases.statements.resolving import list_unread
from paymatch.usecases.statements.statements import import_file
from paymatch.usecases.work.alerts import keep_alerts, open_kinds
from tests.area.conftest import Person

IBAN = "DE89370400440532013000"
OTHER = "DE75512108001245126199"
QR_IBAN = "CH4431999123000889012"
QR_IBAN_REFUSED = f"{QR_IBAN!r} is a QR-IBAN, register the account's IBAN as well"
DAY = date(2026, 3, 10)


@pytest.fixture(autouse=True)
def patient(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms wait for their files, however busy the machine is."""
    from paymatch.area.views import pending_uploads

    monkeypatch.setattr(pending_uploads, "WAIT_SECONDS", 120.0)


@pytest.fixture
def owner(sign_in: Callable[..., Person], new_shop: Callable[..., Any]) -> Person:
    return sign_in(shop=new_shop(ibans=[IBAN]))


def statement(*amounts: int, iban: str = IBAN, opening: int = 0, day: date = DAY, number: int = 1) -> bytes:
    entries = tuple(
        EntryToWrite(minor, day, bank_reference=f"R{number}-{place}", name="Eva", remittance=f"SO-{place}")
        for place, minor in enumerate(amounts)
    )
    return write_mt940([StatementToWrite(iban, EUR, opening, day, day, number, entries)])


def torn() -> bytes:
    """Of two entries the second cannot be read."""
    return statement(1000, 1990).replace(b"19,90", b"19;90")


def upload(person: Person, *contents: bytes, name: str = "bank.sta") -> Any:
    files = [SimpleUploadedFile(name, content) for content in contents]
    return person.post("bank", {"action": "upload", "files": files}, follow=True)


def waiting(person: Person) -> list[Any]:
    from paymatch.area.people.models import OfferedFile

    return list(OfferedFile.objects.filter(shop_id=person.shop.id).order_by("offered_at", "pk"))


def amounts(service: Service, person: Person) -> list[int]:
    with service.database.of_shop(person.shop) as tx:
        return [
            row[0] for row in tx.rows("SELECT amount_minor FROM postings WHERE shop_id = $1 ORDER BY 1", person.shop.id)
        ]


def book(person: Person, *files: Any, **more: Any) -> Any:
    return person.post("bank", {"action": "book", "file": [str(file.pk) for file in files], **more}, follow=True)


def imported(person: Person, content: bytes) -> None:
    upload(person, content)
    book(person, *waiting(person))


def said(answer: Any) -> list[str]:
    """What the page says has happened."""
    notices = re.findall(r'<p class="notice [^"]*" role="status">(.*?)</p>', answer.content.decode())
    return [html.unescape(notice) for notice in notices]


def test_a_file_is_shown_before_it_is_booked(service: Service, owner: Person) -> None:
    page = upload(owner, statement(1000, 1990))
    assert "1 file, nothing booked yet" in page.content.decode()
    (file,) = waiting(owner)
    report = file.report
    assert (file.state, report["new"], report["accounts"], report["firstDate"], report["balance"]) == (
        "ready", 2, [IBAN], "2026-03-10", "ok",
    )  # fmt: skip
    assert amounts(service, owner) == []
    done = book(owner, file)
    assert said(done) == ["bank.sta is imported: 2 new payments, 0 known before, 0 matched"]
    assert (amounts(service, owner), waiting(owner)) == ([1000, 1990], [])
    with service.database.of_shop(owner.shop) as tx:
        assert tx.rows("SELECT channel, status FROM imports WHERE shop_id = $1", owner.shop.id) == [("area", "BOOKED")]
    (entry,) = [
        row for row in last_entries(service.database, owner.shop, "", 10) if row["action"] == "statement-imported"
    ]
    assert (entry["actorKind"], entry["actor"]) == ("person", owner.email)


def test_many_files_are_booked_each_on_its_own(service: Service, owner: Person) -> None:
    later = statement(500, opening=9000, day=date(2026, 3, 12), number=3)
    upload(owner, statement(1000), later, b"not a statement")
    files = {file.state: file for file in waiting(owner)}
    assert sorted(files) == ["ready", "refused"]
    assert book(owner, *waiting(owner)).status_code == 200
    assert amounts(service, owner) == [500, 1000]
    assert [file.state for file in waiting(owner)] == ["refused"]
    page = owner.get("bank").content.decode()
    assert "80.00 apart" in page
    assert "No reminders are sent on the data of 11 Mar." in page


def test_a_file_that_is_known_brings_nothing(service: Service, owner: Person) -> None:
    imported(owner, statement(1000))
    upload(owner, statement(1000))
    assert [file.report["new"] for file in waiting(owner)] == [0]
    book(owner, *waiting(owner))
    assert amounts(service, owner) == [1000]


def test_a_foreign_account_is_asked_about(service: Service, owner: Person) -> None:
    upload(owner, statement(1000, iban=OTHER))
    (file,) = waiting(owner)
    refused = book(owner, file)
    assert said(refused) == [f"bank.sta was not imported: confirm first that account {OTHER} is yours"]
    assert (amounts(service, owner), len(waiting(owner))) == ([], 1)
    book(owner, file, accept=str(file.pk))
    assert (amounts(service, owner), waiting(owner)) == ([1000], [])
    known = {row["account"]: row["confirmed"] for row in accounts.list_accounts(service.database, owner.shop)}
    assert known == {IBAN: True, OTHER: False}


def test_files_are_removed_and_read_again(service: Service, owner: Person) -> None:
    upload(owner, statement(1000))
    (file,) = waiting(owner)
    upload(owner, statement(1000, 500), name="more.sta")
    book(owner, *(each for each in waiting(owner) if each.name == "more.sta"))
    owner.post("bank", {"action": "again", "file": str(file.pk)})
    assert waiting(owner)[0].report["new"] == 0
    done = owner.post("bank", {"action": "remove", "file": str(file.pk)}, follow=True)
    assert (said(done), waiting(owner)) == (["1 file removed, nothing was booked"], [])
    assert amounts(service, owner) == [500, 1000]


@pytest.mark.parametrize("action", ["book", "remove", "again"])
def test_another_shops_file_is_out_of_reach(
    service: Service, owner: Person, sign_in: Callable[..., Person], action: str
) -> None:
    upload(owner, statement(1000))
    other = sign_in()
    other.post("bank", {"action": action, "file": [str(file.pk) for file in waiting(owner)]})
    (file,) = waiting(owner)
    assert (file.state, amounts(service, owner), amounts(service, other)) == ("ready", [], [])


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ({}, "Choose what to do"),
        ({"action": "upload"}, "Choose at least one file"),
        ({"action": "book"}, "Choose at least one file"),
    ],
)
def test_forms_without_a_file_say_so(owner: Person, form: dict[str, Any], text: str) -> None:
    assert said(owner.post("bank", form, follow=True)) == [text]


def test_too_many_files_at_once_are_refused(owner: Person) -> None:
    page = upload(owner, *[b"x"] * 11)
    assert (said(page), waiting(owner)) == (["Choose at most 10 files at once"], [])


@pytest.mark.parametrize("role", [TeamRole.VIEWER, TeamRole.DEVELOPER])
def test_who_only_reads_brings_nothing_in(sign_in: Callable[..., Person], owner: Person, role: TeamRole) -> None:
    person = sign_in(role, owner.shop)
    assert upload(person, statement(1000)).status_code == 403
    assert waiting(owner) == []
    assert "Preview files" not in person.get("bank").content.decode()


def typed(service: Service, person: Person, **changes: str) -> Any:
    """What a person types of the entry of `torn`."""
    (row,) = list_unread(service.database, person.shop)
    form = {
        "action": "resolve", "import_id": row["importId"], "line": row["line"], "position": row["position"],
        "amount": "19.90", "currency": "EUR", "day": "2026-03-10", "name": "Eva", "iban": "", "text": "SO-1",
        "account": "",
    }  # fmt: skip
    return person.post("bank", form | changes, follow=True)


def test_an_unreadable_entry_is_typed_in_place(service: Service, owner: Person) -> None:
    imported(owner, torn())
    assert "19;90" in owner.get("bank").content.decode()
    with service.database.of_shop(owner.shop, at=service.clock()) as tx:
        assert keep_alerts(tx)[0] == 2  # of the file, and of its statement
        assert open_kinds(tx)[AlertKind.UNREADABLE].count == 1
    assert said(typed(service, owner)) == ["The entry is booked"]
    assert amounts(service, owner) == [1000, 1990]
    page = owner.get("bank").content.decode()
    assert ("Entries that could not be read" in page, ">Complete<" in page) == (False, True)


@pytest.mark.parametrize(
    ("amount", "minor"), [("19,90", 1990), ("1.204,50", 120_450), ("1,204.50", 120_450), ("\u221219,90", -1990)]
)
def test_the_amount_of_an_entry_is_typed_as_people_write_it(
    service: Service, owner: Person, amount: str, minor: int
) -> None:
    imported(owner, torn())
    assert said(typed(service, owner, amount=amount)) == ["The entry is booked"]
    assert sorted(amounts(service, owner)) == sorted([1000, minor])


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"amount": "19,9O"}, "Enter an amount such as 12.50"),
        ({"amount": "0.00"}, "An entry of 0.00 is not booked"),
        ({"amount": ""}, "This field is required."),
        ({"day": "10.3."}, "Enter a day such as 1 Dec 2026"),
        ({"iban": "DE00123"}, "This is not an IBAN: its check digits do not fit"),
        ({"line": "99"}, "has no entry in line 99 that waits for a person"),
    ],
)
def test_what_cannot_be_booked_stands_beside_the_field(
    service: Service, owner: Person, changes: dict[str, str], text: str
) -> None:
    imported(owner, torn())
    answer = typed(service, owner, name="Eva Muster", **changes)
    page = answer.content.decode()
    assert (answer.status_code, text in page, 'value="Eva Muster"' in page) == (422, True, True)
    assert amounts(service, owner) == [1000]


def test_an_import_is_undone(service: Service, owner: Person, sign_in: Callable[..., Person]) -> None:
    imported(owner, statement(1000, 1990))
    with service.database.of_shop(owner.shop) as tx:
        import_id = tx.value("SELECT id FROM imports WHERE shop_id = $1", owner.shop.id)
    place = f"bank/imports/{import_id}"
    page = owner.get(place).content.decode()
    assert ("SO-0" in page, "SO-1" in page, "Undo this import" in page) == (True, True, True)
    assert sign_in(TeamRole.VIEWER, owner.shop).post(place, {"sure": "yes"}).status_code == 403
    assert said(owner.post(place, follow=True)) == ["Tick the box to undo the import"]
    assert amounts(service, owner) == [1000, 1990]
    done = owner.post(place, {"sure": "yes"}, follow=True)
    assert said(done) == ["The import is undone: 2 payments removed, 0 orders settled again"]
    assert amounts(service, owner) == []
    again = owner.post(place, {"sure": "yes"}, follow=True)
    assert said(again) == ["There is no import that could be undone"]
    listed = {
        status: import_id in owner.get(f"bank/imports?status={status}").content.decode()
        for status in ("UNDONE", "BOOKED")
    }
    assert listed == {"UNDONE": True, "BOOKED": False}


def test_accounts_are_confirmed_removed_and_added_by_owners(
    service: Service, owner: Person, sign_in: Callable[..., Person]
) -> None:
    upload(owner, statement(1000, iban=OTHER))
    (file,) = waiting(owner)
    book(owner, file, accept=str(file.pk))

    def known() -> dict[str, bool]:
        return {row["account"]: row["confirmed"] for row in accounts.list_accounts(service.database, owner.shop)}

    clerk = sign_in(TeamRole.CLERK, owner.shop)
    assert clerk.post("bank/accounts", {"action": "confirm", "account": OTHER}).status_code == 403
    owner.post("bank/accounts", {"action": "confirm", "account": OTHER})  # without a fresh proof of who acts
    assert known() == {IBAN: True, OTHER: False}
    owner = sign_in(TeamRole.OWNER, owner.shop, proven=True)
    assert said(owner.post("bank/accounts", {"action": "confirm", "account": OTHER}, follow=True)) == [
        f"Account {OTHER} is confirmed"
    ]
    assert known() == {IBAN: True, OTHER: True}
    owner.post("bank/accounts", {"action": "remove", "account": OTHER})
    assert known() == {IBAN: True}
    refused = owner.post("bank/accounts", {"action": "add", "iban": "DE00123456"})
    assert (refused.status_code, 'value="DE00123456"' in refused.content.decode(), known()) == (422, True, {IBAN: True})
    owner.post("bank/accounts", {"action": "add", "iban": OTHER, "currency": "EUR"})
    assert known() == {IBAN: True, OTHER: True}


def test_accounts_at_services_are_added_confirmed_and_removed_by_owners(
    service: Service, owner: Person, sign_in: Callable[..., Person]
) -> None:
    owner = sign_in(TeamRole.OWNER, owner.shop, proven=True)
    with service.database.of_shop(owner.shop) as tx:
        flagged = ProviderAccountRow("amazon:Amazon", "EUR", "amazon", "Amazon", confirmed=False)
        payouts.add_provider_account(tx, flagged, utc_now())
        keep_alerts(tx)
    alarm = "Account Amazon EUR at Amazon came with a settlement file: confirm it, or undo the import"
    assert alarm in html.unescape(owner.get("bank").content.decode())
    assert 'value="amazon:Amazon"' in owner.get("bank/accounts").content.decode()
    confirmed = owner.post("bank/accounts", {"action": "confirm", "account": "amazon:Amazon"}, follow=True)
    assert said(confirmed) == ["Account Amazon is confirmed"]
    added = {"action": "add-provider", "provider": "stripe", "name": "Cards", "currency": "chf"}
    assert said(owner.post("bank/accounts", added, follow=True)) == ["Account Cards is added"]
    refused = owner.post("bank/accounts", added | {"name": "x" * 61})
    assert (refused.status_code, "at most 60 letters" in refused.content.decode()) == (422, True)
    known = sorted((row["account"], row["currency"]) for row in accounts.list_accounts(service.database, owner.shop))
    assert known == [(IBAN, "EUR"), ("amazon:Amazon", "EUR"), ("stripe:Cards", "CHF")]
    owner.post("bank/accounts", {"action": "remove", "account": "stripe:Cards"})
    page = owner.get("bank/accounts").content.decode()
    assert ("stripe:Cards" in page, "Not confirmed" in page, "Removed" in page) == (False, False, False)


def test_a_qr_iban_is_refused_as_an_account(
    service: Service, owner: Person, sign_in: Callable[..., Person], new_shop: Callable[..., Any]
) -> None:
    owner = sign_in(TeamRole.OWNER, owner.shop, proven=True)
    typed = owner.post("bank/accounts", {"action": "add", "iban": "CH44 3199 9123 0008 8901 2"})
    assert (typed.status_code, QR_IBAN_REFUSED in html.unescape(typed.content.decode())) == (422, True)
    upload(owner, statement(1000, iban=QR_IBAN))
    (file,) = waiting(owner)
    book(owner, file, accept=str(file.pk))  # what it brings is booked, and the account is not one to be paid to
    confirmed = owner.post("bank/accounts", {"action": "confirm", "account": QR_IBAN}, follow=True)
    assert QR_IBAN_REFUSED in html.unescape(confirmed.content.decode())
    known = {row["account"]: row["confirmed"] for row in accounts.list_accounts(service.database, owner.shop)}
    assert (amounts(service, owner), known) == ([1000], {IBAN: True, QR_IBAN: False})
    with pytest.raises(SettingRefused, match=re.escape(QR_IBAN_REFUSED)):
        new_shop(ibans=[IBAN, QR_IBAN])


def test_a_tables_columns_are_corrected_and_kept(service: Service, owner: Person) -> None:
    table = b"Buchungstag;Verwendungszweck;Betrag;Rest\n10.03.2026;SO-1;19,90;5,00\n"
    upload(owner, table, name="bank.csv")
    (file,) = waiting(owner)
    page = owner.get(f"bank/columns/{file.pk}")
    assert re.findall(r'<td class="num">([0-9.]+)\xa0<', page.content.decode()) == ["19.90"]
    form = {"action": "try", "own_account": IBAN, "amount": "Rest"}
    tried = owner.post(f"bank/columns/{file.pk}", form)
    assert re.findall(r'<td class="num">([0-9.]+)\xa0<', tried.content.decode()) == ["5.00"]
    kept = owner.post(f"bank/columns/{file.pk}", form | {"action": "keep"}, follow=True)
    assert said(kept) == [f"The columns are kept for account {IBAN}"]
    book(owner, *waiting(owner))
    assert amounts(service, owner) == [500]
    unknown = owner.get(f"bank/columns/{'0' * 36}")
    assert unknown.status_code == 404


@pytest.mark.parametrize(
    ("table", "form", "minors"),
    [
        (
            b"10.03.2026;SO-1;19,90;A\n11.03.2026;SO-2;5,00;B\n12.03.2026;SO-3;6,00;A\n",
            {"debit": "", "marker": "", "amount": "#3"},
            [500, 600, 1990],
        ),
        (
            b"Buchungstag;Verwendungszweck;Betrag;Kz\n10.03.2026;SO-1;19,90;Q\n11.03.2026;SO-2;5;Z\n12.03.2026;SO-3;6;Q\n",
            {"text": "Verwendungszweck"},
            [500, 600, 1990],
        ),
        (b"Wann;Wozu;Wieviel\n10.03.2026;SO-1;19,90\n", {"booking_date": "Wann", "amount": "Wieviel"}, [1990]),
    ],
)  # fmt: skip
def test_a_refused_table_is_read_once_its_columns_are_chosen(
    service: Service, owner: Person, table: bytes, form: dict[str, str], minors: list[int]
) -> None:
    """The refusal says to choose the columns, and its button leads to them."""
    upload(owner, table, name="bank.csv")
    (file,) = waiting(owner)
    offered = owner.get("bank").content.decode()
    assert (f"bank/columns/{file.pk}" in offered, f"bank/question/{file.pk}" in offered) == (True, False)
    kept = owner.post(f"bank/columns/{file.pk}", {"action": "keep", "own_account": IBAN, **form}, follow=True)
    assert said(kept) == [f"The columns are kept for account {IBAN}"]
    book(owner, *waiting(owner))
    assert sorted(amounts(service, owner)) == minors


@pytest.mark.parametrize("content", [b"%PDF-1.7\n", b"Buchungstag;Betrag\n10.03.2026;1,00\n11.03.2026"])
def test_a_refusal_that_no_columns_answer_offers_none(owner: Person, content: bytes) -> None:
    upload(owner, content, name="bank.csv")
    (file,) = waiting(owner)
    assert f"bank/columns/{file.pk}" not in owner.get("bank").content.decode()


SETTLEMENT = (
    "Transaktionsdatum;Händlerreferenz;Vorgang;Bruttoumsatz;Disagio;Nettobetrag;Abrechnungsnummer\n"
    "18.11.2026;SO-1;Einzug;58,77;0,82;57,95;4711-0815\n19.11.2026;SO-2;Xyz;-20,00;0,00;-20,00;4711-0815\n"
).encode()


def test_a_settlement_of_an_unknown_service_is_mapped_once(service: Service, owner: Person) -> None:
    upload(owner, SETTLEMENT, name="kasse.csv")
    (file,) = waiting(owner)
    address = f"bank/settlement/{file.pk}"
    assert address in owner.get("bank").content.decode()
    form = owner.get(address).content.decode()
    assert ('name="gross" value="Bruttoumsatz"' in form, 'name="kind:Xyz"' in form) == (True, True)
    nameless = owner.post(address, {"action": "keep", "provider": " "})
    assert (nameless.status_code, "The provider needs a name" in nameless.content.decode()) == (422, True)
    tried = owner.post(address, {"action": "try", "provider": "Kassenwerk", "kind:Xyz": "refund"}).content.decode()
    assert re.findall(r"<td>([^<]+)</td>", tried)[:2] == ["Sale", "Refund"]
    kept = owner.post(address, {"action": "keep", "provider": "Kassenwerk", "kind:Xyz": "refund"}, follow=True)
    assert said(kept) == ["Tables with these headings are read as settlements of Kassenwerk from now on"]
    book(owner, *waiting(owner))
    with service.database.of_shop(owner.shop) as tx:
        assert tx.rows("SELECT account, payout_id, amount_minor FROM payouts") == [
            ("kassenwerk:Kassenwerk", "4711-0815", 3795)
        ]


ORDERS = b"Bestellnummer;Datum;Betrag;Name;Status\n10424;10.03.2026;58,40;Emil;unbezahlt\n"


def test_a_table_is_asked_about_and_its_confirmed_layout_is_shown_and_revoked(
    service: Service, owner: Person, sign_in: Callable[..., Person]
) -> None:
    table = b"Buchungstag;Verwendungszweck;Betrag\n10.03.2026;SO-1;19,90\n"
    upload(owner, table, name="bank.csv")
    (file,) = waiting(owner)
    assert f"bank/question/{file.pk}" in owner.get("bank").content.decode()
    page = owner.get(f"bank/question/{file.pk}").content.decode()
    assert re.findall(r'<td class="mono">([^<]+)</td>', page)[:3] == ["10.03.2026", "SO-1", "19,90"]
    no_account = owner.post(f"bank/question/{file.pk}", {"answer": "statement"})
    assert (no_account.status_code, amounts(service, owner)) == (422, [])
    answered = owner.post(f"bank/question/{file.pk}", {"answer": "statement", "own_account": IBAN}, follow=True)
    assert said(answered) == [f"Tables with these headings are read as statements of account {IBAN} from now on"]
    book(owner, *waiting(owner))
    assert amounts(service, owner) == [1990]
    assert "betrag, buchungstag, verwendungszweck" in owner.get("bank/accounts").content.decode()
    sign_in(TeamRole.OWNER, owner.shop, proven=True).post("bank/accounts", {"action": "forget", "account": IBAN})
    upload(owner, table.replace(b"SO-1", b"SO-2"), name="bank.csv")
    assert [file.report["asks"] for file in waiting(owner)] == [True]


def test_a_list_of_orders_is_refused_by_its_headings(service: Service, owner: Person) -> None:
    upload(owner, ORDERS, name="orders.csv")
    (file,) = waiting(owner)
    assert file.error.startswith("the headings 'Bestellnummer', 'Status' are those of orders")
    confirmed = owner.post(f"bank/question/{file.pk}", {"answer": "statement", "own_account": IBAN})
    assert (confirmed.status_code, amounts(service, owner)) == (422, [])
    owner.post(f"bank/question/{file.pk}", {"answer": "neither"})
    assert waiting(owner) == []


def test_feeds_name_the_folder_and_the_alarms(owner: Person) -> None:
    page = owner.get("bank/feeds").content.decode()
    assert ("can set up a folder" in page, '/bank/fints"' in page) == (True, True)


TWO_ORDERS = (
    b"Bestellnummer;Datum;Betrag;Nachname;Status\n"
    b"10424;01.03.2026;58,40;Docht;unbezahlt\n10425;01.03.2026;33,25;Flamme;unbezahlt\n"
)


def test_a_list_of_orders_goes_on_under_import_orders(service: Service, owner: Person) -> None:
    upload(owner, TWO_ORDERS, name="orders.csv")
    (file,) = waiting(owner)
    address = f"bank/question/{file.pk}"
    assert address in owner.get("bank").content.decode()
    page = owner.get(address).content.decode()
    assert re.findall(r'value="(\w+)"[^>]* checked', page) == ["orders"]
    assert re.findall(r'value="(\w+)"[^>]* disabled', page) == ["statement"]
    assert re.findall(r"(\d of \d known[^<]*)", page) == ["0 of 2 known, 2 new"] and "2 lines" in page
    assert "Not possible with the headings Bestellnummer, Status." in page
    answered = owner.post(address, {"answer": "orders"})
    assert answered.status_code == 302
    assert [each.purpose for each in waiting(owner)] == ["orders"]
    assert "10424" in owner.get(answered["location"]).content.decode()
    assert (amounts(service, owner), owner.get(address).status_code) == ([], 404)


def test_a_settlement_goes_on_to_its_columns(owner: Person) -> None:
    upload(owner, b"Buchungstag;Verwendungszweck;Betrag\n10.03.2026;SO-1;19,90\n", name="bank.csv")
    (file,) = waiting(owner)
    page = owner.get(f"bank/question/{file.pk}").content.decode()
    assert re.findall(r'value="(\w+)"[^>]* (?:checked|disabled)', page) == []
    answered = owner.post(f"bank/question/{file.pk}", {"answer": "settlement"})
    assert answered["location"].endswith(f"/bank/settlement/{file.pk}") and waiting(owner) == [file]


def test_an_unanswered_question_keeps_the_file(service: Service, owner: Person) -> None:
    upload(owner, TWO_ORDERS, name="orders.csv")
    (file,) = waiting(owner)
    assert owner.post(f"bank/question/{file.pk}", {}).status_code == 422
    assert (waiting(owner), amounts(service, owner)) == ([file], [])


def bars_of(page: str, account: str) -> tuple[str, list[str], list[str]]:
    """(the days in words, the marks of the bars, their titles) of an account on the page of feeds."""
    drawn = re.search(rf'<svg class="ticks"[^>]*aria-label="{account}: ([^"]*)">(.*?)</svg>', page)
    assert drawn is not None
    marks = re.findall(r'class="tick ([a-z-]+)"', drawn[2])
    return (
        html.unescape(drawn[1]),
        marks,
        [html.unescape(each) for each in re.findall("<title>(.*?)</title>", drawn[2])],
    )


def import_on(service: Service, person: Person, content: bytes, moment: datetime) -> None:
    channel = StatementChannel.AREA
    report = import_file(service.database, person.shop, BytesIO(content), "bank.sta", moment, channel=channel)
    assert report.new == 1


def import_by_day(service: Service, person: Person, clock: Any, days: list[tuple[date, date]]) -> None:
    """A statement of 10.00 for each (bank day, day on which the file comes); their balances follow each other."""
    for number, (day, came) in enumerate(days, 1):
        clock.now = datetime.combine(came, time(8), UTC)
        content = statement(1000, opening=1000 * (number - 1), day=day, number=number)
        import_on(service, person, content, clock())


def test_feeds_draw_the_last_bank_days(service: Service, owner: Person, area_clock: Any) -> None:
    first = date(2026, 3, 16)
    days = [plus_bank_days(first, n) for n in range(15)]  # over Good Friday and Easter Monday, 3 and 6 April
    came = [(day, plus_bank_days(day, 1)) for day in days]
    came[12] = (days[12], plus_bank_days(days[12], 2))
    import_by_day(service, owner, area_clock, came)
    area_clock.now = datetime(2026, 4, 8, 9, tzinfo=UTC)
    words, marks, titles = bars_of(owner.get("bank/feeds").content.decode(), IBAN)
    assert words == "last 30 bank days: 14 came in time, 1 late (1 Apr), 1 not due yet, 14 before the start"
    assert [marks.count(each) for each in ("before", "in-time", "late", "expected", "closed")] == [14, 14, 1, 1, 6]
    assert "3 Apr – 6 Apr: weekend or bank holiday" in titles
    assert "28 Mar – 29 Mar: weekend" in titles
    assert "1 Apr: late, 1 posting, file of 7 Apr" in titles
    assert "On time" in owner.get("bank/feeds").content.decode()


def test_feeds_show_a_gap_and_the_days_of_silence(service: Service, owner: Person, area_clock: Any) -> None:
    days = [plus_bank_days(date(2026, 3, 9), n) for n in range(12)]
    import_by_day(service, owner, area_clock, [(day, plus_bank_days(day, 1)) for day in days])
    area_clock.now = datetime(2026, 4, 8, 9, tzinfo=UTC)
    page = owner.get("bank/feeds").content.decode()
    words, _marks, _titles = bars_of(page, IBAN)
    silent = "missing (25 Mar, 26 Mar, 27 Mar, 30 Mar, 31 Mar, 1 Apr, 2 Apr)"
    assert words == f"last 30 bank days: 12 came in time, 7 {silent}, 2 not due yet, 9 before the start"
    assert "Silent for 7 bank days" in page and ">Import a file</a>" in page


def test_missing_statement_is_a_red_day(service: Service, owner: Person, area_clock: Any) -> None:
    for number, (day, opening) in enumerate(((date(2026, 3, 10), 0), (date(2026, 3, 12), 9000)), 1):
        area_clock.now = datetime.combine(plus_bank_days(day, 1), time(8), UTC)
        content = statement(1000, opening=opening, day=day, number=number)
        import_on(service, owner, content, area_clock())
    page = owner.get("bank/feeds").content.decode()
    words, _marks, titles = bars_of(page, IBAN)
    assert "2 came in time, 1 missing (11 Mar)" in words
    assert "11 Mar: missing" in titles and "Statement missing" in page


def test_account_without_any_file_has_no_bars(owner: Person) -> None:
    page = owner.get("bank/feeds").content.decode()
    assert "Never fed" in page and '<svg class="ticks"' not in page


def test_alarms_are_told_in_the_readers_language(owner: Person, service: Service) -> None:
    said = Message("alert-silent-feed", account=IBAN, day=date(2026, 2, 3))
    with service.database.of_shop(owner.shop) as tx:
        assert alerts.add(tx, AlertKind.SILENT_FEED, IBAN, said, owner.shop.now(utc_now()))
    owner.post("/preferences", {"language": "de"})
    assert f"Konto {IBAN}: kein Kontoauszug seit 3. Feb., länger als üblich" in owner.get("bank").content.decode()


def test_the_page_asks_few_questions(owner: Person) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    upload(owner, statement(1000), torn())
    counts = []
    for page in ("overview", "bank"):
        with CaptureQueriesContext(connection) as asked:
            assert owner.get(page).status_code == 200
        counts.append(len(asked))
    assert counts[1] == counts[0] + 1  # the files that wait


def test_old_offers_are_forgotten(owner: Person, area_clock: Any) -> None:
    upload(owner, statement(1000))
    area_clock.now += timedelta(hours=25)
    upload(owner, statement(1990))
    assert [file.offered_at for file in waiting(owner)] == [area_clock.now]


def test_what_is_said_of_files_is_said_in_german(owner: Person) -> None:
    upload(owner, torn())
    upload(owner, b"%PDF-1.7", name="scan.pdf")
    german = {"HTTP_ACCEPT_LANGUAGE": "de"}
    page = html.unescape(owner.get("bank", **german).content.decode())
    assert "ein PDF-Dokument; bitten Sie die Bank um camt.053, MT940 oder CSV" in page
    assert re.search(
        r"<li>Zeile \d+: Die Umsatzzeile|<li>Zeile \d+: [^<]*besteht nicht aus|<li>Zeile \d+: [^<]* kein Betrag", page
    )
