"""Commands for the due work of a shop: list it, do a job now."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from paymatch.cli.context import command, opened, settings, show
from paymatch.cli.shops import AsJson, ShopArgument
from paymatch.clock import utc_now
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import JobRefused
from paymatch.store.work.shop_jobs import JobRow
from paymatch.usecases import shops
from paymatch.usecases.work import shop_jobs
from paymatch.usecases.work.job_kinds import Doors
from paymatch.usecases.work.shop_jobs import State

_COLUMNS = ("kind", "state", "dueAt", "failures", "lastError", "lastDoneAt", "lastResult")


class _ListWithoutAWord(TyperGroup):
    """`paymatch jobs SHOP` is `paymatch jobs list SHOP`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help"):
            args = ["list", *args]
        return super().parse_args(ctx, args)


jobs_app = typer.Typer(cls=_ListWithoutAWord, help="Due work of a shop: SHOP lists it, run.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(jobs_app, name="jobs")


@jobs_app.command("list")
@command
def list_(
    shop: ShopArgument,
    kind: Annotated[str, typer.Option(help="Jobs of this kind only.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="Jobs whose last run failed only.")] = False,
    as_json: AsJson = False,
) -> None:
    """When which job of the shop is due, and how it went last."""
    with opened() as database:
        found = shops.find(database, shop)
        rows = [_shown(row, found, utc_now()) for row in shop_jobs.jobs(database, found, kind)]
    show([row for row in rows if row["failures"] or not failed], as_json=as_json, columns=_COLUMNS)


@jobs_app.command()
@command
def run(
    shop: ShopArgument,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="As in the list.")],
    as_json: AsJson = False,
) -> None:
    """Does a job now, whenever it is due."""
    with opened() as database:
        ran = shop_jobs.run_now(database, Doors(settings().transfers()), shops.find(database, shop), kind, utc_now)
    if ran.state is not State.DONE:
        raise JobRefused(f"Job {kind} {ran.state}: {ran.words}")
    show({"kind": kind, "state": ran.state, "result": ran.words}, as_json=as_json)


def _shown(row: JobRow, shop: Shop, clock: datetime) -> dict[str, Any]:
    return {
        "kind": row.kind, "state": row.state(shop.now(clock), clock), "dueAt": row.due_at, "failures": row.failures,
        "failingSince": row.failing_since, "lastError": row.last_error, "lastDoneAt": row.last_done_at,
        "lastResult": row.last_result, "done": row.done, "failed": row.failed,
    }  # fmt: skip
