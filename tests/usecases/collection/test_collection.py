"""Collection from the last reminder to the agency's payout, by a moved clock (D-20, D-54), and lapses (D-42)."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import psycopg
import pytest

from paymatch.domain.collection.cases import CollectionRefused
from paymatch.domain.collection.default_interest import first_unknown, published_rates
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.outbound.collection_agency import AgencyNotReached, FolderAgency, Parcel
from paymatch.outbound.folders import FolderRefused
from paymatch.store.database import Database
from paymatch.store.orders.order_json import Include
from paymatch.usecases.collection import base_rates, cases
from paymatch.usecases.collection.exchange import import_report, tell_agency
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.orders import orders
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from paymatch.usecases.work.check import check_shop
from paymatch.usecases.work.job_kinds import BY_NAME, JobGateways
from tests.keys import KEYRING
from tests.usecases.collection.agency_world import World, with_agency

INCLUDE = Include(collection_history=True)


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    opened = Database(migrated_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def world(database: Database, tmp_path: Path) -> World:
    return with_agency(database, tmp_path)


@pytest.fixture
def handed(world: World) -> World:
    """An order that went to the agency by hand on 16 March, before any reminder."""
    world.order("A-1001")
    world.go_to("2026-03-16 10:00")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        cases.hand_over(tx, "A-1001")
    world.work()
    return world


def test_an_order_goes_to_the_agency_two_weeks_after_its_last_reminder(world: World) -> None:
    world.order("A-1001", billing={"company": "Muster GmbH", "countryCode": "DE", "city": "Ulm"})
    world.agency(interest="on", lump_sum="on")
    world.until(date(2026, 3, 3), date(2026, 4, 7))
    sent = world.rows("SELECT dunning_level, sent_date FROM reminders WHERE shop_id = $1 ORDER BY 1")
    assert sent == [(1, date(2026, 3, 16)), (2, date(2026, 3, 23))]
    assert world.status() == "COLLECTION"
    case = world.case()
    assert (case["status"], case["warnedOn"], str(case["handedOver"])[:10]) == (
        "SUBMITTED",
        date(2026, 3, 23),
        "2026-04-07",
    )
    # Due on 9 March: 29 days at 1.27 + 9 per cent of 49.90; the fee of 2.50 is set against the lump sum.
    assert [str(case[name]) for name in ("claim", "fees", "interest", "lumpSum")] == ["49.90", "0.00", "0.41", "40.00"]
    assert world.told() == [("handover", "A-1001", "49.90")]
    assert world.rows("SELECT from_status, to_status, cause FROM events WHERE shop_id = $1") == [
        ("UNPAID", "COLLECTION", "handed over to collection")
    ]
    mails = len(world.door.sent)
    world.until(date(2026, 4, 8), date(2026, 4, 17))
    assert len(world.door.sent) == mails
    assert world.told() == [("handover", "A-1001", "49.90")]
    assert check_shop(world.database, world.shop) == []


def test_who_has_paid_is_not_handed_over(world: World) -> None:
    world.order("A-1001")
    world.until(date(2026, 3, 3), date(2026, 4, 2))
    world.day(date(2026, 4, 7), (4990, "A-1001"))
    assert world.status() == "PAID"
    assert world.told() == []


@pytest.mark.parametrize("hold", ["stopped", "gap", "off", "suggested"])
def test_what_holds_a_reminder_holds_a_handover(world: World, hold: str) -> None:
    world.order("A-1001", stopReminder=False)
    world.until(date(2026, 3, 3), date(2026, 4, 2))
    if hold == "stopped":
        world.order("A-1001", stopReminder=True)
    if hold == "off":
        world.agency(after_days="off")
    world.go_to("2026-04-10 09:00")
    if hold != "gap":
        world.day(date(2026, 4, 10), *([(1000, "A-1001")] if hold == "suggested" else []))
    world.work()
    assert world.status() == "UNPAID"
    if hold == "suggested":
        world.book("A-1001")
        assert (world.status(), str(world.case()["claim"])) == ("COLLECTION", "39.90")


@pytest.mark.parametrize(("open_minor", "goes"), [(99, False), (100, True)])
def test_less_than_the_reminder_minimum_goes_to_no_agency(world: World, open_minor: int, goes: bool) -> None:  # D-84
    world.order("A-1001")
    world.until(date(2026, 3, 3), date(2026, 4, 2))
    ((before,),) = world.rows("SELECT dunning_level FROM orders WHERE shop_id = $1")
    world.day(date(2026, 4, 7), (4990 - open_minor, "A-1001"))
    if world.status() == "UNPAID":
        world.book("A-1001")
    world.until(date(2026, 4, 8), date(2026, 4, 17))
    assert (before, world.status()) == (2, "COLLECTION" if goes else "PAID_PARTIAL")
    if not goes:
        words = "the open amount is below the shop's reminder minimum"
        with world.database.of_shop(world.shop, at=world.now) as tx, pytest.raises(CollectionRefused, match=words):
            cases.hand_over(tx, "A-1001")


def test_a_posting_that_may_be_its_payment_holds_even_a_person_back(world: World) -> None:
    world.order("A-1001")
    world.order("A-1002")
    world.go_to("2026-03-10 09:00")
    world.statement(date(2026, 3, 9), 0, (4990, "Erika Mustermann"))
    match_due(world.database, world.shop, world.now)
    ((posting, status),) = world.rows("SELECT id, status FROM postings WHERE shop_id = $1")
    assert status == "suggested"
    with (
        world.database.of_shop(world.shop, at=world.now) as tx,
        pytest.raises(CollectionRefused, match=f"posting {posting} waits"),
    ):
        cases.hand_over(tx, "A-1001")


def test_who_cannot_be_handed_over(world: World) -> None:
    world.order("A-1001")
    world.order("A-1002", type="COD")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        orders.cancel(tx, "A-1001")
        for number, words in (("A-1001", "status CANCELLED"), ("A-1002", "type COD")):
            with pytest.raises(CollectionRefused, match=rf"Could not hand over order \({words}\)"):
                cases.hand_over(tx, number)
        with pytest.raises(OrderUnknown):
            cases.hand_over(tx, "none")
        with pytest.raises(CollectionRefused, match="'A-1001' \\(it is not in collection\\)"):
            cases.withdraw(tx, "A-1001")


def test_direct_payments_are_told_and_settle_the_order(handed: World) -> None:
    handed.day(date(2026, 3, 18), (2000, "A-1001"))
    handed.book("A-1001")
    assert (handed.status(), handed.case()["status"]) == ("COLLECTION", "SUBMITTED")
    handed.day(date(2026, 3, 19), (2990, "A-1001"))
    assert (handed.status(), handed.case()["status"]) == ("PAID", "PAID")
    assert handed.told() == [
        ("handover", "A-1001", "49.90"),
        ("payment", "A-1001", "29.90"),
        ("payment", "A-1001", "0.00"),
    ]
    assert [each["description"] for each in handed.case()["history"]] == [  # type: ignore[attr-defined]
        "Handed over to Agency Ltd",
        "Payment 20.00 EUR, open 29.90 EUR",
        "Payment 29.90 EUR, open 0.00 EUR",
    ]
    assert check_shop(handed.database, handed.shop) == []


def test_a_withdrawal_leaves_the_status_to_the_books_and_is_told(handed: World) -> None:
    with handed.database.of_shop(handed.shop, at=handed.now) as tx:
        cases.withdraw(tx, "A-1001")
    handed.work()
    assert (handed.status(), handed.case()["status"], handed.case()["active"]) == ("UNPAID", "WITHDRAWN", False)
    assert handed.told() == [("handover", "A-1001", "49.90"), ("withdrawal", "A-1001", "49.90")]
    handed.until(date(2026, 3, 17), date(2026, 5, 4))  # two reminders, and never again automatically
    assert handed.status() == "UNPAID"
    with handed.database.of_shop(handed.shop, at=handed.now) as tx:
        cases.hand_over(tx, "A-1001")
    assert (handed.status(), handed.case()["status"]) == ("COLLECTION", "SUBMITTED")


def test_an_order_that_is_cancelled_is_withdrawn(handed: World) -> None:
    with handed.database.of_shop(handed.shop, at=handed.now) as tx:
        orders.cancel(tx, "A-1001")
    handed.work()
    assert (handed.status(), handed.case()["status"]) == ("CANCELLED", "WITHDRAWN")
    assert handed.told()[-1] == ("withdrawal", "A-1001", "49.90")


def test_the_agency_reports_by_file_and_each_file_counts_once(handed: World) -> None:
    waiting = handed.folder / str(handed.id) / "in"
    (waiting / "1.csv").write_text("orderNumber;file;status;description\nA-1001;IN-7;ACCEPTED;\nnone;;PAID;\n", "utf-8")
    handed.work()
    assert (handed.case("IN-7")["status"], handed.status()) == ("ACCEPTED", "COLLECTION")
    assert [path.name for path in (waiting.parent / "read").iterdir()] == ["1.csv"]
    (waiting / "again.csv").write_bytes((waiting.parent / "read" / "1.csv").read_bytes())
    handed.work()
    assert len(handed.case()["history"]) == 2  # type: ignore[arg-type]
    done = import_report(
        handed.database,
        handed.shop,
        "x",
        b'[{"file": "IN-7", "status": "ACCEPTED"},{"file":"IN-7","status":"LEGAL"}]',
        handed.now,
    )
    assert (done.taken, done.refused, handed.case()["status"]) == (2, (), "LEGAL")
    done = import_report(handed.database, handed.shop, "y", b'[{"file": "IN-7", "status": "REJECTED"}]', handed.now)
    assert done.refused == ((1, "The collection of order 'A-1001' is LEGAL and does not take: agency rejects"),)
    with handed.database.of_shop(handed.shop) as tx:
        shown = json.loads(orders.read(tx, "A-1001", INCLUDE))
    assert (shown["collectionPartner"], shown["collectionFile"], shown["collectionStatus"]) == (
        "Agency Ltd",
        "IN-7",
        "LEGAL",
    )
    assert shown["collectionHistory"][0] == {
        "timestamp": "16-03-2026 11:00:00",
        "description": "Handed over to Agency Ltd",
    }


def test_a_payout_of_the_agency_that_names_its_file_number_settles_the_order(handed: World) -> None:
    import_report(
        handed.database, handed.shop, "x", b'[{"orderNumber": "A-1001", "file": "IN-2026-00077"}]', handed.now
    )
    handed.day(date(2026, 3, 18), (4990, "IN-2026-00077 Mustermann"))
    assert (handed.status(), handed.case()["status"]) == ("PAID", "PAID")


def told(world: World) -> list[str]:
    """The open alerts of collection, after housekeeping."""
    with world.database.of_shop(world.shop, at=world.now) as tx:
        keep_alerts(tx)
    return [each["text"] for each in list_alerts(world.database, world.shop) if each["kind"] == "collection"]


def reported(world: World, status: str) -> None:
    report = json.dumps([{"orderNumber": "A-1001", "file": "IN-7", "status": status}]).encode()
    import_report(world.database, world.shop, "report.json", report, world.now)
    # The audit log has the real time; a shop whose clock is moved keeps its own moment beside it.
    with psycopg.connect(world.database.url, autocommit=True) as owner:
        owner.execute(
            "UPDATE audit_log SET shop_at = %s WHERE shop_id = %s AND shop_at IS NULL", (world.now, world.shop.id)
        )


@pytest.mark.parametrize("status", ["PAID", "PAID_PARTIAL"])
def test_money_that_the_agency_reports_and_never_pays_out_raises_an_alert(handed: World, status: str) -> None:
    handed.go_to("2026-03-20 10:00")
    reported(handed, status)
    handed.go_to("2026-04-18 10:00")
    assert (told(handed), handed.status()) == ([], "COLLECTION")
    handed.go_to("2026-04-20 10:00")
    assert [str(each) for each in told(handed)] == [
        "Agency Ltd reported order A-1001 as paid on 2026-03-20, and 49.90 EUR has not arrived. Ask the agency for it"
    ]
    reported(handed, "INSTALMENT" if status == "PAID_PARTIAL" else "PAID_PARTIAL")  # it corrects itself
    assert told(handed) == []


@pytest.mark.parametrize("way", ["payout", "direct", "part"])
def test_money_that_the_agency_reports_and_pays_out_raises_none(handed: World, way: str) -> None:
    handed.go_to("2026-03-20 10:00")
    reported(handed, "PAID_PARTIAL" if way == "part" else "PAID")
    handed.day(date(2026, 4, 10), {"payout": (4990, "IN-7"), "direct": (4990, "A-1001"), "part": (2000, "A-1001")}[way])
    if handed.rows("SELECT count(*) FROM postings WHERE shop_id = $1 AND status = 'suggested'") == [(1,)]:
        handed.book("A-1001")
    handed.go_to("2026-05-20 10:00")
    assert (told(handed), handed.status()) == ([], "COLLECTION" if way == "part" else "PAID")
    assert check_shop(handed.database, handed.shop) == []


def test_a_report_that_cannot_be_read_is_put_aside(handed: World) -> None:
    waiting = handed.folder / str(handed.id) / "in"
    (waiting / "1.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(CollectionRefused, match="not in UTF-8"):
        handed.work()
    handed.work()
    assert [path.name for path in (waiting.parent / "unreadable").iterdir()] == ["1.csv"]


def test_what_an_agency_leaves_beside_reports_stops_no_report(handed: World, tmp_path: Path) -> None:
    """Before, a link was followed that took a file's place in time, and one unreadable file stopped those behind it."""
    waiting = handed.folder / str(handed.id) / "in"
    secret = tmp_path / "secret"
    secret.write_bytes(b'[{"orderNumber": "A-1001", "status": "UNCOLLECTIBLE"}]')
    (waiting / "0-link.json").symlink_to(secret)
    (waiting / "0-second-name.json").hardlink_to(secret)
    os.mkfifo(waiting / "0-pipe.json")
    (waiting / "0-folder.json").mkdir()
    (waiting / "1.csv").write_bytes(b"\xff\xfe")
    (waiting / os.fsdecode(b"2-\xff\x1b[31m.json")).write_bytes(b'[{"orderNumber": "A-1001", "status": "ACCEPTED"}]')
    with pytest.raises(CollectionRefused, match="not in UTF-8"):
        handed.work()
    assert [path.name for path in (waiting.parent / "unreadable").iterdir()] == ["1.csv"]
    assert [path.name for path in (waiting.parent / "read").iterdir()] == [os.fsdecode(b"2-\xff\x1b[31m.json")]
    assert handed.rows("SELECT name FROM collection_reports WHERE shop_id = $1") == [("2-\\udcff\x1b[31m.json",)]
    assert handed.case()["status"] != "UNCOLLECTIBLE"


