"""What a deed of the audit log changed, field by field, in the reader's words; the log itself keeps JSON."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import date, datetime
from functools import cache
from typing import Any, Final

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from paymatch.area.badges import order_badge, refund_badge
from paymatch.area.lists import Change
from paymatch.area.people.models import ROLE_NAMES
from paymatch.area.templatetags.figures import amount, day, moment
from paymatch.area.views.manage.settings import REFUNDS, SIGN_IN, SUBJECTS
from paymatch.area.views.overview import STATES
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.refunds import RefundStatus

_FIELDS: Final[Mapping[str, str | Promise]] = {
    "account": lazy("Account"),
    "accounts": lazy("Accounts"),
    "action": lazy("What it does"),
    "active": lazy("Active"),
    "agency": lazy("Agency"),
    "amountMinor": lazy("Amount"),
    "by": lazy("By"),
    "case": lazy("Case"),
    "currency": lazy("Currency"),
    "expiresAt": lazy("Valid until"),
    "externalReference": lazy("Refund"),
    "file": lazy("File"),
    "hash": lazy("Seal"),
    "hint": lazy("Key"),
    "iban": lazy("Account"),
    "label": lazy("What it is for"),
    "legacy": lazy("No longer open in the shop"),
    "letter": lazy("Letter"),
    "letters": lazy("Letters"),
    "mark": lazy("Mark"),
    "name": lazy("Name"),
    "note": lazy("Note"),
    "oldValidUntil": lazy("The old one is valid until"),
    "open": lazy("Open amount"),
    "open again": lazy("Open again"),
    "order": lazy("Order"),
    "orders": lazy("Orders"),
    "password": lazy("Password"),
    "percent": lazy("Percent"),
    "postings": lazy("Postings"),
    "reason": lazy("Reason"),
    "refunds": lazy("Refunds"),
    "restored": lazy("Restored"),
    "role": lazy("Role"),
    "rules": lazy("Rules"),
    "scope": lazy("Scopes"),
    "sessions": lazy("Sessions"),
    "sha256": lazy("SHA-256"),
    "shop": lazy("Shop"),
    "staff": lazy("Operator"),
    "status": lazy("State"),
    "totalMinor": lazy("Sum"),
    "validUntil": lazy("Valid until"),
    "words": lazy("Words of the text"),
}
_DIGESTS: Final = frozenset({"hash", "sha256"})


def changes_of(before: str, after: str, currency: str, timezone: str) -> list[Change]:
    """(field, value before, value after) of what changed; `before` and `after` are objects in JSON, or "".

    A value that was not there is "". Sums are in the currency that the deed names, else in the shop's, `currency`.
    """
    old, new = (_fields(each) for each in (before, after))
    own = str(new.get("currency", old.get("currency", currency)))
    names = [name for name in {**old, **new} if old.get(name) != new.get(name) and name not in _told_beside(new)]
    found = [
        Change(_label(name), *(_shown(name, each.get(name), own, timezone) for each in (old, new))) for name in names
    ]
    return [each for each in found if each.before != each.after]


def _told_beside(fields: Mapping[str, Any]) -> frozenset[str]:
    """Fields that another one says already: the currency stands behind a sum, and a mark says who made it."""
    sums = any(name.endswith("Minor") for name in fields)
    return frozenset({*(("currency",) if sums else ()), *(("by",) if "mark" in fields else ())})


def _fields(text: str) -> dict[str, Any]:
    found = msgspec.json.decode(text) if text else {}
    return found if isinstance(found, dict) else {"": found}


def _label(name: str) -> str:
    """The field in words: ours, or those of its setting; else its name, spelled apart unless it is an id."""
    known = _FIELDS.get(name) or _setting_labels().get(name.replace("_", "-"))
    return str(known or (name if _is_id(name) else _apart(name).capitalize()))


def _is_id(name: str) -> bool:
    kind, mark, rest = name.partition("_")
    return bool(mark and rest) and len(kind) in (2, 3) and kind.isalpha() and kind.islower()


def _apart(name: str) -> str:
    """`keepOrderYears` and `keep-order-years` as words."""
    pairs = zip(f" {name}", name, strict=False)
    spelled = "".join(f" {each}" if each.isupper() and before.islower() else each for before, each in pairs)
    return spelled.replace("-", " ").replace("_", " ")


@cache
def _setting_labels() -> dict[str, str | Promise]:
    fields = [each for _label, settings in SUBJECTS.values() for each in settings]
    return {each.name: each.label for each in (*fields, *REFUNDS, *SIGN_IN)}


def _shown(name: str, value: Any, currency: str, timezone: str) -> str:
    """A value in words; "" for none."""
    match value:
        case _ if value in (None, "", [], {}):
            return ""
        case bool():
            return _("yes") if value else _("no")
        case int() if name.lower().endswith("minor"):
            return f"{amount(value, currency)} {currency}"
        case list() | dict():  # of an object the names are told: which orders, which fields
            return ", ".join(_shown("", each, currency, timezone) for each in value)
        case str() if name in _DIGESTS and len(value) > 16:
            return f"{value[:8]}…{value[-4:]}"
        case str():
            return _text(value, timezone)
    return str(value)


def _text(value: str, timezone: str) -> str:
    if value in PaymentStatus.__members__:
        return str(order_badge(value)[2])
    if value in RefundStatus.__members__:
        return str(refund_badge(value)[2])
    with suppress(ValueError):  # not everything that looks like a day is one
        if value[10:11] == "T":
            return moment(datetime.fromisoformat(value), timezone)
        if len(value) == 10 and value[4] == value[7] == "-":
            return day(date.fromisoformat(value))
    return str(dict(ROLE_NAMES).get(value) or dict(STATES).get(value) or value)
