"""The queue of postings: what each form does, what is refused, what is undone, and who may."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.transactions import ShopId
from paymatch.usecases.audit import record
from paymatch.usecases.matching.queue import Line
from paymatch.usecases.orders import orders
from paymatch.usecases.shops import shops
from tests.area.conftest import Person
from tests.contract.client import Clock
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

CARRIER = {"counterparty_name": "DPD Deutschland GmbH", "counterparty_iban": "DE02120300000000202051"}


@dataclass(frozen=True)
class Desk:
    """A clerk, the shop's books, and the ids of its open postings by payment text."""

    clerk: Person
    books: Books

    @property
    def ids(self) -> dict[str, str]:
        return dict(self.books.rows("SELECT remittance, id FROM postings WHERE shop_id = $1 ORDER BY id"))

    def status(self, text: str) -> str:
        return str(dict(self.books.rows("SELECT remittance, status FROM postings WHERE shop_id = $1"))[text])

    def allocations(self) -> list[tuple[Any, ...]]:
        return self.books.rows(
            "SELECT order_number, amount_minor, withheld_minor, fee_kind, by_hand FROM allocations WHERE shop_id = $1"
            " ORDER BY 1"
        )

    def actors(self) -> list[tuple[Any, ...]]:
        return self.books.rows(
            "SELECT deed, actor_kind, actor FROM audit_log WHERE shop_id = $1 ORDER BY seq DESC LIMIT 1"
        )

    def stamp(self, text: str, person: Person | None = None) -> str:
        """The posting's stamp, from the form of its page."""
        page = (person or self.clerk).get(f"postings/{self.ids[text]}")
        return str(field(page, "stamp"))

    def decide(self, text: str, person: Person | None = None, **form: Any) -> Any:
        """Sends a form of the posting's page."""
        form.setdefault("stamp", self.stamp(text, person))
        return (person or self.clerk).post(f"postings/{self.ids[text]}", form)


def field(answer: Any, name: str) -> str:
    """The value of the last hidden field of this name."""
    found = re.findall(rf'name="{name}" value="([^"]*)"', answer.content.decode())
    return str(found[-1]) if found else ""


