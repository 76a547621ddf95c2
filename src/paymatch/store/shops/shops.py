"""Shops, their keys and bank accounts in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, cast

from paymatch.domain.shops.shop import Shop
from paymatch.store.connection import build
from paymatch.store.sealing import ACCESS_CODE, WEBHOOK_SECRET
from paymatch.store.transactions import SHOP_COLUMNS, ShopTx, Tx, read_shop, shop_of

SHOP_NOW: Final = (
    "CASE WHEN NOT s.sandbox OR s.sandbox_now IS NULL THEN $1 WHEN s.sandbox_stands THEN s.sandbox_now"
    " ELSE greatest(s.sandbox_now, $1) END"
)
"""`Shop.now` in SQL: of the shop `s` while the real clock says $1."""

SETTINGS: Final = frozenset(
    {
        "name", "status", "api", "access", "timezone", "language", "holder", "street", "house_number", "postcode",
        "city", "letters", "accounts_locked", "caution", "learning", "tolerance_minor", "fee_tolerance_minor",
        "discount_basis_points", "bank_charge_basis_points", "bank_charge_limit_minor", "reminder_minimum_minor",
        "invoice_terms",
        "callbacks", "callback_url", "callback_ports", "callback_success",
        "callback_grace_seconds", "callback_access_code",
        "callbacks_paused_at", "sandbox_now", "transfer_version", "transfer_characters", "transfer_speed",
        "instant_refused", "payee_check", "large_online_seller",
        "refund_deadline_days", "refund_runs", "reminders",
        "payment_information", "payment_thanks", "ordersync_guard", "mail_from", "mail_name", "reply_to",
        "keep_mail_days", "keep_payer_days", "keep_order_years", "keep_deleted_days", "deleted_at",
        "keep_invoice_days", "keep_drop_days",
        "request_log", "statements_api", "refund_requests", "accent", "contact_email", "contact_phone", "website",
        "legal_footer", "imprint_url", "privacy_url", "invoice_quota_mb", "lapse_after_days",
        "letters_by", "invoice_letters", "letter_paper", "letter_duplex", "letter_colour", "letter_alert_days",
        "letter_print_hour", "exports", "export_every", "export_to", "export_wait",
        "refund_limit_minor", "refund_day_limit_minor", "refund_four_eyes_minor", "second_factor",
        "ledger_chart", "ledger_bank", "ledger_debtors", "ledger_revenue", "ledger_fees", "ledger_clearing",
        "ledger_credits", "ledger_income", "ledger_losses", "use_credit",
        "ledger_reminder_fees", "ledger_transit", "ledger_set_paid", "ledger_currency",
        "datev_consultant", "datev_client", "fiscal_year_month", "datev_tax_keys", "datev_rates", "datev_links",
    }
)  # fmt: skip
"""Columns that `change` may write."""

SENDS_MAIL: Final = "(s.reminders OR s.payment_information OR s.payment_thanks)"
"""`Shop.sends_mail` in SQL, of the shop `s`."""

NO_REPLAY: Final = "s.shop_id <> ALL (ARRAY(SELECT r.replay_shop FROM replays r))"
"""Whether the shop `s` is not that of a replay (D-124), in SQL; needs the operator's view."""

_CODE: Final = "callback_access_code"


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A stored API key; only its owner knows the key itself."""

    id: str
    hint: str
    label: str
    scope: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class AccountRow:
    """A bank account of the shop; `confirmed` once a person has said that it is the shop's own (D-24)."""

    account: str
    currency: str
    bic: str
    bank_name: str
    holder: str
    confirmed: bool


AUTHENTICATE: Final = (
    f"SELECT k.id AS key_id, k.scope AS key_scope, k.last_used_at AS key_used_at, {SHOP_COLUMNS}"
    " FROM api_keys k JOIN shops s ON s.shop_id = k.shop_id"
    " WHERE k.shop_id = $1 AND k.hash = $2 AND (k.expires_at IS NULL OR k.expires_at > $3)"
)


