"""Commands for the matching: backtest, and what the shop has taught it."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

import typer

from paymatch.cli.context import command, opened, show
from paymatch.cli.shops import AsJson, ShopArgument
from paymatch.clock import utc_now
from paymatch.domain.shops.shop import SettingRefused
from paymatch.store.database import ShopId
from paymatch.usecases import shops
from paymatch.usecases.matching import learning
from paymatch.usecases.matching.backtest import backtest as run_backtest

learning_app = typer.Typer(help="What a shop has taught the matching: show, accept, reset.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command()(backtest)
    app.add_typer(learning_app, name="learning")


@command
def backtest(
    shop: ShopArgument,
    since: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="First booking day.")] = None,
    caution: Annotated[str, typer.Option(help="Try cautious, normal or bold instead of the shop's setting.")] = "",
    as_json: AsJson = False,
) -> None:
    """Decides past postings anew and reports every difference to what was booked; changes nothing."""
    if caution not in ("", "cautious", "normal", "bold"):
        raise SettingRefused("--caution is cautious, normal or bold")
    with opened() as database:
        found = shops.find(database, shop)
        result = run_backtest(database, found, since=since.date() if since else None, caution=caution)
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
    """What was learnt from decisions by hand, rules in force and proposed."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            result = learning.visible(tx, found)
    show(result, as_json=as_json)


@learning_app.command()
@command
def accept(shop: ShopArgument, as_json: AsJson = False) -> None:
    """Puts the proposed rules in force."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            count = learning.accept_all(tx, found, utc_now())
    show({"accepted": count}, as_json=as_json)


@learning_app.command()
@command
def reset(shop: ShopArgument, as_json: AsJson = False) -> None:
    """Forgets what was learnt, rules included; `paymatch shop set SHOP learning=off` keeps it from learning."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            learning.reset(tx, found, utc_now())
    show({"reset": True}, as_json=as_json)
