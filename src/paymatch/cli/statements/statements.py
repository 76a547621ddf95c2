"""Commands for bank statements."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paymatch.cli.arguments import DAY, AsJson, ShopArgument, Yes, name_of, opened_file, read_amount, read_day
from paymatch.cli.context import (
    command,
    confirm,
    database_of_command,
    opened_shop,
    settings,
    show,
    tell_error,
    whole_id,
)
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.cli.statements.tables import add_table_commands, ask_about_table, show_asked_tables
from paymatch.cli.terminal import plain_text, shown_progress
from paymatch.clock import utc_now
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message
from paymatch.system_errors import in_a_sentence

if TYPE_CHECKING:
    from paymatch.domain.shops.shop import Shop
    from paymatch.store.database import Database

_NOTES_SHOWN = 50
statement_app = new_group("Bank statements: import, list, undo, unread, resolve, check, mapping, layouts, forget.")

_COLUMNS = (
    "file", "format", "entries", "sumCredit", "sumDebit", "currency", "new", "known", "matched", "suggested", "errors",
    "balance",
)  # fmt: skip
_AFTER_MATCHING = ("matched", "suggested")
"""Unknown facts of a file that was only rehearsed: matching comes after booking."""


@statement_app.command("import")
@command
def import_(
    shop: ShopArgument,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="camt, MT940, CSV, OFX or ZIP files; - is standard input.")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen, change nothing.")] = False,
    account: Annotated[str, typer.Option(help="The account of files that do not name it.")] = "",
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Import bank files separately: each is booked exactly once, whole or not at all, then matched.

    On a terminal, files of accounts that the shop does not know are booked only after asking. So are tables of no known
    bank's layout: the answer is kept for tables with the same headings.
    """
    asks = sys.stdin.isatty() and not (yes or dry_run or as_json)
    with opened_shop(shop) as (database, found):
        rows = [
            _one(database, found, path, account, dry_run=dry_run, quiet=as_json)
            if not asks or _is_welcome(database, found, path, account)
            else _left_out(path)
            for path in files
        ]
        if not as_json:
            show_asked_tables(database, found, files, rows, account)
    shown = [name for name in _COLUMNS if not (dry_run and name in _AFTER_MATCHING)]
    show(rows, as_json=as_json, columns=shown)
    if not as_json:
        _print_notes(rows)
    for row in rows:
        if "error" in row:
            tell_error(f"{row['file']}: {row['error']}", as_json=as_json)
    if any("error" in row for row in rows):
        raise typer.Exit(1)


def _is_welcome(database: Database, shop: Shop, path: Path, account: str) -> bool:
    """Whether a file's accounts are the shop's, or the person at the terminal says that it may be booked."""
    rehearsed = _one(database, shop, path, account, dry_run=True, quiet=True)
    if rehearsed.get("asked") and not ask_about_table(database, shop, path, account):
        return False
    unknown = " and ".join(rehearsed["newAccounts"])
    if not unknown:
        return True
    question = f"{path.name} is of account {unknown}, which is not among the shop's accounts. Import it anyway?"
    return typer.confirm(plain_text(question), err=True)


def _left_out(path: Path) -> dict[str, Any]:
    from paymatch.usecases.statements.import_report import ImportReport

    return ImportReport(path.name).as_dict() | {"error": "not imported"}


def _print_notes(rows: list[dict[str, Any]]) -> None:
    """Prints what each import noted below its table: error lines, guesses, what was cut or not known."""
    for row in rows:
        for note in row["notes"][:_NOTES_SHOWN]:
            typer.echo(f"{plain_text(row['file'])}: {plain_text(note)}")
        if len(row["notes"]) > _NOTES_SHOWN:
            typer.echo(f"{plain_text(row['file'])}: {len(row['notes']) - _NOTES_SHOWN} more notes, see --json")


def _one(database: Database, shop: Shop, path: Path, account: str, *, dry_run: bool, quiet: bool) -> dict[str, Any]:
    from paymatch.domain.statement_channels import StatementChannel
    from paymatch.formats.statement import TableQuestion
    from paymatch.usecases.statements.import_process import ImportFailed, import_in_process
    from paymatch.usecases.statements.import_report import ImportReport

    try:
        with opened_file(path) as stream, shown_progress(name_of(path), quiet=quiet) as tell:
            report = import_in_process(
                database, shop, stream, name_of(path), utc_now(), dry_run=dry_run, progress=tell, account=account,
                channel=StatementChannel.COMMAND_LINE,
            )  # fmt: skip
            return report.as_dict()
    except (Refused, ImportFailed, OSError) as error:
        asked = {"asked": True} if isinstance(error, TableQuestion) else {}
        return ImportReport(name_of(path), dry_run=dry_run).as_dict() | {"error": in_a_sentence(error)} | asked


