"""Commands for people who sign in to the merchant area."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated

import typer

from paymatch.area.people.roles import TeamRole
from paymatch.cli.arguments import AsJson, Yes
from paymatch.cli.context import command, confirm, database_of_command, find_shop, settings, show
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group

if TYPE_CHECKING:
    from paymatch.area.service import Service
    from paymatch.store.database import Database

user_app = new_group("People of the merchant area: create, list, disable, reset.")

Email = Annotated[str, typer.Argument(metavar="EMAIL", help="The person's e-mail address.")]


@user_app.command()
@command
def create(
    email: Email,
    shop: Annotated[str, typer.Option(help="Id or name of the shop that the person works for.")] = "",
    role: Annotated[TeamRole, typer.Option(help="What the person may do in the shop.")] = TeamRole.OWNER,
    staff: Annotated[bool, typer.Option("--staff", help="An operator, who sees the whole installation.")] = False,
    password_stdin: Annotated[bool, typer.Option("--password-stdin", help="Read a password from stdin.")] = False,
    as_json: AsJson = False,
) -> None:
    """Create a person, or give a known one the role too. Shows the link to begin with, which works for seven days."""
    password = sys.stdin.readline().rstrip("\n") if password_stdin else ""
    with _area() as service:
        from paymatch.area.people import accounts

        shop_id = find_shop(service.database, shop).id if shop else None
        person = accounts.create_person(email, shop=shop_id, role=role, staff=staff, password=password)
        show(_with_link(person.email, service), as_json=as_json)


@user_app.command("list")
@lists("email", "active", "staff", "shop", "role", "lastSignIn", title="People")
def list_() -> Iterator[Row]:
    """List people, a line for each shop that they work for."""
    with _area():
        from paymatch.area.people import accounts

        yield from accounts.list_people()


@user_app.command()
@command
def disable(email: Email, yes: Yes = False, as_json: AsJson = False) -> None:
    """End the person's sessions and block sign-in."""
    confirm(f"Disable {email}?", yes=yes)
    with _area():
        from paymatch.area.people import accounts

        person = accounts.disable(email)
        show({"email": person.email, "active": person.is_active}, as_json=as_json)


@user_app.command()
@command
def reset(email: Email, yes: Yes = False, as_json: AsJson = False) -> None:
    """Remove password and second factors, and show the link to a new password, which works for seven days."""
    confirm(f"Remove the password and the second factors of {email}?", yes=yes)
    with _area() as service:
        from paymatch.area.people import accounts

        show(_with_link(accounts.reset(email).email, service), as_json=as_json)


def _with_link(email: str, service: Service) -> dict[str, str]:
    from paymatch import service_address
    from paymatch.area.people import accounts

    base = service_address.address(service.settings)
    return {"email": email, "signInLink": accounts.link_to_begin(accounts.find(email), base, service.clock())}


@contextmanager
def _area() -> Iterator[Service]:
    """The merchant area's own tables and rules; Django is loaded."""
    with database_of_command() as database:
        yield loaded_area(database)


def loaded_area(database: Database) -> Service:
    """The merchant area on an opened database; Django is loaded."""
    from paymatch.area.application import Area
    from paymatch.area.service import Service
    from paymatch.clock import utc_now
    from paymatch.outbound.files import open_files
    from paymatch.outbound.http import HttpClient

    found = settings()
    door = cache(partial(HttpClient, allow_private=found.callback_allow_private))
    service = Service(found, database.url, database, utc_now, open_files(found), door)
    Area(service).load()
    return service
