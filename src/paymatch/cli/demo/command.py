"""The command `paymatch demo`."""

from __future__ import annotations

from typing import Annotated

import typer

from paymatch.cli.context import command, fail


@command
def demo(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the service.")] = 8000,
    once: Annotated[bool, typer.Option("--once", help="End after the demo instead of serving on.")] = False,
) -> None:
    """Run a filled demo shop with three months of life: orders, payments, reminders, refunds, callbacks."""
    from paymatch.cli.demo.service import DemoFailed
    from paymatch.cli.demo.three_months import run_demo

    try:
        run_demo(port, once=once)
    except DemoFailed as error:
        fail(str(error))
