"""Rules for payers in the area: begun from a posting, tried, made, switched, deleted, exported; and who may."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.shop import Shop
from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.audit import last_entries
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.matching import match_due
from tests.area.conftest import Person
from tests.area.every_page import counted
from tests.area.test_postings import Desk, text
from tests.contract.client import Clock
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

LANDLORD = {"counterparty_name": "Hausverwaltung Nord", "counterparty_iban": "DE02120300000000202051"}


@pytest.fixture
def desk(service: Service, new_shop: Callable[..., Shop], sign_in: Callable[..., Person], area_clock: Clock) -> Desk:
    """Two payments of one payer that name no order."""
    books = Books(service.database, new_shop(ibans=[ACCOUNT]), now=area_clock.now)
    books.bring(camt(CamtMessage.STATEMENT, paid(500, "Rent March", **LANDLORD), paid(600, "Deposit", **LANDLORD)))
    return Desk(sign_in(TeamRole.CLERK, books.shop), books)


def reasons(desk: Desk) -> dict[str, str]:
    match_due(desk.books.database, desk.books.shop, desk.books.now)
    return dict(desk.books.rows("SELECT remittance, aside_reason FROM postings WHERE shop_id = $1"))


def test_a_rule_is_begun_from_a_posting_tried_and_made(desk: Desk) -> None:
    posting = desk.ids["Rent March"]
    assert "Always do this" in text(desk.clerk.get(f"postings/{posting}"))
    begun = text(desk.clerk.get(f"postings/rules/new?posting={posting}"))
    assert "from account DE02" in begun and "DE02120300000000202051" not in begun
    form = {"posting": posting, "account": "on", "action": "set-aside", "reason": "Rent", "words": "rent"}
    tried = text(desk.clerk.post("postings/rules/new", form | {"do": "preview"}))
    assert "1 waits: the rule applies to it now" in tried and "Rent March" in tried
    assert reasons(desk) == {"Rent March": "", "Deposit": ""}
    made = desk.clerk.post("postings/rules/new", form | {"do": "make"}, follow=True)
    assert "The rule is in force." in text(made) and "Set aside" in text(made)
    assert reasons(desk) == {"Rent March": "Rent", "Deposit": ""}
    assert desk.actors() == [("rule-made", "person", desk.clerk.email)]
    export = b"".join(desk.clerk.get("postings/rules?format=csv").streaming_content).decode().splitlines()
    assert (len(export), "Rent" in export[1], "DE02120300000000202051" in export[1]) == (2, True, False)


def test_a_rule_is_switched_off_on_and_deleted(desk: Desk) -> None:
    form = {"action": "set-aside", "reason": "Rent", "name": "Hausverwaltung Nord", "do": "make"}
    desk.clerk.post("postings/rules/new", form)
    ((rule,),) = desk.books.rows("SELECT id FROM payer_rules WHERE shop_id = $1")
    for wanted, said, reason in (
        ("off", "The rule is off.", ""), ("on", "The rule is on.", "Rent"), ("delete", "The rule is deleted.", ""),
    ):  # fmt: skip
        assert said in text(desk.clerk.post("postings/rules", {"rule": rule, "do": wanted}, follow=True))
        assert reasons(desk) == {"Rent March": reason, "Deposit": reason}
    entries = [row["action"] for row in last_entries(desk.books.database, desk.books.shop, rule, 9)]
    assert entries == ["rule-deleted", "rule-switched", "rule-switched", "rule-made"]
    assert "There is no rule" in text(desk.clerk.post("postings/rules", {"rule": rule, "do": "off"}, follow=True))


def test_many_rules_are_listed_with_as_few_questions(desk: Desk) -> None:
    asked = []
    for place in range(3):
        desk.clerk.post(
            "postings/rules/new", {"action": "set-aside", "reason": "Rent", "name": f"N{place}", "do": "make"}
        )
        with counted() as sent:
            assert desk.clerk.email in text(desk.clerk.get("postings/rules"))
        asked.append(len(sent))
    assert asked[1] == asked[2]  # the first visit is remembered


def test_a_refused_rule_stays_in_the_form(desk: Desk) -> None:
    form = {"action": "pays-for", "name": "Hausverwaltung Nord", "do": "make"}
    answer = desk.clerk.post("postings/rules/new", form, headers={"accept-language": "de"})
    assert (answer.status_code, "Den Kunden nennen, für den der Zahler zahlt" in text(answer)) == (422, True)
    assert 'value="Hausverwaltung Nord"' in answer.content.decode()
    page = answer.content.decode()
    assert re.search(r'name="customer_name"[^>]* aria-invalid="true" aria-describedby="ru-error"', page)
    assert desk.books.rows("SELECT count(*) FROM payer_rules WHERE shop_id = $1") == [(0,)]


def test_who_only_reads_sees_rules_and_makes_none(desk: Desk, sign_in: Callable[..., Person]) -> None:
    viewer = sign_in(TeamRole.VIEWER, desk.books.shop)
    assert viewer.get("postings/rules").status_code == 200
    assert viewer.get("postings/rules/new").status_code == 403
    assert viewer.post("postings/rules", {"do": "delete"}).status_code == 403


def test_learnt_accounts_are_listed_and_taken_back_one_by_one(desk: Desk) -> None:  # D-80
    desk.books.order("SO-1", "5.00", customerNumber="K-1")
    desk.books.order("SO-2", "6.00", customerNumber="K-2")
    for number, words in (("SO-1", "Rent March"), ("SO-2", "Deposit")):
        assigning.match(desk.books.database, desk.books.shop, desk.ids[words], [assigning.Part(number)], desk.books.now)
    page = desk.clerk.get("postings/rules")
    assert "pays for K-1" in text(page) and "pays for K-2" in text(page)
    assert LANDLORD["counterparty_iban"] not in page.content.decode()
    first, _ = re.findall(r'name="alias" value="(alias_[0-9a-f]{16})"', page.content.decode())
    answer = text(desk.clerk.post("postings/rules", {"do": "take-back", "alias": first}, follow=True))
    assert "The account is no longer taken for" in answer
    assert "pays for K-1" not in answer and "pays for K-2" in answer
    assert desk.actors()[:1] == [("alias-taken-back", "person", desk.clerk.email)]
    again = text(desk.clerk.post("postings/rules", {"do": "take-back", "alias": first}, follow=True))
    assert "The shop has learnt nothing under" in again and first in again


def test_who_only_reads_takes_nothing_back(desk: Desk, sign_in: Callable[..., Person]) -> None:
    desk.books.order("SO-1", "5.00", customerNumber="K-1")
    assigning.match(
        desk.books.database, desk.books.shop, desk.ids["Rent March"], [assigning.Part("SO-1")], desk.books.now
    )
    reader = sign_in(TeamRole.VIEWER, desk.books.shop)
    page = text(reader.get("postings/rules"))
    assert "pays for K-1" in page and "Remove" not in page
    assert reader.post("postings/rules", {"do": "take-back", "alias": "x"}).status_code == 403
