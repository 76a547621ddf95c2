"""The owners of a shop, recipients of mails that the service sends on its own; and whether there are people at all."""

from __future__ import annotations

from dataclasses import dataclass

from paymatch.store.area_schema import SCHEMA
from paymatch.store.connection import build
from paymatch.store.row_security import AREA
from paymatch.store.transactions import OperatorTx, ShopId


@dataclass(frozen=True, slots=True)
class ShopOwner:
    """An owner's address, and the language of their pages; "" if they have not chosen one."""

    email: str
    language: str


def owners(tx: OperatorTx, shop: ShopId) -> list[ShopOwner]:
    """The owners who can sign in, by address; none in a database without people. Switches to the area's role."""
    if not _reads_people(tx):
        return []
    rows = tx.rows(
        f"SELECT u.email, u.language FROM {SCHEMA}.people_user u JOIN {SCHEMA}.people_membership m ON m.user_id = u.id"
        " WHERE m.shop_id = $1 AND m.role = 'owner' AND u.is_active ORDER BY u.email",
        shop,
    )
    return [build(ShopOwner, row) for row in rows]


def has_people(tx: OperatorTx) -> bool:
    """Whether anyone has an account in the merchant area. Switches to the area's role."""
    return _reads_people(tx) and bool(tx.value(f"SELECT EXISTS (SELECT FROM {SCHEMA}.people_user)"))


def _reads_people(tx: OperatorTx) -> bool:
    """Switches to the role of the merchant area; False if the database has no tables of people."""
    tx.run("SELECT set_config('role', $1, true)", AREA)  # a SET would go to the nodes too (D-79)
    return tx.value("SELECT to_regclass($1)", f"{SCHEMA}.people_membership") is not None
