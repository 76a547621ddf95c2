"""Orders in collection: the cases and their status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from paymatch.area.lists import Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.domain.collection.cases import CaseStatus
from paymatch.store.collection import cases as store
from paymatch.store.collection.cases import ListedCase
from paymatch.store.transactions import ShopTx
from paymatch.usecases.collection import cases as use

_STATES: Final[Mapping[CaseStatus, tuple[str, Promise]]] = {
    CaseStatus.SUBMITTED: ("grey", _("Handed over")),
    CaseStatus.ACCEPTED: ("accent", _("Accepted")),
    CaseStatus.REJECTED: ("red", _("Rejected")),
    CaseStatus.PRELEGAL: ("accent", _("Agency writes to the customer")),
    CaseStatus.INSTALMENT: ("amber", _("Paid in instalments")),
    CaseStatus.LEGAL: ("red", _("In court")),
    CaseStatus.PAID: ("green", _("Paid")),
    CaseStatus.PAID_PARTIAL: ("amber", _("Partly paid")),
    CaseStatus.WITHDRAWN: ("grey", _("Withdrawn")),
    CaseStatus.UNCOLLECTIBLE: ("red", _("Given up")),
}


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    found = use.page(
        tx, status=asked.filters.get("status", ""), search=asked.search.removeprefix("#"), asked=asked.page
    )
    return ListPage([_row(each, visit) for each in found.rows], found.next, totals=found.totals)


def _row(found: ListedCase, visit: Visit) -> dict[str, Any]:
    case = found.case
    colour, word = _STATES[case.status]
    return {
        "number": case.order_number, "link": visit.url("order", number=case.order_number), "partner": case.partner,
        "file": case.file, "state": (colour, str(case.status), word), "handed_over": case.handed_over_at,
        "currency": found.currency, "claim": case.claim_minor,
        "beside": case.fees_minor + case.interest_minor + case.lump_minor, "open": found.open_minor,
    }  # fmt: skip


CASES: Final = Listing(
    "collection",
    columns=(
        ListColumn("number", _("Order"), link="link"),
        ListColumn("handed_over", _("Handed over"), ListColumnKind.MOMENT),
        ListColumn("partner", _("Agency")),
        ListColumn("file", _("Number at the agency")),
        ListColumn("state", _("State"), ListColumnKind.BADGE),
        ListColumn("claim", _("Claim"), ListColumnKind.MONEY),
        ListColumn("beside", _("Fees and interest"), ListColumnKind.MONEY),
        ListColumn("open", _("Open amount"), ListColumnKind.MONEY),
    ),
    choices=(Choice("status", _("State"), tuple((str(status), word) for status, (_tone, word) in _STATES.items())),),
    fetch=_fetch,
    sorts=store.CASES.sorts,
    usual="-handed_over",
)


@page("order-collection", "collection_cases")
def collection_cases(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Every order that was handed over, the latest first."""
    with visit.transaction() as tx:
        agency = use.set_agency(tx, {})
    return CASES.answer(request, visit, "area/collection.html", agency=agency, may_manage=visit.may(Permission.MANAGE))
