"""The command that exports tables, and files for bookkeeping programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from paymatch.cli.arguments import DAY, ShopArgument, read_day
from paymatch.cli.context import command, opened_shop
from paymatch.domain.reports.exports import EXPORTS
from paymatch.domain.shops.shop import SettingRefused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paymatch.domain.reports.asked import Asked
    from paymatch.domain.shops.shop import Shop
    from paymatch.store.database import Tx

_FILES: Final = ("datev", "beancount")
_NAMES: Final = ", ".join((*EXPORTS, *_FILES))


@command
def export(
    shop: ShopArgument,
    name: Annotated[str, typer.Argument(metavar="WHAT", help=f"One of {_NAMES}.")],
    first: Annotated[str, typer.Option("--from", metavar=DAY, help="First day; usually of the month before.")] = "",
    last: Annotated[str, typer.Option("--to", metavar=DAY, help="Last day; usually today.")] = "",
    status: Annotated[list[str] | None, typer.Option(help="Only orders or refunds of this status.")] = None,
    sales: Annotated[bool, typer.Option("--sales", help="Book the orders too, on revenue.")] = False,
    xlsx: Annotated[Path | None, typer.Option("--xlsx", metavar="FILE", help="Write a table as XLSX.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")] = None,
) -> None:
    """Export orders, postings, allocations, refunds, fees, the journal (CSV, XLSX), or a DATEV or beancount file."""
    from paymatch.clock import utc_now
    from paymatch.domain.reports.asked import ask
    from paymatch.domain.reports.catalogue import REPORTS
    from paymatch.store.database import ShopId
    from paymatch.usecases.reports import exports, sheets

    if name not in EXPORTS and name not in _FILES:
        raise SettingRefused(f"There is no export {name!r}: {_NAMES}")
    if xlsx is not None and name in _FILES:
        raise SettingRefused(f"{name} is a file of its own: use --output")
    with opened_shop(shop) as (database, found):
        today = found.today(utc_now())
        asked = ask(REPORTS["fees"], today, read_day(first), read_day(last))
        with database.transaction(ShopId(found.id)) as tx:
            if name in _FILES:
                _write(_file(tx, found, name, asked, sales=sales), output)
                return
            table = EXPORTS[name]
            statuses = [each.upper() for each in status or ()]
            rows = exports.rows(tx, found, name, asked.first, asked.last, statuses, sales=sales)
            if xlsx is not None:
                with xlsx.open("wb") as file:
                    sheets.as_xlsx(file, table, found, rows)
            else:
                _write(sheets.as_csv(table, found, rows), output)


def _file(tx: Tx, shop: Shop, name: str, asked: Asked, *, sales: bool) -> Iterable[bytes]:
    from paymatch.clock import utc_now
    from paymatch.usecases.reports import exports

    if name == "datev":
        return exports.as_datev(tx, shop, asked.first, asked.last, utc_now(), sales=sales)
    return exports.as_beancount(tx, shop, asked.first, asked.last, sales=sales)


def _write(chunks: Iterable[bytes], output: Path | None) -> None:
    if output is None:
        sys.stdout.buffer.writelines(chunks)
        sys.stdout.buffer.flush()
        return
    with output.open("wb") as file:
        file.writelines(chunks)
