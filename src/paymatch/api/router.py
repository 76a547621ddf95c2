"""Routes of the merchant API: paths are read from both ends, because order numbers may contain anything (D-23)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from paymatch.domain.shops.key_scopes import KeyScope

if TYPE_CHECKING:
    from paymatch.api.call import Answer, ApiCall

    Handler = Callable[["ApiCall"], Answer]

PREFIX: Final = "/api/v2/"


@dataclass(frozen=True, slots=True)
class Route:
    """An endpoint. `writes`: refused for shops and keys that only read."""

    method: str
    template: str
    handler: Handler
    writes: bool
    scope: KeyScope  # what a key needs for it (D-37)
    needs_order: bool  # the path names an order that must exist: 404 comes before the checks of the body (D-21)
    body_limit: int
    detached: bool  # the handler runs after the key's transaction and opens its own

    @property
    def too_large(self) -> str:
        """The error of a body beyond the limit."""
        if "/invoice/" in self.template:
            return "File too large"
        return f"Body too large (max {self.body_limit // 1024 // 1024} MB)"


@cache
def _parts(template: str) -> tuple[str, str, tuple[str, ...], str]:
    """(head, tail, names of the parameters, what stands between two of them); without parameters all is head."""
    names = tuple(part.partition("}")[0] for part in template.split("{")[1:])
    tail = template.rpartition("}")[2] if names else ""
    return template.partition("{")[0], tail, names, template.partition("}")[2].partition("{")[0]


ROUTES: Final[list[Route]] = []

BODY_LIMIT: Final = 8 * 1024 * 1024
"""Bytes of a JSON body; larger ones are refused with 400."""


def endpoint(
    method: str,
    template: str,
    *,
    writes: bool = False,
    scope: KeyScope | None = None,
    needs_order: bool = False,
    body_limit: int = BODY_LIMIT,
    detached: bool = False,
) -> Callable[[Handler], Handler]:
    """Registers a handler; templates such as `order/{orderNumber}/refund`.

    Without a `scope` a key needs `orders` for what writes, `read` for everything else.
    """
    needed = scope or (KeyScope.ORDERS if writes else KeyScope.READ)

    def register(handler: Handler) -> Handler:
        ROUTES.append(Route(method, template, handler, writes, needed, needs_order, body_limit, detached))
        return handler

    return register


def resolve(method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    """(route, path parameters) of a decoded path behind the prefix; None if there is none.

    The longest matching head, then the longest tail wins, so `order/remove/` goes before `order/{orderNumber}`.
    """
    best: tuple[tuple[int, int, int], Route, dict[str, str]] | None = None
    for route in ROUTES:
        if route.method != method:
            continue
        found = _match(route, path)
        if found is not None:
            head, tail, _, _ = _parts(route.template)
            rank = (len(head), len(tail), len(found))
            if best is None or rank > best[0]:
                best = (rank, route, found)
    return (best[1], best[2]) if best else None


def _match(route: Route, path: str) -> dict[str, str] | None:
    head, tail, names, between = _parts(route.template)
    if not names:
        return {} if path == head else None
    if not path.startswith(head) or not path.endswith(tail) or len(path) <= len(head) + len(tail):
        return None
    middle = path[len(head) : len(path) - len(tail)]
    if len(names) == 1:
        return {names[0]: middle}
    first, found, second = middle.rpartition(between)
    return {names[0]: first, names[1]: second} if found and first and second else None
