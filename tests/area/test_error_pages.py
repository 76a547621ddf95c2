"""Every refusal and failure of the merchant area is a page of ours, in the reader's language, with a way on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from paymatch.area.service import Service
from tests.area.conftest import Person
from tests.area.test_invitations import browser

OURS = re.compile(r'<strong>paymatch</strong></p>\s*<div class="card">|class="empty"')


def refused(sign_in: Callable[..., Person]) -> Iterator[tuple[int, Callable[[dict[str, str]], Any]]]:
    """(status, the request that is answered so with these headers) of each kind of refusal."""
    person = sign_in()
    asked = browser()
    careful = type(asked)(enforce_csrf_checks=True)
    yield 400, lambda heads: asked.get("/login?a=%00", headers=heads)
    yield 400, lambda heads: asked.get("/login", headers=heads, HTTP_HOST="another.example")
    yield 403, lambda heads: careful.post("/login", {"login": "a"}, headers=heads)
    yield 404, lambda heads: person.get("/shops/0/overview", headers=heads)
    yield 405, lambda heads: asked.delete("/login/link/none", headers=heads)
    yield 410, lambda heads: asked.get("/login/link/none", headers=heads)
    yield 413, lambda heads: asked.post("/login", headers=heads, **{"paymatch.too_large": "1"})


def test_every_refusal_is_a_page_of_ours_in_both_languages(service: Service, sign_in: Callable[..., Person]) -> None:
    for status, ask in refused(sign_in):
        pages = [ask({"Accept-Language": language}) for language in ("en", "de")]
        assert [page.status_code for page in pages] == [status, status]
        texts = [page.content.decode() for page in pages]
        assert all(OURS.search(text) and 'class="btn btn-primary"' in text for text in texts), status
        headings = [re.findall(r"<h1>([^<]+)</h1>", text) for text in texts]
        assert all(len(each) == 1 for each in headings), (status, headings)
        assert headings[0] != headings[1], status
        assert ['<html lang="en"' in texts[0], '<html lang="de"' in texts[1]] == [True, True], status


def test_too_many_requests_for_a_new_password_are_a_page_of_ours(service: Service) -> None:
    asked = browser()
    answers = [asked.post("/account/password/reset/", {"email": f"{n}@example.org"}) for n in range(6)]
    assert [answer.status_code for answer in answers] == [302] * 5 + [429]
    assert "<h1>Too many attempts</h1>" in answers[-1].content.decode()


def test_a_fault_of_ours_is_a_page_of_ours(service: Service) -> None:
    from django.contrib.auth.models import AnonymousUser
    from django.test import RequestFactory

    from paymatch.area.views.refusals import server_error

    request = RequestFactory().get("/orders")
    request.user = AnonymousUser()
    try:
        raise RuntimeError
    except RuntimeError:
        answer = server_error(request)
    assert answer.status_code == 500
    assert "<h1>Something went wrong</h1>" in answer.content.decode()


def test_django_and_the_library_find_our_pages() -> None:
    from django.urls import get_resolver

    from paymatch.area import urls

    handlers = [get_resolver().resolve_error_handler(code).__module__ for code in (400, 403, 404, 500)]
    assert handlers == ["paymatch.area.views.refusals"] * 4
    assert urls.handler429 == "paymatch.area.views.refusals.too_many"
