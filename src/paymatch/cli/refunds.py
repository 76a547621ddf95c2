"""Commands for refunds: run, list, release, discard, import, cancel, report, set-iban, speed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paymatch.cli.arguments import (
    DAY,
    AsJson,
    ShopArgument,
    Yes,
    name_of,
    opened_file,
    read_amount,
    read_day,
    read_states,
)
from paymatch.cli.context import command, confirm, opened_shop, settings, shop_transaction, show, tell_error, whole_id
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.clock import utc_now
from paymatch.domain.money import digits_of
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message
from paymatch.system_errors import in_a_sentence

if TYPE_CHECKING:
    from paymatch.domain.refunds.refunds import RefundStatus
    from paymatch.domain.shops.shop import Shop
    from paymatch.store.database import Database
    from paymatch.store.refunds.refunds import Listed
    from paymatch.usecases.refunds.clearance import ArrivedSums
    from paymatch.usecases.refunds.transfer_files import WrittenFile

refunds_app = new_group("Refunds: run, list, create, release, discard, import, cancel, set-iban, speed, ask, report.")
RefundArgument = Annotated[str, typer.Argument(metavar="REFUND_ID", help="Id of the refund.")]
_FILES = ("file", "account", "transfers", "total", "currency", "executionDate", "version", "path")
_PAGE = 1000


@refunds_app.command()
@command
def run(
    shop: ShopArgument,
    day: Annotated[str, typer.Option("--date", metavar=DAY, help="By default today.")] = "",
    out: Annotated[
        Path | None, typer.Option(help="Folder of the files; by default SHOP in PAYMATCH_TRANSFER_DIR.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Write files again that are missing in the folder.")] = False,
    as_json: AsJson = False,
) -> None:
    """Put the refunds that are due into transfer files (pain.001), each refund exactly once."""
    from paymatch.usecases.refunds import refund_runs
    from paymatch.usecases.refunds.transfer_files import write_out

    wanted = read_day(day)
    with opened_shop(shop) as (database, found):
        result = refund_runs.run(database, found, utc_now(), day=wanted)
        folder = out or settings().transfers() / str(found.id)
        written = write_out(database, found, folder, utc_now(), missing_too=again)
    held = [
        {
            "id": each.refund_id,
            "orderNumber": each.order_number,
            "externalReference": each.external_reference,
            "reason": each.reason,
            "waitsForRelease": each.waits_for_release,
        }
        for each in result.held
    ]
    files = [_file(each) for each in written]
    if as_json:
        show({"files": files, "held": held}, as_json=True)
        return
    show(files, as_json=False, columns=_FILES, title="Transfer files")
    if held:
        show(held, as_json=False, title="Refunds that were not sent")


def _file(written: WrittenFile) -> dict[str, Any]:
    from paymatch.domain.money import Currency, minor_to_text

    file = written.file
    return {
        "file": written.path.name,
        "path": str(written.path.absolute()),
        "messageId": file.message_id,
        "account": file.account,
        "currency": file.currency,
        "transfers": file.transfers,
        "total": minor_to_text(file.total_minor, Currency(file.currency)),
        "executionDate": file.execution_date.isoformat(),
        "version": file.version,
    }


@refunds_app.command("list")
@lists(
    "id", "orderNumber", "externalReference", "amount", "currency", "plannedDate", "status", "reason", "arrived",
    "bankCode",
)  # fmt: skip
def list_(
    shop: ShopArgument,
    status: Annotated[list[str] | None, typer.Option(help="NEW, IN_PROCESS ...; may be given several times.")] = None,
) -> Iterator[Row]:
    """List the shop's refunds in the order they were filed, why due ones were not sent, and what arrived for those."""
    from paymatch.domain.refunds.refunds import RefundStatus

    wanted = read_states(status, RefundStatus)
    with opened_shop(shop) as (database, found):
        yield from (_refund_line(row, arrived) for row, arrived in _all(database, found, wanted))


def _all(database: Database, shop: Shop, statuses: list[RefundStatus]) -> Iterator[tuple[Listed, ArrivedSums | None]]:
    from paymatch.usecases.refunds import refunds

    last: str | None = None
    while True:
        with database.of_shop(shop) as tx:
            page = refunds.page(tx, statuses, last, _PAGE)
        yield from page
        if len(page) < _PAGE:
            return
        last = page[-1][0].id


def _refund_line(row: Listed, arrived: ArrivedSums | None) -> dict[str, Any]:
    from paymatch.domain.refunds.money_out import WAITS_FOR_RELEASE

    return _decode_refund(row.document) | {
        "orderNumber": row.order_number,
        "reason": row.held_reason,
        "waitsForRelease": row.held_reason in WAITS_FOR_RELEASE,
        "arrived": ", ".join(_sum(*each) for each in arrived.in_all) if arrived else "",
        "arrivedFromAccount": _sum(arrived.currency, arrived.account_minor) if arrived else "",
        "bankCode": row.bank_code,
        "attempt": row.attempt,
        "iban": row.iban,
        "holder": row.holder,
        "transferFile": row.transfer_file,
    }


