"""Postings that may be payouts are found by indexes, whatever the size of the year."""

from __future__ import annotations

from paymatch.domain.payouts.providers import PROVIDERS
from paymatch.store.database import Database
from paymatch.store.payouts.payouts import NAMING_SERVICES


def test_the_words_of_every_known_service_are_in_the_index() -> None:
    words = {word for provider in PROVIDERS.values() for word in provider.bank_names}
    indexed = NAMING_SERVICES.split("|")
    assert [word for word in sorted(words) if not any(each in word for each in indexed)] == []
    assert [each for each in indexed if each not in words] == []


def test_the_index_has_the_words_that_are_asked_for(database: Database) -> None:
    with database.of_all_shops() as tx:
        definition = tx.value("SELECT pg_get_indexdef('postings_naming_services'::regclass)")
    assert f"'{NAMING_SERVICES}'::text" in str(definition)
