"""Every page of the merchant area by the code's own list of routes, each with an address that shows something.

The variable parts of a page come from the links of other pages, so a page without any link to it is detected.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html import unescape
from typing import Any, Final
from urllib.parse import urljoin

import psycopg

from paymatch.store.connection import Pipeline
from tests.area.conftest import Person

NOWHERE: Final = "/shops/0/overview"
OUTSIDE: Final = (
    "/login", "/shops", "/operator/", "/operator/shops", "/operator/shops/new", "/operator/people",
    "/account/password/reset/", "/account/2fa/", "/account/sessions/", NOWHERE,
)  # fmt: skip
"""Addresses outside of a shop."""
TABS: Final = ("collective", "aside", "decided", "automatic")
FILES: Final = frozenset({"order_invoice", "ebics_letter", "replay_pdf"})
"""Addresses that answer with a file."""
NOT_FILLED: Final = frozenset({"consent_return", "letter", "letter_run", "request", "replay_list"})
"""Pages of what the filled shop has none of: returns from banks, letters, requests by the server in front, replays."""
_FRAME: Final = re.compile(r"BEGIN|COMMIT|SAVEPOINT|RELEASE|SELECT set_config|SET LOCAL")


def pages_of(owner: Person) -> dict[str, str]:
    """Page -> an address of it in the filled shop; the queue's tabs have addresses of their own."""
    from django.urls import resolve

    from paymatch.area.page import PAGES

    base = f"/shops/{owner.shop.id}/"
    wanted = {page.name for page in PAGES} - FILES - NOT_FILLED
    waiting = deque(base + page.route for page in PAGES if "<" not in page.route)
    taken: dict[str, str] = {}
    while waiting:
        address = waiting.popleft()
        name = resolve(address.partition("?")[0]).url_name
        if name not in wanted or name in taken:
            continue
        answer = owner.get(address)
        assert answer.status_code == 200, address
        taken[name] = address
        links = [unescape(link) for link in re.findall(r'href="([^"#]+)"', answer.content.decode())]
        waiting += [link for link in links if link.startswith(base) and "format=" not in link]
    assert not wanted - set(taken), f"pages that no other page leads to: {sorted(wanted - set(taken))}"
    return taken | {f"postings?tab={tab}": f"{base}postings?tab={tab}" for tab in TABS}


def forms_of(person: Person, addresses: Iterable[str]) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """(address, fields) of each form that posts on these pages, once per button, everything ticked and filled in.

    Of forms that differ only in their values, the first two.
    """
    from lxml import html

    met = Counter[tuple[str, ...]]()
    for address in addresses:
        page: Any = html.fromstring(person.get(address).content)
        for form in page.xpath("//form[@method='post']"):
            place = urljoin(address, form.get("action") or "")
            owned = form.xpath(".//*[@name]") + page.xpath("//*[@form=$id][@name]", id=form.get("id", ""))
            buttons = [each for each in owned if each.tag == "button"] or [None]
            fields: dict[str, list[str]] = {}
            for field in owned:
                if field.tag != "button" and field.get("type") != "file":
                    values = field.xpath(".//option/@value") if field.tag == "select" else [field.get("value")]
                    fields.setdefault(field.get("name"), []).extend(value or "x" for value in values)
            for button in buttons:
                kind = (place.rpartition("/")[0], *sorted(fields), *(() if button is None else button.values()))
                met[kind] += 1
                if met[kind] <= 2:
                    pressed = {} if button is None else {button.get("name"): [button.get("value", "")]}
                    yield place, fields | pressed


class Sent(list[str]):
    """Statements, and in how many round trips they and what frames them were sent."""

    round_trips = 0


@contextmanager
def counted() -> Iterator[Sent]:
    """The statements that are sent meanwhile, by our pool and by Django; ours without begin, role and commit."""
    sent = Sent()
    bind: Any = Pipeline.bind
    ask: Any = Pipeline.ask

    def binding(self: Pipeline, text: str, params: Any) -> Any:
        if not _FRAME.match(text):
            sent.append(text)
        return bind(self, text, params)

    def asking(self: Pipeline, statements: Any) -> Any:
        sent.round_trips += 1
        return ask(self, statements)

    cursors: tuple[Any, ...] = (psycopg.Cursor, psycopg.ServerCursor)
    together: Any = Pipeline
    ways = [(cursor, name, getattr(cursor, name)) for cursor in cursors for name in ("execute", "executemany")]

    def counting(way: Any) -> Any:
        def send(self: Any, query: Any, *more: Any, **named: Any) -> Any:
            sent.append(str(query))
            sent.round_trips += 1
            return way(self, query, *more, **named)

        return send

    for cursor, name, way in ways:
        setattr(cursor, name, counting(way))
    together.bind, together.ask = binding, asking
    try:
        yield sent
    finally:
        together.bind, together.ask = bind, ask
        for cursor, name, way in ways:
            setattr(cursor, name, way)
