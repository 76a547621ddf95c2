"""The sections of the API reference, in its order; each endpoint says to which it belongs."""

from __future__ import annotations

from typing import Final, NamedTuple


class Section(NamedTuple):
    """A group of endpoints."""

    name: str
    words: str


ORDERS: Final = Section("Orders", "Submit, read and change orders. Send all open orders once a day, changed or not.")
REFUNDS: Final = Section("Refunds", "Refunds are executed as bank transfers on or after their planned date.")
COLLECTION: Final = Section("Collection", "Orders at the collection agency, and what it reports.")
INVOICES: Final = Section("Invoices and images", "Invoice files in, QR codes and payment slips out.")
POSTINGS: Final = Section("Postings", "What the bank booked, and bank statements and remittance advices by upload.")
EVENTS: Final = Section("Events and callbacks", "Every change of a payment status, and the callbacks that report it.")
REPORTS: Final = Section("Reports", "The books as of any day, and months that were closed.")
SANDBOX: Final = Section("Sandbox", "A clock that can be moved and a simulated bank, for sandbox shops.")

SECTIONS: Final = (ORDERS, REFUNDS, COLLECTION, INVOICES, POSTINGS, EVENTS, REPORTS, SANDBOX)
