"""Every link that a role sees leads somewhere: a person who may not go there is not shown the way."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from html import unescape
from typing import Final

from paymatch.area.people.roles import TeamRole
from tests.area.conftest import Person
from tests.area.every_page import OUTSIDE
from tests.length import some

NO_PAGES: Final = ("/api/", "/docs", "/area/static/", "/static/", "mailto:")


def test_no_link_of_any_role_leads_to_nothing(filled: Person, sign_in: Callable[..., Person]) -> None:
    broken = {}
    for role in some(list(TeamRole), 2):
        person = sign_in(role, filled.shop, staff=role is TeamRole.VIEWER, proven=True)
        for address, status in visited(person).items():
            if status >= 400:
                broken[role, address] = status
    assert broken == {}


def visited(person: Person) -> dict[str, int]:
    """Address -> status of what a person can reach by links, one of each kind: others differ in order or posting."""
    from django.urls import resolve

    waiting = deque([f"/shops/{person.shop.id}/overview", *OUTSIDE[1:2]])
    found, met = dict[str, int](), set[str]()
    while waiting:
        address = waiting.popleft()
        kind = resolve(address.partition("?")[0]).url_name or address
        if kind in met:
            continue
        met.add(kind)
        answer = person.get(address, follow=True)
        found[address] = answer.status_code
        if answer.get("Content-Type", "").startswith("text/html"):
            links = map(unescape, re.findall(r'<a [^>]*href="([^"#]+)', answer.content.decode()))
            here = answer.request["PATH_INFO"]
            waiting += [full(here, link) for link in links if not link.startswith(("http", *NO_PAGES))]
    return found


def full(here: str, link: str) -> str:
    """The address that a link of a page means."""
    return here + link if link.startswith("?") else link
