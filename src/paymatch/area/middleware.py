"""Middleware of every page: the person's language and theme, restricted cookies, answers that no cache keeps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation

from paymatch.area.views import refusals
from paymatch.web import TOO_LARGE

ACTIVITY_SECONDS: Final = 60
"""How exactly it is known when a session was last used: each page would write it otherwise."""
_NOTED: Final = 10_000

Handler = Callable[[HttpRequest], HttpResponse]


def preferences(handler: Handler) -> Handler:
    """Pages in the language that the signed-in person chose; before that, in the browser's."""

    def handle(request: HttpRequest) -> HttpResponse:
        language = getattr(request.user, "language", "")
        if language in dict(settings.LANGUAGES):
            translation.activate(language)
            request.LANGUAGE_CODE = language
        return handler(request)

    return handle


def activity(handler: Handler) -> Handler:
    """Keeps when and from where each session was last used, to the minute; a change of either end at once."""
    noted: dict[tuple[str, str, str], float] = {}

    def handle(request: HttpRequest) -> HttpResponse:
        key = request.session.session_key
        if key and request.user.is_authenticated:
            use = (key, request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_USER_AGENT", ""))
            now = time.monotonic()
            if now - noted.get(use, -ACTIVITY_SECONDS) >= ACTIVITY_SECONDS:
                UserSession.objects.create_from_request(request)
                if len(noted) >= _NOTED:
                    noted.clear()
                noted[use] = now
        return handler(request)

    return handle


def without_nul(handler: Handler) -> Handler:
    """400 for texts with NUL: no browser sends it, and no text of the database can hold it."""

    def handle(request: HttpRequest) -> HttpResponse:
        given = (text for form in (request.GET, request.POST) for _, texts in form.lists() for text in texts)
        if "\0" in request.path or any("\0" in text for text in given):
            return refusals.bad_request(request)
        return handler(request)

    return handle


def too_large(handler: Handler) -> Handler:
    """413 where the server in front has let go of a body that was too long: a page that says so and leads back."""

    def handle(request: HttpRequest) -> HttpResponse:
        return refusals.too_large(request) if TOO_LARGE in request.META else handler(request)

    return handle


def wrong_method(handler: Handler) -> Handler:
    """405 as a page of ours: Django's has no body."""

    def handle(request: HttpRequest) -> HttpResponse:
        response = handler(request)
        if response.status_code != 405 or response.streaming or response.content:
            return response
        page = refusals.wrong_method(request)
        page["Allow"] = response["Allow"]
        return page

    return handle


def cookies_by_https(handler: Handler) -> Handler:
    """Cookies that are set over HTTPS are never sent without it, regardless of the base URL."""

    def handle(request: HttpRequest) -> HttpResponse:
        response = handler(request)
        if request.is_secure():
            for cookie in response.cookies.values():
                cookie["secure"] = True
        return response

    return handle


def never_stored(handler: Handler) -> Handler:
    """Pages show account numbers and names: no cache keeps them."""

    def handle(request: HttpRequest) -> HttpResponse:
        response = handler(request)
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers["X-Robots-Tag"] = "noindex"
        return response

    return handle
