"""Money that one API key cannot move: attacks, limits at their edges, releases, two at once, hard stops (D-37)."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from paymatch.domain.refunds.money_out import NAMED_ACCOUNT_WAITS
from paymatch.domain.refunds.refunds import HoldReason, RefundRefused, RefundUnknown
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.store.database import Database
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.refunds import releases
from paymatch.usecases.refunds.releases import RELEASE_LOCK_SECONDS
from paymatch.usecases.shops import shops
from paymatch.usecases.statements import imports
from paymatch.usecases.statements.import_report import ImportReport
from paymatch.usecases.statements.statements import import_file
from paymatch.usecases.work.alerts import keep_alerts
from tests.contract.bank import book, entry, pay
from tests.contract.client import Reply, ShopClient
from tests.contract.test_invoices_and_images import form
from tests.contract.test_statement_upload import camt
from tests.usecases.refunds.refund_world import ERIKA, PAYER, RefundWorld, texts

THIEF = "DE02120300000000202051"
SEEN, NAMED = HoldReason.ACCOUNT_NOT_SEEN, HoldReason.ACCOUNT_NAMED


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=8)
    yield opened
    opened.close()


def use_key(world: RefundWorld, scope: str) -> None:
    """The client calls with a new key of this scope."""
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        world.client.key = shops.create_key(tx, scope=scope)


def switch(world: RefundWorld, **settings: str) -> None:
    """Settings of the shop."""
    with world.database.of_shop(world.client.shop) as tx:
        shops.change(tx, {name.replace("_", "-"): value for name, value in settings.items()})


def upload(client: ShopClient, content: bytes) -> Reply:
    """POST /statements with this file."""
    body = form(content, name="invented.xml")
    return client.post("statements", body, content_type="multipart/form-data; boundary=xxBOUNDARYxx")


def invented(number: str, amount: str, iban: str) -> bytes:
    """A statement that no bank has written: a payment of the order from the thief's account."""
    account = f"<DbtrAcct><Id><IBAN>{iban}</IBAN></Id></DbtrAcct></RltdPties>"
    text = camt(AMOUNT=amount, TEXT=f"Bestellung {number}", NAME="Tom Thief").decode()
    return text.replace("</RltdPties>", account).encode()


def reasons(world: RefundWorld) -> list[HoldReason]:
    """Why the refunds of a run of today stay."""
    return [held.reason for held in world.run().held]


def kinds(world: RefundWorld) -> list[tuple[str, str]]:
    """(kind, text) of the open alerts, after housekeeping."""
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        keep_alerts(tx)
    rows = world.client.rows("SELECT kind, text FROM alerts WHERE shop_id = $1 AND resolved_at IS NULL ORDER BY id")
    return [(row[0], row[1]) for row in rows]


def test_attack_one_key_invents_a_statement_and_a_refund(world: RefundWorld) -> None:
    world.client.submit("SO-83001", amount=100)
    reply = upload(world.client, invented("SO-83001", "100.00", THIEF))
    assert reply.error == (401, "API key lacks the scope statements")
    world.file("SO-83001", 100)
    world.pass_days(1)
    assert world.run().files == ()
    assert world.contents() == []
    assert world.client.rows("SELECT id FROM imports WHERE shop_id = $1") == []


def test_attack_with_a_key_that_was_given_statements(world: RefundWorld) -> None:
    switch(world, statements_api="on")
    use_key(world, "read-write,statements")
    world.client.submit("SO-83002", amount=100)
    assert upload(world.client, invented("SO-83002", "100.00", THIEF)).json["matched"] == 1
    refund = world.file("SO-83002", 100)
    world.pass_days(1)
    run = world.run()
    assert (run.files, [held.reason for held in run.held]) == ((), [SEEN])
    assert world.contents() == []
    shown = world.refund(refund)
    assert (shown["status"], shown["reason"], shown["waitsForRelease"]) == ("NEW", str(SEEN), True)
    order = world.client.get("order/SO-83002?includeRefunds=true").json
    assert [each["reason"] for each in order["refunds"]] == [str(SEEN)]
    text = f"Refund R-SO-83002 of 100.00 EUR (order SO-83002) waits for a release: {SEEN.message}"
    assert (AlertKind.REFUND_HELD, text) in kinds(world)


