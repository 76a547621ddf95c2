"""Commands for orders: list, search, show, import, cancel, setpaid, setunpaid."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paymatch.cli.arguments import AsJson, ShopArgument, Yes, name_of, opened_file, read_states
from paymatch.cli.context import command, confirm, opened_shop, shop_transaction, show, tell_error, whole_id
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.cli.terminal import plain_text, shown_progress
from paymatch.clock import utc_now
from paymatch.domain.calendar import parse_date
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from paymatch.domain.shops.shop import Shop
    from paymatch.store.database import Database
    from paymatch.store.orders.order_list import ListedOrder

order_app = new_group("Orders: list, search, show, import, cancel, setpaid, setunpaid.")
OrderArgument = Annotated[str, typer.Argument(metavar="ORDER", help="Number of the order.")]
Limit = Annotated[int, typer.Option(min=1, max=100_000, help="At most this many.")]
_DAYS = frozenset({"date", "dueDate", "executionDate", "plannedDate", "postingDate", "timestamp", "valuationDate"})
"""What the API writes as dd-MM-yyyy, and the command line as everywhere: yyyy-MM-dd."""
_COLUMNS = ("number", "date", "customer", "type", "amount", "paid", "open", "currency", "status", "advice")


@order_app.command("list")
@lists(*_COLUMNS)
def list_(
    shop: ShopArgument,
    status: Annotated[list[str] | None, typer.Option(help="UNPAID, PAID_PARTIAL, PAID, CANCELLED ...")] = None,
    overpaid: Annotated[bool, typer.Option("--overpaid", help="Only orders with more paid than is due.")] = False,
    limit: Limit = 50,
) -> Iterable[Row]:
    """List orders, latest first; overpaid ones with what to do."""
    from paymatch.domain.orders.settlement import PaymentStatus
    from paymatch.usecases.orders.order_lists import find_orders

    wanted = [str(each) for each in read_states(status, PaymentStatus)]
    with shop_transaction(shop) as tx:
        rows = find_orders(tx, statuses=wanted, overpaid=overpaid, limit=limit)
        return [_order_line(row, tx.shop) for row in rows]


@order_app.command()
@lists(*_COLUMNS)
def search(
    shop: ShopArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Part of a number, name, address, invoice ...")],
    limit: Limit = 50,
) -> Iterable[Row]:
    """List orders in which a text occurs, latest first."""
    from paymatch.usecases.orders.order_lists import find_orders

    with shop_transaction(shop) as tx:
        return [_order_line(row, tx.shop) for row in find_orders(tx, text=text, limit=limit)]


def _order_line(order: ListedOrder, shop: Shop) -> dict[str, Any]:
    from paymatch.domain.money import currency_of, minor_to_text

    currency = currency_of(order.currency)
    return {
        "number": order.number,
        "date": order.ordered.isoformat(),
        "dueDate": order.due.isoformat() if order.due else None,
        "customer": order.customer,
        "type": order.type,
        "amount": minor_to_text(order.amount_minor, currency),
        "paid": minor_to_text(order.paid_minor, currency),
        "open": minor_to_text(order.open_minor, currency),
        "overpaid": minor_to_text(order.overpaid_minor, currency),
        "currency": currency,
        "status": order.status,
        "advice": _advice(order, shop),
    }


def _advice(order: ListedOrder, shop: Shop) -> str:
    """What to do about money that was paid too much; empty if there is none."""
    from paymatch.domain.money import currency_of, minor_to_text

    if not order.overpaid_minor:
        return ""
    currency = currency_of(order.currency)
    missing = order.overpaid_minor - order.planned_minor
    if missing <= 0:
        return f"overpaid by {minor_to_text(order.overpaid_minor, currency)} {currency}; the refund is filed"
    amount = minor_to_text(missing, currency)
    return f"overpaid by {amount} {currency}: paymatch refunds create {shop.id} {order.number} {amount}"


@order_app.command("show")
@command
def show_(shop: ShopArgument, order: OrderArgument, as_json: AsJson = False) -> None:
    """Show an order on one screen: money, postings, refunds, reminders, mail, callbacks, and who did what."""
    with opened_shop(shop) as (database, found):
        whole = _whole(database, found, order)
    if as_json:
        show(whole, as_json=True)
        return
    for line in _lines(whole):
        typer.echo(line)


def _whole(database: Database, shop: Shop, number: str) -> dict[str, Any]:
    """All that is known of an order; OrderUnknown."""
    from dataclasses import asdict

    import msgspec

    from paymatch.store.callbacks import callbacks
    from paymatch.store.orders import order_list
    from paymatch.store.orders.order_json import Include
    from paymatch.usecases.audit import last_entries
    from paymatch.usecases.orders import orders
    from paymatch.usecases.reminders.reminder_lists import list_mails

    include = Include(postings=True, collection_history=True, payment_reminders=True, refunds=True)
    with database.of_shop(shop) as tx:
        document = _with_days(msgspec.json.Decoder(float_hook=str).decode(orders.read(tx, number, include)))
        summary = order_list.find(tx, number)
        assert summary is not None  # it was read in this transaction
        mails = list_mails(tx, number=number)
        sent = [asdict(row) for row in callbacks.of_order(tx, number)]
    return {
        "summary": _order_line(summary, shop), "order": document, "mails": mails, "callbacks": sent,
        "auditEntries": last_entries(database, shop, number, 100),
    }  # fmt: skip


def _with_days(value: Any, name: str = "") -> Any:
    """A value of the order's document with its days, and the days of its moments, as the command line writes them."""
    if isinstance(value, dict):
        return {key: _with_days(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_days(each) for each in value]
    if name not in _DAYS or not isinstance(value, str):
        return value
    day, _, time = value.partition(" ")
    return f"{parse_date(day)} {time}".rstrip()


def _lines(whole: dict[str, Any]) -> Iterator[str]:
    """The order for people."""
    money, order = whole["summary"], whole["order"]
    yield f"Order {plain_text(money['number'])}   {money['date']}   {money['type']}   {money['status']}"
    yield f"  Customer   {plain_text(money['customer'])} {plain_text(order.get('customerEmail'))}".rstrip()
    yield f"  Amount     {money['amount']} {money['currency']}   paid {money['paid']}   open {money['open']}"
    if money["advice"]:
        yield f"  {plain_text(money['advice'])}"
    for title, rows, names in (
        ("Postings", order.get("postings", []), ("postingDate", "amount", "currency", "originator", "text")),
        ("Refunds", order.get("refunds", []), ("externalReference", "amount", "plannedDate", "status")),
        ("Reminders", order.get("paymentReminders", []), ("date", "dunningLevel", "reminderFee")),
        ("Mail", whole["mails"], ("createdAt", "mail", "status", "to", "error")),
        ("Callbacks", whole["callbacks"], ("queued_at", "to_status", "status", "attempts", "last_error")),
        ("Who did what", whole["auditEntries"], ("at", "actor", "action", "before", "after")),
    ):
        if rows:
            yield f"\n{title}"
            for row in rows:
                yield "  " + "   ".join(
                    _history_text(name, row[name]) for name in names if row.get(name) not in (None, "")
                )


def _history_text(name: str, value: Any) -> str:
    """A value of an order's history, counts with their name."""
    return f"{name} {value}" if type(value) is int else plain_text(value)


@order_app.command("import")
@command
def import_(
    shop: ShopArgument,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV or XLSX, at most 20 MB and 20,000 rows; - reads standard input.")
    ],
    mapped: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="COLUMN=FIELD", help="What a column means; kept for tables with these headings."),
    ] = None,
    kind: Annotated[str, typer.Option("--type", help="Type of new orders where no column says it.")] = "INVOICE",
    leave_out: Annotated[bool, typer.Option("--leave-out", help="Import the other rows if some are refused.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be imported, and store nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Import orders from a table, all or none; `undo` removes them again."""
    from paymatch.usecases.orders import order_imports

    wish = order_imports.ImportWish(_columns(mapped or ()), kind.upper(), leave_out)
    name = name_of(file)
    with opened_shop(shop) as (database, found), opened_file(file) as stream, shown_progress(name, quiet=True) as tell:
        table = order_imports.read_table(stream)
        if dry_run:
            done = order_imports.preview(database, found, table, wish, utc_now(), tell)
        else:
            done = order_imports.import_orders(database, found, table, wish, name, utc_now(), tell)
    result = done.as_dict()
    _show_import(result, as_json=as_json)
    if result["refused"] and not leave_out:
        tell_error(f"{len(result['refused'])} rows are refused; nothing was imported", as_json=as_json)
        raise typer.Exit(1)


def _columns(pairs: Iterable[str]) -> dict[str, str]:
    """COLUMN=FIELD; a heading may have an equals sign of its own, a field has none."""
    from paymatch.domain.shops.shop import SettingRefused

    found = {}
    for pair in pairs:
        heading, equals, field = pair.rpartition("=")
        if not equals or not heading:
            raise SettingRefused(Message("setting-not-form-column-field", pair=repr(pair)))
        found[heading.strip()] = field.strip()
    return found


def _show_import(result: dict[str, Any], *, as_json: bool) -> None:
    """The counts and the mapping for people, with a line per refused row."""
    if as_json:
        show(result, as_json=True)
        return
    columns = ", ".join(f"{heading} = {field}" for heading, field in result["columns"].items())
    show(result | {"refused": len(result["refused"]), "columns": columns}, as_json=False)
    for row in result["refused"]:
        expected = f" (expected: {row['expected']})" if row.get("expected") else ""
        typer.echo(
            f"Row {row['row']}, order {plain_text(row['order'])}: {plain_text(row['error'])}{expected}", err=True
        )


@order_app.command("imports")
@lists("id", "at", "new", "changed", "undone")
def imports(shop: ShopArgument) -> Iterable[Row]:
    """List the imports of orders, latest first."""
    from paymatch.usecases.orders import order_imports

    with shop_transaction(shop) as tx:
        return order_imports.list_imports(tx)


@order_app.command("undo")
@command
def undo_import(
    shop: ShopArgument,
    import_id: Annotated[str, typer.Argument(metavar="IMPORT", help="Id of the import.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Undo an import: the orders that it made are removed, those with a payment or a later change stay."""
    from paymatch.usecases.orders import order_imports

    with shop_transaction(shop) as tx:
        whole = whole_id(tx, "order_imports", import_id)
        confirm(f"Remove the orders of import {whole}?", yes=yes)
        done = order_imports.undo(tx, whole)
    show(done if as_json else done | {"left": ", ".join(done["left"][:10])}, as_json=as_json)


@order_app.command()
@command
def cancel(shop: ShopArgument, order: OrderArgument, yes: Yes = False, as_json: AsJson = False) -> None:
    """Cancel an order: it gets no more reminders, and what was paid can be refunded."""
    from paymatch.usecases.orders import orders

    with shop_transaction(shop) as tx:
        orders.require(tx, order)
        confirm(f"Cancel the order {order}?", yes=yes)
        orders.cancel(tx, order)
    _show_status(shop, order, as_json=as_json)


@order_app.command()
@command
def setpaid(
    shop: ShopArgument,
    order: OrderArgument,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why it is paid without a posting.")] = "",
    account: Annotated[str, typer.Option("--account", help="Booked to: cash, voucher or other.")] = "other",
    as_json: AsJson = False,
) -> None:
    """Mark an order as paid by hand, with what it owes booked to an account; `setunpaid` undoes it."""
    from paymatch.domain.orders.settlement import SetPaidAccount
    from paymatch.domain.shops.shop import SettingRefused
    from paymatch.usecases.orders import orders

    if account.upper() not in set(SetPaidAccount):
        raise SettingRefused(
            Message(
                "setting-unknown-paid-account",
                account=repr(account),
                names=", ".join(each.lower() for each in SetPaidAccount),
            )
        )
    if not reason and sys.stdin.isatty():
        reason = typer.prompt("Why is it paid without a posting?", default="", show_default=False, err=True)
    with shop_transaction(shop) as tx:
        orders.set_paid(tx, order, reason=reason, account=SetPaidAccount(account.upper()))
    _show_status(shop, order, as_json=as_json)


@order_app.command()
@command
def setunpaid(shop: ShopArgument, order: OrderArgument, as_json: AsJson = False) -> None:
    """Undo `setpaid`: the postings decide again."""
    from paymatch.usecases.orders import orders

    with shop_transaction(shop) as tx:
        orders.set_unpaid(tx, order)
    _show_status(shop, order, as_json=as_json)


def _show_status(shop: str, number: str, *, as_json: bool) -> None:
    from paymatch.store.orders import order_list

    with shop_transaction(shop) as tx:
        order = order_list.find(tx, number)
        assert order is not None  # it was just changed
    show({"order": number, "status": order.status}, as_json=as_json)
