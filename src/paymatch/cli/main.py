"""The command line: `paymatch` (docs/command-line.md)."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from paymatch.cli.loading import CONTEXT, CommandEntry, LazyGroup

COMMANDS: Final = {
    "serve": CommandEntry("running:serve", "Serve the API, the pages and the worker."),
    "worker": CommandEntry("running:worker", "Do what is due: callbacks, matching, alerts."),
    "migrate": CommandEntry("running:migrate", "Create the database or bring it up to date."),
    "distribute": CommandEntry("running:distribute", "Place the tables of all shops on the nodes of a Citus cluster."),
    "demo": CommandEntry("demo.command:demo", "Run a filled demo shop."),
    "check": CommandEntry("work.check:check", "Verify the books and say what is wrong."),
    "backup": CommandEntry("work.backup:backup", "Write the database and all files into one archive."),
    "restore": CommandEntry("work.backup:restore", "Fill a new installation from a backup."),
    "move-to": CommandEntry(
        "work.moving:move_to", "Move the database to another PostgreSQL, or back into the bundled one."
    ),
    "doctor": CommandEntry("work.check:doctor", "Show what this installation runs on."),
    "version": CommandEntry("main:version", "Show the version of paymatch."),
    "shop": CommandEntry("shops:shop_app", "Shops: create, set, list, show, brand, secret."),
    "key": CommandEntry("shops:key_app", "API keys: create, list, revoke, roll."),
    "user": CommandEntry("users:user_app", "People of the merchant area: create, list, disable, reset."),
    "order": CommandEntry(
        "orders:order_app", "Orders: list, search, show, import, imports, undo, cancel, setpaid, setunpaid."
    ),
    "ordersync": CommandEntry("ordersync:ordersync_app", "Synchronisations of the open orders: list, undo."),
    "statement": CommandEntry(
        "statements.statements:statement_app",
        "Bank statements: import, list, undo, unread, resolve, check, mapping, layouts, forget.",
    ),
    "watch": CommandEntry("statements.statements:watch", "Import files from the drop folder."),
    "account": CommandEntry("statements.accounts:account_app", "Bank accounts: list, add, confirm, remove."),
    "advice": CommandEntry(
        "statements.advices:advice_app", "Remittance advices: import, list, show, undo, senders, confirm, revoke."
    ),
    "payouts": CommandEntry("statements.payouts:payouts", "List payouts of payment services and marketplaces."),
    "bank": CommandEntry(
        "statements.bank:bank_app",
        "Connections to banks: add, list, fetch, remove, ebics, account-information.",
    ),
    "connector": CommandEntry(
        "connectors.connectors:connector_app",
        "Connectors to WooCommerce and Shopware 6: add, keys, list, show, test, start, pause, set, run, again, remove.",
    ),
    "postings": CommandEntry("statements.postings:postings", "List postings with what was decided and why."),
    "review": CommandEntry("statements.review:review", "Decide open postings one by one."),
    "match": CommandEntry("statements.postings:match", "Match a posting to orders by hand."),
    "unmatch": CommandEntry("statements.postings:unmatch", "Undo the match of a posting."),
    "ignore": CommandEntry("statements.postings:ignore", "Mark a posting as not being an order payment."),
    "unignore": CommandEntry("statements.postings:unignore", "Return a posting to matching."),
    "set-aside": CommandEntry("statements.postings:set_aside", "Set a posting aside, with a reason."),
    "refunds": CommandEntry(
        "refunds:refunds_app",
        "Refunds: run, list, create, release, discard, import, cancel, set-iban, speed, ask, report.",
    ),
    "reminders": CommandEntry("reminders.reminders:reminders_app", "Reminders: preview, run, list, plan, text."),
    "customer": CommandEntry("customers.customers:customer_app", "Customers: link, revoke, resume, statement."),
    "collection": CommandEntry(
        "collection:collection_app",
        "Collection: agency, token, handover, withdraw, list, show, import, rates, add-rate.",
    ),
    "mail": CommandEntry("reminders.mails:mail_app", "Mail to customers: list, show, again, bounce, test."),
    "letters": CommandEntry(
        "reminders.letters:letters_app", "Letters: list, runs, show, print, mark-printed, undo, discard, again."
    ),
    "callbacks": CommandEntry("callbacks:callbacks_app", "Callbacks: list, show, resend, resume, test, rotate-secret."),
    "claims": CommandEntry("matching.claims:claims", "List unpaid cash-on-delivery orders and unexplained payouts."),
    "fees": CommandEntry("matching.fees:fees", "List what payers have kept: commission, fees, charges, cash discount."),
    "report": CommandEntry(
        "reports.command:report", "Print a report: cash, open, ageing, fees, overpaid, unexplained ..."
    ),
    "export": CommandEntry(
        "reports.export:export", "Export tables and the journal (CSV, XLSX), DATEV and beancount files."
    ),
    "close": CommandEntry("reports.command:close", "Close a month for the books, or list what has changed since."),
    "learning": CommandEntry(
        "matching.matching:learning_app", "What matching has learnt: show, try, take-back, accept, reset."
    ),
    "rules": CommandEntry("matching.rules:rules_app", "Rules for payers: list, preview, add, switch, delete."),
    "replay": CommandEntry("matching.replay:replay", "Try a shop's own past: orders and statements, day by day."),
    "alerts": CommandEntry("work.alerts:alerts", "List what a person must look at."),
    "alert": CommandEntry("work.alerts:alert_app", "Alerts: resolve."),
    "audit": CommandEntry("work.audit:audit_app", "Audit log, who changed what: verify, list, export."),
    "privacy": CommandEntry("work.privacy:privacy_app", "Personal data: erase, export, plan, replay, certificate."),
    "keys": CommandEntry("work.keys:keys_app", "Secret keys of the installation: rotate, status."),
    "jobs": CommandEntry("work.jobs:jobs_app", "Due work of a shop: list, run."),
    "clock": CommandEntry("sandbox:clock", "Move the clock of a sandbox shop."),
    "simulate": CommandEntry("sandbox:simulate", "Have the bank of a sandbox shop book something."),
    "scenario": CommandEntry("scenario.command:scenario", "Play scenarios in sandbox shops."),
}


class _Commands(LazyGroup):
    entries = COMMANDS


app = typer.Typer(
    name="paymatch",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=CONTEXT,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback()
def paymatch(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Payment matching and order tracking for shops."""


def version() -> None:
    """Show the version of paymatch."""
    from paymatch import __version__

    typer.echo(__version__)


def main() -> None:
    """Runs the command line."""
    from paymatch.gc_tuning import collect_rarely, end_without_looking

    collect_rarely()
    end_without_looking()
    app()
