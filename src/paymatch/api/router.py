"""Routes of the merchant API: paths are read from both ends, because order numbers may contain anything (D-23)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, NamedTuple, get_type_hints
from urllib.parse import unquote_to_bytes

from paymatch.api.call import ApiAnswer
from paymatch.api.contents import BODY_LIMIT, TOO_LARGE_UNASKED, Body, Content
from paymatch.api.parameters import NoQuery, QueryPlan
from paymatch.api.refusals import AT_ANY_TIME, AT_THE_DOOR, OF_QUERIES, OF_STATEMENTS, OF_WRITING, DocumentedRefusal
from paymatch.api.sections import Section
from paymatch.domain.shops.api_keys import KeyScope
from paymatch.domain.words.message import Message
from paymatch.formats.contract.json_schema import Schema
from paymatch.store.transactions import ShopTx

Handler = Callable[..., ApiAnswer]
"""Accepts the call, and `query` and `body` as declared."""

Needed = Callable[[ShopTx, Mapping[str, str]], None]
"""Refuses if what the parameters of the path name does not exist, or the shop has no such thing."""

PREFIX: Final = "/api/v2/"

_SLASH: Final = "\x00"
"""Represents a percent-encoded slash while a path is matched: it is part of a number, never between two parts."""


class Pattern(NamedTuple):
    """A template such as `order/{orderNumber}/refund`, taken apart: what a path of it begins and ends with.

    `between` is the text between two parameters. Without parameters all is head.
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
class EndpointRoute:
    """An endpoint with all that was declared of it: for the router, the reference and the catalogue of errors."""

    method: str
    template: str
    section: Section
    summary: str
    words: str
    answer: Content
    refusals: tuple[
        DocumentedRefusal, ...
    ]  # its own, in the order of its checks; `all_refusals` has those of the edge, too
    query: QueryPlan
    body: Body | None
    accepted: Schema | None  # of the answer 202: the work goes on
    scope: KeyScope  # what a key needs for it (D-37)
    also: KeyScope | None  # what is enough, too
    needs: Needed | None
    detached: bool  # the handler runs after the key's transaction and opens its own
    repeatable: bool  # POST: a second call with the same changes nothing more, so that a client may repeat it
    handler: Handler
    pattern: Pattern

    @property
    def writes(self) -> bool:
        """Whether it is refused for shops and keys that only read."""
        return self.method == "POST"

    @property
    def may_be_repeated(self) -> bool:
        """Whether a client that got no answer may simply call again."""
        return self.method == "GET" or self.repeatable

    @property
    def body_limit(self) -> int:
        """Bytes of its body."""
        return self.body.limit if self.body else BODY_LIMIT

    @property
    def too_large(self) -> Message:
        """The error of a body beyond the limit."""
        return self.body.too_large if self.body else TOO_LARGE_UNASKED

    @property
    def all_refusals(self) -> tuple[DocumentedRefusal, ...]:
        """What it may answer, in the order of the checks."""
        of_key = (*(OF_WRITING if self.writes else ()), *(OF_STATEMENTS if self.scope is KeyScope.STATEMENTS else ()))
        unknown = tuple(row for row in self.refusals if row.status == 404)
        of_body = self.body.refusals if self.body else ()
        found = (*AT_THE_DOOR, *of_key, *unknown, *OF_QUERIES, *of_body, *self.refusals, *AT_ANY_TIME)
        return tuple(dict.fromkeys(found))


ROUTES: Final[list[EndpointRoute]] = []
_BY_START: Final[dict[str, list[EndpointRoute]]] = {}


def endpoint(
    method: str,
    template: str,
    section: Section,
    summary: str,
    words: str = "",
    *,
    answer: Content,
    refusals: tuple[DocumentedRefusal, ...] = (),
    body: Body | None = None,
    accepted: Schema | None = None,
    scope: KeyScope | None = None,
    also: KeyScope | None = None,
    needs: Needed | None = None,
    detached: bool = False,
    repeatable: bool = False,
) -> Callable[[Handler], Handler]:
    """Declares an endpoint and registers its handler; templates such as `order/{orderNumber}/refund`.

    A handler that asks for `query` declares its parameters by the type (`api/parameters.py`), one with a `body` is
    handed what was read of it. Without a `scope` a key needs `orders` for what writes, `read` for everything else;
    the scope `also` is enough for it, too.
    `needs` is checked before query and body are: what the path names must exist (D-21). A `repeatable` POST may be
    called again by a client that got no answer: a second call changes nothing more.
    """
    needed = scope or (KeyScope.READ if method == "GET" else KeyScope.ORDERS)

    def register(handler: Handler) -> Handler:
        query = QueryPlan(get_type_hints(handler).get("query", NoQuery))
        route = EndpointRoute(
            method, template, section, summary, words, answer, refusals, query, body, accepted, needed, also, needs,
            detached, repeatable, handler, _pattern_of(template),
        )  # fmt: skip
        ROUTES.append(route)
        _BY_START.setdefault(_start(template), []).append(route)
        return handler

    return register


def _start(path: str) -> str:
    """The part before the first slash of a path or template: never a parameter."""
    return path.partition("/")[0]


@dataclass(frozen=True, slots=True)
class RouteMatch:
    """Where a request leads. `instead`: methods of a path that fits better and does not take this one."""

    route: EndpointRoute
    params: dict[str, str]
    instead: tuple[str, ...] = ()


def readable(raw_path: str) -> str | None:
    """The path after the prefix, decoded but for encoded slashes, without one slash at its end (D-23, D-39).

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

    fitting: tuple[tuple[tuple[int, int, int], EndpointRoute, dict[str, str]], ...]  # rank, endpoint, path parameters

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of the path as a header says them."""
        found = {route.method for _, route, _ in self.fitting}
        if "GET" in found:
            found.add("HEAD")
        return tuple(sorted({*found, "OPTIONS"}))

    def endpoint(self, method: str) -> RouteMatch | None:
        """The endpoint of a method; None if there is none."""
        for place, (rank, route, params) in enumerate(self.fitting):
            if route.method == method:
                better = {other.method for above, other, _ in self.fitting[:place] if above > rank}
                return RouteMatch(route, params, tuple(sorted(better)))
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
