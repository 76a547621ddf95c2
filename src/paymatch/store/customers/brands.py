"""Branding of a shop for its customers, in PostgreSQL."""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.shops.brand import Brand, Logo
from paymatch.domain.shops.colours import USUAL_ACCENT, colour_of
from paymatch.store.transactions import ShopTx


def load(tx: ShopTx) -> Brand:
    """The shop's brand; its name is that of its mail, else its own."""
    row = tx.row(
        "SELECT coalesce(nullif(s.mail_name, ''), s.name) AS name, s.accent, s.contact_email, s.contact_phone,"
        " s.website, s.legal_footer, s.imprint_url, s.privacy_url, l.png, l.width, l.height"
        " FROM shops s LEFT JOIN shop_logos l ON l.shop_id = s.shop_id WHERE s.shop_id = $1",
        tx.shop_id,
    )
    assert row is not None
    return Brand(
        row.name, colour_of(row.accent) if row.accent else USUAL_ACCENT, row.contact_email, row.contact_phone,
        row.website, row.legal_footer, None if row.png is None else Logo(row.png, row.width, row.height),
        row.imprint_url, row.privacy_url,
    )  # fmt: skip


def save_logo(tx: ShopTx, logo: Logo, now: datetime) -> None:
    """Stores the shop's logo."""
    tx.run(
        "INSERT INTO shop_logos (shop_id, png, width, height, changed_at) VALUES ($1, $2, $3, $4, $5)"
        " ON CONFLICT (shop_id) DO UPDATE SET png = $2, width = $3, height = $4, changed_at = $5",
        tx.shop_id,
        logo.png,
        logo.width,
        logo.height,
        now,
    )


def remove_logo(tx: ShopTx) -> bool:
    """Removes the shop's logo; False if it had none."""
    return bool(tx.run("DELETE FROM shop_logos WHERE shop_id = $1", tx.shop_id))