@pytest.mark.parametrize("name", ["in", "out"])
def test_a_folder_of_the_agency_that_is_a_link_is_refused(handed: World, tmp_path: Path, name: str) -> None:
    folder = handed.folder / str(handed.id) / name
    elsewhere = tmp_path / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    with handed.database.of_shop(handed.shop, at=handed.now) as tx:
        cases.withdraw(tx, "A-1001")
    before = sorted(elsewhere.iterdir())
    with pytest.raises(FolderRefused, match="symbolic link"):
        handed.work()
    assert sorted(elsewhere.iterdir()) == before


def test_an_agency_that_gives_up_raises_an_alert_until_somebody_decides(handed: World) -> None:
    import_report(
        handed.database, handed.shop, "x", b'[{"orderNumber": "A-1001", "status": "UNCOLLECTIBLE"}]', handed.now
    )

    def raised() -> list[str]:
        with handed.database.of_shop(handed.shop, at=handed.now) as tx:
            keep_alerts(tx)
        return [each["text"] for each in list_alerts(handed.database, handed.shop) if each["kind"] == "collection"]

    assert raised() == ["Agency Ltd has given up order A-1001: withdraw it from collection, or cancel the order"]
    with handed.database.of_shop(handed.shop, at=handed.now) as tx:
        cases.withdraw(tx, "A-1001")
    assert raised() == []


