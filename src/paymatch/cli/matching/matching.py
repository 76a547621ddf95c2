"""Commands for what the shop has taught the matching."""

from __future__ import annotations

from paymatch.cli.arguments import AsJson, ShopArgument, Yes
from paymatch.cli.context import command, confirm, shop_transaction, show
from paymatch.cli.loading import new_group

learning_app = new_group("What matching has learnt: show, try, take-back, accept, reset.")


@learning_app.command("show")
@command
def show_(shop: ShopArgument, as_json: AsJson = False) -> None:
    """Show what was learnt from decisions by hand, and what came of it: automatic matches, and how many were undone."""
    from paymatch.usecases.matching import aliases, learning

    with shop_transaction(shop) as tx:
        result = learning.visible(tx) | {"aliases": aliases.alias_rows(tx)}
    show(result, as_json=as_json)


@learning_app.command("try")
@command
def try_(shop: ShopArgument, as_json: AsJson = False) -> None:
    """Show what each proposed rule and each learnt account would have done in the last 90 days; changes nothing."""
    from paymatch.usecases.matching import aliases

    with shop_transaction(shop) as tx:
        rows = aliases.try_rows(tx)
    show(rows, as_json=as_json)


@learning_app.command("take-back")
@command
def take_back(shop: ShopArgument, alias: str, as_json: AsJson = False) -> None:
    """Delete one learnt account, by its id: it no longer counts for that customer until a person matches it again."""
    from paymatch.usecases.matching import aliases

    with shop_transaction(shop) as tx:
        taken = aliases.take_back(tx, alias)
    show({"takenBack": alias, "customer": taken.customer}, as_json=as_json)


@learning_app.command()
@command
def accept(shop: ShopArgument, as_json: AsJson = False) -> None:
    """Accept the proposed rules."""
    from paymatch.usecases.matching import learning

    with shop_transaction(shop) as tx:
        count = learning.accept_all(tx)
    show({"accepted": count}, as_json=as_json)


@learning_app.command()
@command
def reset(shop: ShopArgument, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete what was learnt, rules included; `paymatch shop set SHOP learning=off` stops learning."""
    from paymatch.usecases.matching import learning

    with shop_transaction(shop) as tx:
        confirm(f"Forget all that {tx.shop.name!r} has taught matching?", yes=yes)
        learning.reset(tx)
    show({"reset": True}, as_json=as_json)
