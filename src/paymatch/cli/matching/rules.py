"""Commands of the rules that people make from decisions (D-49)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paymatch.cli.arguments import AsJson, ShopArgument, Yes
from paymatch.cli.context import command, confirm, shop_transaction, show, whole_id
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group

if TYPE_CHECKING:
    from paymatch.domain.payer_rules import PayerRule

rules_app = new_group("Rules for payers, made from decisions: list, preview, add, switch, delete.")

Rule = Annotated[str, typer.Argument(metavar="RULE_ID", help="Id of the rule.")]
Aside = Annotated[str, typer.Option("--set-aside", metavar="REASON", help="Set such postings aside with this reason.")]
CustomerNumber = Annotated[str, typer.Option(help="The payer pays for the customer of this number.")]
CustomerName = Annotated[str, typer.Option(help="The payer pays for the customer of this name.")]
Iban = Annotated[str, typer.Option(help="The payer's account.")]
Name = Annotated[str, typer.Option(help="Words of the payer's name; all must be there.")]
Word = Annotated[
    list[str] | None, typer.Option("--word", help="A word of the payment text; may be given several times.")
]


@rules_app.command("list")
@lists(
    "id", "action", "iban", "name", "words", "reason", "customerNumber", "customerName", "active", "author", "madeAt"
)
def list_(shop: ShopArgument) -> Iterator[Row]:
    """List the rules in the order in which they are tried; --json and --csv export them."""
    from paymatch.usecases.matching import rules

    with shop_transaction(shop) as tx:
        yield from map(_row, rules.list_rules(tx))


@rules_app.command()
@lists("postingId", "bookingDate", "amount", "currency", "payer", "text", "would", "orders", "reason")
def preview(
    shop: ShopArgument,
    iban: Iban = "",
    name: Name = "",
    word: Word = None,
    set_aside: Aside = "",
    customer_number: CustomerNumber = "",
    customer_name: CustomerName = "",
) -> Iterator[Row]:
    """Show what a rule would have done in the last 90 days. Nothing is changed.

    `would` is caught (it waits: the rule takes it now), agrees (it was decided so), named (it pays an order, and stays
    there) or against (it was decided otherwise).
    """
    from paymatch.domain.money import minor_to_text
    from paymatch.usecases.matching import rules

    rule = _rule(iban, name, word, set_aside, customer_number, customer_name)
    with shop_transaction(shop) as tx:
        for each in rules.preview(tx, rule).tried:
            posting = each.posting.posting
            yield {
                "postingId": each.posting.id,
                "bookingDate": posting.booking_date.isoformat(),
                "amount": minor_to_text(posting.amount_minor, posting.currency),
                "currency": posting.currency,
                "payer": posting.counterparty_name,
                "text": posting.text,
                "would": each.past.value,
                "orders": list(each.orders),
                "reason": each.aside_reason,
            }


@rules_app.command()
@command
def add(
    shop: ShopArgument,
    iban: Iban = "",
    name: Name = "",
    word: Word = None,
    set_aside: Aside = "",
    customer_number: CustomerNumber = "",
    customer_name: CustomerName = "",
    as_json: AsJson = False,
) -> None:
    """Make a rule: set a payer's postings aside, or treat its payments as a customer's. A rule never books."""
    from paymatch.usecases.matching import rules

    rule = _rule(iban, name, word, set_aside, customer_number, customer_name)
    with shop_transaction(shop) as tx:
        made = rules.make(tx, rule)
    show(dict(_row(made)), as_json=as_json)


@rules_app.command()
@command
def switch(
    shop: ShopArgument,
    rule: Rule,
    on: Annotated[bool, typer.Option("--on/--off", help="In force, or not.")],
    as_json: AsJson = False,
) -> None:
    """Switch a rule on or off. Postings that only this rule set aside wait again once it is off."""
    from paymatch.usecases.matching import rules

    with shop_transaction(shop) as tx:
        switched = rules.switch(tx, whole_id(tx, "payer_rules", rule), active=on)
    show(dict(_row(switched)), as_json=as_json)


@rules_app.command()
@command
def delete(shop: ShopArgument, rule: Rule, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete a rule. Postings that only this rule set aside wait again."""
    from paymatch.usecases.matching import rules

    with shop_transaction(shop) as tx:
        rule_id = whole_id(tx, "payer_rules", rule)
        confirm(f"Delete rule {rule_id}?", yes=yes)
        deleted = rules.delete(tx, rule_id)
    show(dict(_row(deleted)), as_json=as_json)


def _rule(
    iban: str, name: str, words: list[str] | None, set_aside: str, customer_number: str, customer_name: str
) -> PayerRule:
    from paymatch.domain.payer_rules import PayerRule, RuleAction

    pays_for = bool(customer_number or customer_name)
    action = RuleAction.PAYS_FOR if pays_for and not set_aside else RuleAction.SET_ASIDE
    return PayerRule(action, iban, name, tuple(words or ()), set_aside, customer_number, customer_name)


def _row(rule: PayerRule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "action": rule.action.value,
        "iban": rule.iban,
        "name": rule.name,
        "words": list(rule.words),
        "reason": rule.reason,
        "customerNumber": rule.customer_number,
        "customerName": rule.customer_name,
        "active": rule.active,
        "author": rule.author,
        "madeAt": rule.made_at.isoformat(timespec="seconds") if rule.made_at else "",
    }