def authenticate(tx: ShopTx, key_hash: bytes, now: datetime) -> tuple[Shop, str, str, datetime | None] | None:
    """(shop, key id, scope, last use) of a key that is valid at `now`; None if there is none."""
    row = tx.row(AUTHENTICATE, tx.shop_id, key_hash, now)
    if row is None:
        return None
    columns = row._asdict()
    key_id, scope, used_at = (columns.pop(name) for name in ("key_id", "key_scope", "key_used_at"))
    tx.shop = shop_of(columns)
    return tx.shop, key_id, scope, used_at


def key_of(tx: ShopTx, key_hash: bytes) -> str | None:
    """The id of the shop's key with this hash, valid or not; None if there is none."""
    return cast(str | None, tx.value("SELECT id FROM api_keys WHERE shop_id = $1 AND hash = $2", tx.shop_id, key_hash))


def touch_key(tx: ShopTx, key_id: str, now: datetime) -> None:
    """Records the last use of a key, unless another call is doing so: no call waits for that."""
    tx.put(
        "UPDATE api_keys SET last_used_at = $3 WHERE shop_id = $1 AND id IN"
        " (SELECT id FROM api_keys WHERE shop_id = $1 AND id = $2 FOR UPDATE SKIP LOCKED)",
        tx.shop_id,
        key_id,
        now,
    )


def load(tx: ShopTx) -> Shop | None:
    """The present shop, or None; the transaction continues with it."""
    row = tx.row(f"SELECT {SHOP_COLUMNS} FROM shops s WHERE s.shop_id = $1", tx.shop_id)
    if row is None:
        return None
    tx.shop = shop_of(row._asdict())
    return tx.shop


def present(tx: ShopTx) -> Shop:
    """The present shop; the transaction continues with it. ShopUnknown if there is none."""
    tx.shop = read_shop(tx)
    return tx.shop


def find(tx: Tx, text: str) -> list[Shop]:
    """The shop with this id; else those with this name, deleted ones last; else those whose id begins with it.

    The shop of a replay (D-124) has the name of the real one and is found by its id only. Needs the operator's view.
    """
    rows = tx.rows(
        f"SELECT {SHOP_COLUMNS}, CASE WHEN s.shop_id::text = $1 THEN 0 WHEN s.name <> $1 THEN 3"
        " WHEN s.status <> 'deleted' THEN 1 ELSE 2 END AS rank FROM shops s"
        " WHERE s.shop_id::text = $1 OR (s.name = $1 OR length($1) >= 4 AND starts_with(s.shop_id::text, lower($1)))"
        f" AND {NO_REPLAY}"
        " ORDER BY rank, s.shop_id",
        text,
    )
    found = [row._asdict() for row in rows]
    ranks = [columns.pop("rank") for columns in found]
    return [shop_of(columns) for columns, rank in zip(found, ranks, strict=True) if rank == ranks[0]]


def lock_name(tx: Tx, name: str) -> None:
    """Locks the name for naming a shop until the transaction ends."""
    tx.run("SELECT pg_advisory_xact_lock(hashtextextended('shop name ' || $1, 0))", name)


def every(tx: Tx) -> list[Shop]:
    """All shops by name except those in which a replay is played; needs the operator's view."""
    rows = tx.rows(f"SELECT {SHOP_COLUMNS} FROM shops s WHERE {NO_REPLAY} ORDER BY s.name, s.shop_id")
    return [shop_of(row._asdict()) for row in rows]


def create(tx: ShopTx, access_code: str, webhook_secret: str, now: datetime) -> None:
    """Stores a new shop."""
    vault = tx.vault()
    tx.run(
        "INSERT INTO shops (shop_id, name, currency, country, timezone, language, holder, sandbox, sandbox_now,"
        " sandbox_stands, callback_access_code, webhook_secret, created_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        tx.shop.id, tx.shop.name, tx.shop.currency, tx.shop.country, tx.shop.timezone, tx.shop.language,
        tx.shop.holder, tx.shop.sandbox,
        tx.shop.sandbox_now, tx.shop.sandbox_stands,
        vault.seal(ACCESS_CODE, access_code), vault.seal(WEBHOOK_SECRET, webhook_secret), now,
    )  # fmt: skip
    tx.run("INSERT INTO event_counters (shop_id) VALUES ($1)", tx.shop.id)


