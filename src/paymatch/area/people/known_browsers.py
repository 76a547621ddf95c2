"""Browsers that have signed in before, and limits on guessing: by address, account and browser (D-46).

Wrong passwords and codes of strangers are counted by address, by address and account, and by account. A browser that
its person has signed in with before, or has opened a mailed link with, has a count of its own: no stranger uses it up.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final

from allauth.account.adapter import get_adapter
from allauth.account.signals import password_reset
from allauth.core.internal import ratelimit
from allauth.core.internal.ratelimit import RateLimitUsage
from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from paymatch.area.people.models import User

COOKIE: Final = "paymatch_browser"
KNOWN_DAYS: Final = 180
_PEOPLE: Final = 5
"""People that one browser is known for: those who signed in last."""
_SALT: Final = "paymatch known browser"

PASSWORD, CODE = "password", "code"
_BY_ADDRESS: Final = "10/m/ip"
_BY_ACCOUNT_AND_ADDRESS: Final = "5/300s/key"
_BY_ACCOUNT: Final = {PASSWORD: "20/300s/key", CODE: "10/300s/key"}
"""How many addresses together may guess. A known browser, a passkey and a mailed link do not count here."""
_BY_BROWSER: Final = "5/300s/key"
_PASSKEY_BY_BROWSER: Final = "30/m/key"
_PASSKEY_BY_ADDRESS: Final = "300/m/ip"
"""Passkeys cannot be guessed, so wrong passwords of the address do not count; this bounds the sessions made."""

Handler = Callable[[HttpRequest], HttpResponse]


def remember(request: HttpRequest, user: User) -> None:
    """From the answer to this request on, the browser is known for the person, who has just proven who they are."""
    known = {person: name for person, name in _browser_names(request).items() if person != str(user.pk)}
    name = _browser_names(request).get(str(user.pk)) or secrets.token_hex(16)
    kept = [*known.items(), (str(user.pk), name)][-_PEOPLE:]
    request.paymatch_browser = dict(kept)  # type: ignore[attr-defined]  # the middleware below takes it


def is_known(request: HttpRequest, user: User) -> bool:
    """Whether the person has signed in with this browser before."""
    return str(user.pk) in _browser_names(request)


def known_browser(handler: Handler) -> Handler:
    """Gives the browser its cookie, once a person has proven their identity."""

    def handle(request: HttpRequest) -> HttpResponse:
        response = handler(request)
        known = getattr(request, COOKIE, None)
        if known is not None:
            response.set_cookie(
                COOKIE, signing.dumps(known, salt=_SALT), max_age=KNOWN_DAYS * 86_400, httponly=True, samesite="Lax",
                secure=settings.SESSION_COOKIE_SECURE,
            )  # fmt: skip
        return response

    return handle


def begin_guess(request: HttpRequest, kind: str, account: str, user: User | None) -> RateLimitUsage | None:
    """Counts a guess before it is checked; None if there have been too many.

    A right one is undone by `rollback()` of the answer.
    """
    name = _browser_names(request).get(str(user.pk)) if user is not None else None
    if name is None and user is not None and request.user.is_authenticated and request.user.pk == user.pk:
        name = str(request.session.session_key)
    if name is not None:
        return _consume(request, f"{kind}-known", _BY_BROWSER, f"{account} {name}")
    address = ratelimit.truncate_ip(get_adapter().get_client_ip(request))
    limits = [
        (f"{kind}-address", _BY_ADDRESS, ""),
        (f"{kind}-account-address", _BY_ACCOUNT_AND_ADDRESS, f"{account} {address}"),
        (f"{kind}-account", _BY_ACCOUNT[kind], account),
    ]
    counted = RateLimitUsage(usage=[])
    for action, rate, key in limits:
        usage = _consume(request, action, rate, key)
        if usage is None:
            return None
        counted.usage += usage.usage
    return counted


def may_try_passkey(request: HttpRequest) -> bool:
    """Counts a sign-in by passkey; False if there have been too many. Each creates a session.

    A known browser has its own count, so no stranger at its address can use it up.
    """
    names = sorted(_browser_names(request).values())
    if names:
        return _consume(request, "passkey-known", _PASSKEY_BY_BROWSER, names[0]) is not None
    return _consume(request, "passkey-address", _PASSKEY_BY_ADDRESS, "") is not None


def _consume(request: HttpRequest, action: str, rate: str, key: str) -> RateLimitUsage | None:
    found: RateLimitUsage | None = ratelimit.consume(
        request, app="paymatch.area", action=action, config={action: rate}, key=key, limit_get=True
    )
    return found


def _browser_names(request: HttpRequest) -> dict[str, str]:
    """Person -> the browser's name for them, as the signed cookie says."""
    try:
        found = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=KNOWN_DAYS * 86_400)
    except signing.BadSignature:
        return {}
    return found if isinstance(found, dict) else {}


def _after_reset(request: HttpRequest, user: User, **_more: object) -> None:
    remember(request, user)


password_reset.connect(_after_reset, dispatch_uid="paymatch known browser")  # by a link that was mailed to the person