def text(answer: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


@pytest.fixture
def desk(service: Service, new_shop: Callable[..., Shop], sign_in: Callable[..., Person], area_clock: Clock) -> Desk:
    """Two orders that one payment may be for, a payment that names none, and a carrier's payout."""
    shop = new_shop(ibans=[ACCOUNT])
    books = Books(service.database, shop, now=area_clock.now)
    books.order("SO-471101", "30.00")
    books.order("SO-471102", "30.00")
    books.order(
        "61001",
        "100.00",
        type="COD",
        shippingNumbers=["01234567890123"],
        billing={"lastName": "Kunde", "countryCode": "DE"},
    )
    books.bring(
        camt(
            CamtMessage.STATEMENT,
            paid(3000, "Muster"),
            paid(777, "Spende", counterparty_name="Unbekannt"),
            paid(7000, "Nachnahme 01234567890123", **CARRIER),
        )
    )
    return Desk(sign_in(TeamRole.CLERK, shop), books)


def test_list_and_detail_stand_side_by_side(desk: Desk) -> None:
    answer = desk.clerk.get("postings")
    shown = text(answer)
    assert answer.status_code == 200
    assert "To decide 2 Collective 1 Set aside 0 Decided 0" in shown
    assert "30.00 EUR Eva Muster" in shown
    assert "The amount is exactly what is open" in shown
    assert "Held back:" in shown
    assert "Book to SO-471101" in shown or "Book to SO-471102" in shown


@pytest.mark.parametrize(("place", "number"), [(1, "SO-471101"), (2, "SO-471102")])
def test_what_happened_to_the_chosen_order_so_far(desk: Desk, place: int, number: str) -> None:
    shown = text(desk.clerk.get(f"postings/{desk.ids['Muster']}?candidate={place}"))
    (told,) = re.findall(
        r"Order ([^ ]+) so far .*? Due 30\.00 EUR Credited 0\.00 EUR .*? (Submitted by the shop)", shown
    )
    assert told == (number, "Submitted by the shop")


def test_a_customer_who_says_that_it_is_paid_is_seen_in_the_queue(desk: Desk) -> None:
    with desk.books.database.of_shop(desk.books.shop) as tx:
        record(tx, desk.books.shop, AuditAction.CUSTOMER_SAYS_PAID, "SO-471101")
    shown = text(desk.clerk.get(f"postings/{desk.ids['Muster']}"))
    assert "The customer says that the payment was made" in shown


def test_tabs_search_and_filters_stand_in_the_address(desk: Desk) -> None:
    def rows(query: str) -> list[str]:
        page = desk.clerk.get(f"postings?{query}").content.decode()
        return re.findall(r'<span class="q-who">([^<]+)</span>', page)

    assert rows("tab=collective") == ["DPD Deutschland GmbH"]
    assert rows("q=muster") == ["Eva Muster"]
    assert rows("q=7.77") == ["Unbekannt"]
    assert rows("q=30,00") == ["Eva Muster"]
    assert rows("q=SO-471102") == ["Eva Muster"]
    assert rows("kind=without") == ["Unbekannt"]
    assert rows("kind=with") == ["Eva Muster"]
    assert rows("q=nothing+like+it") == []


def test_pages_follow_each_other_by_key(desk: Desk) -> None:
    from paymatch.store.statements.posting_queue import QueueFilter
    from paymatch.usecases.matching import queue

    with desk.books.database.of_shop(desk.books.shop, at=desk.books.now) as tx:
        wanted = QueueFilter("decide")
        first, place = queue.list_postings(tx, wanted, limit=1)
        second, end = queue.list_postings(tx, wanted, after=place, limit=1)
    assert [row["remittance"] for row in (*first, *second)] == ["Muster", "Spende"]
    assert end == []
    page = desk.clerk.get(f"postings?after={'|'.join(place)}").content.decode()
    assert re.findall(r'<span class="q-who">([^<]+)</span>', page) == ["Unbekannt"]


@pytest.mark.parametrize("after", ["x", "a|b|c", "suggested|2026-13-45|x", "||", "a|b"])
def test_a_place_that_is_none_is_the_first_page(desk: Desk, after: str) -> None:
    answer = desk.clerk.get("postings", data={"after": after})
    assert answer.status_code == 200
    assert "Eva Muster" in text(answer)


def test_export_has_the_filter(desk: Desk) -> None:
    answer = desk.clerk.get("postings?tab=collective&format=csv")
    lines = b"".join(answer.streaming_content).decode().splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("id,booking_date,counterparty_name")
    assert "DPD Deutschland GmbH" in lines[1]
    book = desk.clerk.get("postings?format=xlsx")
    assert b"".join(book.streaming_content)[:2] == b"PK"
    book.close()


@pytest.mark.parametrize("place", [1, 2])
def test_a_candidate_is_booked_by_a_form(desk: Desk, place: int) -> None:
    page = desk.clerk.get(f"postings/{desk.ids['Muster']}?candidate={place}")
    (number,) = re.findall(r"Book to (SO-\d+)<kbd", page.content.decode())
    answer = desk.decide("Muster", do="match", candidate=place, next=desk.ids["Spende"], back="tab=decide&q=x&evil=1")
    assert answer["Location"] == f"/shops/{desk.books.shop.id}/postings/{desk.ids['Spende']}?tab=decide&q=x"
    assert desk.allocations() == [(number, 3000, 0, None, True)]
    assert desk.actors() == [("posting-matched", "person", desk.clerk.email)]
    toast = text(desk.clerk.get("postings"))
    assert f"30.00 EUR booked to {number}" in toast
    assert "Paid · callbacks are off" in toast
    desk.books.sound()


def test_one_key_undoes_and_another_time_there_is_nothing(desk: Desk) -> None:
    desk.decide("Muster", do="match", candidate=1)
    answer = desk.clerk.post("postings")
    assert answer["Location"] == f"/shops/{desk.books.shop.id}/postings/{desk.ids['Muster']}"
    assert desk.allocations() == []
    assert desk.status("Muster") == "suggested"
    assert "Undone." in text(desk.clerk.get("postings"))
    assert "There is nothing to undo." in text(desk.clerk.post("postings", follow=True))
    desk.books.sound()


def test_what_was_decided_is_shown_and_undone_from_its_page(desk: Desk) -> None:
    desk.decide("Muster", do="match", candidate=1)
    page = desk.clerk.get(f"postings/{desk.ids['Muster']}?tab=decided")
    assert "Booked by hand" in text(page)
    assert "Undo the match" in text(page)
    assert "Decided 1" in text(page)
    desk.decide("Muster", do="undo")
    assert desk.allocations() == []


def test_two_clerks_never_decide_one_twice(desk: Desk, sign_in: Callable[..., Person]) -> None:
    other = sign_in(TeamRole.CLERK, desk.books.shop)
    seen = desk.stamp("Muster", other)
    desk.decide("Muster", do="match", candidate=1)
    booked = desk.allocations()
    forms: tuple[dict[str, Any], ...] = (
        {"do": "match", "candidate": 2}, {"do": "aside", "reason": "later"}, {"do": "undo"},
    )  # fmt: skip
    for form in forms:
        answer = desk.decide("Muster", other, stamp=seen, **form)
        assert f"{desk.clerk.email} has already decided this posting. Nothing was changed." in text(answer)
        assert desk.allocations() == booked
    assert [row[0] for row in desk.books.rows("SELECT aside_reason FROM postings WHERE shop_id = $1")] == ["", "", ""]


def test_undo_leaves_what_another_clerk_decided_since(
    desk: Desk, sign_in: Callable[..., Person], area_clock: Clock
) -> None:
    other = sign_in(TeamRole.CLERK, desk.books.shop)
    desk.decide("Muster", do="match", candidate=1)
    area_clock.pass_time(seconds=1)
    desk.decide("Muster", other, do="undo")
    desk.decide("Muster", other, do="match", candidate=1)
    booked = desk.allocations()
    answer = desk.clerk.post("postings", follow=True)
    assert "One posting has changed since, and stays as it is." in text(answer)
    assert desk.allocations() == booked


def test_who_looks_at_a_posting_is_shown_to_others(
    desk: Desk, sign_in: Callable[..., Person], area_clock: Clock
) -> None:
    other = sign_in(TeamRole.CLERK, desk.books.shop)
    other.get(f"postings/{desk.ids['Spende']}")
    page = text(desk.clerk.get("postings"))
    who = f"{other.email} is looking at this"
    assert page.count(who) == 1
    area_clock.pass_time(minutes=3)
    assert who not in text(desk.clerk.get("postings"))


@pytest.mark.parametrize(("how", "status", "tab"), [("wait", "unmatched", "aside"), ("ignore", "ignored", "decided")])
def test_set_aside_with_a_reason_and_back(desk: Desk, how: str, status: str, tab: str) -> None:
    assert "Give a reason" in text(desk.decide("Muster", do="aside", how=how, reason="  "))
    assert desk.status("Muster") == "suggested"
    desk.decide("Muster", do="aside", how=how, reason="asks the bank")
    assert desk.status("Muster") == status
    page = desk.clerk.get(f"postings?tab={tab}")
    assert "asks the bank" in text(page)
    desk.decide("Muster", do="undo")
    assert desk.status("Muster") == "suggested"


def test_a_comment_is_kept_with_its_author(desk: Desk) -> None:
    assert "Write a comment first" in text(desk.decide("Spende", do="comment", said=" "))
    desk.decide("Spende", do="comment", said="Asked <b>Eva</b>")
    page = desk.clerk.get(f"postings/{desk.ids['Spende']}").content.decode()
    assert "Asked &lt;b&gt;Eva&lt;/b&gt;" in page
    assert desk.books.rows("SELECT author, said FROM posting_comments WHERE shop_id = $1") == [
        (desk.clerk.email, "Asked <b>Eva</b>")
    ]


def test_split_over_orders_with_what_was_withheld(desk: Desk) -> None:
    """30.00 for two orders: 20.00 credited to one, 11.00 with 1.00 withheld to the other."""
    page = desk.clerk.get(f"postings/{desk.ids['Muster']}?split=1")
    assert "Split over 1 order" in text(page)
    form: dict[str, Any] = {
        "do": "draft", "part": ["SO-471101", "SO-471102"], "credited": ["20", "11,00"], "withheld": ["", "1.00"],
        "kind": "BANK_CHARGE",
    }  # fmt: skip
    drafted = desk.decide("Muster", **form)
    assert "Sum 31.00 1.00" in text(drafted)
    assert "0.00 left" in text(drafted)
    assert desk.allocations() == []
    desk.decide("Muster", **form | {"do": "split"})
    assert desk.allocations() == [("SO-471101", 2000, 0, None, True), ("SO-471102", 1000, 100, "BANK_CHARGE", True)]
    desk.books.sound()


def test_a_split_that_cannot_be_booked_loses_nothing(desk: Desk) -> None:
    form: dict[str, Any] = {
        "do": "split",
        "part": ["SO-471101", "SO-9"],
        "credited": ["abc", "10"],
        "withheld": ["", ""],
    }
    answer = desk.decide("Muster", **form)
    assert answer.status_code == 200
    assert "Write an amount such as 12.50" in text(answer)
    assert "There is no order of this number" in text(answer)
    assert 'value="abc"' in answer.content.decode()
    assert "The parts add up to more than the posting" in text(
        desk.decide("Muster", do="split", part=["SO-471101"], credited=["31"], withheld=[""])
    )
    assert "Add at least one order." in text(desk.decide("Muster", do="split"))
    assert desk.allocations() == []


def test_orders_are_found_added_and_removed(desk: Desk) -> None:
    found = desk.decide("Spende", do="draft", find="Muster")
    assert found.content.decode().count('name="add"') == 2
    added = desk.decide("Spende", add="SO-471102")
    assert 'name="credited" inputmode="decimal" autocomplete="off" value="7.77"' in added.content.decode()
    assert "0.00 left" in text(added)
    dropped = desk.decide("Spende", part="SO-471102", credited="7.77", withheld="", drop="SO-471102")
    assert 'name="part"' not in dropped.content.decode()
    assert desk.allocations() == []


def test_without_a_candidate_it_says_what_was_looked_for_and_what_is_near(desk: Desk) -> None:
    desk.books.order("SO-9", "8.00", billing={"lastName": "Halt", "countryCode": "DE"})
    desk.books.order("SO-8", "70.00", billing={"firstName": "Ute", "lastName": "Unbekannt", "countryCode": "DE"})
    page = desk.clerk.get(f"postings/{desk.ids['Spende']}")
    shown = text(page)
    assert "Searched for: Unbekannt 7.77 EUR · the payment text contains no number" in shown
    keys = re.findall(r'data-key="([1-5])"><kbd aria-hidden="true">[1-5]</kbd><strong>([^<]+)', page.content.decode())
    assert keys == [("1", "SO-8"), ("2", "SO-9")]
    assert "1 SO-8 Ute Unbekannt Open name 70.00 −62.23" in shown
    assert "2 SO-9 Halt Open amount 8.00 −0.23" in shown
    picked = desk.clerk.get(f"postings/{desk.ids['Spende']}?split=1&add=SO-9")
    assert 'name="credited" inputmode="decimal" autocomplete="off" value="7.77"' in picked.content.decode()
    assert desk.allocations() == []


@pytest.mark.parametrize(("do", "field"), [("aside", "reason"), ("comment", "said")])
def test_what_a_form_lacks_stands_beside_its_field(desk: Desk, do: str, field: str) -> None:
    form = {"do": do, field: "  ", "stamp": desk.stamp("Muster")}
    page = desk.clerk.post(f"postings/{desk.ids['Muster']}", form).content.decode()
    (box,) = re.findall(rf'<details class="menu up q-form" id="q-{do}" open>.*?</details>', page, re.DOTALL)
    assert f'aria-describedby="q-{field}-error"' in box and f'<p class="error" id="q-{field}-error">' in box
    assert desk.status("Muster") == "suggested"


def test_usual_reasons_set_a_posting_aside_by_one_button(desk: Desk) -> None:
    page = desk.clerk.get(f"postings/{desk.ids['Spende']}").content.decode()
    reasons = re.findall(r'<button class="btn" name="reason" value="([^"]+)"', page)
    assert len(reasons) == 5
    desk.decide("Spende", do="aside", how="ignore", reason=reasons[-1])
    assert desk.status("Spende") == "ignored"
    desk.clerk.post("postings")
    assert desk.status("Spende") == "unmatched"


def test_who_only_reads_is_led_to_the_orders_that_are_near(desk: Desk, sign_in: Callable[..., Person]) -> None:
    desk.books.order("SO-9", "8.00", billing={"lastName": "Halt", "countryCode": "DE"})
    viewer = sign_in(TeamRole.VIEWER, desk.books.shop)
    page = viewer.get(f"postings/{desk.ids['Spende']}").content.decode()
    assert f'href="/shops/{desk.books.shop.id}/orders/SO-9"><strong>SO-9' in page
    assert "What usually helps" not in page and 'name="find"' not in page


def test_a_payers_fee_is_confirmed_by_booking_it(desk: Desk) -> None:
    """The carrier keeps 30 of 100: more than usual, so a person says that this is its fee."""
    page = desk.clerk.get(f"postings/{desk.ids['Nachnahme 01234567890123']}?tab=collective&split=1&fill=fee")
    shown = text(page)
    assert "What this payer keeps" in shown
    assert "This time it kept 30.00 EUR, 30.0 % of the gross." in shown
    desk.decide("Nachnahme 01234567890123", do="match", candidate=1, sure=1)
    assert desk.allocations() == [("61001", 7000, 3000, "DELIVERY_FEE", True)]
    assert desk.books.status("61001") == "PAID"


def test_many_are_accepted_at_once_and_undone_at_once(desk: Desk) -> None:
    preview = desk.clerk.get("postings/accept?tab=collective&least=50")
    ids, stamps, opens = (
        re.findall(rf'name="{name}" value="([^"]*)"', preview.content.decode()) for name in ("accept", "stamp", "open")
    )
    form = {"accept": ids, "posting": ids, "stamp": stamps, "open": opens}
    answer = desk.clerk.post("postings/accept", form)
    assert answer["Location"] == f"/shops/{desk.books.shop.id}/postings"
    assert len(desk.allocations()) == 1
    again = desk.clerk.post("postings/accept", form, follow=True)
    assert "DPD Deutschland GmbH 70.00 EUR → 61001 Paid" in text(again)
    assert "One posting was left out." in text(again)
    assert "DPD Deutschland GmbH 70.00 EUR: This posting has changed since you looked at it." in text(again)
    desk.clerk.post("postings")
    assert desk.allocations() == []
    desk.books.sound()


def test_only_what_is_exact_to_the_cent_is_ticked(desk: Desk) -> None:
    """The carrier keeps 30.00: the order would be paid, and a person looks at what is withheld."""
    page = desk.clerk.get("postings/accept?tab=collective&least=50")
    shown = text(page)
    assert "0 postings are exact to the cent and ticked" in shown
    assert "To check: 1 not ticked, each for the reason beside it" in shown
    assert "100.00 EUR 70.00 EUR −30.00 Paid 30.00 EUR would be withheld" in shown
    assert " checked" not in re.findall(r'<input type="checkbox" name="accept"[^>]*>', page.content.decode())[0]


def test_the_usual_limits_are_one_press_away(desk: Desk) -> None:
    page = desk.clerk.get("postings/accept?tab=collective&least=85").content.decode()
    assert re.findall(r'<a href="(\?tab=collective&amp;least=\d+)"( aria-current="true")?>(\d+) %</a>', page) == [
        ("?tab=collective&amp;least=92", "", "92"),
        ("?tab=collective&amp;least=85", ' aria-current="true"', "85"),
        ("?tab=collective&amp;least=75", "", "75"),
    ]


def test_a_second_suggestion_for_one_order_is_not_ticked(desk: Desk) -> None:
    from decimal import Decimal

    from paymatch.store.statements.posting_queue import QueueFilter
    from paymatch.usecases.matching import queue

    with desk.books.database.of_shop(desk.books.shop, at=desk.books.now) as tx:
        (row,) = queue.likely_suggestions(tx, QueueFilter("decide"), Decimal(0))
        first, second = queue.proposed_bookings(tx, [row, row])
    assert (first.doubt, first.taken_by, first.candidate.difference_minor) == (None, None, 0)
    assert (second.doubt, second.taken_by) == (queue.Doubt.TAKEN, row)


@pytest.mark.parametrize("opens", ["2999", "", "x", "9" * 30])
def test_many_are_not_booked_to_an_order_that_has_changed_meanwhile(desk: Desk, opens: str) -> None:
    """Two ticked lines of one order: the first one changes what the second was shown."""
    ids, stamps = [desk.ids["Muster"]], [desk.stamp("Muster")]
    form = {"accept": ids, "posting": ids, "stamp": stamps, "open": [opens]}
    answer = desk.clerk.post("postings/accept", form, follow=True)
    assert "What its order has open has changed since you looked at it. Nothing was booked" in text(answer)
    assert (desk.allocations(), desk.status("Muster")) == ([], "suggested")
    assert desk.clerk.post("postings/accept", form | {"open": ["3000"]}, follow=True).status_code == 200
    assert len(desk.allocations()) == 1


def test_the_preview_says_why_what_is_left_out_is_left_out(desk: Desk) -> None:
    shown = text(desk.clerk.get("postings/accept?least=100"))
    assert "2 postings are left out" in shown
    assert ("Less probable than 100 %" in shown, "No order was found for it" in shown) == (True, True)


def test_only_what_was_ticked_is_accepted(desk: Desk) -> None:
    ids = [desk.ids["Muster"]]
    answer = desk.clerk.post(
        "postings/accept", {"posting": ids, "stamp": [desk.stamp("Muster")], "open": ["3000"]}, follow=True
    )
    assert "No posting was chosen." in text(answer)
    assert desk.allocations() == []


def test_done_for_today(desk: Desk) -> None:
    for each in ("Muster", "Spende", "Nachnahme 01234567890123"):
        desk.decide(each, do="aside", reason="later")
    shown = text(desk.clerk.get("postings"))
    assert "Done for today" in shown
    assert "Every posting has an order or a reason." in shown


@pytest.mark.parametrize("role", [TeamRole.VIEWER, TeamRole.DEVELOPER])
def test_who_may_only_read_decides_nothing(desk: Desk, sign_in: Callable[..., Person], role: TeamRole) -> None:
    reader = sign_in(role, desk.books.shop)
    page = reader.get(f"postings/{desk.ids['Muster']}").content.decode()
    assert "Eva Muster" in page
    assert 'name="stamp"' not in page
    for path, form in (
        (f"postings/{desk.ids['Muster']}", {"do": "match", "candidate": 1, "stamp": desk.stamp("Muster")}),
        ("postings", {}),
        ("postings/accept", {"accept": [desk.ids["Muster"]]}),
    ):
        assert reader.post(path, form).status_code == 403
    assert desk.allocations() == []
    assert "somebody is looking" not in text(desk.clerk.get("postings"))


def test_another_shops_posting_does_not_exist(desk: Desk, sign_in: Callable[..., Person]) -> None:
    stranger = sign_in()
    assert stranger.get(f"postings/{desk.ids['Muster']}").status_code == 404
    assert stranger.post(f"postings/{desk.ids['Muster']}", {"do": "match", "candidate": 1}).status_code == 404
    assert desk.allocations() == []


def test_what_a_form_cannot_say_is_refused(desk: Desk) -> None:
    forms: tuple[dict[str, Any], ...] = (
        {"do": "match", "candidate": "9"},
        {"do": "match", "candidate": "x", "stamp": "0" * 32},
        {"do": "undo"},
        {"do": "nothing"},
    )
    for form in forms:
        assert desk.decide("Muster", **form).status_code == 200
    answer = desk.decide("Muster", do="aside", reason="x", next="//evil.example/")
    assert answer["Location"] == f"/shops/{desk.books.shop.id}/postings"


def test_reasons_and_evidence_are_german_on_a_german_page(desk: Desk) -> None:
    """Of a decision that was kept without what its words were made from, the words stay as they are."""
    headers = {"accept-language": "de"}
    page = text(desk.clerk.get(f"postings/{desk.ids['Muster']}", headers=headers))
    assert "Zurückgehalten: der Verwendungszweck nennt keine Bestellung, und der Name ist nicht der des Kunden" in page
    assert "Der Betrag ist genau der offene Betrag" in page
    assert "the amount" not in page and "names no order" not in page
    assert "+7,5" in page and "+7.5" not in page
    payout = text(desk.clerk.get(f"postings/{desk.ids['Nachnahme 01234567890123']}", headers=headers))
    assert "30,0 % einbehalten: Gebühr des Zahlers bestätigen" in payout
    with desk.books.database.of_shop(desk.books.shop) as tx:
        tx.run(
            "UPDATE postings SET decision = replace(decision, $2, 'the sum was') WHERE shop_id = $1",
            *(desk.books.shop.id, "the amount is exactly"),
        )
    assert "The sum was what is open" in text(desk.clerk.get(f"postings/{desk.ids['Muster']}", headers=headers))


def sent(desk: Desk) -> list[tuple[str, float]]:
    """(status, seconds from being queued to the first attempt) of the callbacks, in their order."""
    return [
        (row[0], float(row[1]))
        for row in desk.books.rows(
            "SELECT status, coalesce(extract(epoch FROM first_due_at - queued_at), 0) FROM callbacks WHERE shop_id = $1"
            " ORDER BY event_seq"
        )
    ]


@pytest.mark.parametrize(
    ("seconds", "status", "said"), [(9, "WITHDRAWN", "Undone. No callback is sent."), (11, "PENDING", "Undone.")]
)
def test_what_is_undone_within_the_grace_calls_nobody(
    desk: Desk, service: Service, area_clock: Clock, seconds: int, status: str, said: str
) -> None:
    """Afterwards a second callback corrects the first. Without a person's decision they are sent at once (D-18)."""
    with service.database.of_shop(desk.books.shop) as tx:
        shops.change(tx, {"callback-url": "https://shop.example/hook", "callbacks": "on"})
    desk.decide("Muster", do="match", candidate=1)
    assert 'callback is sent in <span data-seconds="10">10</span> s' in desk.clerk.get("postings").content.decode()
    area_clock.pass_time(seconds=seconds)
    assert said in text(desk.clerk.post("postings", follow=True))
    assert sent(desk) == [(status, 10), (status, 10)]
    with service.database.of_shop(ShopId(desk.books.shop.id), at=area_clock()) as tx:
        orders.set_paid(tx, "61001")
    assert sent(desk)[2:] == [("PENDING", 0)]
    desk.books.sound()


def test_what_is_not_exact_is_asked_once_more(desk: Desk) -> None:
    answer = desk.decide("Nachnahme 01234567890123", do="match", candidate=1)
    assert answer.status_code == 200
    assert "Something is withheld" in text(answer)
    assert 'name="sure" value="1"' in answer.content.decode()
    assert desk.allocations() == []
    assert desk.decide("Muster", do="match", candidate=1).status_code == 302  # exact: once is enough
    number = desk.allocations()[0][0]
    desk.books.bring(camt(CamtMessage.STATEMENT, paid(3310, f"{number} noch einmal"), number=2))
    stored = desk.books.rows("SELECT status FROM postings WHERE shop_id = $1 AND remittance LIKE '%noch einmal'")
    assert stored == [("suggested",)]
    again = f"{number} noch einmal"
    page = text(desk.clerk.get(f"postings/{desk.ids[again]}"))
    assert "Overpaid by 33.10 EUR" in page
    assert "short by" not in page
    asked = desk.decide(again, do="match", candidate=1)
    assert "33.10 EUR was paid too much." in text(asked)
    assert desk.status(again) == "suggested"
    desk.decide(again, do="match", candidate=1, sure=1)
    assert desk.status(again) == "matched"


def test_a_reason_has_a_key_is_remembered_and_becomes_a_rule(desk: Desk) -> None:
    bank = {"counterparty_name": "Kartenbank", "counterparty_iban": "DE02120300000000202051"}
    three = [paid(5000 + place, f"Abrechnung {place}", **bank) for place in (1, 2, 3)]
    desk.books.bring(camt(CamtMessage.STATEMENT, *three, number=2))
    assert "As last time" not in text(desk.clerk.get(f"postings/{desk.ids['Abrechnung 1']}"))
    desk.decide("Abrechnung 1", do="aside", usual="card")
    assert desk.status("Abrechnung 1") == "ignored"
    page = text(desk.clerk.get(f"postings/{desk.ids['Abrechnung 2']}"))
    assert "As last time: Card settlement" in page
    assert "Always do this O" not in page
    answer = desk.decide("Abrechnung 2", do="aside", usual_last="1")
    assert desk.status("Abrechnung 2") == "ignored"
    shown = desk.clerk.get(answer["Location"]).content.decode()
    offered = re.search(r'href="([^"]+rules/new[^"]+)" data-file data-offered-rule', shown)
    assert offered is not None
    assert desk.ids["Abrechnung 2"] in offered[1]
    assert 'value="Card settlement"' in desk.clerk.get(offered[1]).content.decode()


def test_a_posting_that_says_itself_that_it_is_for_no_order_gets_its_reason_by_one_key(desk: Desk) -> None:
    terminal = paid(5000, "Kartenumsatz Terminal 5540012", counterparty_name="Netzbetreiber", counterparty_iban="")
    desk.books.bring(camt(CamtMessage.STATEMENT, terminal, number=2))
    posting = "Kartenumsatz Terminal 5540012"
    assert "By its text: Card settlement" in text(desk.clerk.get(f"postings/{desk.ids[posting]}"))
    desk.decide(posting, do="aside", usual_last="1")
    assert desk.status(posting) == "ignored"


def test_words_and_numbers_that_were_found_are_marked(service: Service) -> None:
    assert service.database is not None
    from paymatch.area.queue.showing import found_spans, mark_evidence

    line = Line("SO-471101", customer="Jörg Müller-Lüdenscheidt", invoices=("RE 2026/17",), currency="EUR")
    text_ = "Joerg Mueller so 471101 re2026-17 danke"
    spans = found_spans(text_, [line])
    assert sorted(text_[start:end] for start, end in spans) == ["Joerg", "Mueller", "re2026-17", "so 471101"]
    pieces = mark_evidence(text_, (), spans)
    assert "".join(piece.text for piece in pieces) == text_
    assert [piece.text for piece in pieces if not piece.mark] == [" ", " ", " ", " danke"]
    assert found_spans("1SO-471101 SO-4711012", [line]) == []


def test_a_held_back_posting_shows_the_nearest_others_and_why_not(desk: Desk) -> None:
    page = desk.clerk.get(f"postings/{desk.ids['Muster']}").content.decode()
    others = page.partition('id="q-others"')[2].partition("</table>")[0]
    assert len(re.findall(r'href="[^"]+/orders/', others)) in (1, 2)
    assert "Why not" in others
    assert "%" not in re.sub(r'<span class="q-number.*?</span>|style="[^"]*"', "", page.partition('id="q-shown"')[2])
