"""Commands for the matching: backtest, and what the shop has taught it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from paymatch.cli.arguments import DAY, AsJson, ShopArgument, Yes, read_day
from paymatch.cli.context import command, confirm, opened_shop, shop_transaction, show
from paymatch.cli.loading import new_group
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

learning_app = new_group("What matching has learnt: show, take-back, accept, reset.")


@command
def backtest(
    shop: ShopArgument,
    since: Annotated[str, typer.Option(metavar=DAY, help="First booking day.")] = "",
    caution: Annotated[str, typer.Option(help="Try cautious, normal or bold instead of the shop's setting.")] = "",
    as_json: AsJson = False,
) -> None:
    """Decide past postings again and report every difference from what was booked. Nothing is changed."""
    from paymatch.usecases.matching.backtest import backtest as run_backtest

    if caution not in ("", "cautious", "normal", "bold"):
        raise SettingRefused(Message("setting-caution-cautious-normal-bold"))
    with opened_shop(shop) as (database, found):
        result = run_backtest(database, found, since=read_day(since), caution=caution)
    result["differences"] = [asdict(each) for each in result["differences"]]
    if as_json:
        show(result, as_json=True)
        return
    show({"postings": result["postings"], **result["verdicts"]}, as_json=False)
    columns = ("posting_id", "booking_date", "amount", "text", "would", "would_pay", "booked", "booked_for", "by_hand")
    if result["differences"]:
        show(result["differences"], as_json=False, columns=columns)


@learning_app.command("show")
@command
def show_(shop: ShopArgument, as_json: AsJson = False) -> None:
    """Show what was learnt from decisions by hand: accounts that pay for customers, rules in force and proposed."""
    from paymatch.usecases.matching import aliases, learning

    with shop_transaction(shop) as tx:
        result = learning.visible(tx) | {"aliases": aliases.alias_rows(tx)}
    show(result, as_json=as_json)


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
