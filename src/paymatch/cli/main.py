"""The command line: `paymatch` (stable names in DESIGN.md section 3)."""

from __future__ import annotations

import typer

from paymatch import __version__
from paymatch.cli import callbacks, demo, refunds, running, sandbox, scenario, shops
from paymatch.cli.matching import claims, matching
from paymatch.cli.reminders import mails, reminders
from paymatch.cli.statements import accounts, bank, postings, statements
from paymatch.cli.work import alerts, audit, check, jobs
from paymatch.memory import collect_rarely

app = typer.Typer(
    name="paymatch",
    help="Payment matching and order tracking for shops.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
running.register(app)
check.register(app)
demo.register(app)
callbacks.register(app)
shops.register(app)
statements.register(app)
accounts.register(app)
alerts.register(app)
audit.register(app)
jobs.register(app)
bank.register(app)
postings.register(app)
refunds.register(app)
reminders.register(app)
mails.register(app)
matching.register(app)
claims.register(app)
sandbox.register(app)
scenario.register(app)


@app.command()
def version() -> None:
    """The version of paymatch."""
    typer.echo(__version__)


def main() -> None:
    """Runs the command line."""
    collect_rarely()
    app()
