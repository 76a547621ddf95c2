"""Collection, for asyncio. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from collections.abc import Sequence

from paymatch_client.connections import AsyncSection
from paymatch_client.models.collection import CollectionCase, CollectionReport, CollectionReportsResult
from paymatch_client.models.orders import Order
from paymatch_client.requests import Request, quoted


class AsyncCollection(AsyncSection):
    """Orders at the collection agency, and what it reports."""

    async def hand_over(self, order_number: str) -> Order:
        """Hand an order over to collection.

        The order becomes COLLECTION, and the agency gets it with all documents. Refused while a payment that
        waits for a decision may be its payment.

        Not retried automatically after a failure.

        `order_number`: Order number.
        """
        return await self._connection.ask(Request("POST", f"order/{quoted(order_number)}/collection"), Order)

    async def withdraw(self, order_number: str) -> Order:
        """Withdraw an order from collection.

        The agency is notified, and the order's payments decide its status.

        Not retried automatically after a failure.

        `order_number`: Order number.
        """
        return await self._connection.ask(Request("POST", f"order/{quoted(order_number)}/collection/withdraw"), Order)

    async def list_cases(self, *, active: bool = False) -> list[CollectionCase]:
        """List orders in collection.

        Those handed over last first.

        `active`: Only cases that are with the agency.
        """
        return await self._connection.ask(
            Request("GET", "collection", query={"active": active or None}, repeatable=True), list[CollectionCase]
        )

    async def take_reports(self, body: Sequence[CollectionReport]) -> CollectionReportsResult:
        """Report on orders in collection.

        For the agency, with its own token (`Authorization: Bearer pm_agcy_...`) or a key of the scope
        `collection`. JSON, or CSV with the same names in its first line. Rows that cannot be taken are named;
        the others are taken. At most 1,000 at once.

        Not retried automatically after a failure.
        """
        return await self._connection.ask(Request("POST", "collection/reports", body=body), CollectionReportsResult)
