"""Reasons for setting postings aside in the reader's language; a person's own words are unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext, override, pgettext_lazy

from paymatch.area.language.reader_language import in_figures
from paymatch.domain.payouts.movements import MovementKind
from paymatch.domain.payouts.row_reasons import PayoutReason, RowReason, read_reason
from paymatch.domain.postings import OWN_TRANSFER

ASKED: Final = gettext_lazy("Asked the customer")
NO_ORDER: Final = gettext_lazy("No order payment")
CARD: Final = gettext_lazy("Card settlement")
OWN: Final = gettext_lazy("Own transfer")
_USUAL: Final = (ASKED, NO_ORDER, CARD, OWN)
"""Reasons that a key gives: they are stored in the language of the person who pressed it."""

_OURS: Final[Mapping[str, str | Promise]] = {
    OWN_TRANSFER: gettext_lazy("transfer between own accounts"),
    "not an order payment": gettext_lazy("not an order payment"),
}
_KINDS: Final[Mapping[str, str | Promise]] = {
    MovementKind.SALE: pgettext_lazy("row of a settlement file", "sale"),
    MovementKind.REFUND: pgettext_lazy("row of a settlement file", "refund"),
    MovementKind.CHARGEBACK: pgettext_lazy("row of a settlement file", "chargeback"),
    MovementKind.CHARGEBACK_REVERSED: pgettext_lazy("row of a settlement file", "chargeback reversed"),
    MovementKind.FEE: pgettext_lazy("row of a settlement file", "fee"),
    MovementKind.ADJUSTMENT: pgettext_lazy("row of a settlement file", "adjustment"),
    MovementKind.RESERVE_HELD: pgettext_lazy("row of a settlement file", "reserve held"),
    MovementKind.RESERVE_RELEASED: pgettext_lazy("row of a settlement file", "reserve released"),
    MovementKind.CONVERSION: pgettext_lazy("row of a settlement file", "conversion"),
    MovementKind.PAYOUT: pgettext_lazy("row of a settlement file", "payout"),
    MovementKind.CARRIED_OVER: pgettext_lazy("row of a settlement file", "carried over"),
}


def reason_words(reason: str) -> str:
    """The stored `reason` in the reader's language, if it is one of ours; else as a person wrote it."""
    known = _usual_words().get(reason) or _OURS.get(reason)
    if known is not None:
        return str(known)
    found = read_reason(reason)
    if isinstance(found, PayoutReason):
        return _payout_words(found)
    if isinstance(found, RowReason):
        return f"{found.service}: {_KINDS[found.kind]} {found.payout_id}".rstrip()
    return reason


@cache
def _usual_words() -> Mapping[str, Promise]:
    """The reasons of the keys, as they are written in each language."""
    found: dict[str, Promise] = {}
    for language, _name in settings.LANGUAGES:
        with override(language):
            found |= {str(each): each for each in _USUAL}
    return found


def _payout_words(found: PayoutReason) -> str:
    said = ngettext(
        "payout {id}: {n} order, {kept} kept, rest {rest}",
        "payout {id}: {n} orders, {kept} kept, rest {rest}",
        found.orders,
    ).format(id=found.payout_id, n=found.orders, kept=in_figures(found.kept), rest=in_figures(found.rest))
    return said + (gettext(", short by {short}").format(short=in_figures(found.short)) if found.short else "")
