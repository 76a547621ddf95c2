"""What payment services and marketplaces charge from month to month, and what is above the usual rate."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.figures import amount
from paymatch.area.language.reader_language import in_figures
from paymatch.area.lists import ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.domain.payouts.monthly_fees import JudgedMonth
from paymatch.domain.payouts.providers import provider_at
from paymatch.store.lists.sorted_lists import ListTotals
from paymatch.store.transactions import ShopTx
from paymatch.usecases.payouts import provider_fees as use


def _fetch(tx: ShopTx, _visit: Visit, asked: ListQuery) -> ListPage:
    rows = [_row(each) for each in use.fees_by_month(tx)]
    rows = [row for row in rows if asked.search.lower() in f"{row['service']} {row['account']}".lower()]
    if asked.page.sort:
        rows.sort(key=lambda row: row[_SORTS[asked.page.sort]], reverse=asked.page.is_descending)
    keys = [row["key"] for row in rows]
    begin = keys.index(asked.after) + 1 if asked.after in keys else 0
    shown = rows[begin : begin + asked.limit]
    following = shown[-1]["key"] if len(rows) > begin + asked.limit else ""
    return ListPage(shown, following, totals=ListTotals(len(rows), _sums(rows)) if asked.page.counts else None)


def _sums(rows: list[dict[str, Any]]) -> tuple[tuple[str, int], ...]:
    """The fees together, by currency."""
    currencies = sorted({row["currency"] for row in rows})
    return tuple((each, sum(row["fee"] for row in rows if row["currency"] == each)) for each in currencies)


def _row(judged: JudgedMonth) -> dict[str, Any]:
    fees, above = judged.fees, judged.above_minor
    by = f"{amount(above, fees.currency)} {fees.currency}"
    state = ("amber", "above", _("{amount} above the usual").format(amount=by)) if above else None
    return {
        "key": f"{fees.month} {fees.account} {fees.currency}", "month": fees.month, "account": fees.account,
        "service": provider_at(fees.account).name, "payouts": fees.payouts,
        "currency": fees.currency, "gross": fees.gross_minor, "fee": fees.fee_minor, "rate": _percent(judged.rate),
        "usual": _percent(judged.usual_rate), "above": above, "state": state,
        "rate_value": judged.rate or Fraction(0), "usual_value": judged.usual_rate or Fraction(0),
    }  # fmt: skip


def _percent(rate: Fraction | None) -> str:
    """A rate in per cent with two decimals, the half rounded up; a dash where there is none."""
    if rate is None:
        return "–"
    hundredths = int(abs(rate) * 10_000 + Fraction(1, 2))
    return in_figures(f"{'-' if rate < 0 else ''}{hundredths // 100}.{hundredths % 100:02d}") + " %"


_SORTS: Final = {
    "month": "key", "service": "service", "account": "account", "payouts": "payouts", "gross": "gross", "fee": "fee",
    "rate": "rate_value", "usual": "usual_value", "above": "above", "state": "above",
}  # fmt: skip

FEES: Final = Listing(
    "provider-fees",
    columns=(
        ListColumn("month", gettext_lazy("Month from"), ListColumnKind.DAY),
        ListColumn("service", gettext_lazy("Service")),
        ListColumn("account", gettext_lazy("Account"), chosen=False),
        ListColumn("payouts", gettext_lazy("Payouts"), ListColumnKind.COUNT),
        ListColumn("gross", gettext_lazy("Paid by customers"), ListColumnKind.MONEY),
        ListColumn("fee", gettext_lazy("Charged"), ListColumnKind.MONEY),
        ListColumn("rate", gettext_lazy("Rate")),
        ListColumn("usual", gettext_lazy("Usual rate")),
        ListColumn("state", gettext_lazy("Above the usual"), ListColumnKind.BADGE),
        ListColumn("above", gettext_lazy("Above the usual by"), ListColumnKind.MONEY, chosen=False),
        ListColumn("currency", gettext_lazy("Currency"), chosen=False),
    ),
    fetch=_fetch,
    sorts=_SORTS,
    usual="-month",
)


@page("payouts/fees", "payout_fees")
def fees(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The fees of payment services and marketplaces by month, the latest first."""
    return FEES.answer(request, visit, "area/payout_fees.html")
