"""Reports, blocking. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from paymatch_client.connections import Section
from paymatch_client.models.enumerations import ExportFormat, ReportBy, ReportName
from paymatch_client.models.reports import ChangeSinceClose, Report
from paymatch_client.requests import File, Request, quoted


class Reports(Section):
    """The books as of any day, and months that were closed."""

    def read_export(
        self,
        export: str,
        *,
        from_: date | None = None,
        to: date | None = None,
        format: ExportFormat | None = None,
        status: str | None = None,
        where: str | None = None,
        search: str | None = None,
        sales: bool = False,
    ) -> File:
        """Export a table or a file for bookkeeping.

        Tables (orders, postings, allocations, refunds, fees, journal) as CSV or XLSX, a DATEV file, the
        invoices that it links, or a beancount ledger. The command line and the merchant area write the same
        files.

        `export`: `orders`, `postings`, `allocations`, `refunds`, `fees`, `credits`, `journal`, `datev`,
        `datev-documents`, `beancount`
        `from_`: First day; usually the first of the month before.
        `to`: Last day; usually today.
        `format`: Of tables; all else is one file.
        `status`: Statuses of orders or refunds, separated by commas.
        `where`: Only rows of a table that hold: a column, one of = != >= <= > < ~ and a value, several with
        semicolons: amount>=100;currency=EUR.
        `search`: Only rows of a table with this word in one of their texts.
        `sales`: Also book the orders, as revenue.
        """
        return self._connection.fetch(
            Request(
                "GET",
                f"exports/{quoted(export)}",
                query={
                    "from": from_,
                    "to": to,
                    "format": format,
                    "status": status,
                    "where": where,
                    "search": search,
                    "sales": sales or None,
                },
                accept="*/*",
                repeatable=True,
            )
        )

    def read_report(
        self,
        report: ReportName,
        *,
        from_: date | None = None,
        to: date | None = None,
        as_of: date | None = None,
        by: ReportBy | None = None,
        where: str | None = None,
        search: str | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> Report:
        """Read a report.

        What came in, what is open as of any past day, fees, overpaid orders, unexplained postings. The rows are
        those of the command line and the merchant area. A report covers a period (`from`, `to`), the state at
        the end of a day (`asOf`), or both; other parameters of days are refused.

        `from_`: First day of the period; usually the first of the month before.
        `to`: Last day of the period; usually today.
        `as_of`: State at the end of this day; default today.
        `by`: What `cash-in` is summed up by; `booked`: `open` and `customers` by booking date.
        `where`: Only rows that hold: a column, one of = != >= <= > < ~ and a value, several with semicolons:
        amount>=100;currency=EUR.
        `search`: Only rows with this word in one of their texts.
        `limit`: Maximum number of rows of a long report.
        `after`: Continue behind the row that `next` of the page before names.
        """
        answer: Report = self._connection.ask(
            Request(
                "GET",
                f"reports/{quoted(report)}",
                query={
                    "from": from_,
                    "to": to,
                    "asOf": as_of,
                    "by": by,
                    "where": where,
                    "search": search,
                    "limit": limit,
                    "after": after,
                },
                repeatable=True,
            ),
            Report,
        )
        return answer

    def iterate_report_pages(
        self,
        report: ReportName,
        *,
        from_: date | None = None,
        to: date | None = None,
        as_of: date | None = None,
        by: ReportBy | None = None,
        where: str | None = None,
        search: str | None = None,
        after: str | None = None,
        page_size: int = 1000,
    ) -> Iterator[Report]:
        """The pages of `read_report`, asked for one page after the other.

        `after`: Continue behind the row that `next` of the page before names.
        `page_size`: How many are asked for at a time.
        """
        while True:
            page = self.read_report(
                report, from_=from_, to=to, as_of=as_of, by=by, where=where, search=search, after=after, limit=page_size
            )
            yield page
            following: str | None = getattr(page, "next", None)
            if following is None:
                return
            after = following

    def list_changes_since_close(self, month: str) -> list[ChangeSinceClose]:
        """List changes of a closed month.

        Postings that have changed since the month was closed, up to 1,000; `before` is missing for one that was
        added later, `after` for one that no longer exists.

        `month`: The closed month, `yyyy-MM`.
        """
        return self._connection.ask(
            Request("GET", f"reports/close/{quoted(month)}", repeatable=True), list[ChangeSinceClose]
        )
