"""Changes that a re-submission makes to an order, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

MAX_VALUE: Final = 80
"""Characters of a value that are kept: a change is looked at, not restored."""

PERSONAL: Final = frozenset({"customerEmail", "billing", "shipping"})
"""Fields that identify the customer: the fact of a change is kept, their values are not."""

Change = tuple[str, str] | None
"""Before and after, "" for a value that is not set; None where the values are not kept."""


def changed_fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Change]:
    """Field -> its change, by name; fields of an address as `billing.city`. Unchanged fields are left out."""
    return dict(sorted(_differences(before, after, "", is_personal=False)))


def is_readdressed(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether mail about the order goes to another address from now on: earlier mail went to someone else."""
    was, now = (str(each.get("customerEmail") or "").strip().lower() for each in (before, after))
    return was not in ("", now)


def _differences(
    before: Mapping[str, Any], after: Mapping[str, Any], path: str, *, is_personal: bool
) -> Iterator[tuple[str, Change]]:
    for name in before.keys() | after.keys():
        was, now, hidden = before.get(name), after.get(name), is_personal or name in PERSONAL
        if was == now:
            continue
        if isinstance(was or now, Mapping):
            yield from _differences(was or {}, now or {}, f"{path}{name}.", is_personal=hidden)
        else:
            yield f"{path}{name}", None if hidden or _is_nested(was) or _is_nested(now) else (_text(was), _text(now))


def _is_nested(value: Any) -> bool:
    """A list of objects, such as the items: too much for a line."""
    return isinstance(value, Sequence) and any(isinstance(each, Mapping) for each in value)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(map(_text, value))[:MAX_VALUE]
    return str(value).lower() if isinstance(value, bool) else str(value)[:MAX_VALUE]
