"""Commands for callbacks: list, show, resend, resume, test, rotate-secret."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from paymatch.cli.context import command, opened, show
from paymatch.cli.shops import AsJson, ShopArgument
from paymatch.clock import utc_now
from paymatch.domain.callbacks.deliveries import CallbackStatus
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.store.database import ShopId, Tx
from paymatch.usecases import callbacks, shops

callbacks_app = typer.Typer(help="Callbacks: list, show, resend, resume, test, rotate-secret.", no_args_is_help=True)
CallbackArgument = Annotated[str, typer.Argument(metavar="CALLBACK_ID")]
_COLUMNS = ("id", "order_number", "to_status", "status", "attempts", "queued_at", "due_at", "last_error")


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(callbacks_app, name="callbacks")


@contextmanager
def _of_shop(shop: str) -> Iterator[tuple[Tx, Shop]]:
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            yield tx, found


@callbacks_app.command("list")
@command
def list_(
    shop: ShopArgument,
    status: Annotated[list[str] | None, typer.Option(help="PENDING, DELIVERED, GIVEN_UP, PAUSED ...")] = None,
    before: Annotated[str | None, typer.Option(help="Begin behind this callback.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 50,
    as_json: AsJson = False,
) -> None:
    """The shop's callbacks, newest first."""
    try:
        statuses = [CallbackStatus(text.upper()) for text in status or ()]
    except ValueError as error:
        raise SettingRefused(f"{error}; there are {', '.join(CallbackStatus)}") from None
    with _of_shop(shop) as (tx, found):
        rows = [asdict(row) for row in callbacks.page(tx, found, statuses, before, limit)]
        paused_at = callbacks.paused_at(tx, found)
    show(rows, as_json=as_json, columns=_COLUMNS)
    if paused_at is not None and not as_json:
        typer.echo(f"Paused since {paused_at}: the receiver answered 410 (resume: paymatch callbacks resume {shop})")


@callbacks_app.command("show")
@command
def show_(shop: ShopArgument, callback: CallbackArgument, as_json: AsJson = False) -> None:
    """A callback and its attempts: request, answer, timing, next try."""
    with _of_shop(shop) as (tx, found):
        row, attempts = callbacks.show(tx, found, callback)
    log = [asdict(attempt) for attempt in attempts]
    if as_json:
        show(asdict(row) | {"attempt_log": log}, as_json=True)
        return
    show(asdict(row), as_json=False)
    show(log, as_json=False, columns=("attempt", "at", "elapsed_ms", "http_status", "error", "next_try_at"))
    if attempts:
        typer.echo(f"\nLast request:\n{attempts[0].request}\n\nLast answer:\n{attempts[0].answer}")


@callbacks_app.command()
@command
def resend(
    shop: ShopArgument,
    callback: Annotated[str | None, typer.Argument(metavar="[CALLBACK_ID]")] = None,
    failed_since: Annotated[
        datetime | None, typer.Option(help="All that failed since this moment in UTC, such as 2026-03-01T08:00:00.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Sends one callback again, or all that failed since a moment; a worker does it at once."""
    if (callback is None) == (failed_since is None):
        raise SettingRefused("Give a callback id or --failed-since")
    with _of_shop(shop) as (tx, found):
        if callback is not None:
            callbacks.resend(tx, found, callback, utc_now())
            count = 1
        else:
            assert failed_since is not None
            count = callbacks.resend_failed(tx, found, failed_since.replace(tzinfo=UTC), utc_now())
    show({"resent": count}, as_json=as_json)


@callbacks_app.command()
@command
def resume(shop: ShopArgument, as_json: AsJson = False) -> None:
    """Lets callbacks flow again after the receiver answered 410."""
    with _of_shop(shop) as (tx, found):
        count = callbacks.resume(tx, found)
    show({"resumed": count}, as_json=as_json)


@callbacks_app.command()
@command
def test(shop: ShopArgument, as_json: AsJson = False) -> None:
    """Queues a test event with an invented order; a worker sends it at once."""
    with _of_shop(shop) as (tx, found):
        result: dict[str, Any] = {"callback": callbacks.send_test(tx, found, utc_now())}
    show(result, as_json=as_json)


@callbacks_app.command("rotate-secret")
@command
def rotate_secret(
    shop: ShopArgument,
    overlap_hours: Annotated[int, typer.Option(min=0, max=720, help="Hours that the old secret signs too.")] = 24,
    as_json: AsJson = False,
) -> None:
    """A new signing secret; for a while callbacks carry a signature of the old one too."""
    with _of_shop(shop) as (tx, found):
        secret = callbacks.rotate_secret(tx, found, utc_now(), timedelta(hours=overlap_hours))
    show({"webhookSecret": secret, "oldSecretValidHours": overlap_hours}, as_json=as_json)
