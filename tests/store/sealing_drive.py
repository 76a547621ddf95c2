"""Sealing as a process of its own. Run again after a hard stop."""

from __future__ import annotations

from paymatch.store.database import Database
from paymatch.store.fault import boundary_from_environment
from paymatch.store.resealing import reseal_all
from paymatch.store.sealing import Keyring


def main(url: str, secrets: list[str]) -> None:
    """Two values per transaction until nothing is left."""
    database = Database(url, size=2, at_boundary=boundary_from_environment(), keyring=Keyring(secrets))
    reseal_all(database, batch=2)
    database.close()
