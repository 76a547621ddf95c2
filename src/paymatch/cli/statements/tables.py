"""Tables on the command line: whether one is a statement, its account, and how its columns are read (D-82)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from paymatch.cli.arguments import AsJson, ShopArgument, name_of, opened_file
from paymatch.cli.context import command, opened_shop, parse_settings, show, tell_error
from paymatch.cli.listing import Row, lists
from paymatch.cli.terminal import plain_text
from paymatch.clock import utc_now
from paymatch.domain.refusal import Refused

if TYPE_CHECKING:
    from paymatch.domain.shops.shop import Shop
    from paymatch.store.database import Database

_ROWS: Final = 4
"""The headings and three rows."""


def add_table_commands(group: typer.Typer) -> None:
    """Adds the commands about tables to those of statements."""
    group.command("mapping")(mapping)
    group.command("layouts")(layouts)
    group.command("forget")(forget)


@command
def mapping(
    shop: ShopArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table (CSV) of the bank.")],
    changes: Annotated[list[str] | None, typer.Option("--set", metavar="FIELD=COLUMN", help="May be repeated.")] = None,
    account: Annotated[str, typer.Option(help="The account whose statement it is; --save needs it.")] = "",
    save: Annotated[
        bool, typer.Option("--save", help="Confirm it: tables with these headings are statements of the account.")
    ] = False,
    provider: Annotated[
        str, typer.Option(metavar="NAME", help="The table is a settlement of this payment service or marketplace.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Show how a table is read, with a preview of its entries; correct it with --set, confirm it with --save."""
    from paymatch.usecases.payouts.layout_mapping import map_layout, propose_layout
    from paymatch.usecases.statements.csv_mapping import mapping as use

    wanted = parse_settings(changes or [])
    with opened_shop(shop) as (database, found), opened_file(file) as stream:
        if provider:
            try:
                result = map_layout(database, found, stream, provider, utc_now(), changes=wanted, save=save)
            except Refused:
                stream.seek(0)
                show(propose_layout(stream), as_json=as_json)  # what --set can name
                raise
        else:
            result = use(database, found, stream, account=account, changes=wanted, save=save)
    if as_json:
        show(result, as_json=True)
        return
    show({name: value for name, value in result.items() if name != "entries"}, as_json=False)
    show(result["entries"], as_json=False, title="As it would be read")


@lists("layout", "account", "currency", "profile", "columns", "headings")
def layouts(shop: ShopArgument) -> Iterable[Row]:
    """List the layouts of tables that a person has confirmed, with the account whose statements they are."""
    from paymatch.usecases.statements.csv_mapping import list_layouts

    with opened_shop(shop) as (database, found):
        return list_layouts(database, found)


@command
def forget(
    shop: ShopArgument,
    account: Annotated[str, typer.Argument(metavar="ACCOUNT", help="IBAN or account number.")],
    layout: Annotated[str, typer.Option(help="Only this one, as `statement layouts` names it.")] = "",
    as_json: AsJson = False,
) -> None:
    """Revoke the confirmed layouts of an account: its tables are asked about again; what was imported stays."""
    from paymatch.usecases.statements.csv_mapping import forget_layout

    with opened_shop(shop) as (database, found):
        result = forget_layout(database, found, account, layout)
    show(result, as_json=as_json)


def ask_about_table(database: Database, shop: Shop, path: Path, account: str) -> bool:
    """Shows a table to the person at the terminal; whether they confirm it as a statement, which is then kept."""
    from paymatch.usecases.statements.accounts import list_accounts
    from paymatch.usecases.statements.csv_mapping import mapping as use

    _show_first_rows(database, shop, path)
    if not typer.confirm(plain_text(f"Is {name_of(path)} a bank statement?"), err=True):
        return False
    own = [row["account"] for row in list_accounts(database, shop) if row["confirmed"] and not row["provider"]]
    typer.echo(f"Your accounts: {plain_text(', '.join(own))}", err=True)
    named = account or typer.prompt("Of which account?", err=True)
    try:
        with opened_file(path) as stream:
            use(database, shop, stream, account=named, save=True)
    except Refused as refusal:
        tell_error(str(refusal))
        return False
    return True


def show_asked_tables(
    database: Database, shop: Shop, files: Sequence[Path], rows: Sequence[Mapping[str, Any]], account: str
) -> None:
    """Shows the columns and three rows of tables that were asked about, and how the question is answered."""
    for path, row in zip(files, rows, strict=True):
        if row.get("asked"):
            _show_first_rows(database, shop, path)
            words = f"paymatch statement mapping {name_of(path)} --account {account or 'ACCOUNT'} --save"
            typer.echo(f"If it is a statement, confirm it once: {plain_text(words)}", err=True)
            words = f"paymatch statement mapping {name_of(path)} --provider NAME --save"
            typer.echo(f"If it is a settlement of a payment service: {plain_text(words)}", err=True)


def _show_first_rows(database: Database, shop: Shop, path: Path) -> None:
    from paymatch.usecases.statements.csv_mapping import mapping as use

    try:
        with opened_file(path) as stream:
            found = use(database, shop, stream)
    except (Refused, OSError):
        return  # the refusal of the file itself is shown
    for cells in found["preview"][:_ROWS]:
        typer.echo(plain_text(" | ".join(cell.strip() for cell in cells)), err=True)
