"""Postings, blocking. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from paymatch_client.connections import Section
from paymatch_client.models.postings import Advice, Import, PostingWithOrders
from paymatch_client.requests import Request, Upload, quoted


class Postings(Section):
    """What the bank booked, and bank statements and remittance advices by upload."""

    def upload_advice(self, file: bytes, file_name: str = "file") -> list[Advice]:
        """Import a remittance advice.

        A payer's list of the orders that a sum is for: CSV, Excel, PDF with text, EDIFACT REMADV, UBL or
        remt.001. It is not a payment: it explains a posting of exactly its sum. What a key sends is a
        suggestion to a person.

        `file`: The content of the file.
        `file_name`: Its name.
        """
        return self._connection.ask(
            Request("POST", "advices", upload=Upload(file, file_name), repeatable=True), list[Advice]
        )

    def list_postings(
        self,
        *,
        include_postings: bool = False,
        include_collection_history: bool = False,
        include_payment_reminders: bool = False,
        include_refunds: bool = False,
        created_min: date | None = None,
        created_max: date | None = None,
        iban: str | None = None,
        include_orders: bool = True,
        limit: int | None = None,
        after: str | None = None,
    ) -> list[PostingWithOrders]:
        """List postings.

        By moment of import, each with the orders that it pays and the evidence.

        `include_postings`: Include `postings` and `hasBankDetailsForRefund` in each order.
        `include_collection_history`: Include `collectionHistory` in each order.
        `include_payment_reminders`: Include `paymentReminders` in each order.
        `include_refunds`: Include `refunds` in each order.
        `created_min`: First day of import; without a range the last 30 days.
        `created_max`: First day of import that is left out.
        `iban`: Postings of this account of the shop.
        `include_orders`: Include the orders that each posting pays.
        `limit`: Maximum number of items.
        `after`: Continue after the posting with this id.
        """
        return self._connection.ask(
            Request(
                "GET",
                "postings",
                query={
                    "includePostings": include_postings or None,
                    "includeCollectionHistory": include_collection_history or None,
                    "includePaymentReminders": include_payment_reminders or None,
                    "includeRefunds": include_refunds or None,
                    "createdMin": created_min,
                    "createdMax": created_max,
                    "iban": iban,
                    "includeOrders": None if include_orders else False,
                    "limit": limit,
                    "after": after,
                },
                repeatable=True,
            ),
            list[PostingWithOrders],
        )

    def iterate_postings(
        self,
        *,
        include_postings: bool = False,
        include_collection_history: bool = False,
        include_payment_reminders: bool = False,
        include_refunds: bool = False,
        created_min: date | None = None,
        created_max: date | None = None,
        iban: str | None = None,
        include_orders: bool = True,
        after: str | None = None,
        page_size: int = 100,
    ) -> Iterator[PostingWithOrders]:
        """All items of `list_postings`, asked for one page after the other.

        `after`: Continue after the posting with this id.
        `page_size`: How many are asked for at a time.
        """
        while True:
            page = self.list_postings(
                include_postings=include_postings,
                include_collection_history=include_collection_history,
                include_payment_reminders=include_payment_reminders,
                include_refunds=include_refunds,
                created_min=created_min,
                created_max=created_max,
                iban=iban,
                include_orders=include_orders,
                after=after,
                limit=page_size,
            )
            yield from page
            if len(page) < page_size:
                return
            after = page[-1].id

    def upload_statement(self, file: bytes, file_name: str = "file", *, dry_run: bool = False) -> Import:
        """Import a bank statement.

        camt.052, camt.053, camt.054, MT940, MT942 and others. If the import takes longer than a few seconds,
        the answer is 202 and the import continues; ask for it then.

        `file`: The content of the file.
        `file_name`: Its name.
        `dry_run`: Read and match, but book nothing.
        """
        return self._connection.ask(
            Request(
                "POST", "statements", query={"dryRun": dry_run or None}, upload=Upload(file, file_name), repeatable=True
            ),
            Import,
        )

    def read_import(self, import_id: str) -> Import:
        """Read an import.

        The result of a bank statement: its report when it is `done`. An import that booked can be asked for as
        long as the shop exists, other results for 30 days.

        `import_id`: Id of the import.
        """
        return self._connection.ask(Request("GET", f"imports/{quoted(import_id)}", repeatable=True), Import)
