"""The group `customer`: the link to an order's own page, and addresses reported as not the customer's."""

from __future__ import annotations

from typing import Annotated

import typer

from paymatch.cli.arguments import AsJson, ShopArgument, Yes
from paymatch.cli.context import command, confirm, fail, settings, shop_transaction, show
from paymatch.cli.loading import new_group

customer_app = new_group("Customers: link, revoke, resume.")

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
