"""No request of somebody who is signed in makes a page fail. `REQUESTS=100000` sends as many as `make soak` does."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from tests.area.conftest import Person
from tests.length import times
from tests.usecases.refunds.refund_world import RefundWorld

REQUESTS = int(os.environ.get("REQUESTS", times(400, 1000))) // 10
TEXTS = (
    "",
    "A-1",
    "0",
    "-1",
    "1",
    "9" * 400,
    "1e400",
    "NaN",
    "x" * 3000,
    "\x00",
    "\ud7ff",
    "\u202e",
    "\u0661",
    "%",
    "../..",
    "'\"<b>",
    "=1+1",
    "2026-02-30",
    "31.12.9999",
    "0001-01-01",
    "00000000-0000-0000-0000-000000000000",
    "on",
    "csv",
    "xlsx",
    "{{x}}",
    "12,30",
    "1.234,56",
    "99999999999999.99",
    "evil.example",
    "a@b",
    "a@example.org\nBcc: x@y.z",
    "https://[::1",
    "[]",
    "None",
)
BESIDE = (
    "/",
    "/operator/",
    "/preferences",
    "/login",
    "/account/2fa/",
    "/account/sessions/",
    "/account/reauthenticate/",
    "/account/password/reset/",
    "/account/password/change/",
    "/account/email/",
    "/account/3rdparty/",
    "/nothing",
)
MOST_CPU_SECONDS = 2.0


class Forms:
    """Addresses with the names of their fields as their own pages write them."""

    def __init__(self, person: Person, random: Random) -> None:
        from paymatch.area.page import PAGES

        self._random = random
        self._person = person
        self._addresses = [f"/shops/{person.shop.id}/{each.route}" for each in PAGES] + list(BESIDE)
        self._fields: dict[str, list[str]] = {}

    def next(self) -> tuple[str, str, dict[str, Any]]:
        """(method, address with its query, form)."""
        route = self._random.choice(self._addresses)
        address = re.sub(r"<\w+:\w+>", lambda _: quote(self._random.choice(TEXTS) or "x", safe=""), route)
        names = [*self._names(route), "q", "after", "do", "action", "format", "column"]
        pairs = {self._random.choice(names): self._random.choice(TEXTS) for _ in range(self._random.randrange(5))}
        if self._random.random() < 0.6:
            query = "&".join(f"{name}={quote(value, safe='%')}" for name, value in pairs.items())
            return "GET", f"{address}?{query}", {}
        return "POST", address, pairs

    def _names(self, route: str) -> list[str]:
        if route not in self._fields:
            page = self._person.get(re.sub(r"<\w+:\w+>", "A-1", route))
            content = b"".join(page) if page.streaming else page.content
            page.close()
            self._fields[route] = re.findall(r'name="([\w-]+)"', content.decode(errors="replace"))
        return self._fields[route]


@pytest.mark.parametrize("seed", [5])
def test_no_request_makes_a_page_fail(sign_in: Callable[..., Person], world: RefundWorld, seed: int) -> None:
    world.client.submit("A-1")
    owner = sign_in(shop=world.client.shop, staff=True, proven=True)
    owner.client.raise_request_exception = False
    forms, said = Forms(owner, Random(seed)), Counter[int]()
    for number in range(REQUESTS):
        method, address, form = forms.next()
        began = time.process_time()
        answer = owner.client.get(address) if method == "GET" else owner.client.post(address, form)
        if answer.streaming:
            assert b"".join(answer) is not None
        answer.close()
        seconds = time.process_time() - began
        said[answer.status_code] += 1
        assert answer.status_code < 500, (number, method, address, form)
        assert seconds < MOST_CPU_SECONDS, (number, method, address, form, seconds)
        if answer.status_code == 302 and answer["Location"].startswith("/login"):
            owner.client.force_login(_user(owner), backend="allauth.account.auth_backends.AuthenticationBackend")
    assert {200, 302, 404} <= set(said)


def _user(person: Person) -> Any:
    from paymatch.area.people.models import User

    return User.objects.get(email=person.email)