def test_attack_a_true_payment_is_told_with_the_thiefs_account(world: RefundWorld) -> None:
    """What the API says first of a payment that the bank shows later does not vouch for the account."""
    switch(world, statements_api="on")
    use_key(world, "read-write,statements")
    world.client.submit("SO-83003", amount=100)
    upload(world.client, invented("SO-83003", "100.00", THIEF))
    true = camt(AMOUNT="100.00", TEXT="Bestellung SO-83003", NAME="Eva Muster").decode()
    account = f"<DbtrAcct><Id><IBAN>{PAYER}</IBAN></Id></DbtrAcct></RltdPties>"
    import_by(world, true.replace("</RltdPties>", account).encode(), StatementChannel.FINTS)
    refund = world.file("SO-83003", 100)
    world.pass_days(1)
    run = world.run()
    if run.files:
        assert texts(world.contents()[0], "CdtrAcct/Id/IBAN") == [PAYER]
    else:
        assert [(held.refund_id, held.reason) for held in run.held] == [(refund, SEEN)]


def import_by(world: RefundWorld, content: bytes, channel: StatementChannel) -> ImportReport:
    """The file comes by this way."""

    return import_file(
        world.database, world.client.shop, io.BytesIO(content), "file.xml", world.clock.now, channel=channel
    )


@pytest.mark.parametrize(
    ("channel", "goes"),
    [
        (StatementChannel.API, False),
        (StatementChannel.SANDBOX_BANK, False),
        (StatementChannel.UNKNOWN, False),
        (StatementChannel.DROP_FOLDER, True),
        (StatementChannel.FINTS, True),
        (StatementChannel.COMMAND_LINE, True),
        (StatementChannel.AREA, True),
    ],
)
def test_ways_that_vouch_for_an_account(world: RefundWorld, channel: StatementChannel, goes: bool) -> None:
    world.client.submit("SO-83004", amount=100)
    book(world.client, entry("Bestellung SO-83004", 10_000), channel=channel)
    world.file("SO-83004", 100)
    world.pass_days(1)
    assert reasons(world) == ([] if goes else [SEEN])
    assert len(world.contents()) == goes


def test_the_same_file_by_a_trusted_way_vouches_for_it(world: RefundWorld) -> None:
    world.client.submit("SO-83005", amount=100)
    content = invented("SO-83005", "100.00", PAYER)
    import_by(world, content, StatementChannel.API)
    world.file("SO-83005", 100)
    world.pass_days(1)
    assert reasons(world) == [SEEN]
    assert import_by(world, content, StatementChannel.DROP_FOLDER).new == 0
    assert reasons(world) == []
    assert len(world.contents()) == 1


def test_an_untrusted_copy_takes_no_trust_away(world: RefundWorld) -> None:
    world.client.submit("SO-83006", amount=100)
    content = invented("SO-83006", "100.00", PAYER)
    import_by(world, content, StatementChannel.DROP_FOLDER)
    import_by(world, content, StatementChannel.API)
    world.file("SO-83006", 100)
    world.pass_days(1)
    assert reasons(world) == []


def test_an_undone_import_vouches_for_nothing(world: RefundWorld) -> None:
    world.client.submit("SO-83007", amount=100)
    report = book(world.client, entry("Danke", 1))
    book(world.client, entry("Bestellung SO-83007", 10_000), channel=StatementChannel.API)
    imports.undo_import(world.database, world.client.shop, report.import_id, world.clock.now)
    world.file("SO-83007", 100)
    world.pass_days(1)
    assert reasons(world) == [SEEN]


