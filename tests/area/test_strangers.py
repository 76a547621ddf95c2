"""No request of a stranger makes a page of the merchant area fail. `REQUESTS=100000` sends as many as `make soak` does.

All addresses come from Django's own list: a stranger is led away from most of them, and nothing fails.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any, Final
from urllib.parse import quote

import pytest

from paymatch.area.service import Service
from tests.length import times

REQUESTS: Final = int(os.environ.get("REQUESTS", times(400, 1500)))
CPU_SECONDS: Final = 2.0
HOSTILE: Final = (
    "//[::1", "//[::1]", "http://[", "https://[::1", "//[", "///[x]", "/\\[::1", "//user@[::1:80/", "//[v1.x]/",
    "http:[",
    "//\u2100.example", "//evil.example", "javascript:alert(1)", "/", "", " ", "/" + "x" * 3000, "\x00", "\ud7ff",
    "\u202e", "%", "%00", "%zz", "../..", "'\"<b>", "{{x}}", "\r\nSet-Cookie: a=b", "9" * 400, "-1", "NaN", "None",
    "[]", "{}", "[" * 500, '{"id": 1}', "a@b", "a@example.org\nBcc: x@y.z", "00000000-0000-0000-0000-000000000000",
    "1-abc-def", "x:y", ":" * 50, "MQ-", "xx", "de", "=1+1",
)  # fmt: skip
FIELDS: Final = (
    "next", "login", "password", "email", "code", "credential", "password1", "password2", "remember", "language",
    "theme", "state", "error", "process", "provider", "q", "after", "user", "id", "action", "token",
)  # fmt: skip
HEADERS: Final = (
    "HTTP_HOST", "HTTP_REFERER", "HTTP_ORIGIN", "HTTP_COOKIE", "HTTP_ACCEPT_LANGUAGE", "HTTP_ACCEPT",
    "HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_HOST", "HTTP_USER_AGENT", "CONTENT_TYPE", "HTTP_X_REQUESTED_WITH",
    "HTTP_AUTHORIZATION",
)  # fmt: skip
COOKIES: Final = ("paymatch_session", "paymatch_browser", "paymatch_csrf", "messages", "django_language")


def routes(patterns: Any = None, before: str = "/") -> Iterator[str]:
    """All addresses of Django's list, with their placeholders."""
    if patterns is None:
        from django.urls import get_resolver

        patterns = get_resolver().url_patterns
    for each in patterns:
        route = before + str(each.pattern).removeprefix("^").removesuffix("$").replace("\\Z", "")
        if hasattr(each, "url_patterns"):
            yield from routes(each.url_patterns, route)
        else:
            yield route


def filled(route: str, chance: Random) -> str:
    """The route with something hostile, or something that fits, for each placeholder."""

    def value(found: re.Match[str]) -> str:
        if "uuid:" in found[0] and chance.random() < 0.7:
            return "00000000-0000-0000-0000-000000000000"
        if "int:" in found[0] and chance.random() < 0.7:
            return str(chance.randrange(10**6))
        return quote(chance.choice(HOSTILE) or "x", safe=chance.choice(("", "/[]:")))

    return re.sub(r"<[^>]*>|\(\?P?[^)]*\)|\[[^\]]*\][+*]?", value, route) or "/"


def send(client: Any, chance: Random, addresses: list[str]) -> tuple[Any, tuple[object, ...]]:
    """(answer, what was asked)."""
    address = filled(chance.choice(addresses), chance)
    form = {chance.choice(FIELDS): chance.choice(HOSTILE) for _ in range(chance.randrange(5))}
    if chance.random() < 0.5:
        form["next"] = chance.choice(HOSTILE)
    headers = {chance.choice(HEADERS): _on_the_wire(chance.choice(HOSTILE)) for _ in range(chance.randrange(3))}
    headers |= {"REMOTE_ADDR": f"203.0.{chance.randrange(256)}.{chance.randrange(256)}"}
    client.cookies.clear()
    if chance.random() < 0.3:
        client.cookies[chance.choice(COOKIES)] = quote(chance.choice(HOSTILE))
    query = "&".join(f"{name}={quote(text)}" for name, text in form.items())
    told = (address, form, headers)
    kind = headers.pop("CONTENT_TYPE", "")
    if chance.random() < 0.5:
        return client.get(f"{address}?{query}", **headers), ("GET", *told)
    target = f"{address}?next={quote(chance.choice(HOSTILE))}"
    if kind:
        return client.post(target, query.encode(), content_type=kind, **headers), ("POST", kind, *told)
    return client.post(target, form, **headers), ("POST", *told)


def _on_the_wire(text: str) -> str:
    """The text of a header as a server hands it on: bytes as Latin-1, and no ends of lines."""
    return text.encode().decode("latin-1").replace("\r", "").replace("\n", "")


@pytest.mark.parametrize("seed", [1, 2])
def test_no_request_of_a_stranger_makes_a_page_fail(service: Service, seed: int) -> None:
    from django.test import Client

    chance, said, client = Random(seed), Counter[int](), Client(raise_request_exception=False)
    addresses = list(routes())
    assert len(addresses) > 100
    for number in range(REQUESTS // 2):
        began = time.process_time()
        answer, asked = send(client, chance, addresses)
        said[answer.status_code] += 1
        assert answer.status_code < 500, (number, asked)
        assert time.process_time() - began < CPU_SECONDS, (number, asked)
    assert {200, 302, 404} <= set(said), said


@pytest.mark.parametrize("target", ["//[::1", "http://[", "https://[::1", "//\u2100.example", "/\\[::1"])
def test_attack_an_address_that_is_none_breaks_no_page(service: Service, target: str) -> None:
    from django.test import Client

    client, failed = Client(raise_request_exception=False), list[str]()
    for address in [filled(route, Random(3)) for route in routes()]:
        form = {"next": target, "login": "a@example.org", "password": "x"}
        answers = client.get(address, {"next": target}), client.post(f"{address}?next={quote(target)}", form)
        failed += [address for answer in answers if answer.status_code >= 500]
    assert failed == []
