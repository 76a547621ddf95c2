"""Commands for reminders: preview, run, list, plan, text."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paymatch.cli.arguments import DAY, AsJson, ShopArgument, Yes, read_day
from paymatch.cli.context import (
    command,
    confirm,
    find_shop,
    opened_shop,
    parse_settings,
    settings,
    shop_transaction,
    show,
)
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.clock import utc_now
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from paymatch.store.database import Database

reminders_app = new_group("Reminders: preview, run, list, plan, text.")


@reminders_app.command()
@lists("orderNumber", "mail", "at", "email", "open", "currency", "fee", "dunningLevel", "reason", "text")
def preview(
    shop: ShopArgument,
    until: Annotated[str, typer.Option(metavar=DAY, help="By default tomorrow.")] = "",
    order: Annotated[str, typer.Option(help="Only this order.")] = "",
    mails_only: Annotated[bool, typer.Option("--mails-only", help="Leave out customers who get nothing.")] = False,
    as_if_on: Annotated[bool, typer.Option("--as-if-on", help="As if reminders were switched on.")] = False,
) -> Iterable[Row]:
    """Show who will get which mail by a day if nothing changes, and who will not and why. Nothing is sent."""
    from paymatch.usecases.reminders import reminder_lists

    with opened_shop(shop) as (database, found):
        now = utc_now()
        day = read_day(until) or found.today(now) + timedelta(days=1)
        return [
            row
            for row in reminder_lists.preview(database, found, day, now, as_if_on=as_if_on)
            if (not order or row["orderNumber"] == order) and (not row["reason"] or not mails_only)
        ]


@reminders_app.command()
@command
def run(shop: ShopArgument, as_json: AsJson = False) -> None:
    """Send what is due now; the worker does this automatically."""
    with opened_shop(shop) as (database, found):
        if not found.sends_mail:
            raise SettingRefused(Message("setting-shop-sends-no-mail"))
        looked_at = _run(database, str(found.id))
    show({"ordersLookedAt": looked_at}, as_json=as_json)


def _run(database: Database, shop: str) -> int:
    from paymatch.outbound.mail.opening import open_mail
    from paymatch.usecases.reminders.reminders import send_due

    door, count = open_mail(settings()), 0
    try:
        while done := send_due(database, find_shop(database, shop), door, utc_now()):
            count += done
    finally:
        door.close()
    return count


@reminders_app.command("list")
@lists("orderNumber", "dunningLevel", "date", "fee", "currency", "email", "letter", "paymentStatus")
def list_(shop: ShopArgument, order: Annotated[str, typer.Option(help="Only this order.")] = "") -> Iterable[Row]:
    """List the reminders that were sent, latest first."""
    from paymatch.usecases.reminders import reminder_lists

    with shop_transaction(shop) as tx:
        return reminder_lists.sent_reminders(tx, order)


@reminders_app.command()
@command
def plan(
    shop: ShopArgument,
    pairs: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE", help="levels=7,21:2.50,+14:5.00 grace-days=7 ...")
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Show the dunning plan, or change it: levels, opens, closes, grace-days, term-days ..."""
    from paymatch.usecases.shops import dunning_plans

    with shop_transaction(shop) as tx:
        wanted = parse_settings(pairs or [])
        if pairs and (free := dunning_plans.term_beyond_credit(tx, wanted)) is not None:
            confirm(f"Payment of consumers later than {free} days after delivery is a credit. Change it?", yes=yes)
        result = dunning_plans.change_plan(tx, wanted) if pairs else dunning_plans.show_plan(tx)
    show(result, as_json=as_json)


@reminders_app.command()
@command
def text(
    shop: ShopArgument,
    mail: Annotated[
        str,
        typer.Argument(metavar="MAIL", help="0 (payment information), 1 to 9 (reminders), several or thanks."),
    ] = "",
    language: Annotated[str, typer.Argument(metavar="LANGUAGE", help="de, en, fr, it, nl, pl or es.")] = "",
    subject: Annotated[str, typer.Option(help="With placeholders such as {{ order }}.")] = "",
    body: Annotated[
        Path | None, typer.Option(help="File with the text; the account details are added below it.")
    ] = None,
    reset: Annotated[bool, typer.Option("--reset", help="Go back to the default text.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the texts of mails to customers, or change one in a language."""
    from paymatch.usecases.shops import dunning_plans

    with shop_transaction(shop) as tx:
        if mail and reset:
            dunning_plans.reset_text(tx, mail, language)
        elif mail and (subject or body):
            if not subject or body is None:
                raise SettingRefused(Message("setting-subject-body-belong-together"))
            dunning_plans.set_text(tx, mail, language, subject, body.read_text("utf-8"))
        rows: list[dict[str, Any]] = [
            row for row in dunning_plans.texts(tx) if mail in ("", row["mail"]) and language in ("", row["language"])
        ]
    show(rows, as_json=as_json, columns=("mail", "language", "own", "subject", "body"))
