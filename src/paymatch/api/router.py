"""Routes of the merchant API: paths are read from both ends, because order numbers may contain anything (D-23)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote_to_bytes

from paymatch.domain.shops.key_scopes import KeyScope

if TYPE_CHECKING:
    from paymatch.api.call import Answer, ApiCall

    Handler = Callable[["ApiCall"], Answer]

PREFIX: Final = "/api/v2/"

_SLASH: Final = "\x00"
"""Stands for a percent-encoded slash while a path is matched: it is part of a number, never between two parts."""


class Pattern(NamedTuple):
    """A template such as `order/{orderNumber}/refund`, taken apart: what a path of it begins and ends with.

    `between` stands between two parameters. Without parameters all is head.
    """

    head: str
    tail: str
    names: tuple[str, ...]
    between: str

    def match(self, path: str) -> dict[str, str] | None:
        """The parameters of a `readable` path; None if it does not fit."""
        if not self.names:
            return {} if path == self.head else None
        head, tail = len(self.head), len(self.tail)
        if not path.startswith(self.head) or not path.endswith(self.tail) or len(path) <= head + tail:
            return None
        middle = path[head : len(path) - tail]
        if len(self.names) == 1:
            return {self.names[0]: middle}
        first, found, second = middle.rpartition(self.between)
        return {self.names[0]: first, self.names[1]: second} if found and first and second else None


def _pattern_of(template: str) -> Pattern:
    """The template, taken apart."""
    names = tuple(part.partition("}")[0] for part in template.split("{")[1:])
    tail = template.rpartition("}")[2] if names else ""
    return Pattern(template.partition("{")[0], tail, names, template.partition("}")[2].partition("{")[0])


@dataclass(frozen=True, slots=True)
class Route:
    """An endpoint. `writes`: refused for shops and keys that only read."""

    method: str
    template: str
    pattern: Pattern
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


ROUTES: Final[list[Route]] = []
_BY_START: Final[dict[str, list[Route]]] = {}

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
        pattern = _pattern_of(template)
        route = Route(method, template, pattern, handler, writes, needed, needs_order, body_limit, detached)
        ROUTES.append(route)
        _BY_START.setdefault(_start(template), []).append(route)
        return handler

    return register


def _start(path: str) -> str:
    """What stands before the first slash of a path or template: no parameter ever does."""
    return path.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Found:
    """Where a request leads. `instead`: methods of a path that fits better and does not take this one."""

    route: Route
    params: dict[str, str]
    instead: tuple[str, ...] = ()


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


@dataclass(frozen=True, slots=True)
class Destination:
    """The endpoints that a path fits, the best first.

    The longest matching head, then the longest tail wins, so `order/remove/` goes before `order/{orderNumber}`.
    """

    fitting: tuple[tuple[tuple[int, int, int], Route, dict[str, str]], ...]  # rank, endpoint, path parameters

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of the path as a header says them."""
        found = {route.method for _, route, _ in self.fitting}
        if "GET" in found:
            found.add("HEAD")
        return tuple(sorted({*found, "OPTIONS"}))

    def endpoint(self, method: str) -> Found | None:
        """The endpoint of a method; None if there is none."""
        for place, (rank, route, params) in enumerate(self.fitting):
            if route.method == method:
                better = {other.method for above, other, _ in self.fitting[:place] if above > rank}
                return Found(route, params, tuple(sorted(better)))
        return None


def destination(path: str) -> Destination | None:
    """Where a `readable` path leads; None if nowhere."""
    fitting = []
    for route in _BY_START.get(_start(path), ()):
        params = route.pattern.match(path)
        if params is not None:
            rank = (len(route.pattern.head), len(route.pattern.tail), len(params))
            fitting.append((rank, route, {name: value.replace(_SLASH, "/") for name, value in params.items()}))
    fitting.sort(key=itemgetter(0), reverse=True)
    return Destination(tuple(fitting)) if fitting else None
