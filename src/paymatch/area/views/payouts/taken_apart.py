"""A payout taken apart: its rows as a file, and its bookings in the shop's books."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from paymatch.area.lists import ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit
from paymatch.domain.reports.ledger import AccountRole, LedgerAccount
from paymatch.store.payouts.payouts import PayoutLine
from paymatch.store.transactions import ShopTx
from paymatch.usecases.payouts import payout_lists as use
from paymatch.usecases.payouts.payout_lists import ShownPayout
from paymatch.usecases.reports.payout_bookings import bookings_of_payout

_ROLES: Final[Mapping[AccountRole, Promise]] = {
    AccountRole.BANK: gettext_lazy("Bank"),
    AccountRole.DEBTORS: gettext_lazy("Debtors"),
    AccountRole.REVENUE: gettext_lazy("Revenue"),
    AccountRole.FEES: gettext_lazy("Fees"),
    AccountRole.REMINDER_FEES: gettext_lazy("Reminder fees"),
    AccountRole.SET_PAID: gettext_lazy("Set paid"),
    AccountRole.CURRENCY: gettext_lazy("Currency differences"),
    AccountRole.TRANSIT: gettext_lazy("Transit"),
    AccountRole.CLEARING: gettext_lazy("Clearing"),
    AccountRole.CREDITS: gettext_lazy("Credit of customers"),
    AccountRole.INCOME: gettext_lazy("Other income"),
    AccountRole.LOSSES: gettext_lazy("Losses"),
}
_COLUMNS: Final = (
    ListColumn("order", gettext_lazy("Order")),
    ListColumn("customer", gettext_lazy("Customer")),
    ListColumn("status", gettext_lazy("State of the order")),
    ListColumn("match", gettext_lazy("Match")),
    ListColumn("booked", gettext_lazy("Booked"), ListColumnKind.DAY),
    ListColumn("text", gettext_lazy("Text")),
    ListColumn("gross", gettext_lazy("Gross"), ListColumnKind.MONEY),
    ListColumn("fee", gettext_lazy("Fee"), ListColumnKind.MONEY),
    ListColumn("net", gettext_lazy("Net"), ListColumnKind.MONEY),
    ListColumn("currency", gettext_lazy("Currency")),
    ListColumn("posting", gettext_lazy("Posting")),
    ListColumn("service", gettext_lazy("Service")),
    ListColumn("payout", gettext_lazy("Payout")),
    ListColumn("bankPosting", gettext_lazy("Posting at the bank")),
)


def rows_file(request: HttpRequest, visit: Visit, shown: ShownPayout) -> HttpResponse:
    """All rows of a payout with their orders and matches, as CSV or XLSX."""

    def fetch(tx: ShopTx, _visit: Visit, asked: ListQuery) -> ListPage:
        skipped = int(asked.after or 0)
        lines = use.lines_of(tx, shown.row, asked.limit + 1, skipped)
        following = str(skipped + asked.limit) if len(lines) > asked.limit else ""
        return ListPage([_row(shown, each) for each in lines[: asked.limit]], following)

    return Listing("payout-rows", _COLUMNS, fetch).answer(request, visit, "area/payouts.html")


def _row(shown: ShownPayout, line: PayoutLine) -> dict[str, Any]:
    return {
        "order": line.order_number, "customer": line.customer, "status": line.order_status,
        "match": f"{line.status} by hand" if line.by_hand else line.status, "booked": line.booking_date,
        "text": line.text, "gross": line.amount_minor + line.withheld_minor, "fee": line.withheld_minor,
        "net": line.amount_minor, "currency": shown.row.currency, "posting": line.posting_id,
        "service": shown.provider, "payout": shown.row.payout_id, "bankPosting": shown.row.posting_id,
    }  # fmt: skip


def booking_values(tx: ShopTx, visit: Visit, shown: ShownPayout) -> dict[str, Any] | None:
    """The bookings of a payout as the template shows them; None if it has too many for a page, or none yet."""
    found = bookings_of_payout(tx, shown.row, use.MOST_LINES)
    if found is None:
        return None
    orders = {each.order_number for each in shown.lines}
    rows = [
        {
            "booking": each, "left": left, "debit": _account(each.debit), "credit": _account(each.credit),
            "url": visit.url("order", number=each.document) if each.document in orders else "",
        }
        for each, left in zip(found.bookings, found.left, strict=True)
    ]  # fmt: skip
    return {"rows": rows, "found": found, "service": shown.provider}


def _account(account: LedgerAccount) -> tuple[str, str | Promise]:
    return account.number, _ROLES[account.role]
