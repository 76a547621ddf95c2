"""Sealed at rest: a copy of the database tells no secret and no account, and a value moved elsewhere does not open."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.store.database import Database
from paymatch.store.resealing import COLUMNS, WrongKey, check_keys, count_remaining, reseal_all
from paymatch.store.sealing import MARK, NO_KEYS, Cipher, Keyring, NotGenuine, SealRefused, Vault, derive, key_id
from paymatch.store.transactions import ShopId
from paymatch.usecases.shops import shops
from tests.usecases.conftest import ACCOUNT, Books

SHOP, OTHER = UUID(int=1), UUID(int=2)
OLD, NEW = "an old secret key, long enough to be one", "a new secret key, long enough to be one"
IBAN = "DE75512108001245126199"


@given(st.text(min_size=1), st.binary())
def test_what_is_sealed_opens_in_its_place(text: str, content: bytes) -> None:
    vault = Keyring([OLD]).vault(SHOP)
    sealed = vault.seal("refunds.iban", text)
    assert sealed.startswith(f"{MARK}{key_id(OLD)}.")
    assert vault.open("refunds.iban", sealed) == text
    assert vault.open_bytes("transfer_files.content", vault.seal_bytes("transfer_files.content", content)) == content


def test_nothing_of_the_value_or_its_key_shows() -> None:
    sealed = Keyring([OLD]).vault(SHOP).seal("refunds.iban", IBAN)
    assert IBAN[:8] not in sealed
    assert key_id(OLD) != derive(OLD, "sealing").hex()[:8]


def test_same_value_is_sealed_alike_in_its_place_only() -> None:
    ring = Keyring([OLD])
    places = [
        ring.vault(SHOP).seal("refunds.iban", IBAN),
        ring.vault(SHOP).seal("transfers.iban", IBAN),
        ring.vault(OTHER).seal("refunds.iban", IBAN),
        Keyring([NEW]).vault(SHOP).seal("refunds.iban", IBAN),
    ]
    assert len(set(places)) == 4
    assert Keyring([OLD]).vault(SHOP).seal("refunds.iban", IBAN) == places[0]


def test_value_of_another_shop_or_column_does_not_open() -> None:
    ring = Keyring([OLD])
    sealed = ring.vault(SHOP).seal("postings.counterparty_iban", IBAN)
    for vault, column in (
        (ring.vault(OTHER), "postings.counterparty_iban"),
        (ring.vault(SHOP), "refunds.iban"),
    ):
        with pytest.raises(SealRefused, match=f"^A value in {column} was changed, or belongs to another shop or col"):
            vault.open(column, sealed)


@pytest.mark.parametrize("place", [12, 20, -2])
def test_changed_value_does_not_open(place: int) -> None:
    vault = Keyring([OLD]).vault(SHOP)
    sealed = vault.seal("refunds.iban", IBAN)
    changed = sealed[:place] + ("A" if sealed[place] != "A" else "B") + sealed[place:][1:]
    with pytest.raises(SealRefused):
        vault.open("refunds.iban", changed)


def test_value_without_its_key_names_the_key() -> None:
    sealed = Keyring([OLD]).vault(SHOP).seal("refunds.iban", IBAN)
    for ring in (Keyring([NEW]), NO_KEYS):
        with pytest.raises(SealRefused, match=f"under the key {key_id(OLD)}, which is not among the secret keys"):
            ring.vault(SHOP).open("refunds.iban", sealed)


def test_during_a_rotation_both_keys_open_and_find() -> None:
    both, old = Keyring([NEW, OLD]).vault(SHOP), Keyring([OLD]).vault(SHOP)
    sealed = old.seal("refunds.iban", IBAN)
    assert both.open("refunds.iban", sealed) == IBAN
    assert both.open("refunds.iban", IBAN) == IBAN  # from before sealing
    assert both.lookups("refunds.iban", IBAN) == [both.seal("refunds.iban", IBAN), sealed, IBAN]
    assert both.lookups("refunds.iban", "") == []


def test_lengths_of_place_and_value_cannot_be_mistaken_for_each_other() -> None:
    cipher = Cipher.of(OLD, "owner")
    assert cipher.seal(b"bc", b"a")[:12] != cipher.seal(b"c", b"ab")[:12]
    with pytest.raises(NotGenuine):
        cipher.open(b"short", b"a")


@pytest.fixture
def plain(migrated_url: str) -> Iterator[Books]:
    """A shop whose rows are of before sealing."""
    database = Database(migrated_url, size=2)
    yield Books(database, shops.create(database, "Plain", Books.now, ibans=[ACCOUNT]).shop)
    database.close()


def _stored(url: str, shop: UUID) -> tuple[str, str]:
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT callback_access_code, webhook_secret FROM shops WHERE shop_id = %s", (shop,)
        ).fetchone()
    assert row is not None
    return row


def test_rows_from_before_are_sealed_and_read_the_same(plain: Books, migrated_url: str) -> None:
    before = _stored(migrated_url, plain.shop.id)
    database = Database(migrated_url, size=2, keyring=Keyring([OLD]))
    check_keys(database, plain.now)
    assert count_remaining(database) == {"shops.callback_access_code": 1, "shops.webhook_secret": 1}
    assert reseal_all(database) == 2
    assert count_remaining(database) == {}
    assert all(text.startswith(MARK) for text in _stored(migrated_url, plain.shop.id))
    with database.of_shop(plain.shop) as tx:
        assert shops.show_secrets(tx) == before
    database.close()


def _id(books: Books) -> ShopId:
    return ShopId(books.shop.id)


def test_rotation_seals_anew_and_forgets_the_old_key(plain: Books, migrated_url: str) -> None:
    code, _ = _stored(migrated_url, plain.shop.id)
    for secrets in ([OLD], [NEW, OLD], [NEW]):
        database = Database(migrated_url, size=2, keyring=Keyring(secrets))
        check_keys(database, plain.now)
        reseal_all(database)
        stored, _ = _stored(migrated_url, plain.shop.id)
        assert stored.startswith(f"{MARK}{key_id(secrets[0])}.")
        with database.of_shop(plain.shop) as tx:
            assert shops.show_secrets(tx)[0] == code
        database.close()
    lost = Database(migrated_url, size=2, keyring=Keyring([OLD]))
    with pytest.raises(WrongKey, match=f"^The database is sealed under the secret key {key_id(NEW)}, which is"):
        check_keys(lost, plain.now)
    lost.close()


def test_sealing_that_was_stopped_goes_on_where_it_stood(plain: Books, migrated_url: str) -> None:
    database = Database(migrated_url, size=2, keyring=Keyring([OLD]))
    check_keys(database, plain.now)
    assert reseal_all(database, lambda: True) == 1
    assert count_remaining(database) == {"shops.webhook_secret": 1}
    assert (reseal_all(database), count_remaining(database), reseal_all(database)) == (1, {}, 0)
    database.close()


def test_every_sealed_column_exists(migrated_url: str) -> None:
    with psycopg.connect(migrated_url) as connection:
        for each in COLUMNS:
            connection.execute(f"SELECT shop_id, {each.key}, {each.column} FROM {each.table}".encode())


def test_without_keys_values_pass_through() -> None:
    vault = Vault("tool", [])
    assert vault.seal("refunds.iban", IBAN) == vault.open("refunds.iban", IBAN) == IBAN
    assert vault.seal_bytes("transfer_files.content", b"<Document/>") == b"<Document/>"


def test_service_never_opens_the_database_without_its_keys() -> None:
    """What a process without keys wrote would lie open."""
    root = Path(__file__).resolve().parents[2] / "src"
    calls = [
        (path.name, {keyword.arg for keyword in node.keywords})
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Database"
    ]
    assert len(calls) >= 3
    assert [name for name, keywords in calls if "keyring" not in keywords] == []