def test_what_comes_back_from_an_account_does_not_vouch_for_it(world: RefundWorld) -> None:
    world.client.submit("SO-83008", amount=100)
    book(world.client, entry("Retoure", 500, gvc="159", account=THIEF, return_reason="AC04"))
    book(world.client, entry("Abbuchung", -500, account=THIEF))
    book(world.client, entry("Bestellung SO-83008", 10_000, account=THIEF), channel=StatementChannel.API)
    world.file("SO-83008", 100)
    world.pass_days(1)
    assert reasons(world) == [SEEN]


@pytest.mark.parametrize(("limit", "held"), [("60.00", []), ("59.99", [HoldReason.ABOVE_LIMIT])])
def test_refund_limit(world: RefundWorld, limit: str, held: list[HoldReason]) -> None:
    switch(world, refund_limit=limit)
    world.paid("SO-83009")
    world.file("SO-83009", 60)
    world.pass_days(1)
    assert reasons(world) == held
    assert len(world.contents()) == (not held)


def test_day_limit_counts_what_went_before_and_begins_anew_the_next_day(world: RefundWorld) -> None:
    switch(world, refund_day_limit="100.00")
    world.paid("SO-83010", 20_000, amount=200)
    first = world.file("SO-83010", 60, "R1")
    world.pass_days(1)
    assert reasons(world) == []
    world.clock.pass_time(minutes=1)
    second, third = world.file("SO-83010", 41, "R2", plannedDate="04-03-2026"), ""
    third = world.file("SO-83010", 40, "R3", plannedDate="04-03-2026")
    assert reasons(world) == []
    run = world.run(day=world.clock.now.date() + timedelta(days=1))
    assert [(held.refund_id, held.reason) for held in run.held] == [(second, HoldReason.DAY_LIMIT)]
    assert [world.status(each) for each in (first, second, third)] == ["IN_PROCESS", "NEW", "IN_PROCESS"]
    world.pass_days(1)
    assert reasons(world) == []
    assert world.status(second) == "IN_PROCESS"


def test_what_a_person_released_does_not_count_for_the_day(world: RefundWorld) -> None:
    switch(world, refund_day_limit="50.00")
    world.paid("SO-83011")
    large, small = world.file("SO-83011", 51, "R1"), world.file("SO-83011", 49, "R2")
    world.release(large)
    world.pass_days(1)
    assert reasons(world) == []
    assert [world.status(each) for each in (large, small)] == ["IN_PROCESS", "IN_PROCESS"]
    rows = world.client.rows("SELECT released FROM transfers WHERE shop_id = $1 ORDER BY amount_minor")
    assert rows == [(False,), (True,)]


def test_an_account_that_was_named_waits_a_day_even_if_it_paid_the_order(world: RefundWorld) -> None:
    world.paid("SO-83012", account=ERIKA)
    refund = world.file("SO-83012", 60)
    world.pass_days(1)
    world.set_iban(refund)
    world.clock.pass_time(seconds=NAMED_ACCOUNT_WAITS.total_seconds() - 2)
    assert reasons(world) == [NAMED]
    assert reasons(world) == []
    assert texts(world.contents()[0], "CdtrAcct/Id/IBAN") == [ERIKA]


def test_attack_a_key_directs_a_refund_to_an_account_that_paid_something_else(world: RefundWorld) -> None:
    book(world.client, entry("Danke", 1, account=THIEF))
    world.paid("SO-83014")
    refund = world.file("SO-83014", 60)
    named = world.client.post(f"refund/{refund}/account", {"iban": THIEF, "accountHolder": "Tom Thief"})
    assert named.status == 200
    for _ in range(3):
        world.pass_days(1)
        assert reasons(world) == [SEEN]
    assert world.contents() == []


def test_attack_a_stranger_pays_a_cent_to_be_paid_the_refund(world: RefundWorld) -> None:
    """A clerk takes the cent for what it seems to be, a bit too much; the shop repays the customer."""
    world.paid("SO-83030", amount=100)
    world.pass_days(1)
    report = book(world.client, entry("Bestellung SO-83030", 1, account=THIEF, booking_date=world.clock.now.date()))
    assert (report.matched, report.suggested) == (0, 1)
    ((cent,),) = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = 1")
    assigning.match(world.database, world.client.shop, cent, [Part("SO-83030")], world.clock.now)
    refund = world.file("SO-83030", 100, plannedDate="04-03-2026")
    world.pass_days(1)
    assert reasons(world) == []
    assert texts(world.contents()[0], "CdtrAcct/Id/IBAN") == [PAYER]
    assert world.status(refund) == "IN_PROCESS"


