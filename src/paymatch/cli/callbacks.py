"""Commands for callbacks: list, show, resend, resume, test, rotate-secret."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from paymatch.cli.arguments import AsJson, ShopArgument, Yes, read_states
from paymatch.cli.context import command, confirm, shop_transaction, show, whole_id
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.cli.terminal import plain_text
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from paymatch.store.callbacks.callbacks import CallbackAttempt, CallbackRow

_POLL_SECONDS: Final = 0.5
callbacks_app = new_group("Callbacks: list, show, resend, resume, test, rotate-secret.")
CallbackArgument = Annotated[str, typer.Argument(metavar="CALLBACK_ID", help="Id of the callback.")]


@callbacks_app.command("list")
@lists("id", "order_number", "to_status", "status", "attempts", "queued_at", "due_at", "last_error")
def list_(
    shop: ShopArgument,
    status: Annotated[list[str] | None, typer.Option(help="PENDING, DELIVERED, GIVEN_UP, PAUSED ...")] = None,
    before: Annotated[str | None, typer.Option(help="Only callbacks older than this one.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 50,
) -> Iterable[Row]:
    """List the shop's callbacks, newest first."""
    from paymatch.domain.callbacks.deliveries import CallbackStatus
    from paymatch.usecases import callbacks

    statuses = read_states(status, CallbackStatus)
    with shop_transaction(shop) as tx:
        rows = [asdict(row) for row in callbacks.page(tx, statuses, before, limit)]
        paused_at = callbacks.paused_at(tx)
    if paused_at is not None:
        typer.echo(
            f"Paused since {paused_at}: the receiver answered 410 (to resume: paymatch callbacks resume {shop})",
            err=True,
        )
    return rows


@callbacks_app.command("show")
@command
def show_(shop: ShopArgument, callback: CallbackArgument, as_json: AsJson = False) -> None:
    """Show a callback and its attempts: request, answer, timing, next try."""
    from paymatch.usecases import callbacks

    with shop_transaction(shop) as tx:
        row, attempts = callbacks.show(tx, whole_id(tx, "callbacks", callback))
    log = [asdict(attempt) for attempt in attempts]
    if as_json:
        show(asdict(row) | {"attempt_log": log}, as_json=True)
        return
    show(asdict(row), as_json=False)
    show(log, as_json=False, columns=("attempt", "at", "elapsed_ms", "http_status", "error", "next_try_at"))
    if attempts:
        request, answer = (plain_text(text, lines=True) for text in (attempts[0].request, attempts[0].answer))
        typer.echo(f"\nLast request:\n{request}\n\nLast answer:\n{answer}")


@callbacks_app.command()
@command
def resend(
    shop: ShopArgument,
    callback: Annotated[str | None, typer.Argument(metavar="CALLBACK_ID")] = None,
    failed_since: Annotated[
        datetime | None, typer.Option(help="All that failed since this moment in UTC, such as 2026-03-01T08:00:00.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Send one callback again, or all that failed since a moment; a worker does it at once."""
    from paymatch.usecases import callbacks

    if (callback is None) == (failed_since is None):
        raise SettingRefused(Message("setting-give-callback-id-failed"))
    with shop_transaction(shop) as tx:
        if callback is not None:
            callbacks.resend(tx, whole_id(tx, "callbacks", callback))
            count = 1
        else:
            assert failed_since is not None
            count = callbacks.resend_failed(tx, failed_since.replace(tzinfo=UTC))
    show({"resent": count}, as_json=as_json)


@callbacks_app.command()
@command
def resume(shop: ShopArgument, as_json: AsJson = False) -> None:
    """Resume callbacks after the receiver answered 410."""
    from paymatch.usecases import callbacks

    with shop_transaction(shop) as tx:
        count = callbacks.resume(tx)
    show({"resumed": count}, as_json=as_json)


@callbacks_app.command()
@command
def test(
    shop: ShopArgument,
    wait: Annotated[int, typer.Option(min=0, max=600, help="Seconds to wait for the receiver's answer.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Send a test event with an invented order and wait for the answer; code 1 if the receiver refuses it."""
    from paymatch.domain.callbacks.deliveries import CallbackStatus
    from paymatch.usecases import callbacks

    with shop_transaction(shop) as tx:
        callback = callbacks.send_test(tx)
    result: dict[str, Any] = {"callback": callback}
    sent = _first_attempt(shop, callback, wait)
    if sent is None:
        show(result, as_json=as_json)
        if wait:
            raise SettingRefused(Message("setting-no-worker-sent-test", wait=wait))
        return
    row, attempt = sent
    answered = {"status": row.status, "httpStatus": attempt.http_status, "elapsedMs": attempt.elapsed_ms}
    show(result | answered, as_json=as_json)
    if row.status != CallbackStatus.DELIVERED:
        why = attempt.error or f"it answered {attempt.http_status}"
        raise SettingRefused(Message("setting-receiver-did-not-take", why=why))


def _first_attempt(shop: str, callback: str, seconds: int) -> tuple[CallbackRow, CallbackAttempt] | None:
    """A callback and its first attempt once a worker has made it; None if there is none after so many seconds."""
    from paymatch.usecases import callbacks

    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with shop_transaction(shop) as tx:
            row, attempts = callbacks.show(tx, callback)
        if attempts:
            return row, attempts[-1]
        time.sleep(_POLL_SECONDS)
    return None


@callbacks_app.command("rotate-secret")
@command
def rotate_secret(
    shop: ShopArgument,
    overlap_hours: Annotated[int, typer.Option(min=0, max=720, help="Hours that the old secret signs too.")] = 24,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Make a new signing secret; for a while callbacks also carry a signature of the old one."""
    from paymatch.usecases import callbacks

    with shop_transaction(shop) as tx:
        if not overlap_hours:
            confirm("Replace the signing secret at once? Receivers that know the old one will refuse.", yes=yes)
        secret = callbacks.rotate_secret(tx, timedelta(hours=overlap_hours))
    show({"webhookSecret": secret, "oldSecretValidHours": overlap_hours}, as_json=as_json)