def test_a_message_is_delivered_again_under_the_same_name_until_it_is_recorded(
    handed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with handed.database.of_shop(handed.shop, at=handed.now) as tx:
        cases.withdraw(tx, "A-1001")
    names: list[str] = []
    real = FolderAgency.deliver

    def killed(self: FolderAgency, parcel: Parcel) -> None:
        real(self, parcel)
        names.append(parcel.name)
        if len(names) == 1:
            raise AgencyNotReached("the process was killed before it could record the delivery")

    monkeypatch.setattr(FolderAgency, "deliver", killed)
    with pytest.raises(AgencyNotReached):
        tell_agency(handed.database, handed.shop, handed.ways, handed.now)
    assert tell_agency(handed.database, handed.shop, handed.ways, handed.now) == 1
    assert names == [names[0]] * 2
    assert len(handed.told()) == 2


def test_a_dossier_says_what_is_owed_by_whom(handed: World) -> None:
    (path,) = (handed.folder / str(handed.id) / "out").glob("*.zip")
    assert path.stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as bundle:
        message = json.loads(bundle.read("message.json"))
    assert {name: message[name] for name in ("shop", "agency", "customerNumberAtAgency", "orderNumber", "total")} == {
        "shop": handed.shop.name, "agency": "Agency Ltd", "customerNumberAtAgency": "4711", "orderNumber": "A-1001",
        "total": "49.90",
    }  # fmt: skip
    assert message["customer"]["name"] == "Erika Mustermann"
    assert message["order"]["number"] == "A-1001"


def test_prepayment_lapses_only_if_the_shop_says_so(world: World) -> None:
    world.order("A-1001")
    world.order("A-1002", type="INVOICE")
    world.order("A-1003", amount="30.00")
    world.agency(after_days="off")
    world.set(payment_information="on")
    world.until(date(2026, 3, 3), date(2026, 4, 2))
    assert world.status() == "UNPAID"
    world.set(lapse_after="14")
    world.go_to("2026-04-07 08:00")
    world.statement(date(2026, 4, 6), world.balance, (1000, "A-1003"))
    world.balance += 1000
    match_due(world.database, world.shop, world.now)
    world.book("A-1003")
    world.day(date(2026, 4, 8))
    assert [world.status(number) for number in ("A-1001", "A-1002", "A-1003")] == [
        "CANCELLED",
        "UNPAID",
        "PAID_PARTIAL",
    ]
    events = world.rows("SELECT order_number, to_status, cause FROM events WHERE shop_id = $1 ORDER BY seq")
    assert events[-1] == ("A-1001", "CANCELLED", "lapsed")
    world.day(date(2026, 4, 9), (4990, "A-1001"))
    assert world.status() == "CANCELLED"
    assert world.rows("SELECT status FROM postings WHERE shop_id = $1 AND amount_minor = 4990") == [("suggested",)]


def test_nobody_lapses_before_the_last_mail_has_had_its_days(world: World) -> None:
    world.order("A-1001")
    world.agency(after_days="off")
    world.set(payment_information="on", lapse_after="14")
    world.until(date(2026, 3, 3), date(2026, 4, 2))
    assert (world.status(), len(world.door.sent)) == (
        "UNPAID",
        3,
    )  # information and two reminders, the last on 23 March
    world.day(date(2026, 4, 7))
    assert world.status() == "CANCELLED"


def test_an_agency_that_cannot_be_reached_holds_up_no_order(world: World) -> None:
    world.order("A-1001")
    world.order("A-1002", type="INVOICE")
    world.set(lapse_after="14")
    world.agency(after_days="off")
    world.until(date(2026, 3, 3), date(2026, 4, 2))
    world.go_to("2026-04-07 09:00")
    world.statement(date(2026, 4, 6), world.balance)
    world.agency(channel="mail", address="cases@agency.example")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        cases.hand_over(tx, "A-1002")
    with pytest.raises(CollectionRefused, match="this installation has no such channel"):
        BY_NAME["collection"].do(world.database, JobGateways(), world.shop, world.now)
    assert (world.status("A-1001"), world.status("A-1002")) == ("CANCELLED", "COLLECTION")


def test_a_case_that_the_program_fails_at_stops_only_itself(handed: World) -> None:
    for number in ("A-1002", "A-1003"):
        handed.order(number)
        with handed.database.of_shop(handed.shop, at=handed.now) as tx:
            cases.hand_over(tx, number)
    handed.rows("UPDATE orders SET doc = '[]' WHERE shop_id = $1 AND number = 'A-1002' RETURNING number")
    assert tell_agency(handed.database, handed.shop, handed.ways, handed.now) == 1
    assert sorted(number for _, number, _ in handed.told()) == ["A-1001", "A-1003"]
    (alert,) = [each["text"] for each in list_alerts(handed.database, handed.shop)]
    assert alert.startswith("An internal error stopped the collection of order A-1002")


def test_interest_is_explained_where_the_order_names_no_due_date(world: World) -> None:
    world.agency(interest="on")
    world.order("A-1001", dueDate=None)  # due 14 days after its date, on 16 March
    world.go_to("2026-03-26 10:00")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        cases.hand_over(tx, "A-1001")
    world.work()
    (path,) = (world.folder / str(world.id) / "out").glob("*.zip")
    with zipfile.ZipFile(path) as bundle:
        message = json.loads(bundle.read("message.json"))
        explained = bundle.read("interest.csv").decode("utf-8-sig")
    assert (message["dueDate"], message["interest"]) == ("2026-03-16", "0.09")
    assert explained == "from;to;percent\r\n2026-03-17;2026-03-26;6.27\r\n"


def test_interest_stops_where_the_base_rate_is_not_known_and_an_alert_says_so(world: World) -> None:
    world.agency(interest="on")
    missing = first_unknown(published_rates())
    world.order("A-1001")
    world.go_to(f"{missing + timedelta(days=9)} 10:00")

    def alerts() -> list[str]:
        with world.database.of_shop(world.shop, at=world.now) as tx:
            keep_alerts(tx)
        return [str(row["text"]) for row in list_alerts(world.database, world.shop) if row["kind"] == "base-rate"]

    assert alerts() == [
        f"The base rate of {missing} is not known: interest is claimed up to {missing - timedelta(days=1)} only."
        " An owner of the shop enters it in the settings of collection"
    ]
    with world.database.of_shop(world.shop, at=world.now) as tx:
        cases.hand_over(tx, "A-1001")
    world.work()
    case = world.case()
    assert case["interestUntil"] == missing - timedelta(days=1)
    with zipfile.ZipFile(next((world.folder / str(world.id) / "out").glob("*.zip"))) as bundle:
        message = json.loads(bundle.read("message.json"))
        explained = bundle.read("interest.csv").decode("utf-8-sig").splitlines()
    assert (message["interestUntil"], message["interest"]) == (str(case["interestUntil"]), str(case["interest"]))
    assert explained[-1].split(";")[1] == str(case["interestUntil"])
    with world.database.of_shop(world.shop, at=world.now) as tx:
        base_rates.add_rate(tx, missing.isoformat(), "2.00")
    assert alerts() == []
    world.order("A-1002")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        cases.hand_over(tx, "A-1002")
    later = world.case("A-1002")
    assert later["interestUntil"] == missing + timedelta(days=9)
    assert world.case()["interest"] == case["interest"], "what was handed over stands"