def test_attack_an_account_that_paid_little_is_named_for_everything(world: RefundWorld) -> None:
    world.client.submit("SO-83031", amount=100)
    pay(world.client, "SO-83031", 1_000, account=THIEF)
    pay(world.client, "SO-83031", 9_000)
    refund = world.file("SO-83031", 100)
    world.set_iban(refund, THIEF, "Eva Muster")
    world.pass_days(2)
    assert reasons(world) == [HoldReason.ACCOUNT_PAID_LESS]
    assert kinds(world)[0][0] == AlertKind.REFUND_HELD
    assert world.release(refund)[0].iban == THIEF
    assert reasons(world) == []


def test_an_account_gets_back_by_itself_what_it_has_paid_and_no_more(world: RefundWorld) -> None:
    world.paid("SO-83032", amount=100)
    world.pass_days(1)
    pay(world.client, "SO-83032", 10_000, account=THIEF, booking_date=world.clock.now.date())
    for reference in ("first", "second", "third"):
        world.file("SO-83032", 50, reference, plannedDate="04-03-2026")
    world.pass_days(1)
    assert reasons(world) == [HoldReason.ACCOUNT_PAID_LESS]
    assert texts(world.contents()[0], "CdtrAcct/Id/IBAN") == [THIEF, THIEF]
    world.pass_days(1)
    assert reasons(world) == [HoldReason.ACCOUNT_PAID_LESS]


def test_what_the_bank_took_back_counts_as_not_paid(world: RefundWorld) -> None:
    world.paid("SO-83033", amount=100)
    world.pass_days(1)
    theirs = {"account": THIEF, "end_to_end_id": "E2E-4711", "booking_date": world.clock.now.date()}
    pay(world.client, "SO-83033", 10_000, **theirs)
    refund = world.file("SO-83033", 100, plannedDate="04-03-2026")
    world.set_iban(refund, THIEF, "Eva Muster")
    back = entry("Bestellung SO-83033", -10_000, reversal=True, return_reason="AC04", **theirs)
    assert book(world.client, back).matched == 1
    world.pass_days(2)
    assert reasons(world) == [HoldReason.ACCOUNT_PAID_LESS]


@pytest.mark.parametrize("channel", [StatementChannel.API, StatementChannel.DROP_FOLDER])
def test_attack_a_customer_with_a_key_invents_that_the_refund_came_back(
    world: RefundWorld, channel: StatementChannel
) -> None:
    world.paid("SO-83034", amount=100)
    refund = world.file("SO-83034", 100)
    world.pass_days(1)
    assert reasons(world) == []
    sent = world.end_to_end(refund)
    world.debit(10_000, sent)
    world.pass_days(1)
    world.channel = channel
    world.camt(
        WrittenEntry((world.posting(10_000, original_end_to_end_id=sent, is_return=True, return_reason="AC04"),))
    )
    assert world.status(refund) == "RETURNED"
    world.set_iban(refund, PAYER, "Eva Muster")
    world.pass_days(2)
    assert reasons(world) == [HoldReason.SECOND_ATTEMPT]
    assert len(world.contents()) == 1


def test_a_release_is_for_the_account_that_was_shown(world: RefundWorld) -> None:
    world.paid("SO-83013")
    refund = world.file("SO-83013", 60)
    world.set_iban(refund)
    (released,) = world.release(refund)
    assert (released.iban, released.amount_minor, released.waits_for_another) == (ERIKA, 6000, False)
    world.set_iban(refund, THIEF, "Tom Thief")
    world.pass_days(1)
    assert reasons(world) == [SEEN]
    world.set_iban(refund)
    assert reasons(world) == [SEEN]
    assert world.contents() == []


