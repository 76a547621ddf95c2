"""Rules for payers: what they do and never do, what they would have done, and that people can take them back."""

from __future__ import annotations

from typing import Any

import pytest

from paymatch.domain.payer_rules import Past, PayerRule, RuleAction, RuleRefused
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.matching import payers as store
from paymatch.usecases.audit import last_entries
from paymatch.usecases.matching import assigning, rules
from paymatch.usecases.matching.matching import match_due
from tests.usecases.conftest import Books, camt, paid

TAX_OFFICE = {"counterparty_name": "Finanzamt Mitte", "counterparty_iban": "DE02120300000000202051"}
AUNT = {"counterparty_name": "Karla Kolumna", "counterparty_iban": "DE02500105170137075030"}


def aside(**more: Any) -> PayerRule:
    return PayerRule(RuleAction.SET_ASIDE, **{"iban": TAX_OFFICE["counterparty_iban"], "reason": "Taxes", **more})


def make(books: Books, rule: PayerRule) -> PayerRule:
    with books.database.of_shop(books.shop, at=books.now) as tx:
        made = rules.make(tx, rule)
    match_due(books.database, books.shop, books.now)
    return made


def tried(books: Books, rule: PayerRule) -> dict[Past, int]:
    with books.database.of_shop(books.shop, at=books.now) as tx:
        found = rules.preview(tx, rule).counts
    return {past: count for past, count in found.items() if count}


def standing(books: Books) -> dict[str, tuple[str, str]]:
    """Payment text -> (status, why it is set aside)."""
    rows = books.rows("SELECT remittance, status, aside_reason FROM postings WHERE shop_id = $1")
    return {row[0]: (row[1], row[2]) for row in rows}


def entries(books: Books, rule: str) -> list[str]:
    return [row["action"] for row in last_entries(books.database, books.shop, rule, 9)]


def test_a_payers_postings_wait_with_the_rules_reason_unless_they_name_an_order(books: Books) -> None:
    books.order("SO-471101", "30.00")
    books.order("SO-471102", "20.00", billing={"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"})
    books.bring(camt(CamtMessage.STATEMENT, paid(500, "Steuer 3/26", **TAX_OFFICE)))
    rule = make(books, aside())
    books.bring(
        camt(
            CamtMessage.STATEMENT,
            *(paid(900, "Steuer 4/26", **TAX_OFFICE), paid(3000, "SO-471101", **TAX_OFFICE)),
            *(paid(2000, "SO-471102 Eva Muster", **TAX_OFFICE),),
            number=2,
            opening=500,
        )
    )
    assert standing(books) == {
        "Steuer 3/26": ("unmatched", "Taxes"),
        "Steuer 4/26": ("unmatched", "Taxes"),
        "SO-471101": ("suggested", ""),
        "SO-471102 Eva Muster": ("matched", ""),
    }
    assert tried(books, aside()) == {Past.AGREES: 2, Past.NAMED: 2}
    assert entries(books, rule.id) == ["rule-made"]
    books.sound()


@pytest.mark.parametrize("way", ["off", "deleted"])
def test_what_only_the_rule_set_aside_waits_again_without_it(books: Books, way: str) -> None:
    rule = make(books, aside())
    books.bring(camt(CamtMessage.STATEMENT, paid(500, "Steuer", **TAX_OFFICE), paid(700, "Steuer 2", **TAX_OFFICE)))
    by_hand = dict(books.rows("SELECT remittance, id FROM postings WHERE shop_id = $1"))["Steuer 2"]
    assigning.set_aside(books.database, books.shop, by_hand, "Asked the tax office", books.now)
    with books.database.of_shop(books.shop, at=books.now) as tx:
        if way == "off":
            assert not rules.switch(tx, rule.id, active=False).active
        else:
            rules.delete(tx, rule.id)
    match_due(books.database, books.shop, books.now)
    assert standing(books) == {"Steuer": ("unmatched", ""), "Steuer 2": ("unmatched", "Asked the tax office")}
    assert entries(books, rule.id) == ["rule-switched" if way == "off" else "rule-deleted", "rule-made"]
    with books.database.of_shop(books.shop) as tx:
        assert [each.id for each in rules.list_rules(tx)] == ([rule.id] if way == "off" else [])


def test_what_a_person_takes_up_again_no_rule_touches(books: Books) -> None:
    make(books, aside())
    books.bring(camt(CamtMessage.STATEMENT, paid(500, "Steuer", **TAX_OFFICE)))
    ((posting,),) = books.rows("SELECT id FROM postings WHERE shop_id = $1")
    assigning.reconsider(books.database, books.shop, posting, books.now)
    make(books, aside(reason="Taxes again"))
    assert standing(books) == {"Steuer": ("unmatched", "")}


