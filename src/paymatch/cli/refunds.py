"""Commands for refunds: run, list, cancel, report, set-iban."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from paymatch.cli.context import command, opened, settings, show
from paymatch.cli.shops import AsJson, ShopArgument
from paymatch.clock import utc_now
from paymatch.domain.calendar import parse_date
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.refunds import RefundRefused, RefundStatus
from paymatch.domain.shops.shop import Shop
from paymatch.formats.statement import FileRefused
from paymatch.store.database import Database, ShopId
from paymatch.store.refunds.refunds import Listed
from paymatch.usecases import shops
from paymatch.usecases.refunds import bank_reports, refund_runs, refunds
from paymatch.usecases.refunds.transfer_files import WrittenFile, write_out

refunds_app = typer.Typer(help="Refunds: run, list, cancel, report, set-iban.", no_args_is_help=True)
RefundArgument = Annotated[str, typer.Argument(metavar="REFUND_ID")]
_LIST = ("id", "orderNumber", "externalReference", "amount", "currency", "plannedDate", "status", "reason", "bankCode")
_FILES = ("file", "account", "transfers", "total", "currency", "executionDate", "version", "path")
_PAGE = 1000


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(refunds_app, name="refunds")


@refunds_app.command()
@command
def run(
    shop: ShopArgument,
    day: Annotated[
        str | None, typer.Option("--date", metavar="D", help="dd-MM-yyyy or yyyy-MM-dd; by default today.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the files; by default SHOP in PAYMATCH_TRANSFER_DIR.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Write files that are missing in the folder once more.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Puts the refunds that are due into transfer files (pain.001), each refund exactly once."""
    wanted = None if day is None else _day(day)
    with opened() as database:
        found = shops.find(database, shop)
        result = refund_runs.run(database, found, utc_now(), day=wanted)
        folder = out or settings().transfers() / str(found.id)
        written = write_out(database, found, folder, utc_now(), missing_too=again)
    held = [
        {
            "id": each.refund_id,
            "orderNumber": each.order_number,
            "externalReference": each.external_reference,
            "reason": each.reason,
        }
        for each in result.held
    ]
    files = [_file(each) for each in written]
    if as_json:
        show({"files": files, "held": held}, as_json=True)
        return
    show(files, as_json=False, columns=_FILES, title="Transfer files")
    if held:
        show(held, as_json=False, title="Refunds that stay")


def _file(written: WrittenFile) -> dict[str, Any]:
    file = written.file
    return {
        "file": written.path.name,
        "path": str(written.path.absolute()),
        "messageId": file.message_id,
        "account": file.account,
        "currency": file.currency,
        "transfers": file.transfers,
        "total": minor_to_text(file.total_minor, Currency(file.currency)),
        "executionDate": f"{file.execution_date:%d-%m-%Y}",
        "version": file.version,
    }


def _day(text: str) -> date:
    try:
        return parse_date(text)
    except ValueError:
        pass
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise RefundRefused(f"Invalid date: {text}, format should be dd-MM-yyyy") from None


@refunds_app.command("list")
@command
def list_(
    shop: ShopArgument,
    status: Annotated[list[RefundStatus] | None, typer.Option(help="May be given several times.")] = None,
    as_json: AsJson = False,
) -> None:
    """The shop's refunds in the order they were filed, and why those that are due were not sent."""
    with opened() as database:
        rows = list(_all(database, shops.find(database, shop), status or []))
    show(rows, as_json=as_json, columns=_LIST)


def _all(database: Database, shop: Shop, statuses: list[RefundStatus]) -> list[dict[str, Any]]:
    rows: list[Listed] = []
    while True:
        with database.transaction(ShopId(shop.id)) as tx:
            page = refunds.page(tx, shop, statuses, rows[-1].id if rows else None, _PAGE)
        rows += page
        if len(page) < _PAGE:
            return [_listed(row) for row in rows]


def _listed(row: Listed) -> dict[str, Any]:
    return _decoded(row.document) | {
        "orderNumber": row.order_number,
        "reason": row.held_reason,
        "bankCode": row.bank_code,
        "attempt": row.attempt,
        "iban": row.iban,
        "holder": row.holder,
        "transferFile": row.transfer_file,
    }


def _decoded(document: str) -> dict[str, Any]:
    """The API's JSON of a refund, its amount as it is written there."""
    found: dict[str, msgspec.Raw] = msgspec.json.decode(document, type=dict[str, msgspec.Raw])
    return {name: raw if name == "amount" else msgspec.json.decode(raw) for name, raw in found.items()}


@refunds_app.command()
@command
def cancel(shop: ShopArgument, refund: RefundArgument, as_json: AsJson = False) -> None:
    """Takes a refund back that is not with the bank."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            document = refunds.cancel(tx, found, refund, utc_now())
    show(_decoded(document), as_json=as_json)


@refunds_app.command("set-iban")
@command
def set_iban(
    shop: ShopArgument,
    refund: RefundArgument,
    iban: Annotated[str, typer.Argument(metavar="IBAN")],
    holder: Annotated[str, typer.Option(help="Name of the account's holder, as the bank knows it.")] = "",
    as_json: AsJson = False,
) -> None:
    """Directs a refund to the account that the customer named; after a rejection or a return it is sent once more."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            document = refunds.set_iban(tx, found, refund, iban, holder, utc_now())
    show(_decoded(document), as_json=as_json)


@refunds_app.command()
@command
def report(
    shop: ShopArgument,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Status reports of the bank (pain.002).")],
    as_json: AsJson = False,
) -> None:
    """Applies the bank's status reports to the refunds that they are about; each file on its own."""
    with opened() as database:
        found = shops.find(database, shop)
        rows = [_report(database, found, path, utc_now()) for path in files]
    show(rows, as_json=as_json, columns=("file", "refunds", "rejected", "processed"))
    for row in rows:
        if "error" in row:
            typer.echo(f"Error: {row['file']}: {row['error']}", err=True)
    if any("error" in row for row in rows):
        raise typer.Exit(1)


def _report(database: Database, shop: Shop, path: Path, clock: datetime) -> dict[str, Any]:
    try:
        with path.open("rb") as stream:
            found = bank_reports.import_report(database, shop, stream, clock)
    except (FileRefused, OSError) as error:
        return {"file": path.name, "error": str(error)}
    return {
        "file": path.name,
        "refunds": len(found),
        "rejected": sum(each.moved and each.status is RefundStatus.ERROR for each in found),
        "processed": sum(each.moved and each.status is RefundStatus.PROCESSED for each in found),
        "details": [
            {
                "id": each.refund_id,
                "orderNumber": each.order_number,
                "referenceNumber": each.reference,
                "bankStatus": each.bank_status,
                "bankCode": each.bank_code,
                "status": each.status,
                "changed": each.moved,
            }
            for each in found
        ],
    }