def _sum(currency: str, minor: int) -> str:
    from paymatch.domain.money import currency_of, minor_to_text

    return f"{minor_to_text(minor, currency_of(currency))} {currency}"


def _decode_refund(document: str) -> dict[str, Any]:
    """The API's JSON of a refund with its amount as text and its days as the command line writes them."""
    import msgspec

    from paymatch.domain.calendar import parse_date

    found: dict[str, Any] = msgspec.json.decode(document, type=dict[str, msgspec.Raw])
    found = {name: bytes(raw).decode() if name == "amount" else msgspec.json.decode(raw) for name, raw in found.items()}
    for name in ("plannedDate", "executionDate"):
        if found.get(name):
            found[name] = parse_date(found[name]).isoformat()
    return found


@refunds_app.command()
@command
def create(
    shop: ShopArgument,
    order: Annotated[str, typer.Argument(metavar="ORDER", help="Number of the order.")],
    amount: Annotated[str, typer.Argument(metavar="AMOUNT", help="In the order's currency, such as 12.30.")],
    reference: Annotated[str, typer.Option(help="Your own reference; by default one is made.")] = "",
    day: Annotated[str, typer.Option("--date", metavar=DAY, help="When to send it; by default tomorrow.")] = "",
    as_json: AsJson = False,
) -> None:
    """File a refund of an order; it is sent with the next transfer file after its date."""
    from paymatch.domain.money import currency_of
    from paymatch.domain.orders.submission import OrderUnknown
    from paymatch.domain.refunds.refunds import SubmittedRefund
    from paymatch.store import ids
    from paymatch.store.orders import orders
    from paymatch.usecases.refunds import refunds

    with shop_transaction(shop) as tx:
        currency = orders.currency(tx, order)
        if currency is None:
            raise OrderUnknown(order)
        minor = read_amount(amount, currency) or 0
        if minor <= 0:
            raise SettingRefused(Message("setting-refund-more-than-0"))
        wanted = SubmittedRefund(
            external_reference=reference or f"CLI-{ids.new_id('r', utc_now()).removeprefix('r_')}",
            amount_minor=minor,
            currency=currency_of(currency),
            digits=digits_of(currency_of(currency)),
            planned_date=read_day(day) or tx.shop.today(utc_now()) + timedelta(days=1),
        )
        document = refunds.create(tx, order, wanted)
    show(_decode_refund(document), as_json=as_json)


