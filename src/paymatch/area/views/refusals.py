"""Pages for what does not exist, is not allowed, or went wrong."""

from __future__ import annotations

from typing import Any

import structlog
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from paymatch.web import REQUEST_ID

_log = structlog.get_logger("paymatch.area")


def lost(request: HttpRequest) -> HttpResponse:
    """A wholly invalid URL leads to the sign-in (API document, Errors); who is signed in reads that it is one."""
    if request.user.is_authenticated:
        return not_found(request)
    return redirect("account_login")


def not_found(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """404, also for what belongs to another shop."""
    return render(request, "area/not_found.html", status=404)


def not_allowed(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """403: a page that asks who somebody is, of a person who has nothing yet to prove it with."""
    proves = request.user.is_authenticated and request.user.has_usable_password()
    return render(request, "area/not_allowed.html", {"lacks_proof": not proves}, status=403)


def failed(request: HttpRequest) -> HttpResponse:
    """500; the log has the reason, beside the id of the request."""
    request_id = request.META.get(REQUEST_ID, "")
    _log.error("page failed", request_id=request_id, path=request.path, exc_info=True)
    return render(request, "area/failed.html", {"request_id": request_id}, status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 where a form came without its token: the session ended, or another site sent it."""
    return render(request, "area/form_expired.html", status=403)
