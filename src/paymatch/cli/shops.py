"""Commands for shops and their API keys."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

import typer

from paymatch.cli.context import command, opened, parse_settings, show
from paymatch.clock import utc_now
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.store import shops as store
from paymatch.store.database import ShopId
from paymatch.usecases import shops

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ShopArgument = Annotated[str, typer.Argument(metavar="SHOP", help="Id or name of the shop.")]

shop_app = typer.Typer(help="Shops: create, set, list, show.", no_args_is_help=True)
secret_app = typer.Typer(help="The shop's secrets.", no_args_is_help=True)
shop_app.add_typer(secret_app, name="secret")
key_app = typer.Typer(help="API keys: create, list, revoke, roll.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(shop_app, name="shop")
    app.add_typer(key_app, name="key")


@shop_app.command()
@command
def create(
    name: Annotated[str, typer.Argument(help="Name of the shop.")],
    currency: Annotated[str, typer.Option(help="Currency of the shop and its accounts.")] = "EUR",
    country: Annotated[str, typer.Option(help="ISO country code of the shop.")] = "DE",
    iban: Annotated[list[str] | None, typer.Option(help="Bank account; may be given several times.")] = None,
    timezone: Annotated[str, typer.Option(help="Time zone; by default that of the country.")] = "",
    sandbox: Annotated[bool, typer.Option("--sandbox", help="A shop for trying out: own clock, test keys.")] = False,
    as_json: AsJson = False,
) -> None:
    """Creates a shop and shows its API key and callback access code, this once."""
    with opened() as database:
        new = shops.create(
            database, name, utc_now(), currency=currency.upper(), country=country.upper(), ibans=iban or (),
            sandbox=sandbox, timezone=timezone,
        )  # fmt: skip
    result = {"shop": str(new.shop.id), "apiKey": new.api_key, "callbackAccessCode": new.callback_access_code}
    show(result, as_json=as_json)


@shop_app.command("set")
@command
def set_(
    shop: ShopArgument,
    pairs: Annotated[list[str], typer.Argument(metavar="KEY=VALUE...", help="status=paused api=off ...")],
    as_json: AsJson = False,
) -> None:
    """Changes settings: status, api, access, callback-url, callbacks, letters, timezone, tolerance ..."""
    wanted = parse_settings(pairs)
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            shops.change(tx, found, wanted)
            shops.reconsider(tx, found, wanted, utc_now())
        show(_as_dict(shops.find(database, str(found.id))), as_json=as_json)


@shop_app.command("list")
@command
def list_(as_json: AsJson = False) -> None:
    """All shops."""
    with opened() as database, database.transaction(None) as tx:
        rows = [_as_dict(shop) for shop in store.every(tx)]
    show(rows, as_json=as_json, columns=("shop", "name", "status", "api", "access", "currency", "country", "sandbox"))


@shop_app.command("show")
@command
def show_(shop: ShopArgument, as_json: AsJson = False) -> None:
    """A shop with its settings and bank accounts, without its secrets."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            accounts = [asdict(account) for account in store.accounts(tx, ShopId(found.id))]
    show(_as_dict(found) | {"accounts": accounts}, as_json=as_json)


@secret_app.command("show")
@command
def show_secret(shop: ShopArgument, as_json: AsJson = False) -> None:
    """The shop's callback access code and webhook secret; that they were shown is recorded (`paymatch audit`)."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            code, secret = shops.show_secrets(tx, found)
    show({"callbackAccessCode": code, "webhookSecret": secret}, as_json=as_json)


@key_app.command("create")
@command
def create_key(
    shop: ShopArgument,
    scope: Annotated[str, typer.Option(help="read or read-write.")] = "read-write",
    label: Annotated[str, typer.Option(help="What the key is for.")] = "",
    as_json: AsJson = False,
) -> None:
    """A further API key, shown this once."""
    if scope not in ("read", "read-write"):
        raise SettingRefused("--scope is read or read-write")
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            key = shops.create_key(tx, found, utc_now(), scope=scope, label=label)
    show({"apiKey": key}, as_json=as_json)


@key_app.command("list")
@command
def list_keys(shop: ShopArgument, as_json: AsJson = False) -> None:
    """The shop's keys; the keys themselves are not stored."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            rows = [asdict(key) for key in store.keys(tx, ShopId(found.id))]
    show(rows, as_json=as_json, columns=("id", "hint", "label", "scope", "created_at", "expires_at", "last_used_at"))


@key_app.command("revoke")
@command
def revoke(shop: ShopArgument, key: Annotated[str, typer.Argument(metavar="KEY_ID")], as_json: AsJson = False) -> None:
    """The key is no longer valid."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            shops.revoke_key(tx, found, key, utc_now())
    show({"revoked": key}, as_json=as_json)


@key_app.command("roll")
@command
def roll(
    shop: ShopArgument,
    key: Annotated[str, typer.Argument(metavar="KEY_ID")],
    keep_hours: Annotated[int, typer.Option(min=0, max=720, help="Hours that the old key stays valid.")] = 24,
    as_json: AsJson = False,
) -> None:
    """A new key in the place of an old one, which stays valid for a while."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            new = shops.roll_key(tx, found, key, utc_now(), timedelta(hours=keep_hours))
    show({"apiKey": new, "oldKeyValidHours": keep_hours}, as_json=as_json)


def _as_dict(shop: Shop) -> dict[str, Any]:
    found = asdict(shop)
    return {"shop": str(found.pop("id")), **found}
