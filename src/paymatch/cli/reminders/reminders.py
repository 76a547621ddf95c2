"""Commands for reminders: preview, run, list, plan, text."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from paymatch.cli.context import AsCsv, command, opened, parse_settings, settings, show, show_list
from paymatch.cli.shops import AsJson, ShopArgument
from paymatch.clock import utc_now
from paymatch.domain.calendar import parse_date
from paymatch.domain.shops.shop import SettingRefused
from paymatch.outbound.mail import open_mail
from paymatch.store.database import Database, ShopId
from paymatch.usecases import shops
from paymatch.usecases.reminders import dunning_plans, reminder_lists
from paymatch.usecases.reminders.reminders import send_due

reminders_app = typer.Typer(help="Reminders: preview, run, list, plan, text.", no_args_is_help=True)
_PREVIEW = ("orderNumber", "mail", "at", "email", "open", "currency", "fee", "dunningLevel", "reason", "text")
_SENT = ("orderNumber", "dunningLevel", "date", "fee", "currency", "email", "letter", "paymentStatus")


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(reminders_app, name="reminders")


@reminders_app.command()
@command
def preview(
    shop: ShopArgument,
    until: Annotated[
        str | None, typer.Option(metavar="D", help="dd-MM-yyyy or yyyy-MM-dd; by default tomorrow.")
    ] = None,
    order: Annotated[str, typer.Option(help="This order only.")] = "",
    mails_only: Annotated[bool, typer.Option("--mails-only", help="Leave out who gets nothing.")] = False,
    as_if_on: Annotated[bool, typer.Option("--as-if-on", help="As if reminders were switched on.")] = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Who gets which mail until a day if nothing changes, and who does not and why. Nothing is sent or changed."""
    with opened() as database:
        found = shops.find(database, shop)
        now = utc_now()
        day = _day(until) if until else found.today(now) + timedelta(days=1)
        rows = [
            row
            for row in reminder_lists.preview(database, found, day, now, as_if_on=as_if_on)
            if (not order or row["orderNumber"] == order) and (not row["reason"] or not mails_only)
        ]
    show_list(rows, _PREVIEW, as_json=as_json, as_csv=as_csv)


@reminders_app.command()
@command
def run(shop: ShopArgument, as_json: AsJson = False) -> None:
    """Sends what is due now; the worker does so by itself."""
    with opened() as database:
        found = shops.find(database, shop)
        if not found.sends_mail:
            raise SettingRefused(
                "The shop sends no mail: paymatch shop set SHOP reminders=on or payment-information=on"
            )
        looked_at = _run(database, str(found.id))
    show({"ordersLookedAt": looked_at}, as_json=as_json)


def _run(database: Database, shop: str) -> int:
    door, count = open_mail(settings()), 0
    try:
        while done := send_due(database, shops.find(database, shop), door, utc_now()):
            count += done
    finally:
        door.close()
    return count


@reminders_app.command("list")
@command
def list_(
    shop: ShopArgument,
    order: Annotated[str, typer.Option(help="This order only.")] = "",
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """The reminders that were sent, latest first."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            rows = reminder_lists.sent(tx, found, order)
    show_list(rows, _SENT, as_json=as_json, as_csv=as_csv)


@reminders_app.command()
@command
def plan(
    shop: ShopArgument,
    pairs: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE...]", help="levels=7,21:2.50,+14:5.00 grace-days=7 ...")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Shows the dunning plan, or changes it: levels, opens, closes, grace-days, term-days ..."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            if pairs:
                result = dunning_plans.change_plan(tx, found, parse_settings(pairs))
            else:
                result = dunning_plans.show_plan(tx, found)
    show(result, as_json=as_json)


@reminders_app.command()
@command
def text(
    shop: ShopArgument,
    level: Annotated[int | None, typer.Argument(metavar="[LEVEL]", help="0 is the payment information.")] = None,
    language: Annotated[str, typer.Argument(metavar="[LANGUAGE]", help="de or en.")] = "",
    subject: Annotated[str, typer.Option(help="With placeholders such as $order.")] = "",
    body: Annotated[Path | None, typer.Option(help="File with the words; the account is put behind them.")] = None,
    reset: Annotated[bool, typer.Option("--reset", help="Back to the usual words.")] = False,
    as_json: AsJson = False,
) -> None:
    """Shows how payment information and reminders are worded, or words a level in a language."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            if level is not None and reset:
                dunning_plans.reset_text(tx, found, level, language)
            elif level is not None and (subject or body):
                if not subject or body is None:
                    raise SettingRefused("--subject and --body belong together")
                dunning_plans.set_text(tx, found, level, language, subject, body.read_text("utf-8"))
            rows: list[dict[str, Any]] = [
                row
                for row in dunning_plans.texts(tx, found)
                if level in (None, row["level"]) and language in ("", row["language"])
            ]
    show(rows, as_json=as_json, columns=("level", "language", "own", "subject", "body"))


def _day(text: str) -> date:
    for read in (parse_date, date.fromisoformat):
        try:
            return read(text)
        except ValueError:
            continue
    raise SettingRefused(f"Invalid date: {text}, format should be dd-MM-yyyy")
