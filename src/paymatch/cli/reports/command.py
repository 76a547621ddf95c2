"""The command that prints reports, and the one that closes a month."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from paymatch.cli.arguments import DAY, AsCsv, AsJson, ShopArgument, Yes, read_day
from paymatch.cli.context import command, confirm, opened_shop, show
from paymatch.cli.terminal import one_line, print_json_rows, print_table
from paymatch.domain.money import plain_text
from paymatch.domain.reports.catalogue import REPORTS, parts_text
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from paymatch.domain.reports.catalogue import ReportDefinition
    from paymatch.domain.shops.shop import Shop

_NAMES: Final = ", ".join(REPORTS)
_MONTH: Final = "YYYY-MM"


@command
def report(
    shop: ShopArgument,
    name: Annotated[str, typer.Argument(metavar="REPORT", help=f"One of {_NAMES}.")],
    first: Annotated[str, typer.Option("--from", metavar=DAY, help="First day of the period.")] = "",
    last: Annotated[str, typer.Option("--to", metavar=DAY, help="Last day of the period.")] = "",
    as_of: Annotated[str, typer.Option("--as-of", metavar=DAY, help="As things stood at the end of this day.")] = "",
    by: Annotated[
        str, typer.Option("--by", help="Cash in per day, week or month; receivables as known or booked.")
    ] = "month",
    where: Annotated[list[str] | None, typer.Option(help="Only rows that hold: 'open>=100;currency=EUR'.")] = None,
    search: Annotated[str, typer.Option(help="Only rows that contain this word.")] = "",
    as_csv: AsCsv = False,
    xlsx: Annotated[Path | None, typer.Option("--xlsx", metavar="FILE", help="Write the report to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print a report: what came in, what is open as of any day, fees, overpaid orders, what remains unexplained."""
    from paymatch.clock import utc_now
    from paymatch.domain.reports.asked import ReportBy, ask, report_of
    from paymatch.domain.reports.row_filter import row_filter
    from paymatch.usecases.reports import reports

    if sum((as_csv, as_json, xlsx is not None)) > 1:
        raise SettingRefused(Message("setting-csv-xlsx-json-only"))
    if by not in list(ReportBy):
        raise SettingRefused(Message("setting-by-steps", steps=", ".join(ReportBy)))
    with opened_shop(shop) as (database, found):
        wanted = report_of(name)
        asked = ask(wanted, found.today(utc_now()), read_day(first), read_day(last), read_day(as_of), ReportBy(by))
        with database.of_shop(found) as tx:
            rows = reports.rows(tx, wanted, asked, only=row_filter(wanted, where or (), search))
            _print(wanted, found, rows, as_csv=as_csv, xlsx=xlsx, as_json=as_json)


def _print(
    report: ReportDefinition,
    shop: Shop,
    rows: Iterable[Mapping[str, Any]],
    *,
    as_csv: bool,
    xlsx: Path | None,
    as_json: bool,
) -> None:
    from paymatch.domain.reports.catalogue import cell, plain
    from paymatch.usecases.reports import sheets

    if xlsx is not None:
        with xlsx.open("wb") as file:
            sheets.as_xlsx(file, report, shop, rows)
    elif as_csv:
        sys.stdout.writelines(chunk.decode() for chunk in sheets.as_csv(report, shop, rows))
    elif as_json:
        print_json_rows(plain(report, row) for row in rows)
    else:
        shown = ({column.key: cell(column, row) for column in report.columns} for row in rows)
        print_table(shown, [column.key for column in report.columns], title=report.title)


@command
def close(
    shop: ShopArgument,
    month: Annotated[str, typer.Argument(metavar=_MONTH, help="The month, which must be over.")],
    changes: Annotated[bool, typer.Option("--changes", help="List what has changed since it was closed.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Close a month for the books: its postings are sealed by a hash, and what changes later is listed as changed.

    What is unfinished is listed before you are asked: unexplained postings, suggestions, missing statements, exports.
    """
    from paymatch.clock import utc_now
    from paymatch.usecases.reports import closing
    from paymatch.usecases.reports.unfinished import unfinished_work

    day = _month(month)
    with opened_shop(shop) as (database, found):
        if changes:
            with database.of_shop(found) as tx:
                _print_changes(list(closing.changes(tx, day)), month, as_json=as_json)
            return
        with database.of_shop(found) as tx:
            closing.check_open(tx, day)
            left = unfinished_work(tx, day)
        for each in left:
            typer.echo(f"- {one_line(each)}", err=True)
        confirm(f"Close {month} of {found.name}{' although this is unfinished' if left else ''}?", yes=yes)
        show(closing.close(database, found, day, utc_now()), as_json=as_json)


def _print_changes(rows: list[dict[str, Any]], month: str, *, as_json: bool) -> None:
    """JSON as the API has it, or a table with the amounts of each posting before and after."""
    if as_json:
        show(rows, as_json=True)
        return
    shown = []
    for row in rows:
        known = row["after"] or row["before"]
        shown.append(
            {
                "id": row["id"], "booked": known["bookingDate"], "account": known["account"],
                "amount": plain_text(known["amount"], known["currency"]), "currency": known["currency"],
                "before": _as_closed(row["before"]) or "not there", "after": _as_closed(row["after"]) or "gone",
            }
        )  # fmt: skip
    columns = ("id", "booked", "account", "amount", "currency", "before", "after")
    print_table(shown, columns, title=f"Changed since {month} was closed")


def _as_closed(side: Mapping[str, Any] | None) -> str:
    """How a posting was explained: `matched: A-1 50.00`."""
    if side is None:
        return ""
    said = parts_text(side["orders"], side["currency"]) or side["reason"]
    return f"{side['state']}: {said}" if said else str(side["state"])


def _month(text: str) -> date:
    found = read_day(f"{text}-01")
    if found is None or len(text) != len(_MONTH):
        raise SettingRefused(Message("setting-invalid-month-format-should", text=text, month=_MONTH))
    return found
