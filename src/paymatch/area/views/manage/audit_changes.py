"""Changes of an audit entry, field by field, in the reader's words; the log itself keeps JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime
from typing import Any, Final

import msgspec
from django.utils.translation import gettext as _

from paymatch.area.badges import order_badge, refund_badge
from paymatch.area.language.figures import amount, day, moment
from paymatch.area.lists import FieldChange
from paymatch.area.people.models import ROLE_NAMES
from paymatch.area.views.alert_labels import alert_words
from paymatch.area.views.manage.labels.data import files_in_words, kinds_in_words, rows_in_words
from paymatch.area.views.manage.labels.fields import code_words, field_words
from paymatch.area.views.overview import STATES
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.refunds.refunds import RefundStatus

_IN_WORDS: Final[Mapping[tuple[str, type], Callable[[Any], str]]] = {
    ("rows", dict): rows_in_words,
    ("orders", dict): lambda found: ", ".join(
        f"{number} {said}" if isinstance(said, str) else number for number, said in found.items()
    ),
    ("files", dict): files_in_words,  # of a backup it is a number
    ("sharedWithOthers", list): kinds_in_words,
    ("alert", str): lambda kind: str(alert_words(kind)),
}
"""Fields with words of their own, by name and type: two kinds of entries may use one name for different things."""
_DIGESTS: Final = frozenset({"hash", "sha256"})


def changes_of(before: str, after: str, currency: str, timezone: str) -> list[FieldChange]:
    """(field, value before, value after) of what changed; `before` and `after` are objects in JSON, or "".

    A value that was not there is "". Sums are in the currency that the entry names, else in the shop's, `currency`.
    """
    old, new = (_fields(each) for each in (before, after))
    own = str(new.get("currency", old.get("currency", currency)))
    names = [name for name in {**old, **new} if old.get(name) != new.get(name) and name not in _redundant_fields(new)]
    found = [
        FieldChange(_label(name), *(_value_text(name, each.get(name), own, timezone) for each in (old, new)))
        for name in names
    ]
    return [each for each in found if each.before != each.after]


def _redundant_fields(fields: Mapping[str, Any]) -> frozenset[str]:
    """Fields that repeat another one: the currency follows a sum, and a mark says who made it."""
    sums = any(name.endswith("Minor") for name in fields)
    return frozenset({*(("currency",) if sums else ()), *(("by",) if "mark" in fields else ())})


def _fields(text: str) -> dict[str, Any]:
    found = msgspec.json.decode(text) if text else {}
    return found if isinstance(found, dict) else {"": found}


def _label(name: str) -> str:
    """The field in words: ours, or those of its setting; else its name, spelled apart unless it is an id."""
    return str(field_words(name) or (name if _is_id(name) else _apart(name).capitalize()))


def _is_id(name: str) -> bool:
    kind, mark, rest = name.partition("_")
    return bool(mark and rest) and len(kind) in (2, 3) and kind.isalpha() and kind.islower()


def _apart(name: str) -> str:
    """`keepOrderYears` and `keep-order-years` as words."""
    pairs = zip(f" {name}", name, strict=False)
    spelled = "".join(f" {each}" if each.isupper() and before.islower() else each for before, each in pairs)
    return spelled.replace("-", " ").replace("_", " ")


def _value_text(name: str, value: Any, currency: str, timezone: str) -> str:
    """A value in words; "" for none."""
    match value:
        case _ if value in (None, "", [], {}):
            return ""
        case bool():
            return _("yes") if value else _("no")
        case int() if name.lower().endswith("minor"):
            return f"{amount(value, currency)} {currency}"
        case _ if (name, type(value)) in _IN_WORDS:
            return _IN_WORDS[name, type(value)](value)
        case list() | dict():  # of an object the names are shown: which orders, which fields
            return ", ".join(_items(name, value, currency, timezone))
        case str() if name in _DIGESTS and len(value) > 16:
            return f"{value[:8]}…{value[-4:]}"
        case str():
            return str(code_words(name, value) or _text(value, timezone))
    return str(value)


def _items(name: str, value: list[Any] | dict[str, Any], currency: str, timezone: str) -> Iterator[str]:
    if name == "orders" and isinstance(value, dict) and all(isinstance(each, str) for each in value.values()):
        return (f"{number} {amounts}" for number, amounts in value.items())
    return (_value_text(name, each, currency, timezone) for each in value)


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
