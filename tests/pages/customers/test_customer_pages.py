"""The order's own page: what its customer sees and says, and what no one else gets."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest

from paymatch.domain.customers.allowances import Allowance, neighbourhood
from paymatch.domain.customers.links import NO_SHOP, TOKEN_LENGTH, hash_of, link_token, shop_of
from paymatch.formats.languages.texts import LANGUAGES
from paymatch.outbound.files import DirectoryFiles
from paymatch.pages.customers.limits import RateCounts
from paymatch.store.database import Database
from paymatch.store.reminders import reminders
from paymatch.usecases import audit
from paymatch.usecases.collection import cases
from paymatch.usecases.customers import links, notices
from paymatch.usecases.work import alerts
from tests.contract.bank import book, entry, pay
from tests.contract.client import Clock
from tests.formats.codes.png import read_code
from tests.keys import KEYRING
from tests.pages.customers.page_world import Customer
from tests.usecases.refunds.refund_world import ERIKA, RefundWorld


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    found = Database(module_url, size=4, keyring=KEYRING)
    yield found
    found.close()


@pytest.fixture
def customer(database: Database, tmp_path: Path) -> Customer:
    with database.of_all_shops() as tx:
        tx.put("DELETE FROM page_allowances")  # every test begins at the same moment, at the same address
    world = RefundWorld(database, tmp_path, clock=Clock())
    world.client.change(accent="#7a1f5c", contact_email="help@shop.example", legal_footer="Shop GmbH")
    return Customer(world, DirectoryFiles(tmp_path))


def entries(customer: Customer, subject: str) -> list[tuple[str, str]]:
    rows = audit.last_entries(customer.world.database, customer.world.client.shop, subject, 5)
    return [(row["action"], row["actorKind"]) for row in rows]


def english(customer: Customer, number: str) -> str:
    return customer.get(f"{customer.link(number)}?lang=en").text


def test_an_open_order_says_what_to_pay_where_and_until_when(customer: Customer) -> None:
    customer.world.client.submit("A-1", amount=1234.50, language="de", dueDate="16-03-2026")
    page = customer.get(customer.link("A-1"))
    assert page.status == 200
    reference = customer.world.client.rows("SELECT reference FROM orders WHERE shop_id = $1")[0][0]
    shown = " ".join(reference[start : start + 4] for start in range(0, len(reference), 4))
    for words in (
        "zu zahlen 1.234,50 €",
        "Bitte zahlen Sie bis zum 16. März 2026.",
        "DE89 3704 0044 0532 0130 00",
        shown,
    ):
        assert words in page.text
    assert b'src="data:image/svg+xml;base64,' in page.body
    assert b"--accent: #7a1f5c" in page.body
    assert b'data-copy="1234,50"' in page.body


@pytest.mark.parametrize("account", ["CH4431999123000889012", "CH9300762011623852957"])
def test_an_account_without_a_code_stops_no_page(customer: Customer, account: str) -> None:
    """A QR-IBAN that was stored before it was refused, and a Swiss account whose bank is not known."""
    customer.world.client.run("UPDATE bank_accounts SET account = $2, bic = '' WHERE shop_id = $1", account)
    for number, currency in (("Q-1", "EUR"), ("Q-2", "CHF")):
        customer.world.client.submit(number, amount=12.50, currency=currency)
        page = customer.get(f"{customer.link(number)}?lang=en")
        assert page.status == 200
        is_payable = (account[:4], currency) == ("CH93", "EUR")
        assert ("CH93 0076" in page.text, "Please ask us how to pay" in page.text) == (is_payable, not is_payable)
        assert ("CH44 3199" in page.text, b"image/svg+xml;base64," in page.body) == (False, False)


def test_the_code_can_be_kept_as_a_picture(customer: Customer) -> None:
    customer.world.client.submit("K/1", amount=12.50)
    path = customer.link("K/1")
    assert f'href="{path}/payment-code" download'.encode() in customer.get(path).body
    kept = customer.get(f"{path}/payment-code")
    assert (kept.status, kept.headers["Content-Type"]) == (200, "image/png")
    assert kept.headers["Content-Disposition"] == 'attachment; filename="payment-code-K_1.png"'
    assert read_code(kept.body).split("\n")[:8:7] == ["BCD", "EUR12.50"]
    assert b"payment-slip" not in customer.get(path).body
    assert customer.get(f"{path}/payment-slip").status == 404, "an account in Germany has no slip"
    customer.world.client.submit("K-2", amount=10)
    pay(customer.world.client, "K-2", 1000)
    assert customer.get(f"{customer.link('K-2')}/payment-code").status == 404, "nothing is to be paid"


def test_the_swiss_slip_can_be_kept(database: Database, tmp_path: Path) -> None:
    world = RefundWorld(
        database, tmp_path, clock=Clock(), ibans=["CH5800791123000889012"], currency="CHF", country="CH"
    )
    world.client.change(postcode="8001", city="Zürich", street="Am Markt", house_number="1")
    customer = Customer(world, DirectoryFiles(tmp_path))
    world.client.submit("S-1", amount=1949.75, currency="CHF", language="de")
    path = customer.link("S-1")
    assert f'href="{path}/payment-slip?lang=fr" download'.encode() in customer.get(f"{path}?lang=fr").body
    slip = customer.get(f"{path}/payment-slip")
    assert (slip.status, slip.headers["Content-Type"]) == (200, "application/pdf")
    assert slip.body.startswith(b"%PDF")
    lines = read_code(customer.get(f"{path}/payment-code").body).split("\r\n")
    assert (lines[0], lines[3], lines[18:20]) == ("SPC", "CH5800791123000889012", ["1949.75", "CHF"])
    assert lines[20:27] == [""] * 7, "whoever opens the page reads no name"


def test_the_page_is_for_nobody_else(customer: Customer) -> None:
    customer.world.client.submit("A-1", amount=10)
    page = customer.get(customer.link("A-1"))
    nonce = page.body.partition(b'<style nonce="')[2].partition(b'"')[0].decode()
    assert page.headers["Content-Security-Policy"] == (
        f"default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src data:;"
        " font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    )
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert b'src="http' not in page.body
    assert b" style=" not in page.body
    assert b"onclick" not in page.body
    assert customer.get(customer.link("A-1")).body != page.body  # another nonce each time


def test_partly_paid_paid_and_overpaid(customer: Customer) -> None:
    customer.world.paid("P-1", 4_000, amount=100)
    customer.world.paid("P-2", 10_000, amount=100)
    customer.world.paid("P-3", 10_000, amount=100)
    customer.world.client.submit("P-3", amount=90)  # the customer has sent something back
    partly = english(customer, "P-1")
    assert "to be paid € 60.00" in partly
    assert "€40.00 of €100.00 received" in partly
    assert "Paid. Thank you! We have received your payment of €100.00." in english(customer, "P-2")
    assert "You have paid €10.00 more than was due." in english(customer, "P-3")


def test_the_order_s_language_comes_first_then_the_browser_s_and_the_switch_above_all(customer: Customer) -> None:
    customer.world.client.submit("L-1", language="it")
    customer.world.client.submit("L-2")
    known, unknown = customer.link("L-1"), customer.link("L-2")
    accepts = {"accept-language": "sv, nl;q=0.8"}
    assert customer.get(known, **accepts).headers["Content-Language"] == "it"
    assert customer.get(unknown, **accepts).headers["Content-Language"] == "nl"
    assert customer.get(unknown).headers["Content-Language"] == "de"  # the shop's
    assert customer.get(f"{known}?lang=pl", **accepts).headers["Content-Language"] == "pl"
    assert customer.get(f"{known}?lang=xx", **accepts).headers["Content-Language"] == "it"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_written_in_every_language(customer: Customer, language: str) -> None:
    customer.world.paid("W-1", 10_000, amount=100)
    customer.world.client.submit("W-2", amount=5)
    refund_id = customer.world.file("W-1", 10)
    customer.world.set_iban(refund_id)
    for path in (customer.link("W-1"), customer.link("W-2"), f"{customer.link('W-2')}/wrong-person"):
        page = customer.get(f"{path}?lang={language}")
        assert (page.status, page.headers["Content-Language"]) == (200, language)
        assert f'<html lang="{language}">'.encode() in page.body
        assert b"%(" not in page.body


def test_who_says_that_he_has_paid_is_not_reminded_for_some_days(customer: Customer) -> None:
    world = customer.world
    world.client.change(mail_from="post@shop.example", reminders="on")
    world.client.submit("S-1", amount=10, language="en", customerEmail="erika@example.com")
    path = customer.link("S-1")
    answer = customer.post(f"{path}/paid")
    assert (answer.status, answer.headers["Location"]) == (303, f"{path}?said=paid")
    assert "Until 7 March 2026 we will not remind you of this payment." in customer.get(f"{path}?said=paid").text
    assert entries(customer, "S-1") == [("customer-says-paid", "customer")]
    world.pass_days(4)
    assert (
        "Thank you! You let us know on 2 March 2026, 10:30 that you have transferred €10.00." in customer.get(path).text
    )
    assert customer.post(f"{path}/not-paid").headers["Location"] == f"{path}?said=not-paid"
    assert "I have already paid" in customer.get(path).text
    with world.database.of_shop(world.client.id) as tx:
        (order,) = reminders.load(tx, ["S-1"], 0, world.clock.now)
    assert order.facts.said_paid_at is None
    assert customer.post(f"{path}/paid").status == 303  # it gains no more time
    with world.database.of_shop(world.client.id) as tx:
        (order,) = reminders.load(tx, ["S-1"], 0, world.clock.now)
    assert order.facts.said_paid_at == world.clock.now - timedelta(days=4)
    told = [entry for entry, _ in entries(customer, "S-1")]
    assert told == ["customer-says-paid", "customer-says-not-paid", "customer-says-paid"]
    assert customer.post(f"{path}/paid").status == 303
    assert len(entries(customer, "S-1")) == 3, "what is said twice is recorded once"


def test_the_wrong_person_is_never_written_to_again(customer: Customer) -> None:
    world = customer.world
    world.client.submit("X-1", amount=10, language="en", customerEmail="Somebody@example.com")
    world.client.submit("X-2", amount=10, customerEmail="somebody@example.com")
    path = customer.link("X-1")
    assert "Is this not your order?" in customer.get(f"{path}/wrong-person").text
    assert entries(customer, "X-1") == []  # to look at it is not to say it: mail programs open links
    assert "will no longer write to your address" in customer.post(f"{path}/wrong-person").text
    assert customer.get(path).status == 404
    assert entries(customer, "X-1") == [("wrong-person", "customer")]
    (alert,) = alerts.list_alerts(world.database, world.client.shop)
    assert (alert["kind"], alert["subject"]) == ("wrong-person", "X-1 somebody@example.com")
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        found = reminders.load(tx, ["X-1", "X-2"], 0, world.clock.now)
        assert [order.facts.wrong_person for order in found] == [True, True]
        assert notices.lift_wrong_person(tx, "SOMEBODY@example.com") == ["X-1"]
        found = reminders.load(tx, ["X-1", "X-2"], 0, world.clock.now)
        assert [order.facts.wrong_person for order in found] == [False, False]
        with pytest.raises(notices.AddressUnknown):
            notices.lift_wrong_person(tx, "somebody@example.com")


def refund_of_a_customer(customer: Customer, number: str) -> tuple[str, str]:
    """(path, refund) of an order that was paid in a way that shows no account."""
    customer.world.client.submit(number, amount=30, type="COD", language="en", customerEmail="erika@example.com")
    customer.world.client.post(f"order/{number}/setpaid")
    refund_id = customer.world.file(number, 30)
    assert customer.world.status(refund_id) == "BANKDETAILS_MISSING"
    return customer.link(number), refund_id


def test_attack_who_got_the_mail_by_mistake_keeps_no_link_once_the_address_is_corrected(customer: Customer) -> None:
    """Mail went to a stranger; the shop corrects the address: the stranger sees no invoice and names no account."""
    client = customer.world.client
    client.submit("A-4", amount=10, type="COD", customerEmail="stranger@example.com")
    client.post("order/A-4/setpaid")
    customer.world.file("A-4", amount=10)
    path = customer.link("A-4")
    client.submit("A-4", amount=10, type="COD", customerEmail="Stranger@Example.com", note="the same address")
    assert customer.get(path).status == 200
    client.submit("A-4", amount=10, type="COD", customerEmail="erika@example.com")
    assert customer.get(path).status == 404
    assert customer.post(f"{path}/account", {"holder": "Stranger", "iban": ERIKA}).status == 404
    assert entries(customer, "A-4")[0] == ("link-revoked", "key")
    assert customer.link("A-4") != path
    assert customer.get(customer.link("A-4")).status == 200


def test_bank_details_are_checked_confirmed_and_taken_once(customer: Customer) -> None:
    world = customer.world
    path, refund_id = refund_of_a_customer(customer, "B-1")
    assert "Where should we transfer your refund of €30.00?" in customer.get(path).text

    book(world.client, entry("Miete", -100), account="12030000/0000202051")  # as its MT940 names it
    empty = customer.post(f"{path}/account", {"refund": refund_id, "holder": " ", "iban": ""})
    assert empty.status == 400
    assert "Please enter the name of the account holder." in empty.text
    assert "Please enter the IBAN." in empty.text
    for iban, why in (
        ("AT611904300234573202", "This IBAN is not correct."),
        ("BR1800360305000010009795493C1", "We cannot transfer to an account in this country."),
        ("DE89 3704 0044 0532 0130 00", "This is our own account."),
        ("DE02 1203 0000 0000 2020 51", "This is our own account."),
    ):
        refused = customer.post(f"{path}/account", {"refund": refund_id, "holder": "Erika & Söhne", "iban": iban})
        assert (refused.status, why in refused.text) == (400, True)
        assert b'value="Erika &amp; S\xc3\xb6hne"' in refused.body
    assert world.status(refund_id) == "BANKDETAILS_MISSING"

    confirm = customer.post(
        f"{path}/account", {"refund": refund_id, "holder": "Erika  Müller", "iban": "at61 1904-3002 3457 3201"}
    )
    assert confirm.status == 200
    assert "Erika Müller IBAN AT61 1904 3002 3457 3201" in confirm.text
    assert world.status(refund_id) == "BANKDETAILS_MISSING"
    fields = {name: confirm.field(name) for name in ("refund", "version", "holder", "iban")}
    edited = customer.post(f"{path}/account", fields | {"step": "edit"})
    assert b'name="iban" value="AT611904300234573201"' in edited.body

    done = customer.post(f"{path}/account", fields | {"step": "confirm"})
    assert (done.status, done.headers["Location"]) == (303, f"{path}?said=account")
    thanks = customer.get(f"{path}?said=account").text
    assert "Thank you! We have your bank details" in thanks
    assert "to the account AT61 … 3201" in thanks
    assert "AT611904300234573201" not in thanks
    assert world.status(refund_id) == "NEW"
    assert entries(customer, refund_id)[0] == ("refund-account-set", "customer")

    replayed = customer.post(f"{path}/account", fields | {"step": "confirm", "iban": "DE75512108001245126199"})
    assert replayed.status == 409
    assert "This page has changed in the meantime." in replayed.text
    assert world.client.rows("SELECT account_version FROM refunds WHERE shop_id = $1") == [(2,)]


def test_an_account_that_the_customer_named_waits_and_may_be_corrected(customer: Customer) -> None:
    world = customer.world
    path, refund_id = refund_of_a_customer(customer, "C-1")
    world.set_iban(refund_id, ERIKA, "Erika")
    assert "Use an account other than AT61 … 3201" in customer.get(path).text
    other = {"refund": refund_id, "holder": "Erika", "iban": "DE75512108001245126199"}
    confirm = customer.post(f"{path}/account", other)
    fields = {name: confirm.field(name) for name in ("refund", "version", "holder", "iban")}
    assert customer.post(f"{path}/account", fields | {"step": "confirm"}).status == 303
    named = world.client.rows("SELECT account_version, account_named_at FROM refunds WHERE shop_id = $1")
    assert named == [(3, world.clock.now)]  # D-37 counts its day from now


def test_nobody_redirects_a_refund_to_the_account_that_paid(customer: Customer) -> None:
    customer.world.paid("N-1", 10_000, amount=100)
    refund_id = customer.world.file("N-1", 20)
    path = customer.link("N-1")
    assert b'name="iban"' not in customer.get(path).body
    answer = customer.post(
        f"{path}/account",
        {"step": "confirm", "refund": refund_id, "version": "1", "holder": "Mallory", "iban": ERIKA},
    )
    assert answer.status == 409
    assert customer.world.client.rows("SELECT account_version FROM refunds WHERE shop_id = $1") == [(1,)]


def test_an_order_that_is_given_back_asks_for_nothing(customer: Customer) -> None:
    """The shop files a refund of all of an order of which its books show no payment (D-3)."""
    world = customer.world
    world.client.submit("G-1", amount=49.90, language="en", customerEmail="erika@example.com")
    path = customer.link("G-1")
    assert "to be paid € 49.90" in customer.get(path).text
    refund_id = world.file("G-1", 49.90)
    page = customer.get(path)
    assert (
        "Nothing to pay A refund is planned for this order. Please do not pay anything for this order any more."
        " Where should we transfer your refund of €49.90? If you have paid, we will transfer the refund once your"
        " payment has arrived. If you have not, you need not do anything."
    ) in page.text
    assert b'<section class="hero given-back">' in page.body
    for words in ("to be paid", "How to pay", "I have already paid", "Please pay by"):
        assert words not in page.text
    assert customer.get(f"{path}/payment-code").status == 404
    german = customer.get(f"{path}?lang=de").text
    assert (
        "Nichts zu zahlen Für diese Bestellung ist eine Erstattung vorgesehen."
        " Bitte zahlen Sie für diese Bestellung nichts mehr." in german
    )
    world.set_iban(refund_id)
    named = customer.get(path).text
    assert (
        "Nothing to pay" in named and "Refunds Once your payment has arrived to the account AT61 … 3201 €49.90" in named
    )
    world.cancel(refund_id)
    assert "to be paid € 49.90" in customer.get(path).text


def test_a_refund_of_a_part_is_told_beside_what_is_to_be_paid(customer: Customer) -> None:
    world = customer.world
    world.client.submit("G-2", amount=100, language="en", dueDate="16-03-2026")
    world.file("G-2", 30)
    page = customer.get(customer.link("G-2"))
    assert (
        "to be paid € 100.00 Please pay by 16 March 2026. Once your payment has arrived, we will refund €30.00 to you."
        " How to pay"
    ) in page.text
    asked = "Where should we transfer your refund of €30.00? We will transfer the refund once your payment has arrived."
    assert page.text.index("How to pay") < page.text.index(asked), "what comes first is told first"


def test_a_payment_that_covers_the_refund_ends_the_waiting(customer: Customer) -> None:
    world = customer.world
    world.client.submit("G-3", amount=100, language="en")
    world.file("G-3", 100)
    path = customer.link("G-3")
    pay(world.client, "G-3", 4_000)
    assert world.client.status("G-3") == "PAID_PARTIAL"
    part = customer.get(path).text
    assert "Nothing to pay" in part and "€40.00 of €100.00 received" not in part
    assert "Refunds Once your payment has arrived to the account" in part and "Payment received" in part
    pay(world.client, "G-3", 6_000)
    assert world.client.status("G-3") == "PAID"
    whole = customer.get(path).text
    assert "Paid. Thank you!" in whole and "Refunds Planned for 3 March 2026 at the earliest" in whole


def test_only_who_may_still_pay_is_told_that_a_refund_waits_for_it(customer: Customer) -> None:
    """Of an order that the shop has set paid, or cancelled, no payment is awaited."""
    path, _ = refund_of_a_customer(customer, "G-4")
    assert "Paid. Thank you!" in customer.get(path).text
    assert "once your payment has arrived" not in customer.get(path).text
    customer.world.client.post("order/G-4/cancel")
    assert "Cancelled" in customer.get(path).text
    assert "once your payment has arrived" not in customer.get(path).text


def test_an_invoice_is_only_for_its_order(customer: Customer) -> None:
    world = customer.world
    for number in ("I-1", "I-2"):
        world.client.submit(number, amount=10, language="en")
        key = customer.files.put(b"%PDF-1.7 of " + number.encode(), "pdf")
        world.client.rows(
            f"INSERT INTO invoices VALUES ($1, '{number}', 'R/{number} ü', '{key}', 'application/pdf', 15, '', now())"
            " RETURNING 1"
        )
    mine, theirs = (customer.get(customer.link(number)).body.decode() for number in ("I-1", "I-2"))
    mark, other = (page.partition("/invoice/")[2].partition('"')[0] for page in (mine, theirs))
    file = customer.get(f"{customer.link('I-1')}/invoice/{mark}")
    assert (file.status, file.body) == (200, b"%PDF-1.7 of I-1")
    assert file.headers["Content-Type"] == "application/pdf"
    assert file.headers["Content-Disposition"] == 'attachment; filename="R_I-1__.pdf"'
    for wrong in (other, mark[:-1], "", "../../etc/passwd", quote("R/I-1", safe="")):
        assert customer.get(f"{customer.link('I-1')}/invoice/{wrong}").status == 404


def test_every_wrong_link_gets_the_same_answer(customer: Customer, database: Database, tmp_path: Path) -> None:
    world = customer.world
    world.client.submit("T-1", amount=10)
    other = Customer(RefundWorld(database, tmp_path, clock=world.clock), DirectoryFiles(tmp_path))
    other.world.client.submit("T-1", amount=10)
    path, foreign = customer.link("T-1"), other.link("T-1")
    token = path.removeprefix("/p/")
    assert token != foreign.removeprefix("/p/")
    secret = foreign.removeprefix("/p/")[-32:]

    def bare(answer: bytes) -> bytes:
        return answer.replace(answer.partition(b'nonce="')[2].partition(b'"')[0], b"")

    nowhere = [
        "/p/", "/p/x", f"/p/{token[:-1]}", f"/p/{token}A", f"/p/{token[:-1]}{'A' if token[-1] != 'A' else 'B'}",
        f"/p/{token[:22]}{secret}", f"/p/{token.swapcase()}", f"{path}/unknown", f"/p/{'A' * TOKEN_LENGTH}",
        "/p/%00", f"{path}/paid",
    ]  # fmt: skip
    answers = [customer.get(each, f"203.0.113.{place}") for place, each in enumerate(nowhere)]
    world.client.rows("UPDATE order_links SET expires_at = now() - interval '20 years' WHERE shop_id = $1 RETURNING 1")
    answers.append(customer.get(path, "203.0.113.100"))
    renewed = customer.link("T-1")
    assert (renewed != path, customer.get(renewed).status) == (True, 200)
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        assert links.revoke(tx, "T-1") is True
        assert links.revoke(tx, "T-1") is False
    answers += [customer.get(renewed, "203.0.113.101"), customer.post(f"{renewed}/paid", None, "203.0.113.102")]
    again = customer.link("T-1")
    world.client.change(status="paused")
    answers.append(customer.get(again, "203.0.113.103"))
    world.client.change(status="active")
    answers.append(customer.post(f"{again}/paid", None, "203.0.113.104", sec_fetch_site="cross-site"))
    assert {answer.status for answer in answers} == {404}
    assert len({bare(answer.body) for answer in answers}) == 1
    assert len({tuple(sorted(set(answer.headers) - {"Content-Security-Policy"})) for answer in answers}) == 1
    assert customer.get(again).status == 200
    assert entries(customer, "T-1")[0] == ("link-revoked", "program")


def test_a_link_lives_for_half_a_year_from_when_it_was_last_handed_out(customer: Customer) -> None:
    customer.world.client.submit("V-1", amount=10)
    path = customer.link("V-1")
    customer.world.pass_days(100)
    assert customer.link("V-1") == path
    customer.world.pass_days(179)
    assert customer.get(path).status == 200
    customer.world.pass_days(1)
    assert customer.get(path).status == 404


def test_the_link_is_stored_as_its_hash_and_sealed(customer: Customer) -> None:
    customer.world.client.submit("H-1", amount=10)
    token = customer.link("H-1").removeprefix("/p/")
    ((stored, sealed),) = customer.world.client.rows("SELECT token_hash, token FROM order_links WHERE shop_id = $1")
    assert bytes(stored) == hash_of(token)
    assert sealed.startswith("~1.")
    assert token not in sealed


def test_who_tries_links_is_stopped_and_others_are_not(customer: Customer) -> None:
    customer.world.client.submit("R-1", amount=10)
    path = customer.link("R-1")
    tried = [customer.get(f"/p/{place}").status for place in range(25)]
    assert (tried.count(404), tried.count(429)) == (20, 5)
    assert customer.get(path).status == 429
    assert customer.get(path, "198.51.100.1").status == 200
    said = [customer.post(f"{path}/paid", None, f"198.51.100.{place}").status for place in range(12)]
    assert (said.count(303), said.count(429)) == (10, 2)


def test_several_server_processes_count_together(customer: Customer) -> None:
    """Each of them has a wall of its own in front; a right link is not known from a wrong one behind it."""
    customer.world.client.submit("P-1", amount=10)
    path, world = customer.link("P-1"), customer.world
    processes = [Customer(world, customer.files) for _ in range(4)]
    tried = [process.get(f"/p/{place}").status for place in range(10) for process in processes]
    assert (tried.count(404), tried.count(429)) == (20, 20)
    assert [process.get(path).status for process in processes] == [429] * 4
    assert [process.get(path, "198.51.100.7").status for process in processes] == [200] * 4
    said = [
        process.post(f"{path}/paid", None, f"198.51.100.{place}").status for place in range(5) for process in processes
    ]
    assert (said.count(303), said.count(429)) == (10, 10)
    world.clock.now += timedelta(seconds=12)  # one more wrong link, and no more
    assert [process.get("/p/x").status for process in processes] == [404, 429, 429, 429]
    world.clock.now += timedelta(minutes=5)
    assert processes[0].get(path).status == 200
    with world.database.of_all_shops() as tx:
        assert tx.value("SELECT count(*) FROM page_allowances WHERE full_at < $1", world.clock.now) == 0, "forgotten"


def test_requests_at_one_moment_are_counted_each(customer: Customer) -> None:
    processes = [Customer(customer.world, customer.files) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        tried = [*pool.map(lambda place: processes[place % 4].get(f"/p/{place}").status, range(60))]
    assert (tried.count(404), tried.count(429)) == (20, 40)


def test_limits_fill_up_again_and_forget() -> None:
    now = [0.0]
    limits = RateCounts(Allowance(at_once=2, per_minute=60), lambda: now[0])
    assert [limits.take("a"), limits.take("a"), limits.take("a"), limits.take("b")] == [True, True, False, True]
    now[0] = 1.0
    assert [limits.has("a"), limits.take("a"), limits.has("a")] == [True, True, False]
    now[0] = 1e6
    assert [limits.take("a"), limits.take("a"), limits.take("a")] == [True, True, False]


@pytest.mark.parametrize(("address", "name"), [
    ("203.0.113.7", "203.0.113.7"), ("2001:db8:1:2::9", "2001:0db8:0001:0002"),
    ("2001:db8:1:2:ffff::", "2001:0db8:0001:0002"), ("unix", "unix"),
])  # fmt: skip
def test_neighbours_of_ipv6_count_as_one(address: str, name: str) -> None:
    assert neighbourhood(address) == name


def test_tokens_name_their_shop_or_none(customer: Customer) -> None:
    token = link_token(customer.world.client.id, bytes(range(24)))
    assert (len(token), shop_of(token)) == (TOKEN_LENGTH, customer.world.client.id)
    for wrong in ("", "x", token[:-1], token + "A", "ä" * TOKEN_LENGTH, "!" * TOKEN_LENGTH):
        assert shop_of(wrong) == NO_SHOP


def test_who_was_handed_over_reads_whom_to_pay(customer: Customer) -> None:
    shop, now = customer.world.client.shop, customer.world.clock.now
    customer.world.client.submit("A-1", amount=250)
    with customer.world.database.of_shop(shop, at=now) as tx:
        cases.set_agency(tx, {"name": "Inkasso <Nord>", "channel": "folder"})
        cases.hand_over(tx, "A-1")
        cases.set_agency(tx, {"name": "Another"})
    page = customer.get(f"{customer.link('A-1')}?lang=en")
    assert "Please pay to Inkasso &lt;Nord&gt;, the agency that has written to you." in page.text
    assert "How to pay" not in page.text