@statement_app.command("list")
@lists("importId", "file", "format", "status", "new", "known", "balance", "importedAt")
def list_(shop: ShopArgument) -> Iterable[Row]:
    """List the shop's imports, latest first."""
    from paymatch.usecases.statements.imports import list_imports

    with opened_shop(shop) as (database, found):
        return list_imports(database, found)


@statement_app.command("undo")
@command
def undo(
    shop: ShopArgument,
    import_id: Annotated[str, typer.Argument(metavar="IMPORT_ID")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Undo an import as a whole, while none of its postings is confirmed by hand."""
    from paymatch.usecases.statements.imports import undo_import

    with opened_shop(shop) as (database, found):
        with database.of_shop(found) as tx:
            whole = whole_id(tx, "imports", import_id)
        confirm(f"Undo the import {whole} with all its postings and matches?", yes=yes)
        result = undo_import(database, found, whole, utc_now())
    show(result, as_json=as_json)


@statement_app.command("unread")
@lists("importId", "file", "line", "reason", "raw", "resolvedBy")
def unread(shop: ShopArgument) -> Iterable[Row]:
    """List the entries of imports that could not be read, with their source."""
    from paymatch.usecases.statements.resolving import list_unread

    with opened_shop(shop) as (database, found):
        return list_unread(database, found)


@statement_app.command("resolve")
@command
def resolve(
    shop: ShopArgument,
    import_id: Annotated[str, typer.Argument(metavar="IMPORT_ID")],
    line: Annotated[int, typer.Argument(metavar="LINE", help="Line of the entry, as statement unread lists it.")],
    amount: Annotated[str, typer.Option(help="12.30 for money in, -12.30 for money out.")],
    date: Annotated[str, typer.Option(metavar=DAY, help="Booking date.")],
    name: Annotated[str, typer.Option(help="Who paid, or was paid.")] = "",
    iban: Annotated[str, typer.Option(help="The account of who paid, or was paid.")] = "",
    text: Annotated[str, typer.Option(help="Remittance information.")] = "",
    account: Annotated[str, typer.Option(help="The shop's account; by default the only one of the file.")] = "",
    currency: Annotated[str, typer.Option(help="By default the shop's.")] = "",
    as_json: AsJson = False,
) -> None:
    """Book an entry that could not be read, by typing what it says; undo it like an import."""
    from paymatch.domain.money import currency_of
    from paymatch.domain.statement_channels import StatementChannel
    from paymatch.usecases.statements.resolving import TypedEntry, resolve_unread

    day = read_day(date)
    with opened_shop(shop) as (database, found):
        code = currency or found.currency
        minor = read_amount(amount, code)
        if day is None or minor is None:
            raise SettingRefused(Message("setting-entry-amount-booking-date"))
        typed = TypedEntry(minor, currency_of(code), day, name, iban.replace(" ", ""), text, account.replace(" ", ""))
        with database.of_shop(found) as tx:
            whole = whole_id(tx, "imports", import_id)
        result = resolve_unread(database, found, whole, line, typed, utc_now(), channel=StatementChannel.COMMAND_LINE)
    show(result, as_json=as_json)


@statement_app.command("check")
@lists("account", "currency", "statements", "firstDate", "lastDate", "complete", "gaps")
def check(shop: ShopArgument) -> Iterable[Row]:
    """List what is missing or wrong per account: gaps between statements, balances that do not fit, with days."""
    from paymatch.usecases.statements.completeness import check_statements

    with opened_shop(shop) as (database, found):
        return check_statements(database, found)


add_table_commands(statement_app)


@command
def watch(once: Annotated[bool, typer.Option("--once", help="Import what is there, then end.")] = False) -> None:
    """Import files from the drop folder (PAYMATCH_DROP_DIR); the worker does so too. Any number may run."""
    from paymatch.jobs.drop_folder import DropFolderImporter

    drop_dir = settings().drop_dir
    if drop_dir is None:
        raise SettingRefused(Message("setting-name-folder-with-paymatch"))
    with database_of_command() as database:
        importer = DropFolderImporter(database, drop_dir, utc_now)
        if once:
            importer.look()
            return
        try:
            importer.run()
        except KeyboardInterrupt:
            importer.stop()