def test_four_eyes_are_two_persons(world: RefundWorld) -> None:
    switch(world, refund_limit="10.00", refund_four_eyes="59.99")
    world.paid("SO-83014")
    refund = world.file("SO-83014", 60)
    world.pass_days(1)
    assert reasons(world) == [HoldReason.ABOVE_LIMIT]
    for _ in range(2):
        assert world.release(refund)[0].waits_for_another
        assert reasons(world) == [HoldReason.SECOND_RELEASE]
    (released,) = world.release(refund, person="cli:karl")
    assert (released.released_by, released.waits_for_another) == (("cli:eva", "cli:karl"), False)
    assert reasons(world) == []
    assert world.status(refund) == "IN_PROCESS"
    world.check()


def test_a_release_does_not_hide_that_the_payments_do_not_cover_the_refund(world: RefundWorld) -> None:
    """The reason stays until the rest is paid; its honest twin, which is covered, has none after the release."""
    world.paid("SO-83090", amount=150)
    refund, twin = world.file("SO-83090", 120), world.file("SO-83090", 30, "R-TWIN")
    assert world.refund(refund)["reason"] == str(HoldReason.NOT_COVERED)
    world.release(refund, twin)
    assert world.refund(refund)["reason"] == str(HoldReason.NOT_COVERED)
    assert "reason" not in world.refund(twin)
    pay(world.client, "SO-83090", 5_000)
    assert "reason" not in world.refund(refund)


def test_alert_ends_with_the_release(world: RefundWorld) -> None:
    switch(world, refund_limit="10.00")
    world.paid("SO-83015")
    refund = world.file("SO-83015", 60)
    world.pass_days(1)
    assert reasons(world) == [HoldReason.ABOVE_LIMIT]
    assert [kind for kind, _ in kinds(world)] == [AlertKind.REFUND_HELD]
    world.release(refund)
    assert kinds(world) == []


def test_release_of_what_cannot_be_released_changes_nothing(world: RefundWorld) -> None:
    world.client.submit("SO-83016", amount=100)
    missing = world.file("SO-83016", 60)
    world.paid("SO-83017")
    known = world.file("SO-83017", 60)
    with world.client.unchanged():
        with pytest.raises(
            RefundRefused, match=rf"^Could not release refund {missing} \(status BANKDETAILS_MISSING\)$"
        ):
            world.release(known, missing)
        with pytest.raises(RefundUnknown):
            world.release(known, "rf_x")
    assert world.client.rows("SELECT refund_id FROM refund_releases WHERE shop_id = $1") == []


def test_a_release_is_for_the_account_that_was_looked_at(world: RefundWorld) -> None:
    switch(world, refund_limit="10.00")
    world.paid("SO-83021")
    refund = world.file("SO-83021", 60)
    world.pass_days(1)
    seen = world.seen(refund)
    world.set_iban(refund, THIEF, "Erika Müller")
    with (
        world.client.unchanged(),
        pytest.raises(RefundRefused, match=r"^The account of refund R-SO-83021 has changed since you looked at it: "),
    ):
        releases.release(world.database, world.client.shop, seen, "cli:eva", world.clock.now)
    assert world.client.rows("SELECT refund_id FROM refund_releases WHERE shop_id = $1") == []
    world.set_iban(refund)
    assert world.release(refund)[0].iban == ERIKA


def test_a_release_is_not_for_the_account_of_a_payment_taken_off_the_order(world: RefundWorld) -> None:
    switch(world, refund_limit="10.00")
    world.paid("SO-83022")
    ((posting,),) = world.client.rows("SELECT posting_id FROM allocations WHERE shop_id = $1")
    refund = world.file("SO-83022", 60)
    world.pass_days(1)
    seen = world.seen(refund)
    assigning.unmatch(world.database, world.client.shop, posting, world.clock.now)
    pay(world.client, "SO-83022", 10_000, account=THIEF)
    with pytest.raises(RefundRefused, match=r"^The account of refund R-SO-83022 has changed "):
        releases.release(world.database, world.client.shop, seen, "cli:eva", world.clock.now)
    assert world.release(refund)[0].iban == THIEF


