"""Commands for personal data: export and erase what the shop has of one person."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paymatch.cli.arguments import DAY, AsJson, ShopArgument, Yes, read_day
from paymatch.cli.context import command, confirm, opened_shop, settings, show
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.clock import utc_now

if TYPE_CHECKING:
    from paymatch.usecases.privacy.erasing import Erasure

privacy_app = new_group("Personal data: erase, export, plan, replay, certificate.")

Email = Annotated[str, typer.Option("--email", help="Their e-mail address.")]
Name = Annotated[str, typer.Option("--name", help="First and last name, or the company.")]
Iban = Annotated[str, typer.Option("--iban", help="An account that they paid from or were refunded to.")]
Customer = Annotated[str, typer.Option("--customer", help="The shop's number of the customer.")]


@privacy_app.command()
@command
def erase(
    shop: ShopArgument,
    email: Email = "",
    name: Name = "",
    iban: Iban = "",
    customer: Customer = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and change nothing.")] = False,
    although_open: Annotated[
        bool, typer.Option("--although-open", help="Also while orders, refunds or payments of theirs are open.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase a person everywhere. Amounts, days and numbers stay, so that the books remain correct."""
    from paymatch.domain.privacy.person import sought
    from paymatch.outbound.files import open_files
    from paymatch.usecases.privacy import erasing
    from paymatch.usecases.privacy.files import Folders

    asked = sought(email, name, iban, customer)
    with opened_shop(shop) as (database, found):
        folders = Folders.of(settings(), found)
        planned = erasing.preview(database, found, asked, folders, utc_now())
        if dry_run or not as_json:
            show(_person_fields(planned) if not as_json else _plain(planned), as_json=as_json)
        if dry_run:
            return
        confirm(f"Erase {', '.join(planned.person.names) or 'this person'} from {found.name}?", yes=yes)
        done = erasing.erase(
            database, found, asked, open_files(settings()), folders, utc_now(), although_open=although_open
        )
    show(done.shown() if as_json else _in_lines(done.shown()), as_json=as_json)


def _plain(erasure: Erasure) -> dict[str, Any]:
    """What would be erased, with the names under which the person is known, and what is still open."""
    person = erasure.person
    return {**erasure.shown(), "names": list(person.names), "stillOpen": list(map(str, person.unsettled))}


def _person_fields(erasure: Erasure) -> dict[str, Any]:
    """The same to read, before it has an id."""
    rows = _in_lines(erasure.shown())
    del rows["erasure"]
    open_ = "; ".join(map(str, erasure.person.unsettled))
    return rows | {"names": ", ".join(erasure.person.names), "still open": open_}


def _in_lines(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Counts and kinds as text, a line each."""
    lines: dict[str, Any] = {}
    for name, value in shown.items():
        counts = [f"{table} {count}" for table, count in value.items()] if isinstance(value, dict) else value
        lines[name] = ", ".join(counts) if isinstance(counts, list) else counts
    return lines


@privacy_app.command()
@command
def export(
    shop: ShopArgument,
    email: Email = "",
    name: Name = "",
    iban: Iban = "",
    customer: Customer = "",
    pdf: Annotated[Path | None, typer.Option("--pdf", metavar="FILE", help="Write it as PDF, for the person.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print all data of the shop about a person as JSON, or write it as a PDF; nothing about anyone else."""
    del as_json  # it is JSON anyway
    import msgspec

    from paymatch.domain.privacy.person import sought
    from paymatch.usecases.privacy import exporting

    asked = sought(email, name, iban, customer)
    with opened_shop(shop) as (database, found):
        data = exporting.export(database, found, asked, utc_now())
        if pdf is not None:
            pdf.write_bytes(exporting.as_pdf(data))
            return
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(data, enc_hook=str)).decode() + "\n")


@privacy_app.command()
@lists("data", "kept", "why")
def plan(shop: ShopArgument) -> Iterable[Row]:
    """Show what is kept, for how long and why; `paymatch shop set` changes what is a setting."""
    from paymatch.usecases.privacy import plan as use

    with opened_shop(shop) as (database, found):
        return use.plan(database, found)


@privacy_app.command()
@command
def replay(
    since: Annotated[str, typer.Option("--since", metavar=DAY, help="The day of the backup that was restored.")],
    as_json: AsJson = False,
) -> None:
    """Erase again, in all shops, every person who was erased since the restored backup."""
    from datetime import UTC, datetime, time

    from paymatch.cli.context import database_of_command
    from paymatch.outbound.files import open_files
    from paymatch.usecases.privacy import replaying

    day = read_day(since)
    assert day is not None
    moment = datetime.combine(day, time(), UTC)
    with database_of_command() as database:
        result = replaying.replay(database, settings(), open_files(settings()), moment, utc_now())
    show(result, as_json=as_json)


@privacy_app.command()
@command
def certificate(
    shop: ShopArgument,
    pdf: Annotated[Path | None, typer.Option("--pdf", metavar="FILE", help="Write it as PDF.")] = None,
    as_json: AsJson = False,
) -> None:
    """Certify that all data of a deleted shop is gone: what, how much, and when."""
    from paymatch.usecases.privacy import periods

    with opened_shop(shop) as (database, found):
        result = periods.certificate(database, found)
    if pdf is not None:
        pdf.write_bytes(periods.as_pdf(result))
    show(result, as_json=as_json)