def change(tx: ShopTx, settings: Mapping[str, Any]) -> None:
    """Writes settings; the names are columns of SETTINGS."""
    assert settings.keys() <= SETTINGS, settings.keys()
    if _CODE in settings:
        settings = {**settings, _CODE: tx.vault().seal(ACCESS_CODE, settings[_CODE])}
    names = sorted(settings)
    assignments = ", ".join(f"{name} = ${place}" for place, name in enumerate(names, start=2))
    tx.run(f"UPDATE shops SET {assignments} WHERE shop_id = $1", tx.shop_id, *(settings[name] for name in names))


def address(tx: ShopTx) -> tuple[str, str, str, str]:
    """(street, house number, postcode, city) of the shop, as its payment slips need them; empty where unknown."""
    row = tx.row("SELECT street, house_number, postcode, city FROM shops WHERE shop_id = $1", tx.shop_id)
    return cast(tuple[str, str, str, str], row or ("", "", "", ""))


@dataclass(frozen=True, slots=True)
class TransferForm:
    """The formats of the shop's bank: version of pain.001 `09` or `03`; characters `sepa`, `umlauts` or "" by country.

    `speed` is a TransferSpeed, `instant_refused` an AfterInstant, `payee_check` a PayeeCheck (D-131).
    """

    version: str
    characters: str
    speed: str
    instant_refused: str
    payee_check: str


def transfer_form(tx: ShopTx) -> TransferForm:
    """The format and delivery of the shop's transfers."""
    row = tx.row(
        "SELECT transfer_version AS version, transfer_characters AS characters, transfer_speed AS speed,"
        " instant_refused, payee_check FROM shops WHERE shop_id = $1",
        tx.shop_id,
    )
    assert row is not None
    return build(TransferForm, row)


def is_large_seller(tx: ShopTx) -> bool:
    """Whether the shop sells online and belongs to an enterprise that is larger than medium-sized."""
    return bool(tx.value("SELECT large_online_seller FROM shops WHERE shop_id = $1", tx.shop_id))


def refund_deadline(tx: ShopTx) -> int:
    """Within how many days after its filing a refund should be with the bank."""
    return cast(int, tx.value("SELECT refund_deadline_days FROM shops WHERE shop_id = $1", tx.shop_id))


def lapse_after(tx: ShopTx) -> int | None:
    """After how many days unpaid prepayment orders lapse; None: never (D-42)."""
    return cast(int | None, tx.value("SELECT lapse_after_days FROM shops WHERE shop_id = $1", tx.shop_id))


def exported_until(tx: ShopTx) -> date | None:
    """The last day of scheduled exports."""
    return cast(date | None, tx.value("SELECT exported_until FROM shops WHERE shop_id = $1", tx.shop_id))


def set_exported_until(tx: ShopTx, day: date) -> None:
    """Records the last day of scheduled exports."""
    tx.run("UPDATE shops SET exported_until = $2 WHERE shop_id = $1", tx.shop_id, day)


def callback_secrets(tx: ShopTx) -> tuple[str, str, str, datetime | None]:
    """(access code, webhook secret, old webhook secret, until when the old one signs too)."""
    row = tx.row(
        "SELECT callback_access_code, webhook_secret, webhook_secret_old, webhook_secret_old_until"
        " FROM shops WHERE shop_id = $1",
        tx.shop_id,
    )
    assert row is not None
    vault = tx.vault()
    access_code, secret, old_secret, old_until = row
    secret, old_secret = (vault.open(WEBHOOK_SECRET, stored) for stored in (secret, old_secret))
    return vault.open(ACCESS_CODE, access_code), secret, old_secret, old_until


