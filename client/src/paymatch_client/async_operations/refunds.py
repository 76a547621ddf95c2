"""Refunds, for asyncio. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from paymatch_client.connections import AsyncSection
from paymatch_client.models.enumerations import RefundStatus
from paymatch_client.models.orders import Refund
from paymatch_client.models.refunds import RefundAccount, RefundCreation, RefundOfOrder
from paymatch_client.requests import Request, quoted


class AsyncRefunds(AsyncSection):
    """Refunds are executed as bank transfers on or after their planned date."""

    async def create_refund(self, order_number: str, body: RefundCreation) -> Refund:
        """Create a refund.

        Executed as a bank transfer on or after `plannedDate`, as far as the order's payments cover it. While
        the customer's account is unknown, its status is BANKDETAILS_MISSING and the customer is asked.

        Not retried automatically after a failure.

        `order_number`: Order number.
        """
        return await self._connection.ask(Request("POST", f"order/{quoted(order_number)}/refund", body=body), Refund)

    async def list_refunds(
        self, *, status: Sequence[RefundStatus] = (), limit: int | None = None, after: str | None = None
    ) -> list[RefundOfOrder]:
        """List refunds.

        In the sequence in which they were filed, each with its order; `reason` says why one that is due is not
        sent. One that a person must release has the sums that arrived beside it.

        `status`: Statuses, separated by commas.
        `limit`: Maximum number of items; 100 by default.
        `after`: Continue after the refund with this id.
        """
        return await self._connection.ask(
            Request("GET", "refunds", query={"status": status, "limit": limit, "after": after}, repeatable=True),
            list[RefundOfOrder],
        )

    async def iterate_refunds(
        self, *, status: Sequence[RefundStatus] = (), after: str | None = None, page_size: int = 100
    ) -> AsyncIterator[RefundOfOrder]:
        """All items of `list_refunds`, asked for one page after the other.

        `after`: Continue after the refund with this id.
        `page_size`: How many are asked for at a time.
        """
        while True:
            page = await self.list_refunds(status=status, after=after, limit=page_size)
            for item in page:
                yield item
            if len(page) < page_size:
                return
            after = page[-1].id

    async def cancel_refund(self, refund_id: str) -> Refund:
        """Cancel a refund.

        Before it is handed over to the bank.

        Not retried automatically after a failure.

        `refund_id`: Id of the refund.
        """
        return await self._connection.ask(Request("POST", f"refund/{quoted(refund_id)}/cancel"), Refund)

    async def set_refund_account(self, refund_id: str, body: RefundAccount) -> Refund:
        """Name the account for a refund.

        For a refund without bank details, one that came back or was rejected, or one that is not sent yet. A
        person of the shop releases it before it is transferred.

        `refund_id`: Id of the refund.
        """
        return await self._connection.ask(
            Request("POST", f"refund/{quoted(refund_id)}/account", body=body, repeatable=True), Refund
        )
