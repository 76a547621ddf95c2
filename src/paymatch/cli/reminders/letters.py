"""Commands for letters to customers: list, show, print, mark-printed, undo, discard, again."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from paymatch.cli.arguments import AsJson, ShopArgument, read_states
from paymatch.cli.context import command, opened_shop, settings, shop_transaction, show, whole_id
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

letters_app = new_group("Letters: list, runs, show, print, mark-printed, undo, discard, again.")
LetterArgument = Annotated[str, typer.Argument(metavar="LETTER_ID", help="Id of the letter.")]
RunArgument = Annotated[str, typer.Argument(metavar="RUN_ID", help="Id of the print run.")]


@letters_app.command("list")
@lists("id", "orderNumber", "letter", "status", "pages", "to", "run", "error", "createdAt")
def list_(
    shop: ShopArgument,
    order: Annotated[str, typer.Option(help="Only this order.")] = "",
    status: Annotated[str, typer.Option(help="Only letters with this status.")] = "",
    before: Annotated[str, typer.Option(help="Only letters older than this one.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 50,
) -> Iterable[Row]:
    """List letters that were sent or wait, latest first."""
    from paymatch.domain.reminders.letters import LetterStatus
    from paymatch.usecases.letters import letter_lists

    wanted = read_states([status], LetterStatus)[0] if status else None
    with shop_transaction(shop) as tx:
        return letter_lists.list_letters(tx, number=order, status=wanted, before=before, limit=limit)


@letters_app.command()
@lists("run", "createdAt", "letters", "pages", "state", "printedAt")
def runs(shop: ShopArgument, limit: Annotated[int, typer.Option(min=1, max=1000)] = 20) -> Iterable[Row]:
    """List print runs, latest first."""
    from paymatch.usecases.letters import printing

    with shop_transaction(shop) as tx:
        return printing.list_runs(tx, limit)


@letters_app.command("show")
@command
def show_(
    shop: ShopArgument,
    letter: LetterArgument,
    pdf: Annotated[bool, typer.Option("--pdf", help="The letter itself, to be redirected into a file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a letter."""
    from paymatch.usecases.letters import letter_lists

    with shop_transaction(shop) as tx:
        row, content = letter_lists.show_letter(tx, whole_id(tx, "letters", letter))
    if pdf and not content:
        raise SettingRefused(Message("setting-letter-no-pages-not", letter=letter))
    if pdf:
        sys.stdout.buffer.write(content)
        return
    show(row, as_json=as_json)


@letters_app.command("print")
@command
def print_(
    shop: ShopArgument,
    to: Annotated[Path, typer.Option(help="Folder for the PDF and its index.")] = Path(),
    run: Annotated[str, typer.Option(help="Write this print run again instead of a new one.")] = "",
    as_json: AsJson = False,
) -> None:
    """Put all waiting letters into a print run, and write its PDF and index."""
    from paymatch.usecases.letters import printing

    with shop_transaction(shop) as tx:
        run_id = whole_id(tx, "letter_runs", run) if run else printing.begin_run(tx)
        files = printing.run_files(tx, run_id) if run_id else None
    if files is None:
        show({"run": "", "letters": 0, "pages": 0, "pdf": "", "index": ""}, as_json=as_json)
        return
    to.mkdir(parents=True, exist_ok=True)
    pdf, index = to / f"{files.id}.pdf", to / f"{files.id}.csv"
    pdf.write_bytes(files.pdf)
    index.write_bytes(files.index)
    written = {"run": files.id, "letters": files.letters, "pages": files.pages, "pdf": str(pdf), "index": str(index)}
    show(written, as_json=as_json)


@letters_app.command()
@command
def mark_printed(shop: ShopArgument, run: RunArgument, as_json: AsJson = False) -> None:
    """Mark a print run as printed and posted: its reminders count from now on."""
    from paymatch.usecases.letters import printing

    with opened_shop(shop) as (database, found):
        with database.of_shop(found) as tx:
            run_id = whole_id(tx, "letter_runs", run)
            count = printing.mark_printed(tx, run_id)
        printing.tidy(database, found, settings().letters() / str(found.id))
    show({"run": run_id, "printed": count}, as_json=as_json)


@letters_app.command()
@command
def undo(shop: ShopArgument, run: RunArgument, as_json: AsJson = False) -> None:
    """Undo a print run that was not printed: its letters wait again."""
    from paymatch.usecases.letters import printing

    with opened_shop(shop) as (database, found):
        with database.of_shop(found) as tx:
            run_id = whole_id(tx, "letter_runs", run)
            count = printing.undo_run(tx, run_id)
        printing.tidy(database, found, settings().letters() / str(found.id))
    show({"run": run_id, "waiting": count}, as_json=as_json)


@letters_app.command()
@command
def discard(shop: ShopArgument, letter: LetterArgument, as_json: AsJson = False) -> None:
    """Discard a letter before it is sent; discarding a reminder stops the reminders of its order."""
    from paymatch.usecases.letters import letter_lists

    with shop_transaction(shop) as tx:
        result = letter_lists.discard(tx, whole_id(tx, "letters", letter))
    show(result, as_json=as_json)


@letters_app.command()
@command
def again(shop: ShopArgument, letter: LetterArgument, as_json: AsJson = False) -> None:
    """Write a refused letter again, with the address as the order has it now."""
    from paymatch.usecases.letters import letter_lists

    with shop_transaction(shop) as tx:
        result = letter_lists.try_again(tx, whole_id(tx, "letters", letter))
    show(result, as_json=as_json)
