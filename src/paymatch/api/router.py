"""Routes of the merchant API: paths are read from both ends, because order numbers may contain anything (D-23)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_to_bytes

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


@dataclass(frozen=True, slots=True)
class Found:
    """Where a request leads. `instead`: methods of a path that fits better and does not take this one."""

    route: Route
    params: dict[str, str]
    instead: tuple[str, ...] = ()


_SLASH: Final = "\x00"
"""Stands for a percent-encoded slash while a path is matched: it is part of a number, never between two parts."""


def readable(raw_path: str) -> str | None:
    """The path behind the prefix, decoded but for encoded slashes, without one slash at its end (D-23, D-39).

    None for paths of other rooms, and for those that are not UTF-8 or hold a NUL: they name nothing that was stored.
    """
    if not raw_path.startswith(PREFIX):
        return None
    try:
        parts = [unquote_to_bytes(part).decode("utf-8") for part in raw_path[len(PREFIX) :].split("/")]
    except UnicodeError:
        return None
    if any(_SLASH in part for part in parts):
        return None
    return "/".join(part.replace("/", _SLASH) for part in parts).removesuffix("/")


def resolve(method: str, path: str) -> Found | None:
    """The endpoint of a `readable` path; None if there is none of this method.

    The longest matching head, then the longest tail wins, so `order/remove/` goes before `order/{orderNumber}`.
    """
    ranked = sorted(_candidates(path), key=lambda each: each[0], reverse=True)
    mine = next((each for each in ranked if each[1].method == method), None)
    if mine is None:
        return None
    better = {route.method for rank, route, _ in ranked if rank > mine[0]}
    return Found(mine[1], mine[2], tuple(sorted(better)))


def methods(path: str) -> tuple[str, ...]:
    """The methods of a `readable` path as a header says them; empty if there is no such path."""
    found = {route.method for _, route, _ in _candidates(path)}
    if "GET" in found:
        found.add("HEAD")
    return tuple(sorted({*found, "OPTIONS"})) if found else ()


def _candidates(path: str) -> Iterator[tuple[tuple[int, int, int], Route, dict[str, str]]]:
    """(rank, endpoint, path parameters) of all endpoints that the path fits."""
    for route in ROUTES:
        found = _match(route, path)
        if found is not None:
            head, tail, _, _ = _parts(route.template)
            params = {name: value.replace(_SLASH, "/") for name, value in found.items()}
            yield (len(head), len(tail), len(found)), route, params


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
