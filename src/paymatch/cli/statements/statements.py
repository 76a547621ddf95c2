"""Commands for bank statements."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from paymatch.cli.context import command, opened, parse_settings, settings, show
from paymatch.cli.shops import AsJson, ShopArgument
from paymatch.clock import utc_now
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.formats.statement import FileRefused
from paymatch.store.database import Database
from paymatch.usecases import shops
from paymatch.usecases.statements.import_process import ImportFailed, import_in_process
from paymatch.usecases.statements.import_report import Report

statement_app = typer.Typer(help="Bank statements: import, list, undo.", no_args_is_help=True)

_COLUMNS = (
    "file", "format", "entries", "sumCredit", "sumDebit", "currency", "new", "known", "matched", "suggested", "errors",
    "balance",
)  # fmt: skip


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(statement_app, name="statement")
    app.command()(watch)


@statement_app.command("import")
@command
def import_(
    shop: ShopArgument,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="camt, MT940, CSV, OFX or ZIP files.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen, change nothing.")] = False,
    account: Annotated[str, typer.Option(help="The account of files that do not name it.")] = "",
    as_json: AsJson = False,
) -> None:
    """Imports bank files, each on its own: booked exactly once, whole or not at all, then matched."""
    with opened() as database:
        found = shops.find(database, shop)
        rows = [_one(database, found, path, account, dry_run=dry_run, quiet=as_json) for path in files]
    show(rows, as_json=as_json, columns=_COLUMNS)
    for row in rows:
        if "error" in row:
            typer.echo(f"Error: {row['file']}: {row['error']}", err=True)
    if any("error" in row for row in rows):
        raise typer.Exit(1)


def _one(database: Database, shop: Shop, path: Path, account: str, *, dry_run: bool, quiet: bool) -> dict[str, Any]:
    console = Console(file=sys.stderr, quiet=quiet and not sys.stderr.isatty())
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.completed:,.0f}"),
        TimeElapsedColumn(),
    )
    try:
        with path.open("rb") as stream, Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task(path.name, total=None)

            def tell(what: str, count: int) -> None:
                progress.update(task, description=f"{path.name}: {what}", completed=count)

            report = import_in_process(
                database, shop, stream, path.name, utc_now(), dry_run=dry_run, progress=tell, account=account
            )
            return report.as_dict()
    except (FileRefused, ImportFailed, OSError) as error:
        return Report(path.name, dry_run=dry_run).as_dict() | {"error": str(error)}


@statement_app.command("list")
@command
def list_(shop: ShopArgument, as_json: AsJson = False) -> None:
    """The shop's imports, latest first."""
    from paymatch.usecases.statements.imports import list_imports  # noqa: PLC0415

    with opened() as database:
        rows = list_imports(database, shops.find(database, shop))
    show(
        rows, as_json=as_json, columns=("importId", "file", "format", "status", "new", "known", "balance", "importedAt")
    )


@statement_app.command("undo")
@command
def undo(
    shop: ShopArgument, import_id: Annotated[str, typer.Argument(metavar="IMPORT_ID")], as_json: AsJson = False
) -> None:
    """Undoes an import as a whole, while none of its postings is confirmed by hand."""
    from paymatch.usecases.statements.imports import undo_import  # noqa: PLC0415

    with opened() as database:
        result = undo_import(database, shops.find(database, shop), import_id, utc_now())
    show(result, as_json=as_json)


@statement_app.command("check")
@command
def check(shop: ShopArgument, as_json: AsJson = False) -> None:
    """What is missing or wrong: gaps between statements, balances that do not fit, per account with days."""
    from paymatch.usecases.statements.completeness import check_statements  # noqa: PLC0415

    with opened() as database:
        rows = check_statements(database, shops.find(database, shop))
    show(
        rows,
        as_json=as_json,
        columns=("account", "currency", "statements", "firstDate", "lastDate", "complete", "gaps"),
    )


@statement_app.command("mapping")
@command
def mapping(
    shop: ShopArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table (CSV) of the bank.")],
    changes: Annotated[list[str] | None, typer.Option("--set", metavar="FIELD=COLUMN", help="May be repeated.")] = None,
    account: Annotated[str, typer.Option(help="By default the shop's only account.")] = "",
    save: Annotated[bool, typer.Option("--save", help="Remember it for the account.")] = False,
    as_json: AsJson = False,
) -> None:
    """How a table is read: the columns with a preview of the entries; correct it with --set, keep it with --save."""
    from paymatch.usecases.statements.csv_mapping import mapping as use  # noqa: PLC0415

    with opened() as database, file.open("rb") as stream:
        found = shops.find(database, shop)
        result = use(database, found, stream, account=account, changes=parse_settings(changes or []), save=save)
    show(result, as_json=as_json)
    if not as_json:
        show(result["entries"], as_json=False, title="As it would be read")


@command
def watch(once: Annotated[bool, typer.Option("--once", help="Import what lies there, then end.")] = False) -> None:
    """Watches the drop folder (PAYMATCH_DROP_DIR) only; the worker does so too. Any number may run."""
    from paymatch.jobs.drop_folder import DropFolderImporter  # noqa: PLC0415

    drop_dir = settings().drop_dir
    if drop_dir is None:
        raise SettingRefused("Name the folder with PAYMATCH_DROP_DIR")
    with opened() as database:
        importer = DropFolderImporter(database, drop_dir, utc_now)
        if once:
            importer.look()
            return
        try:
            importer.run()
        except KeyboardInterrupt:
            importer.stop()
