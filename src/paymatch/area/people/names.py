"""The names of people by their addresses, kept for a minute: most pages name somebody, and few names change."""

from __future__ import annotations

import time
from typing import Final

from paymatch.area.people.models import User

_KEPT_SECONDS: Final = 60.0
_MOST: Final = 10_000
_known: dict[str, str] = {}
_read_at = [float("-inf")]


def name_of(address: str) -> str:
    """The person's name; the text itself where nobody of this address has one."""
    if "@" not in address:
        return address
    if time.monotonic() - _read_at[0] > _KEPT_SECONDS:
        found = dict(User.objects.exclude(name="").values_list("email", "name")[:_MOST])
        _known.clear()
        _known.update(found)
        _read_at[0] = time.monotonic()
    return _known.get(address, address)


def forget() -> None:
    """A person of this process has another name now."""
    _read_at[0] = float("-inf")
