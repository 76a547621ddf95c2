"""The command `replay`: a shop's own past played in a shop of its own, or its own books decided again."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from paymatch.cli.arguments import DAY, AsJson, ShopArgument, name_of, opened_file, read_day
from paymatch.cli.context import command, opened_shop, show
from paymatch.clock import utc_now
from paymatch.domain.replays.figures import ReplayFigure, ReplayResult
from paymatch.domain.shops.sandbox import SandboxRefused
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paymatch.domain.shops.shop import Shop
    from paymatch.store.database import Database
    from paymatch.usecases.replays.beginning import ReplayFile

_ALL: Final = 10_000_000
_COLUMNS: Final[tuple[str, ...]] = ("day", "amount", "payer", "text", "ours", "theirs", "evidence", "theirEvidence")
_UNKNOWN: Final[tuple[str, ...]] = ("booking_date", "amount_minor", "name", "text", "reference", "order_number")
_WRONG: Final[tuple[str, ...]] = ("order_number", "dunning_level", "sent_date", "booked_on", "posting_id")


@command
def replay(
    shop: ShopArgument,
    orders: Annotated[
        list[Path] | None, typer.Option("--orders", metavar="FILE", help="Orders: CSV, XLSX, JSON of the API.")
    ] = None,
    statements: Annotated[
        list[Path] | None, typer.Option("--statements", metavar="FILE", help="Bank statements of the same time.")
    ] = None,
    decisions: Annotated[
        list[Path] | None,
        typer.Option("--decisions", metavar="FILE", help="What the old system assigned: day, amount, order number."),
    ] = None,
    figure: Annotated[
        ReplayFigure | None, typer.Option("--list", metavar="FIGURE", help="List what a figure counts.")
    ] = None,
    pdf: Annotated[Path | None, typer.Option("--pdf", metavar="FILE", help="Write the result as PDF.")] = None,
    erase: Annotated[bool, typer.Option("--erase", help="Erase the replay with all its results.")] = False,
    own_books: Annotated[
        bool, typer.Option("--own-books", help="Decide the shop's own past postings again; nothing is changed.")
    ] = False,
    since: Annotated[str, typer.Option(metavar=DAY, help="With --own-books: first booking day.")] = "",
    caution: Annotated[str, typer.Option(help="With --own-books: try cautious, normal or bold.")] = "",
    as_json: AsJson = False,
) -> None:
    """Try a shop's own past: its orders and a year of statements, day by day, in a shop that sends nothing.

    Without files, an interrupted replay continues, and the result is shown.
    """
    with opened_shop(shop) as (database, found):
        if own_books:
            _show_own_books(database, found, since, caution, as_json=as_json)
        elif erase:
            _erase(database, found, as_json=as_json)
        else:
            if orders or statements or decisions:
                _begin(database, found, orders or (), statements or (), decisions or ())
            _play(database, found, quiet=as_json)
            _show(database, found, figure, pdf, as_json=as_json)


def _files(paths: Sequence[Path]) -> list[ReplayFile]:
    from paymatch.usecases.replays.beginning import ReplayFile

    found = []
    for path in paths:
        with opened_file(path) as stream:
            found.append(ReplayFile(name_of(path), stream.read()))
    return found


def _begin(
    database: Database, shop: Shop, orders: Sequence[Path], statements: Sequence[Path], decisions: Sequence[Path]
) -> None:
    from paymatch.usecases.replays.beginning import ReplayFiles, begin

    begin(database, shop, ReplayFiles(_files(orders), _files(statements), _files(decisions)), utc_now())


def _play(database: Database, shop: Shop, *, quiet: bool) -> None:
    """Plays what is left, or watches the service do it, with the progress on the terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from paymatch.usecases.replays.playing import play_or_watch

    console = Console(file=sys.stderr, quiet=quiet and not sys.stderr.isatty())
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.percentage:.0f} %"),
               TimeElapsedColumn())  # fmt: skip
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("reading", total=100)
        play_or_watch(
            database, shop, utc_now, lambda what, percent: progress.update(task, description=what, completed=percent)
        )


def _show(database: Database, shop: Shop, figure: ReplayFigure | None, pdf: Path | None, *, as_json: bool) -> None:
    from paymatch.store.transactions import ShopId
    from paymatch.usecases.replays import beginning, showing, summing

    with database.of_shop(shop) as tx:
        row = beginning.state(tx)
    if row is None:
        raise SandboxRefused(Message("replay-none"))
    result = summing.result_of(row)
    if result is None:
        raise SandboxRefused(beginning.failure_of(row))
    if pdf is not None:
        pdf.write_bytes(showing.write_pdf(shop, row, result))
    if figure is None:
        show(_figures(result, row.orders, row.refused), as_json=as_json)
        return
    with database.of_shop(ShopId(row.replay_shop)) as tx:
        if figure in (ReplayFigure.WRONG_REMINDERS, ReplayFigure.REMINDERS):
            rows: list[dict[str, Any]] = [asdict(each) for each in summing.reminders_of(tx, figure, 0, _ALL)]
            listed = _WRONG
        elif figure is ReplayFigure.UNKNOWN:
            rows, listed = [asdict(each) for each in summing.unknown_decisions(tx, 0, _ALL)], _UNKNOWN
        else:
            rows, listed = [_row(each) for each in summing.list_of(tx, figure, "", _ALL)], _COLUMNS
    show(rows, as_json=as_json, columns=listed)


def _figures(result: ReplayResult, orders: int, refused: int) -> dict[str, Any]:
    return {"orders": orders, "ordersRefused": refused} | asdict(result) | {"clicks_saved": result.clicks_saved}


def _row(each: Any) -> dict[str, Any]:
    from paymatch.domain.money import Currency, minor_to_text

    return {
        "postingId": each.posting_id, "day": each.booking_date,
        "amount": minor_to_text(each.amount_minor, Currency(each.currency)), "currency": each.currency,
        "payer": each.name, "text": each.text, "outcome": each.outcome, "ours": list(each.ours),
        "theirs": None if each.theirs is None else list(each.theirs), "verdict": each.verdict,
        "evidence": list(each.our_facts), "theirEvidence": list(each.their_facts),
    }  # fmt: skip


def _erase(database: Database, shop: Shop, *, as_json: bool) -> None:
    from paymatch.usecases.replays.beginning import erase

    done = erase(database, shop, utc_now)
    show({"erased": done, "note": "" if done else "it is running and will be deleted after its present day"},
         as_json=as_json)  # fmt: skip


def _show_own_books(database: Database, shop: Shop, since: str, caution: str, *, as_json: bool) -> None:
    """Decides past postings again and reports every difference from what was booked."""
    from paymatch.usecases.matching.backtest import backtest

    if caution not in ("", "cautious", "normal", "bold"):
        raise SettingRefused(Message("setting-caution-cautious-normal-bold"))
    result = backtest(database, shop, since=read_day(since), caution=caution)
    result["differences"] = [asdict(each) for each in result["differences"]]
    if as_json:
        show(result, as_json=True)
        return
    show({"postings": result["postings"], **result["verdicts"]}, as_json=False)
    columns = ("posting_id", "booking_date", "amount", "text", "would", "would_pay", "booked", "booked_for", "by_hand")
    if result["differences"]:
        show(result["differences"], as_json=False, columns=columns)
