"""Commands for mail to customers: list, show, again."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from paymatch.cli.context import AsCsv, command, opened, show, show_list
from paymatch.cli.shops import AsJson, ShopArgument
from paymatch.clock import utc_now
from paymatch.domain.reminders.mails import MailStatus
from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.mail.message import plain_text
from paymatch.store.database import ShopId
from paymatch.usecases import shops
from paymatch.usecases.reminders import reminder_lists

mail_app = typer.Typer(help="Mail to customers: list, show, again.", no_args_is_help=True)
MailArgument = Annotated[str, typer.Argument(metavar="MAIL_ID")]
_COLUMNS = ("id", "orderNumber", "mail", "status", "to", "subject", "attempts", "error", "createdAt")


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(mail_app, name="mail")


@mail_app.command("list")
@command
def list_(
    shop: ShopArgument,
    order: Annotated[str, typer.Option(help="This order only.")] = "",
    status: Annotated[MailStatus | None, typer.Option(help="Only mail that stands so.")] = None,
    before: Annotated[str, typer.Option(help="Begin behind this mail.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 50,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Mail that went out or is to go out, latest first."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            rows = reminder_lists.list_mails(tx, found, number=order, status=status, before=before, limit=limit)
    show_list(rows, _COLUMNS, as_json=as_json, as_csv=as_csv)


@mail_app.command("show")
@command
def show_(
    shop: ShopArgument,
    mail: MailArgument,
    raw: Annotated[bool, typer.Option("--raw", help="The message as it went out, such as for a .eml file.")] = False,
    as_json: AsJson = False,
) -> None:
    """A mail and its words."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            row, content = reminder_lists.show_mail(tx, found, mail)
    if raw and row["forgotten"]:
        raise SettingRefused(f"Mail {mail} has no message any more: it was kept long enough (keep-mail-days)")
    if raw:
        sys.stdout.buffer.write(content)
        return
    words = plain_text(content) if content else ""
    show(row | ({"text": words} if as_json else {}), as_json=as_json)
    if not as_json:
        typer.echo(f"\n{words}")


@mail_app.command()
@command
def again(shop: ShopArgument, mail: MailArgument, as_json: AsJson = False) -> None:
    """Refused mail is tried again, if its order is still to be written to."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            result = reminder_lists.try_again(tx, found, mail, utc_now())
    show(result, as_json=as_json)
