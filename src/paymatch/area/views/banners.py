"""Alert banners: each open alert about an order, a posting or a refund is shown on its page, with its action."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.sentences import as_sentence
from paymatch.area.page import Visit
from paymatch.area.views.alert_labels import alert_words, page_that_helps
from paymatch.domain.orders.actions import Action
from paymatch.domain.shops.alerts import FOR_INFORMATION, AlertKind
from paymatch.domain.words.message import Message
from paymatch.store.transactions import ShopTx
from paymatch.usecases.matching.queue import Shown
from paymatch.usecases.work import alert_lists

RED: Final = frozenset({AlertKind.GIVEN_BACK_TWICE, AlertKind.CHARGED_BACK, AlertKind.MONEY_OUT, AlertKind.ITEM_FAILED})
"""Kinds where money is missing or something is wrong; all others are late or unknown."""
_OF_REFUNDS: Final = (AlertKind.GIVEN_BACK_TWICE, AlertKind.REFUND_SILENCE, AlertKind.REFUND_UNEXPECTED)
_LINKS: Final[Mapping[str, Promise]] = {
    "refunds": gettext_lazy("Go to the refunds"),
    "refund_files": gettext_lazy("Go to the transfer files"),
    "bank": gettext_lazy("Go to the bank page"),
    "letters": gettext_lazy("Go to the letters"),
    "reminders": gettext_lazy("Go to the reminders"),
    "callbacks": gettext_lazy("Go to the callbacks"),
    "payouts": gettext_lazy("Go to the payouts"),
    "collection_cases": gettext_lazy("Go to collection"),
    "agency_settings": gettext_lazy("Go to the collection settings"),
    "synchronisations": gettext_lazy("Go to the synchronisations"),
    "connectors": gettext_lazy("Go to the shop systems"),
    "orders": gettext_lazy("Go to the orders"),
}


def banners(
    tx: ShopTx, visit: Visit, names: Collection[str], *, order: str = "", customer: str = "", draft: str = ""
) -> list[dict[str, Any]]:
    """A banner for each open alert that names one of `names`; on the page of `order` with what can be done there.

    `draft` is the address of a mail to the customer, "" where none can be written.
    """
    rows = alert_lists.open_about(tx, names)
    return [_banner(row, visit, order, customer, draft) for row in rows if row["kind"] not in FOR_INFORMATION]


def of_posting(tx: ShopTx, visit: Visit, shown: Shown | None) -> list[dict[str, Any]]:
    """The banners of a posting and of the first order that it pays."""
    if shown is None:
        return []
    numbers = [] if shown.is_open else [each.number for each in shown.booked[:1]]
    return banners(tx, visit, [shown.queued.id, *numbers])


def refund_banners(tx: ShopTx, visit: Visit) -> list[dict[str, Any]]:
    """Where money is out twice, or the bank has not answered, on the page of refunds."""
    rows = alert_lists.open_of_kinds(tx, _OF_REFUNDS)
    return [_banner(row, visit, "", "", "") | {"actions": _to_order(row, visit)} for row in rows[:5]]


def _to_order(row: Mapping[str, Any], visit: Visit) -> Sequence[dict[str, str]]:
    """The order that the alert names, where it can be dealt with."""
    values = row["text"].values if isinstance(row["text"], Message) else {}
    number = str(values.get("order", ""))
    return (
        [{"label": _("Go to order {number}").format(number=number), "url": visit.url("order", number=number)}]
        if number
        else ()
    )


def _banner(row: Mapping[str, Any], visit: Visit, order: str, customer: str, draft: str) -> dict[str, Any]:
    kind = row["kind"]
    return {
        "id": row["id"], "tone": "red" if kind in RED else "amber", "what": alert_words(kind),
        "text": as_sentence(row["text"]), "since": row["created_at"],
        "actions": [*_on_order(kind, visit, order, customer, draft), *_link(kind, visit)][:3],
        "all": visit.url("alerts"),
    }  # fmt: skip


def _on_order(kind: str, visit: Visit, order: str, customer: str, draft: str) -> Sequence[dict[str, str]]:
    """What helps on the order's own page."""
    if not order:
        return ()
    match kind:
        case AlertKind.GIVEN_BACK_TWICE:
            write = {"label": _("Write to {name}").format(name=customer or _("the customer")), "url": draft}
            loss = {"label": _("Note as loss"), "do": str(Action.NOTE_LOSS)}
            return [write, loss] if draft else [loss]
        case AlertKind.CHARGED_BACK | AlertKind.REFUND_UNPAID:
            return [{"label": _("Match a posting"), "url": visit.url("order_postings", number=order)}]
        case AlertKind.WRONG_PERSON | AlertKind.MAIL_REFUSED | AlertKind.MAIL_ADDRESS:
            return [{"label": _("Check the address"), "url": "#customer-title"}]
        case AlertKind.EXCHANGE_RATE:
            return [{"label": _("Check the amount"), "url": "#money-title"}]
    return ()


def _link(kind: str, visit: Visit) -> Sequence[dict[str, str]]:
    """The page that helps, unless the person may not go there."""
    name = page_that_helps(kind)
    if name not in _LINKS or not visit.sees(name) or kind == AlertKind.GIVEN_BACK_TWICE:
        return ()
    return [{"label": str(_LINKS[name]), "url": visit.url(name)}]
