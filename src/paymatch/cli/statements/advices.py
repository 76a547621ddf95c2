"""Commands for remittance advices."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from paymatch.cli.arguments import AsJson, ShopArgument, Yes
from paymatch.cli.context import command, opened_shop, show
from paymatch.cli.context import confirm as ask
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.clock import utc_now
from paymatch.domain.words.message import Message

advice_app = new_group("Remittance advices: import, list, show, undo, senders, confirm, revoke.")
AdviceArgument = Annotated[str, typer.Argument(metavar="ADVICE", help="Id of the advice.")]


@advice_app.command("import")
@command
def import_(
    shop: ShopArgument,
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="CSV, XLSX, PDF, REMADV, UBL or remt.001.")],
    as_json: AsJson = False,
) -> None:
    """Import remittance advices: payments that they explain are matched to their orders."""
    from paymatch.domain.statement_channels import StatementChannel
    from paymatch.formats.statement import FileRefused
    from paymatch.usecases.advices.advices import import_advice

    found = []
    with opened_shop(shop) as (database, known):
        for path in files:
            try:
                with path.open("rb") as stream:
                    found += import_advice(database, known, stream, path.name, utc_now(), StatementChannel.COMMAND_LINE)
            except FileRefused as refusal:
                raise FileRefused(Message("file-named", name=path.name, what=refusal.message)) from None
    show(found, as_json=as_json)


@advice_app.command("list")
@lists(
    "id",
    "sender",
    "mailedBy",
    "proof",
    "number",
    "date",
    "amount",
    "currency",
    "orders",
    "state",
    "postings",
    "file",
    "problem",
)
def list_(shop: ShopArgument) -> Iterable[Row]:
    """List remittance advices, the latest first, and the postings that each one explains."""
    from paymatch.usecases.advices.advices import list_advices

    with opened_shop(shop) as (database, found):
        return list_advices(database, found)


@advice_app.command("show")
@command
def show_(shop: ShopArgument, advice: AdviceArgument, as_json: AsJson = False) -> None:
    """Show an advice with its lines, or what was read of one that is unreadable."""
    from paymatch.usecases.advices.advices import show_advice

    with opened_shop(shop) as (database, found):
        result = show_advice(database, found, advice)
    show(result, as_json=as_json)


@advice_app.command()
@command
def undo(shop: ShopArgument, advice: AdviceArgument, yes: Yes = False, as_json: AsJson = False) -> None:
    """Undo an advice: what it decided is decided again without it."""
    from paymatch.usecases.advices.advices import undo_advice

    with opened_shop(shop) as (database, found):
        ask(f"Undo advice {advice}?", yes=yes)
        result = undo_advice(database, found, advice, utc_now())
    show(result, as_json=as_json)


@advice_app.command("senders")
@lists("id", "address", "payer", "confirmedAt")
def senders_(shop: ShopArgument) -> Iterable[Row]:
    """List the mail senders whose advices decide the payments of a payer."""
    from paymatch.usecases.advices.mailed import list_senders

    with opened_shop(shop) as (database, found):
        return list_senders(database, found)


@advice_app.command("confirm")
@command
def confirm_(
    shop: ShopArgument,
    advice: AdviceArgument,
    posting: Annotated[str, typer.Argument(metavar="POSTING", help="Id of a payment that the advice explains.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Confirm that the mail sender of an advice speaks for the payer of a payment."""
    from paymatch.usecases.advices.mailed import confirm_sender

    with opened_shop(shop) as (database, found):
        ask(f"Let mails of this sender decide what the payer of {posting} has paid?", yes=yes)
        result = confirm_sender(database, found, advice, posting, utc_now())
    show(result, as_json=as_json)


@advice_app.command("revoke")
@command
def revoke(
    shop: ShopArgument,
    sender: Annotated[str, typer.Argument(metavar="SENDER", help="Id of the confirmed sender.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Revoke a confirmed sender: what its advices decided is decided again."""
    from paymatch.usecases.advices.mailed import revoke_sender

    with opened_shop(shop) as (database, found):
        ask(f"Revoke sender {sender}?", yes=yes)
        result = revoke_sender(database, found, sender, utc_now())
    show(result, as_json=as_json)
