"""The group `customer`: links to orders' own pages, addresses that are not the customer's, statements of account."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paymatch.cli.arguments import DAY, AsJson, ShopArgument, Yes, read_day
from paymatch.cli.context import command, confirm, fail, opened_shop, settings, shop_transaction, show
from paymatch.cli.loading import new_group
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from paymatch.domain.reminders.account_statement import AccountStatement

customer_app = new_group("Customers: link, revoke, resume, statement.")

NumberArgument = Annotated[str, typer.Argument(metavar="NUMBER", help="Number of the order.")]


@customer_app.command()
@command
def link(shop: ShopArgument, number: NumberArgument, as_json: AsJson = False) -> None:
    """Show the link to the order's page, which is valid for half a year."""
    from paymatch import service_address
    from paymatch.usecases.customers import links

    with shop_transaction(shop) as tx:
        if not settings().base_url and not tx.shop.sandbox:
            fail("The address of the service is unknown: set PAYMATCH_BASE_URL", as_json=as_json)
        address = links.hand_out(tx, number, service_address.address(settings()))
    show({"order": number, "link": address}, as_json=as_json)


@customer_app.command()
@command
def revoke(shop: ShopArgument, number: NumberArgument, yes: Yes = False, as_json: AsJson = False) -> None:
    """Revoke every link to the order's page that was handed out; the next mail carries a new one."""
    from paymatch.usecases.customers import links

    with shop_transaction(shop) as tx:
        confirm(f"Revoke the links to the page of order {number}?", yes=yes)
        revoked = links.revoke(tx, number)
    show({"order": number, "revoked": revoked}, as_json=as_json)


@customer_app.command()
@command
def resume(
    shop: ShopArgument,
    email: Annotated[str, typer.Argument(metavar="EMAIL", help="The address, which is the customer's after all.")],
    as_json: AsJson = False,
) -> None:
    """Resume mail to an address whose recipient said that the order is not theirs."""
    from paymatch.usecases.customers import notices

    with shop_transaction(shop) as tx:
        orders = notices.lift_wrong_person(tx, email)
    show({"email": email, "orders": orders}, as_json=as_json)


@customer_app.command()
@command
def statement(
    shop: ShopArgument,
    customer: Annotated[str, typer.Option("--customer", metavar="NUMBER", help="Customer number.")] = "",
    order: Annotated[str, typer.Option("--order", metavar="NUMBER", help="Or an order of the customer's.")] = "",
    as_of: Annotated[str, typer.Option("--as-of", metavar=DAY, help="As things stood at the end of this day.")] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the PDF here.")] = None,
    mail: Annotated[bool, typer.Option("--mail", help="Send the statement of today to the customer.")] = False,
    address: Annotated[str, typer.Option("--to", metavar="ADDRESS", help="Which of several addresses.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show the statement of account of a customer, write it as PDF, or mail it in the customer's language."""
    from paymatch.clock import utc_now
    from paymatch.formats.letters.letter import write_letter
    from paymatch.outbound.mail.opening import open_mail
    from paymatch.usecases.letters import account_statements as statements

    if bool(customer) == bool(order):
        raise SettingRefused(Message("setting-customer-or-order"))
    if mail and (as_of or output is not None):
        raise SettingRefused(Message("setting-mail-alone"))
    with opened_shop(shop) as (database, found):
        with database.of_shop(found, at=utc_now()) as tx:
            key = statements.customer_of_order(tx, order) if order else statements.customer_of_number(customer)
            day = min(read_day(as_of) or tx.today, tx.today)
            shown = statements.statement_of(tx, key, day, address)
            letter = statements.letter_of(tx, shown)
        values = _as_row(shown)
        if output is not None:
            output.write_bytes(write_letter(letter).pdf)
            values["file"] = str(output)
        if mail:
            door = open_mail(settings())
            try:
                sent = statements.mail_statement(database, found, door, key, utc_now(), address)
            finally:
                door.close()
            values |= {"status": "SENT" if sent.delivered else "KEPT", "to": sent.recipient, "subject": sent.subject}
    show(values, as_json=as_json)


def _as_row(statement: AccountStatement) -> dict[str, Any]:
    """What is on the statement, for the terminal."""
    from paymatch.domain.money import plain_text

    sums = {
        f"{name} {part.currency}": plain_text(amount.minor, part.currency)
        for part in statement.parts
        for name, amount in (
            ("open", part.open), ("overdue", part.overdue), ("at the agency", part.at_agency), ("fees", part.fees),
            ("total", part.total), ("credit", part.credit),
        )
        if amount.minor or name in ("open", "total")
    }  # fmt: skip
    return {
        "day": statement.day, "customerNumber": statement.customer_number, "customer": statement.name,
        "email": statement.email, "language": statement.language, "orders": ", ".join(statement.numbers), **sums,
    }  # fmt: skip