@refunds_app.command()
@command
def release(
    shop: ShopArgument,
    refund_ids: Annotated[list[str], typer.Argument(metavar="REFUND_ID", help="Ids of the refunds, see the list.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Release refunds that wait for a person. They are sent with the next run."""
    from paymatch.domain.money import Currency, minor_to_text
    from paymatch.usecases.refunds import releases

    with opened_shop(shop) as (database, found):
        person = releases.person_of(database.actor)
        with database.of_shop(found) as tx:
            whole = [whole_id(tx, "refunds", each) for each in refund_ids]
        looked_at = releases.brought_up_to_date(database, found, whole, utc_now())
        for row in looked_at:
            amount = minor_to_text(row.amount_minor, Currency(row.currency))
            confirm(f"Release {amount} {row.currency} to {row.holder}, {row.iban}?", yes=yes)
        seen = {row.id: row.account_version for row in looked_at}
        released = releases.release(database, found, seen, person, utc_now())
    rows = [
        {
            "id": each.refund_id,
            "orderNumber": each.order_number,
            "amount": minor_to_text(each.amount_minor, Currency(each.currency)),
            "currency": each.currency,
            "iban": each.iban,
            "holder": each.holder,
            "releasedBy": list(each.released_by),
            "waitsForSecondPerson": each.waits_for_another,
        }
        for each in released
    ]
    show(rows, as_json=as_json)


@refunds_app.command()
@command
def discard(
    shop: ShopArgument,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Name of the transfer file.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder of the file; by default SHOP in PAYMATCH_TRANSFER_DIR.")
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Discard a transfer file that was never sent. Its refunds are new again."""
    from paymatch.usecases.refunds import transfer_files

    with opened_shop(shop) as (database, found):
        confirm(f"Discard {file}? Its refunds are sent again: be sure that it was not sent.", yes=yes)
        folder = out or settings().transfers() / str(found.id)
        discarded = transfer_files.discard(database, found, file, folder, utc_now())
    show(
        {
            "file": f"{discarded.file.message_id}.xml",
            "removedFromFolder": discarded.was_in_folder,
            "refunds": list(discarded.refund_ids),
        },
        as_json=as_json,
    )


@refunds_app.command("import")
@command
def import_(
    shop: ShopArgument,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV: orderNumber,externalReference,amount,currency,plannedDate.")
    ],
    as_json: AsJson = False,
) -> None:
    """Import refunds of another system. They are LEGACY: listed, and never sent."""
    from paymatch.domain.refunds.refunds import RefundRefused
    from paymatch.usecases.refunds import legacy

    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            rows = legacy.read_refunds(text)
    except (OSError, UnicodeError) as error:
        raise RefundRefused(Message("file-named", name=file.name, what=in_a_sentence(error))) from None
    with shop_transaction(shop) as tx:
        ids = [legacy.take_over(tx, number, refund) for number, refund in rows]
    show({"imported": len(ids), "refunds": ids}, as_json=as_json)


@refunds_app.command()
@command
def cancel(shop: ShopArgument, refund: RefundArgument, yes: Yes = False, as_json: AsJson = False) -> None:
    """Cancel a refund that is not with the bank."""
    from paymatch.usecases.refunds import refunds

    with shop_transaction(shop) as tx:
        refund_id = whole_id(tx, "refunds", refund)
        confirm(f"Cancel the refund {refund_id}?", yes=yes)
        document = refunds.cancel(tx, refund_id)
    show(_decode_refund(document), as_json=as_json)


@refunds_app.command("set-iban")
@command
def set_iban(
    shop: ShopArgument,
    refund: RefundArgument,
    iban: Annotated[str, typer.Argument(metavar="IBAN")],
    holder: Annotated[str, typer.Option(help="Name of the account's holder, as the bank knows it.")] = "",
    as_json: AsJson = False,
) -> None:
    """Set the account that the customer named; after a rejection or a return the refund is sent again."""
    from paymatch.usecases.refunds import refunds

    with shop_transaction(shop) as tx:
        refund_id = whole_id(tx, "refunds", refund)
        document = refunds.set_iban(tx, refund_id, iban, holder)
    show(_decode_refund(document), as_json=as_json)


@refunds_app.command()
@command
def speed(
    shop: ShopArgument,
    refund: RefundArgument,
    wanted: Annotated[str, typer.Argument(metavar="SPEED", help="instant, normal, or shop: as transfer-speed says.")],
    as_json: AsJson = False,
) -> None:
    """Set the speed of a refund that is not in a transfer file yet."""
    from paymatch.domain.refunds.transfers import TransferSpeed
    from paymatch.usecases.refunds import timing

    if wanted not in (*TransferSpeed, "shop"):
        raise SettingRefused(Message("setting-speed-of-refund"))
    with shop_transaction(shop) as tx:
        refund_id = whole_id(tx, "refunds", refund)
        document = timing.set_speed(tx, refund_id, None if wanted == "shop" else TransferSpeed(wanted))
    show(_decode_refund(document) | {"speed": wanted}, as_json=as_json)


@refunds_app.command()
@command
def ask(shop: ShopArgument, refund: RefundArgument, as_json: AsJson = False) -> None:
    """Ask the customer again, by mail, for the bank details of a refund."""
    from paymatch.usecases.customers import refund_requests

    with shop_transaction(shop) as tx:
        refund_id = whole_id(tx, "refunds", refund)
        refund_requests.ask(tx, refund_id)
    show({"refund": refund_id, "asked": True}, as_json=as_json)


@refunds_app.command()
@command
def report(
    shop: ShopArgument,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Status reports of the bank (pain.002); - is standard input."),
    ],
    as_json: AsJson = False,
) -> None:
    """Apply the bank's status reports to the refunds that they are about; each file on its own."""
    with opened_shop(shop) as (database, found):
        rows = [_report(database, found, path, utc_now()) for path in files]
    show(rows, as_json=as_json, columns=("file", "refunds", "rejected", "processed"))
    for row in rows:
        if "error" in row:
            tell_error(f"{row['file']}: {row['error']}", as_json=as_json)
    if any("error" in row for row in rows):
        raise typer.Exit(1)


def _report(database: Database, shop: Shop, path: Path, clock: datetime) -> dict[str, Any]:
    from paymatch.domain.refunds.refunds import RefundStatus
    from paymatch.formats.statement import FileRefused
    from paymatch.usecases.refunds import bank_reports

    try:
        with opened_file(path) as stream:
            found = bank_reports.import_report(database, shop, stream, clock)
    except (FileRefused, OSError) as error:
        return {"file": name_of(path), "error": in_a_sentence(error)}
    return {
        "file": name_of(path),
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