def test_sandbox_shops_are_free(database: Database, tmp_path: Path) -> None:
    world = RefundWorld(database, tmp_path, sandbox=True)
    world.client.submit("SO-83018", amount=9_000)
    assert upload(world.client, invented("SO-83018", "9000.00", THIEF)).json["matched"] == 1
    world.file("SO-83018", 9_000)
    world.pass_days(1)
    assert reasons(world) == []
    assert len(world.contents()) == 1


def test_a_limit_that_a_sandbox_has_changed_holds_there(database: Database, tmp_path: Path) -> None:
    """Accounts of the simulated bank need no trust: smaller refunds go by themselves."""
    world = RefundWorld(database, tmp_path, sandbox=True)
    switch(world, refund_limit="40.00")
    world.client.submit("SO-83019", amount=90)
    assert upload(world.client, invented("SO-83019", "90.00", THIEF)).json["matched"] == 1
    world.file("SO-83019", 40, "R-1")
    held = world.file("SO-83019", 50, "R-2")
    world.pass_days(1)
    assert reasons(world) == ["a person must release it: the amount is above refund-limit"]
    assert len(world.contents()) == 1
    world.release(held)
    world.pass_days(1)
    assert reasons(world) == []
    assert len(world.contents()) == 2


def test_statements_by_api_are_off_until_they_are_switched_on(world: RefundWorld) -> None:
    use_key(world, "statements")
    with world.client.unchanged():
        assert upload(world.client, camt()).error == (400, "Statements by API are off for this shop")
    switch(world, statements_api="on")
    assert upload(world.client, camt()).json["new"] == 1


@pytest.mark.parametrize(
    ("scope", "refused"),
    [
        ("read", {"order": "Update not allowed for non-API Shop", "refund": "Update not allowed for non-API Shop"}),
        ("orders", {"refund": "API key lacks the scope refunds"}),
        ("refunds", {"order": "API key lacks the scope orders"}),
        ("read-write", {}),
        (
            "statements",
            {
                "order": "API key lacks the scope orders",
                "refund": "API key lacks the scope refunds",
                "read": "API key lacks the scope read",
            },
        ),
    ],
)
def test_scopes_of_a_key(world: RefundWorld, scope: str, refused: dict[str, str]) -> None:
    world.client.submit("SO-83019")
    use_key(world, scope)
    body = {"externalReference": f"S-{scope}", "amount": 1, "currency": "EUR", "plannedDate": "03-03-2026"}
    replies = {
        "order": world.client.post("order/SO-83019/setpaid"),
        "refund": world.client.post("order/SO-83019/refund", body),
        "read": world.client.get("order/SO-83019"),
    }
    assert {what: reply.error[1] for what, reply in replies.items() if reply.status != 200} == refused


def test_two_runs_and_releases_at_once_send_each_refund_once_and_keep_the_limit(world: RefundWorld) -> None:
    switch(world, refund_day_limit="100.00")
    world.paid("SO-83020", 50_000, amount=500)
    ids = [world.file("SO-83020", 30, f"R{place}") for place in range(12)]
    world.pass_days(1)
    failures: list[BaseException] = []

    def attempt(place: int) -> None:
        try:
            world.release(ids[place], person=f"cli:{place % 2}")
            world.run()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=attempt, args=(place,)) for place in (9, 9, 10, 10, 11, 11)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(RELEASE_LOCK_SECONDS)
    # The second release of a refund finds it released, or already in the file that the first one's run wrote.
    late = {f"Could not release refund {refund} (status IN_PROCESS)" for refund in ids[9:]}
    assert {str(failure) for failure in failures} <= late
    assert len(failures) <= 3
    rows = world.client.rows("SELECT refund_id, released, amount_minor FROM transfers WHERE shop_id = $1")
    assert len(rows) == len({row[0] for row in rows})
    assert sum(row[2] for row in rows if not row[1]) <= 10_000
    assert {row[0] for row in rows if row[1]} == set(ids[9:])
    world.check()
