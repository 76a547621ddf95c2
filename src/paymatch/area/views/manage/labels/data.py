"""Names of the kinds of personal data, for erasing, exporting and the audit log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as lazy

from paymatch.domain.privacy.person import IdentityKind
from paymatch.store.privacy.places import OTHER_DATA, DataClass, by_class

DATA: Final[Mapping[str, str | Promise]] = {
    DataClass.ORDERS: lazy("Orders"),
    DataClass.POSTINGS: lazy("Postings"),
    DataClass.REFUNDS: lazy("Refunds and transfers"),
    DataClass.MESSAGES: lazy("Mails and letters"),
    DataClass.PAGES: lazy("Customers' pages"),
    DataClass.INVOICES: lazy("Invoices"),
    DataClass.COLLECTION: lazy("Collection"),
    DataClass.MATCHING: lazy("What matching has learnt"),
    DataClass.REQUESTS: lazy("Requests and callbacks"),
    DataClass.IMPORTS: lazy("Imports of statements"),
    DataClass.NOTES: lazy("Comments and notes"),
    DataClass.WORK: lazy("Due work and alerts"),
    DataClass.AUDIT: lazy("Audit log"),
    DataClass.SANDBOX: lazy("Sandbox"),
    DataClass.AREA: lazy("Merchant area"),
    OTHER_DATA: lazy("Other data"),
}
FILES: Final[Mapping[str, str | Promise]] = {
    "invoices": lazy("Invoices"),
    "files in folders": lazy("Files in folders"),
}
KNOWN_BY: Final[Mapping[str, str | Promise]] = {
    IdentityKind.EMAIL: lazy("E-mail address"),
    IdentityKind.NAME: lazy("Name"),
    IdentityKind.IBAN: lazy("IBAN"),
    IdentityKind.PHONE: lazy("Phone number"),
    IdentityKind.STREET: lazy("Street"),
}


def rows_in_words(rows: Mapping[str, int]) -> str:
    """`Orders 2, Postings 1` of rows that were counted by table or by class of data."""
    return ", ".join(f"{DATA[name]} {count}" for name, count in by_class(rows).items())


def files_in_words(files: Mapping[str, int]) -> str:
    """`Invoices 2, Files in folders 1`."""
    return ", ".join(f"{FILES.get(name, name)} {count}" for name, count in files.items())


def kinds_in_words(kinds: Iterable[str]) -> str:
    """`Name, Street` of kinds of what a person is recognised by."""
    return ", ".join(str(KNOWN_BY.get(each, each)) for each in kinds)
