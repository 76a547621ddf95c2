"""The people of the demo shop: who works in it, and what its clerk decides on Monday mornings."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from paymatch.area.people.roles import TeamRole
from paymatch.cli.demo.life import CLERK, DEVELOPER, OWNER, Life
from paymatch.cli.users import loaded_area
from paymatch.clock import utc_now
from paymatch.store.statements.posting_report import report
from paymatch.usecases.matching import assigning, queue
from paymatch.usecases.shops import shops

_TEAM: Final = (
    (OWNER, TeamRole.OWNER),
    (CLERK, TeamRole.CLERK),
    (DEVELOPER, TeamRole.DEVELOPER),
    ("tax.adviser@demo.example", TeamRole.VIEWER),
)
_NAMES: Final = {OWNER: "Max Mustermann"}
_LIKELY: Final = 0.5
_OVERLAP: Final = timedelta(days=3)
"""How long the key that was replaced still works."""

_KNOWN: Final = {
    "Kartenabrechnung": "card settlement",
    "Hausverwaltung Seeblick": "rent",
    "Teeimport Hansen KG": "supplier",
    "Finanzkasse": "tax",
    "": "bank fee",
}
"""Counterparties that pay for no order."""


def hire_team(life: Life) -> None:
    """Gives the shop an owner, a clerk, a developer and a read-only viewer."""
    loaded_area(life.database)
    from paymatch.area.people import accounts

    for email, role in _TEAM:
        person = accounts.create_person(email, shop=life.shop.id, role=role)
        person.name = _NAMES.get(email, "")
        person.save(update_fields=["name"])


def make_mistakes(life: Life) -> None:
    """The developer tries a further key, replaces it, and sends orders that the API refuses."""
    with life.as_person(DEVELOPER).of_shop(life.shop) as tx:
        shops.create_key(tx, scope="read", label="Reporting")
        replaced = shops.keys(tx)[-1]
        shops.roll_key(tx, replaced.id, _OVERLAP)
    order = {"number": "TEST-1", "date": "2026-11-20", "type": "PREPAYMENT", "amount": "19,90", "currency": "EUR"}
    life.client.send_refused("order/TEST-2/cancel", {})
    life.client.send_refused("order/TEST-1", order | {"date": "20-11-2026"})
    life.client.send_refused("order/TEST-1", order)


def owner_link(life: Life) -> str:
    """A link that signs the demo's owner in to the service of this demo: once, within the hour.

    It leads to this demo's shop, even if the owner last viewed the shop of an earlier demo.
    """
    service = loaded_area(life.database)
    from django.urls import reverse

    from paymatch.area.people import accounts
    from paymatch.area.people.models import User

    owner = User.objects.get(email=OWNER)
    owner.last_page = reverse("overview", kwargs={"shop": life.shop.id})
    owner.save(update_fields=["last_page"])
    return accounts.sign_in_link(owner, life.client.base.removesuffix("/api/v2"), service.clock())


def decide_postings(life: Life) -> None:
    """The clerk decides: likely suggestions are accepted, what belongs to no order is named, the rest set aside."""
    database, shop = life.as_person(CLERK), life.shop
    with database.of_shop(shop) as tx:
        waiting = [row for row in report(tx, ("suggested", "unmatched")) if "reason" not in row]
    for row in waiting:
        best = row["suggestions"][0] if row["suggestions"] else None
        if best is not None and float(best["probability"]) >= _LIKELY:
            assigning.match(database, shop, row["id"], assigning.suggested_parts(database, shop, row["id"]), utc_now())
        elif row["originator"] in _KNOWN:
            assigning.ignore(database, shop, row["id"], _KNOWN[row["originator"]], utc_now())
        else:
            with database.of_shop(shop) as tx:
                queue.comment(tx, row["id"], "Asked the payer which order this is for")
            assigning.set_aside(database, shop, row["id"], "waiting for the payer's answer", utc_now())