def settings(tx: ShopTx, columns: Iterable[str]) -> dict[str, Any]:
    """The present values of the columns; only those that `change` may write."""
    names = sorted(SETTINGS.intersection(columns))
    row = tx.row(f"SELECT {', '.join(names)} FROM shops WHERE shop_id = $1", tx.shop_id) if names else ()
    return dict(zip(names, row or (), strict=True))


def add_key(tx: ShopTx, key: KeyRow, key_hash: bytes) -> None:
    """Stores a new key."""
    tx.run(
        "INSERT INTO api_keys (shop_id, id, hash, hint, label, scope, created_at, expires_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        tx.shop_id, key.id, key_hash, key.hint, key.label, key.scope, key.created_at, key.expires_at,
    )  # fmt: skip


def keys(tx: ShopTx) -> list[KeyRow]:
    """The shop's keys, oldest first."""
    rows = tx.rows(
        "SELECT id, hint, label, scope, created_at, expires_at, last_used_at FROM api_keys WHERE shop_id = $1"
        " ORDER BY created_at, id",
        tx.shop_id,
    )
    return [build(KeyRow, row) for row in rows]


def expire_key(tx: ShopTx, key_id: str, at: datetime) -> bool:
    """Limits the key's validity to `at`; False if there is no such key."""
    return bool(
        tx.run(
            "UPDATE api_keys SET expires_at = least(coalesce(expires_at, $3), $3) WHERE shop_id = $1 AND id = $2",
            tx.shop_id,
            key_id,
            at,
        )
    )


def add_account(tx: ShopTx, account: AccountRow, now: datetime) -> None:
    """Registers a bank account; one that is known keeps its data, but confirming it counts."""
    tx.run(
        "INSERT INTO bank_accounts (shop_id, account, currency, bic, bank_name, holder, confirmed, created_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (shop_id, account, currency)"
        " DO UPDATE SET confirmed = bank_accounts.confirmed OR excluded.confirmed",
        tx.shop_id, account.account, account.currency, account.bic, account.bank_name, account.holder,
        account.confirmed, now,
    )  # fmt: skip


def accounts(tx: ShopTx) -> list[AccountRow]:
    """The shop's bank accounts; confirmed ones first."""
    rows = tx.rows(
        "SELECT account, currency, bic, bank_name, holder, confirmed FROM bank_accounts WHERE shop_id = $1"
        " ORDER BY confirmed DESC, created_at, account",
        tx.shop_id,
    )
    return [build(AccountRow, row) for row in rows]


def lock_accounts(tx: ShopTx) -> None:
    """Locks the data of the shop's accounts for this transaction."""
    tx.run("SELECT 1 FROM bank_accounts WHERE shop_id = $1 ORDER BY account, currency FOR UPDATE", tx.shop_id)


def csv_profiles(tx: ShopTx) -> list[tuple[str, str, str]]:
    """(account, currency, layout as JSON) of all confirmed table layouts; confirmed accounts first."""
    rows = tx.rows(
        "SELECT account, currency, layout FROM bank_accounts"
        " CROSS JOIN unnest(string_to_array(csv_profile, E'\\n')) WITH ORDINALITY AS kept (layout, place)"
        " WHERE shop_id = $1 AND csv_profile <> '' ORDER BY confirmed DESC, created_at, account, currency, place",
        tx.shop_id,
    )
    return [(row[0], row[1], row[2]) for row in rows]


def save_csv_profiles(tx: ShopTx, account: str, currency: str, layouts: Sequence[str]) -> None:
    """Stores the layouts of the account's tables: one per line, each as JSON; none deletes them."""
    tx.run(
        "UPDATE bank_accounts SET csv_profile = $4 WHERE shop_id = $1 AND account = $2 AND currency = $3",
        tx.shop_id,
        account,
        currency,
        "\n".join(layouts),
    )
