"""Commands for mail to customers: list, show, again, bounce, test."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from paymatch.cli.arguments import AsJson, ShopArgument, read_states
from paymatch.cli.context import command, opened_shop, settings, shop_transaction, show, whole_id
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.cli.terminal import plain_text
from paymatch.clock import utc_now
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

mail_app = new_group("Mail to customers: list, show, again, bounce, test.")
MailArgument = Annotated[str, typer.Argument(metavar="MAIL_ID", help="Id of the mail.")]


@mail_app.command("list")
@lists("id", "orderNumber", "mail", "status", "to", "subject", "attempts", "error", "createdAt")
def list_(
    shop: ShopArgument,
    order: Annotated[str, typer.Option(help="Only this order.")] = "",
    status: Annotated[str, typer.Option(help="Only mail with this status.")] = "",
    before: Annotated[str, typer.Option(help="Only mail older than this one.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 50,
) -> Iterable[Row]:
    """List mail that was sent or waits, latest first."""
    from paymatch.domain.reminders.mails import MailStatus
    from paymatch.usecases.reminders import reminder_lists

    wanted = read_states([status], MailStatus)[0] if status else None
    with shop_transaction(shop) as tx:
        return reminder_lists.list_mails(tx, number=order, status=wanted, before=before, limit=limit)


@mail_app.command("show")
@command
def show_(
    shop: ShopArgument,
    mail: MailArgument,
    raw: Annotated[bool, typer.Option("--raw", help="The message as it went out, such as for a .eml file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a mail and its text."""
    from paymatch.formats.mail.message import plain_text as text_of
    from paymatch.usecases.reminders import reminder_lists

    with shop_transaction(shop) as tx:
        row, content = reminder_lists.show_mail(tx, whole_id(tx, "mails", mail))
    if raw and row["forgotten"]:
        raise SettingRefused(Message("setting-message-mail-been-deleted", mail=mail))
    if raw:
        sys.stdout.buffer.write(content)
        return
    words = text_of(content) if content else ""
    show(row | ({"text": words} if as_json else {}), as_json=as_json)
    if not as_json:
        typer.echo(f"\n{plain_text(words, lines=True)}")


@mail_app.command()
@command
def again(shop: ShopArgument, mail: MailArgument, as_json: AsJson = False) -> None:
    """Send refused mail again, if its order still needs it."""
    from paymatch.usecases.reminders import reminder_lists

    with shop_transaction(shop) as tx:
        result = reminder_lists.try_again(tx, whole_id(tx, "mails", mail))
    show(result, as_json=as_json)


@mail_app.command()
@command
def bounce(
    shop: ShopArgument,
    mail: MailArgument,
    confirmed: Annotated[
        bool, typer.Option("--confirm/--dismiss", help="The mail did not arrive, or the report is wrong.")
    ],
    as_json: AsJson = False,
) -> None:
    """Decide an unproved report of bounced mail: confirm it, or dismiss it and keep sending."""
    from paymatch.usecases.reminders.bounces import judge

    with opened_shop(shop) as (database, found):
        result = judge(database, found, mail, utc_now(), confirmed=confirmed)
    show(result, as_json=as_json)


@mail_app.command()
@command
def test(
    shop: ShopArgument,
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="Who gets the mail.")],
    as_json: AsJson = False,
) -> None:
    """Send a test mail the way customers' mail is sent, and show how it was sent."""
    from paymatch.outbound.mail.opening import open_mail
    from paymatch.usecases.reminders.trial_mails import send_trial

    with opened_shop(shop) as (database, found):
        door = open_mail(settings())
        try:
            sent = send_trial(database, found, door, address, utc_now())
        finally:
            door.close()
    result = {
        "status": "SENT" if sent.delivered else "KEPT", "server": sent.route.server,
        "encryption": sent.route.encryption or "none", "from": sent.sender, "replyTo": sent.reply_to,
        "to": sent.recipient, "subject": sent.subject, "messageId": sent.message_id,
        **sent.hints(),
    }  # fmt: skip
    show(result, as_json=as_json)