def test_a_payer_for_a_customer_is_evidence_and_contradictions_still_hold(books: Books) -> None:
    """Two equal orders of the customer stay a question; of one alone the exact amount is enough."""
    eva = {"customerNumber": "C-7", "billing": {"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"}}
    books.order("SO-471101", "30.00", **eva)
    rule = PayerRule(RuleAction.PAYS_FOR, iban=AUNT["counterparty_iban"], customer_number="C-7")
    books.bring(camt(CamtMessage.STATEMENT, paid(3000, "von Tante Karla", **AUNT)))
    assert standing(books)["von Tante Karla"][0] != "matched"
    assert tried(books, rule) == {Past.CAUGHT: 1}
    make(books, rule)
    assert standing(books)["von Tante Karla"] == ("matched", "")
    assert tried(books, rule) == {Past.AGREES: 1}
    books.order("SO-471102", "40.00", **eva)
    books.order("SO-471103", "40.00", **eva)
    books.bring(camt(CamtMessage.STATEMENT, paid(4000, "noch eine", **AUNT), number=2, opening=3000))
    assert standing(books)["noch eine"] == ("suggested", "")
    assert tried(books, PayerRule(RuleAction.PAYS_FOR, iban=rule.iban, customer_number="C-8"))[Past.AGAINST] == 1
    books.sound()


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (aside(iban=""), "Name the payer: an account, or a name"),
        (aside(iban="", name="Schmidt"), "One word is not enough to identify a payer"),
        (aside(reason=" "), "Give a reason"),
        (PayerRule(RuleAction.PAYS_FOR, name="Karla Kolumna"), "Name the customer that the payer pays for"),
        (aside(reason="x" * 201), "A part of the rule is too long"),
        (aside(words=tuple("abcdefghijk")), "A part of the rule is too long"),
    ],
)
def test_a_rule_that_says_too_little_or_too_much_is_refused(books: Books, rule: PayerRule, text: str) -> None:
    with pytest.raises(RuleRefused, match=text):
        make(books, rule)
    with books.database.of_shop(books.shop) as tx:
        assert rules.list_rules(tx) == []


def test_a_rule_is_made_once_and_its_account_is_sealed(books: Books) -> None:
    make(books, aside(name="Finanzamt  Mitte", words=("Steuer 3/26",)))
    with pytest.raises(RuleRefused, match="This rule exists already"):
        make(books, aside(name="Finanzamt Mitte", words=("Steuer", "3/26")))
    ((iban,),) = books.rows("SELECT iban FROM payer_rules WHERE shop_id = $1")
    assert TAX_OFFICE["counterparty_iban"] not in iban
    with books.database.of_shop(books.shop) as tx:
        (rule,) = store.list_rules(tx)
    assert (rule.iban, rule.words) == (TAX_OFFICE["counterparty_iban"], ("Steuer", "3/26"))


def test_names_and_words_of_the_text_are_patterns(books: Books) -> None:
    books.bring(
        camt(
            CamtMessage.STATEMENT,
            paid(500, "Miete Büro", counterparty_name="Hausverwaltung Nord GmbH", counterparty_iban=""),
            paid(600, "Kaution", counterparty_name="Hausverwaltung Nord GmbH", counterparty_iban=""),
        )
    )
    rule = aside(iban="", name="nord hausverwaltung", words=("Buero",), reason="Rent")
    assert tried(books, rule) == {Past.CAUGHT: 1}
    make(books, rule)
    assert standing(books) == {"Miete Büro": ("unmatched", "Rent"), "Kaution": ("unmatched", "")}


IVAN = {"counterparty_name": "IVAN PETROV", "counterparty_iban": "DE02500105170137075030"}
NAMED = PayerRule(RuleAction.SET_ASIDE, name="Иван Петров", reason="Rent")


def test_a_rule_for_a_name_in_cyrillic_covers_its_latin_spelling_alone(books: Books) -> None:
    """The preview lists the payer's postings, not every posting of the 90 days."""
    others = [paid(100 + each, f"Rechnung {each}", counterparty_name="Eva Muster") for each in range(5)]
    books.bring(camt(CamtMessage.STATEMENT, *others, paid(500, "Miete", **IVAN)))
    with books.database.of_shop(books.shop, at=books.now) as tx:
        assert [each.posting.posting.text for each in rules.preview(tx, NAMED).tried] == ["Miete"]
        assert len(rules._maybe(tx, NAMED)) == 1
        assert rules._maybe(tx, PayerRule(RuleAction.SET_ASIDE, name="王小明 先生", reason="Rent")) == []
    make(books, NAMED)
    assert {text for text, (_, why) in standing(books).items() if why} == {"Miete"}


def test_a_single_word_in_cyrillic_is_no_rule(books: Books) -> None:
    with books.database.of_shop(books.shop, at=books.now) as tx, pytest.raises(RuleRefused):
        rules.make(tx, PayerRule(RuleAction.SET_ASIDE, name="Петров", reason="Rent"))
