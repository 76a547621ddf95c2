"""Orders, blocking. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from paymatch_client.connections import Section
from paymatch_client.models.enumerations import PaymentStatus
from paymatch_client.models.orders import Order, OrderSubmission, Synchronisation, SyncResult, UndoResult
from paymatch_client.requests import Request, quoted


class Orders(Section):
    """Submit, read and change orders. Send all open orders once a day, changed or not."""

    def submit_order(
        self,
        order_number: str,
        body: OrderSubmission,
        *,
        include_postings: bool = False,
        include_collection_history: bool = False,
        include_payment_reminders: bool = False,
        include_refunds: bool = False,
    ) -> Order:
        """Create or update an order.

        Creates the order if its number is new. Otherwise the order replaces the one that was submitted before,
        with all its fields: a field that is left out is unset. Read-only fields and uploaded invoices stay.
        Unchanged data changes nothing. A cancelled, refunded or collected order takes no other amount or
        currency; a legacy or disappeared one comes back to life.

        `order_number`: Order number.
        `include_postings`: Include `postings` and `hasBankDetailsForRefund` in each order.
        `include_collection_history`: Include `collectionHistory` in each order.
        `include_payment_reminders`: Include `paymentReminders` in each order.
        `include_refunds`: Include `refunds` in each order.
        """
        return self._connection.ask(
            Request(
                "POST",
                f"order/{quoted(order_number)}",
                query={
                    "includePostings": include_postings or None,
                    "includeCollectionHistory": include_collection_history or None,
                    "includePaymentReminders": include_payment_reminders or None,
                    "includeRefunds": include_refunds or None,
                },
                body=body,
                repeatable=True,
            ),
            Order,
        )

    def read_order(
        self,
        order_number: str,
        *,
        include_postings: bool = False,
        include_collection_history: bool = False,
        include_payment_reminders: bool = False,
        include_refunds: bool = False,
    ) -> Order:
        """Read an order.

        `order_number`: Order number.
        `include_postings`: Include `postings` and `hasBankDetailsForRefund` in each order.
        `include_collection_history`: Include `collectionHistory` in each order.
        `include_payment_reminders`: Include `paymentReminders` in each order.
        `include_refunds`: Include `refunds` in each order.
        """
        return self._connection.ask(
            Request(
                "GET",
                f"order/{quoted(order_number)}",
                query={
                    "includePostings": include_postings or None,
                    "includeCollectionHistory": include_collection_history or None,
                    "includePaymentReminders": include_payment_reminders or None,
                    "includeRefunds": include_refunds or None,
                },
                repeatable=True,
            ),
            Order,
        )

    def remove_order(
        self,
        order_number: str,
        *,
        include_postings: bool = False,
        include_collection_history: bool = False,
        include_payment_reminders: bool = False,
        include_refunds: bool = False,
    ) -> Order:
        """Remove an order.

        The order vanished from the shop: it becomes DISAPPEARED, reminders stop, it is no longer tracked.

        `order_number`: Order number.
        `include_postings`: Include `postings` and `hasBankDetailsForRefund` in each order.
        `include_collection_history`: Include `collectionHistory` in each order.
        `include_payment_reminders`: Include `paymentReminders` in each order.
        `include_refunds`: Include `refunds` in each order.
        """
        return self._connection.ask(
            Request(
                "POST",
                f"order/remove/{quoted(order_number)}",
                query={
                    "includePostings": include_postings or None,
                    "includeCollectionHistory": include_collection_history or None,
                    "includePaymentReminders": include_payment_reminders or None,
                    "includeRefunds": include_refunds or None,
                },
                repeatable=True,
            ),
            Order,
        )

    def set_paid(self, order_number: str) -> Order:
        """Set an order paid.

        Marks the order as PAID by hand.

        Not retried automatically after a failure.

        `order_number`: Order number.
        """
        return self._connection.ask(Request("POST", f"order/{quoted(order_number)}/setpaid"), Order)

    def set_unpaid(self, order_number: str) -> Order:
        """Set an order unpaid.

        Undoes `setpaid`; the payments booked so far determine the status.

        Not retried automatically after a failure.

        `order_number`: Order number.
        """
        return self._connection.ask(Request("POST", f"order/{quoted(order_number)}/setunpaid"), Order)

    def cancel_order(self, order_number: str) -> Order:
        """Cancel an order.

        The order was cancelled in the shop; reminders stop.

        `order_number`: Order number.
        """
        return self._connection.ask(Request("POST", f"order/{quoted(order_number)}/cancel", repeatable=True), Order)

    def submit_orders(
        self,
        body: Sequence[OrderSubmission],
        *,
        include_postings: bool = False,
        include_collection_history: bool = False,
        include_payment_reminders: bool = False,
        include_refunds: bool = False,
    ) -> list[Order]:
        """Create or update orders.

        All or none: if one order is refused, none is stored, and the error names it. Each order replaces the
        one that was submitted before, as in `POST /order/{orderNumber}`. Split lists longer than 100.

        `include_postings`: Include `postings` and `hasBankDetailsForRefund` in each order.
        `include_collection_history`: Include `collectionHistory` in each order.
        `include_payment_reminders`: Include `paymentReminders` in each order.
        `include_refunds`: Include `refunds` in each order.
        """
        return self._connection.ask(
            Request(
                "POST",
                "orders",
                query={
                    "includePostings": include_postings or None,
                    "includeCollectionHistory": include_collection_history or None,
                    "includePaymentReminders": include_payment_reminders or None,
                    "includeRefunds": include_refunds or None,
                },
                body=body,
                repeatable=True,
            ),
            list[Order],
        )

    def list_orders(
        self,
        *,
        include_postings: bool = False,
        include_collection_history: bool = False,
        include_payment_reminders: bool = False,
        include_refunds: bool = False,
        max_age: int | None = None,
        payment_status: Sequence[PaymentStatus] = (),
        min_posting_date: date | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> list[Order]:
        """List orders.

        By date and number; without `maxAge` those of the last 120 days. Long answers are streamed.

        `include_postings`: Include `postings` and `hasBankDetailsForRefund` in each order.
        `include_collection_history`: Include `collectionHistory` in each order.
        `include_payment_reminders`: Include `paymentReminders` in each order.
        `include_refunds`: Include `refunds` in each order.
        `max_age`: Maximum age of an order in days, counted from its `date`. Older orders are left out, open
        ones too: give a larger number to list all open orders.
        `payment_status`: Payment statuses, separated by commas.
        `min_posting_date`: Only orders whose last posting is of this day or later.
        `limit`: Maximum number of items.
        `after`: Continue after the order with this number.
        """
        return self._connection.ask(
            Request(
                "GET",
                "orders",
                query={
                    "includePostings": include_postings or None,
                    "includeCollectionHistory": include_collection_history or None,
                    "includePaymentReminders": include_payment_reminders or None,
                    "includeRefunds": include_refunds or None,
                    "maxAge": max_age,
                    "paymentStatus": payment_status,
                    "minPostingDate": min_posting_date,
                    "limit": limit,
                    "after": after,
                },
                repeatable=True,
            ),
            list[Order],
        )

    def iterate_orders(
        self,
        *,
        include_postings: bool = False,
        include_collection_history: bool = False,
        include_payment_reminders: bool = False,
        include_refunds: bool = False,
        max_age: int | None = None,
        payment_status: Sequence[PaymentStatus] = (),
        min_posting_date: date | None = None,
        after: str | None = None,
        page_size: int = 100,
    ) -> Iterator[Order]:
        """All items of `list_orders`, asked for one page after the other.

        `after`: Continue after the order with this number.
        `page_size`: How many are asked for at a time.
        """
        while True:
            page = self.list_orders(
                include_postings=include_postings,
                include_collection_history=include_collection_history,
                include_payment_reminders=include_payment_reminders,
                include_refunds=include_refunds,
                max_age=max_age,
                payment_status=payment_status,
                min_posting_date=min_posting_date,
                after=after,
                limit=page_size,
            )
            yield from page
            if len(page) < page_size:
                return
            after = page[-1].number

    def sync_orders(
        self, body: Sequence[str | OrderSubmission], *, force: bool = False, dry_run: bool = False, detail: bool = False
    ) -> int | SyncResult:
        """Synchronise the open orders.

        The list holds all open orders of the shop. Open orders that are not in it become LEGACY; listed LEGACY
        and DISAPPEARED orders come back. Answers the number of orders set to LEGACY. Allow 10 minutes for a
        long list.

        `body`: The complete list of the shop's open orders, as numbers or as orders.
        `force`: Carry out what the setting `ordersync-guard=on` would refuse.
        `dry_run`: Check and count, but change nothing.
        `detail`: Answer an object instead of the number.
        """
        answer: int | SyncResult = self._connection.ask(
            Request(
                "POST",
                "ordersync",
                query={"force": force or None, "dryRun": dry_run or None, "detail": detail or None},
                body=body,
                repeatable=True,
            ),
            int | SyncResult,
        )
        return answer

    def list_synchronisations(self) -> list[Synchronisation]:
        """List synchronisations.

        Those of the last 30 days that changed the status of an order, latest first.
        """
        return self._connection.ask(Request("GET", "ordersync", repeatable=True), list[Synchronisation])

    def undo_synchronisation(self, sync_id: str) -> UndoResult:
        """Undo a synchronisation.

        Within 30 days the orders that it set to LEGACY, or brought back, are again what they were before it.
        Orders that were changed since stay as they are, and so does the data that it submitted.

        Not retried automatically after a failure.

        `sync_id`: Id of the synchronisation: in the alert, in the list, and in its answer with `detail=true`.
        """
        return self._connection.ask(Request("POST", f"ordersync/{quoted(sync_id)}/undo"), UndoResult)
