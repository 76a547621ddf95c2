"""A person's decisions in this session, the last first, so that one key undoes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from django.http import HttpRequest

from paymatch.area.page import Visit

_KEPT: Final = 50
_FRESH: Final = timedelta(minutes=5)
"""How long the last decision is shown with its undo."""


@dataclass(frozen=True, slots=True)
class QueueStep:
    """A decision on one posting, or on several at once.

    `postings` with their stamps: it is undone only if they are unchanged.
    """

    done: str  # "matched", "ignored" or "aside"
    at: str
    postings: Mapping[str, str]
    orders: Sequence[str] = field(default_factory=list)
    amount_minor: int = 0
    currency: str = ""

    def is_fresh(self, now: datetime) -> bool:
        """Whether it is still shown."""
        return now - datetime.fromisoformat(self.at) <= _FRESH


def remember(request: HttpRequest, visit: Visit, step: QueueStep) -> None:
    """Puts a decision on top of those that can be undone."""
    request.session[_key(visit)] = [*_all(request, visit), asdict(step)][-_KEPT:]


def last(request: HttpRequest, visit: Visit) -> QueueStep | None:
    """The last decision of this session; None if there is none left."""
    kept = _all(request, visit)
    return QueueStep(**kept[-1]) if kept else None


def drop_last(request: HttpRequest, visit: Visit) -> None:
    """Forgets the last decision: it was undone, or can no longer be."""
    request.session[_key(visit)] = _all(request, visit)[:-1]


def _all(request: HttpRequest, visit: Visit) -> list[dict[str, Any]]:
    return list(request.session.get(_key(visit), []))


def _key(visit: Visit) -> str:
    return f"decided-{visit.shop.id}"
