"""Pages for what does not exist, is not allowed, or went wrong."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render


def lost(request: HttpRequest) -> HttpResponse:
    """A wholly invalid URL leads to the sign-in (API document, Errors); who is signed in reads that it is one."""
    if request.user.is_authenticated:
        return not_found(request)
    return redirect("account_login")


def not_found(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """404, also for what belongs to another shop."""
    return render(request, "area/not_found.html", status=404)


def failed(request: HttpRequest) -> HttpResponse:
    """500; the log has the reason."""
    return render(request, "area/failed.html", status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 where a form came without its token: the session ended, or another site sent it."""
    return render(request, "area/form_expired.html", status=403)
