"""The command that exports tables, and files for bookkeeping programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from paymatch.cli.arguments import DAY, ShopArgument, read_day
from paymatch.cli.context import command, opened_shop
from paymatch.domain.reports.exports import EXPORTS, FILES
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAMES: Final = ", ".join((*EXPORTS, *FILES))


@command
def export(
    shop: ShopArgument,
    name: Annotated[str, typer.Argument(metavar="WHAT", help=f"One of {_NAMES}.")],
    first: Annotated[str, typer.Option("--from", metavar=DAY, help="First day; usually of the month before.")] = "",
    last: Annotated[str, typer.Option("--to", metavar=DAY, help="Last day; usually today.")] = "",
    status: Annotated[list[str] | None, typer.Option(help="Only orders or refunds of this status.")] = None,
    where: Annotated[list[str] | None, typer.Option(help="Only rows of a table that hold: 'amount>=100'.")] = None,
    search: Annotated[str, typer.Option(help="Only rows of a table that contain this word.")] = "",
    sales: Annotated[bool, typer.Option("--sales", help="Also book the orders, as revenue.")] = False,
    xlsx: Annotated[Path | None, typer.Option("--xlsx", metavar="FILE", help="Write a table as XLSX.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")] = None,
) -> None:
    """Export orders, postings, allocations, refunds, fees, the journal (CSV, XLSX), or a DATEV or beancount file."""
    from paymatch.cli.context import settings
    from paymatch.clock import utc_now
    from paymatch.domain.reports.asked import ask
    from paymatch.domain.reports.catalogue import REPORTS
    from paymatch.outbound.files import open_files
    from paymatch.usecases.reports import export_files

    if name not in EXPORTS and name not in FILES:
        raise SettingRefused(Message("export-unknown-of", name=repr(name), names=_NAMES))
    if xlsx is not None and name in FILES:
        raise SettingRefused(Message("setting-file-own-use-output", name=name))
    if name == "datev-documents" and output is None:
        raise SettingRefused(Message("setting-datev-documents-zip-use"))
    with opened_shop(shop) as (database, found):
        asked = ask(REPORTS["fees"], found.today(utc_now()), read_day(first), read_day(last))
        statuses = [each.upper() for each in status or ()]
        only = export_files.only(name, where or (), search)
        wanted = export_files.ExportRequest(name, asked.first, asked.last, statuses, sales, only)
        with database.of_shop(found) as tx:
            export_files.prepare(tx, wanted, utc_now())
        with database.of_shop(found) as tx:
            if xlsx is not None:
                with xlsx.open("wb") as file:
                    export_files.write_xlsx(tx, wanted, file)
            else:
                _write(export_files.chunks(tx, wanted, utc_now(), open_files(settings())), output)


def _write(chunks: Iterable[bytes], output: Path | None) -> None:
    if output is None:
        sys.stdout.buffer.writelines(chunks)
        sys.stdout.buffer.flush()
        return
    with output.open("wb") as file:
        file.writelines(chunks)
