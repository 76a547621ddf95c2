"""Commands for shops and their API keys."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paymatch.cli.arguments import AsJson, ShopArgument, Yes
from paymatch.cli.context import (
    command,
    confirm,
    database_of_command,
    find_shop,
    opened_shop,
    parse_settings,
    settings,
    shop_transaction,
    show,
    whole_id,
)
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.clock import utc_now
from paymatch.domain.shops.api_keys import READ_WRITE, KeyScope
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from paymatch.domain.shops.shop import Shop

shop_app = new_group("Shops: create, set, list, show, brand, secret.")
secret_app = new_group("The shop's secrets: show.")
shop_app.add_typer(secret_app, name="secret")
key_app = new_group("API keys: create, list, revoke, roll.")

KeyArgument = Annotated[str, typer.Argument(metavar="KEY_ID", help="Id of the key.")]


@shop_app.command()
@command
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the shop.")],
    currency: Annotated[str, typer.Option(help="Currency of the shop and its accounts.")] = "EUR",
    country: Annotated[str, typer.Option(help="ISO country code of the shop.")] = "DE",
    iban: Annotated[list[str] | None, typer.Option(help="Bank account; may be given several times.")] = None,
    timezone: Annotated[str, typer.Option(help="Time zone; by default that of the country.")] = "",
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="A shop to try things out: its own clock, test keys.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Create a shop. Its API key and callback access code are shown only once."""
    from paymatch.usecases.shops import shops

    with database_of_command() as database, shops.free_name(database, name):
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
    pairs: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE", help="status=paused api=off ...")] = None,
    access_code: Annotated[
        bool, typer.Option("--callback-access-code-stdin", help="Read the callback access code from standard input.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Change settings: status, api, access, callback-url, callbacks, letters, timezone, tolerance ..."""
    from paymatch.usecases.shops import shops

    wanted = parse_settings(pairs or [])
    if "callback-access-code" in wanted:
        raise SettingRefused(Message("setting-give-code-on-standard"))
    if access_code:
        wanted["callback-access-code"] = sys.stdin.readline().strip()
    with opened_shop(shop) as (database, found):
        if wanted.get("status") == "deleted":
            confirm(f"Delete the shop {found.name!r}?", yes=yes)
        name = wanted.get("name", found.name)
        with (
            shops.free_name(database, name, found) if _claims_name(found, wanted) else nullcontext(),
            database.of_shop(found) as tx,
        ):
            shops.change(tx, wanted, allow_private=settings().callback_allow_private)
            shops.reconsider(tx, wanted)
        show(_as_dict(find_shop(database, str(found.id))), as_json=as_json)


def _claims_name(shop: Shop, wanted: Mapping[str, str]) -> bool:
    """True if the shop gets a name, or comes back to life: another one may have taken its name meanwhile."""
    return "name" in wanted or (shop.status == "deleted" and wanted.get("status", "deleted") != "deleted")


@shop_app.command("list")
@lists("shop", "name", "status", "api", "access", "currency", "country", "sandbox")
def list_() -> Iterable[Row]:
    """List all shops."""
    from paymatch.store.shops import shops as store

    with database_of_command() as database, database.of_all_shops() as tx:
        return [_as_dict(shop) for shop in store.every(tx)]


@shop_app.command("show")
@command
def show_(shop: ShopArgument, as_json: AsJson = False) -> None:
    """Show a shop with its bank accounts and settings, as `shop set` takes them, without its secrets."""
    from paymatch.store.shops import shops as store
    from paymatch.usecases.shops import shops

    with shop_transaction(shop) as tx:
        accounts = [asdict(account) for account in store.accounts(tx)]
        wanted = shops.settings_as_texts(tx)
    if as_json:
        show(_as_dict(tx.shop) | {"settings": wanted, "accounts": accounts}, as_json=True)
        return
    given = {
        "shop": str(tx.shop.id),
        "currency": tx.shop.currency,
        "country": tx.shop.country,
        "sandbox": tx.shop.sandbox,
    }
    show(given | dict(sorted(wanted.items())) | {"accounts": accounts}, as_json=False)


@shop_app.command()
@command
def brand(
    shop: ShopArgument,
    logo: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Picture (PNG, JPEG) that is the logo from now on.")
    ] = None,
    no_logo: Annotated[bool, typer.Option("--no-logo", help="Remove the logo.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show how customers see the shop, and set its logo.

    Colour, contact and footer are settings of `shop set`: mail-name, accent, contact-email, contact-phone, website,
    legal-footer, imprint-url, privacy-url.
    """
    from paymatch.usecases.shops import brands

    picture = brands.read_logo(logo.read_bytes()) if logo else None
    with shop_transaction(shop) as tx:
        if picture is not None:
            brands.set_logo(tx, picture, utc_now())
        elif no_logo:
            brands.remove_logo(tx)
        seen = brands.brand_of(tx)
    size = f"{seen.logo.width} x {seen.logo.height}" if seen.logo else ""
    values = {
        "name": seen.name, "accent": str(seen.accent), "contactEmail": seen.email, "contactPhone": seen.phone,
        "website": seen.website, "legalFooter": seen.footer, "logo": size,
    }  # fmt: skip
    show(values, as_json=as_json)


@secret_app.command("show")
@command
def show_secret(shop: ShopArgument, as_json: AsJson = False) -> None:
    """Show the callback access code and the webhook secret. The audit log records that they were shown."""
    from paymatch.usecases.shops import shops

    with shop_transaction(shop) as tx:
        code, secret = shops.show_secrets(tx)
    show({"callbackAccessCode": code, "webhookSecret": secret}, as_json=as_json)


@key_app.command("create")
@command
def create_key(
    shop: ShopArgument,
    scope: Annotated[str, typer.Option(help=f"{', '.join(KeyScope)}, {READ_WRITE}; separated by commas.")] = READ_WRITE,
    label: Annotated[str, typer.Option(help="What the key is for.")] = "",
    as_json: AsJson = False,
) -> None:
    """Create a further API key. It is shown only once."""
    from paymatch.usecases.shops import shops

    with shop_transaction(shop) as tx:
        key = shops.create_key(tx, scope=scope, label=label)
    show({"apiKey": key}, as_json=as_json)


@key_app.command("list")
@lists("id", "hint", "label", "scope", "created_at", "expires_at", "last_used_at")
def list_keys(shop: ShopArgument) -> Iterable[Row]:
    """List the shop's keys; the keys themselves are not stored."""
    from paymatch.store.shops import shops as store

    with shop_transaction(shop) as tx:
        return [asdict(key) for key in store.keys(tx)]


@key_app.command("revoke")
@command
def revoke(shop: ShopArgument, key: KeyArgument, yes: Yes = False, as_json: AsJson = False) -> None:
    """Revoke a key: it is no longer valid."""
    from paymatch.usecases.shops import shops

    with shop_transaction(shop) as tx:
        whole = whole_id(tx, "api_keys", key)
        confirm(f"Revoke the key {whole} of {tx.shop.name!r}?", yes=yes)
        shops.revoke_key(tx, whole)
    show({"revoked": whole}, as_json=as_json)


@key_app.command("roll")
@command
def roll(
    shop: ShopArgument,
    key: KeyArgument,
    keep_hours: Annotated[int, typer.Option(min=0, max=720, help="Hours that the old key stays valid.")] = 24,
    as_json: AsJson = False,
) -> None:
    """Replace a key by a new one; the old one stays valid for a while."""
    from paymatch.usecases.shops import shops

    with shop_transaction(shop) as tx:
        new = shops.roll_key(tx, whole_id(tx, "api_keys", key), timedelta(hours=keep_hours))
    show({"apiKey": new, "oldKeyValidHours": keep_hours}, as_json=as_json)


def _as_dict(shop: Shop) -> dict[str, Any]:
    """The shop's settings; amounts in units of its currency."""
    from paymatch.domain.money import currency_of, minor_to_text

    found: dict[str, Any] = {"shop": str(shop.id)}
    for name, value in asdict(shop).items():
        if name.endswith("_minor"):
            found[name.removesuffix("_minor")] = minor_to_text(value, currency_of(shop.currency))
        elif name != "id":
            found[name] = value
    return found
