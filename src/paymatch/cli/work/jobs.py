"""Commands for the due work of a shop: list it, do a job now."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paymatch.cli.arguments import AsJson, ShopArgument
from paymatch.cli.context import command, opened_shop, settings, show
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import HELP_NAMES, Commands, DefaultShopGroup
from paymatch.clock import utc_now
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from paymatch.domain.shops.shop import Shop
    from paymatch.store.work.shop_jobs import JobRow


class _ListWithoutAWord(DefaultShopGroup):
    """`paymatch jobs SHOP` is `paymatch jobs list SHOP`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, *HELP_NAMES):
            args = ["list", *args]
        return super().parse_args(ctx, args)


jobs_app = Commands(
    cls=_ListWithoutAWord, help="Due work of a shop: list, run.", rich_markup_mode=None, add_completion=False
)


@jobs_app.command("list")
@lists("kind", "state", "dueAt", "failures", "lastError", "lastDoneAt", "lastResult")
def list_(
    shop: ShopArgument,
    kind: Annotated[str, typer.Option(help="Only jobs of this kind.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="Only jobs whose last run failed.")] = False,
) -> Iterable[Row]:
    """List the shop's jobs: when each is due, and how it last went."""
    from paymatch.usecases.work import shop_jobs

    with opened_shop(shop) as (database, found):
        rows = [_job_fields(row, found, utc_now()) for row in shop_jobs.jobs(database, found, kind)]
    return [row for row in rows if row["failures"] or not failed]


@jobs_app.command()
@command
def run(
    shop: ShopArgument,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="As in the list.")],
    as_json: AsJson = False,
) -> None:
    """Run a job now, whether or not it is due."""
    from paymatch.app import open_doors
    from paymatch.domain.shops.shop_jobs import JobRefused
    from paymatch.usecases.work import shop_jobs
    from paymatch.usecases.work.shop_jobs import JobOutcome

    with opened_shop(shop) as (database, found), open_doors(settings()) as doors:
        ran = shop_jobs.run_now(database, doors, found, kind, utc_now)
    if ran.state is not JobOutcome.DONE:
        raise JobRefused(Message("job-ended", kind=kind, state=ran.state, words=ran.words))
    show({"kind": kind, "state": ran.state, "result": ran.words}, as_json=as_json)


def _job_fields(row: JobRow, shop: Shop, clock: datetime) -> dict[str, Any]:
    return {
        "kind": row.kind, "state": row.state(shop.now(clock), clock), "dueAt": row.due_at, "failures": row.failures,
        "failingSince": row.failing_since, "lastError": row.last_error, "lastDoneAt": row.last_done_at,
        "lastResult": row.last_result, "done": row.done, "failed": row.failed,
    }  # fmt: skip
