"""Pages for what does not exist, is not allowed, or went wrong."""

from __future__ import annotations

import sys
from typing import Any
from urllib.parse import urlsplit

import structlog
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from paymatch.area.service import the_service
from paymatch.area.static_files import prefix
from paymatch.store.transactions import LockNotAcquired, passes
from paymatch.web import REQUEST_ID, RETRY_SECONDS

_log = structlog.get_logger("paymatch.area")


def answer_not_found(request: HttpRequest) -> HttpResponse:
    """A wholly invalid URL leads to the sign-in (docs/api.md, Errors); who is signed in reads that it is one."""
    if request.user.is_authenticated:
        return not_found(request)
    return redirect("account_login")


def not_found(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """404, also for what belongs to another shop."""
    return render(request, "area/not_found.html", status=404)


def not_allowed(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """403: a page that needs a proof of identity, for a person without any means of proof."""
    proves = request.user.is_authenticated and request.user.has_usable_password()
    return render(request, "area/not_allowed.html", {"lacks_proof": not proves}, status=403)


def server_error(request: HttpRequest) -> HttpResponse:
    """500, or 503 while the database is away; the log has the reason, beside the id of the request."""
    request_id, error = request.META.get(REQUEST_ID, ""), sys.exc_info()[1]
    if _is_away(error):
        _log.warning(
            "the database does not answer",
            request_id=request_id, path=request.path, error=" ".join(str(error).split()),
        )  # fmt: skip
        return _away(request)
    _log.error("page failed", request_id=request_id, path=request.path, exc_info=True)
    return render(request, "area/failed.html", {"request_id": request_id}, status=500)


def _is_away(error: BaseException | None) -> bool:
    """Whether the page failed because the database is down: our own error, or Django's with PostgreSQL's behind it."""
    causes = [each for each in (error, getattr(error, "__cause__", None)) if isinstance(each, Exception)]
    return any(passes(each) and not isinstance(each, LockNotAcquired) for each in causes)


def _away(request: HttpRequest) -> HttpResponse:
    again = request.get_full_path() if request.method == "GET" else "/"
    advice = _(
        "It is starting, or another machine takes over: a matter of seconds. Whether your last change was stored can be"
        " seen once the page is back."
    )
    answer = _answer_refusal(request, 503, _("The database does not answer"), advice, again, _("Try again"))
    answer["Retry-After"] = str(RETRY_SECONDS)
    return answer


def bad_request(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """400: what no browser sends on its own, such as another server's name or a form with thousands of fields."""
    advice = _("The service could not read what your browser sent. Nothing was changed.")
    return _answer_refusal(request, 400, _("This request is not valid"), advice, "/", _("Go to the start page"))


def wrong_method(request: HttpRequest) -> HttpResponse:
    """405: the address of a form that was opened as a page, or the reverse."""
    advice = _("This address cannot be opened like this. Nothing was changed.")
    return _answer_refusal(request, 405, _("This request is not valid"), advice, "/", _("Go to the start page"))


def too_many(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """429: more attempts than the limit of the page allows."""
    advice = _("There were too many attempts in a short time. Please try again in a few minutes.")
    return _answer_refusal(request, 429, _("Too many attempts"), advice, request.path, _("Try again"))


def _answer_refusal(
    request: HttpRequest, status: int, heading: str, advice: str, leads_to: str, button: str
) -> HttpResponse:
    """A page that is made without asking who the person is: that is in the database."""
    values = {
        "request": request, "static": prefix(), "theme": "", "heading": heading, "advice": advice,
        "leads_to": leads_to, "button": button,
    }  # fmt: skip
    page = render_to_string("area/refused.html", values)
    return HttpResponse(page, status=status, headers={"Cache-Control": "no-store"})


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 where a form came without its token: the session ended, or another site sent it."""
    return render(request, "area/form_expired.html", {"form_page": _form_page(request)}, status=403)


def too_large(request: HttpRequest) -> HttpResponse:
    """413: a form or file that is longer than its sender may send."""
    most = the_service().settings.upload_max_bytes
    return render(request, "area/too_large.html", {"form_page": _form_page(request), "most": most}, status=413)


def _form_page(request: HttpRequest) -> str:
    """The page of the sent form: its referrer, if that is ours; else its target."""
    came_from = request.META.get("HTTP_REFERER", "")
    if url_has_allowed_host_and_scheme(came_from, {request.get_host()}, require_https=request.is_secure()):
        parts = urlsplit(came_from)
        return f"{parts.path}?{parts.query}" if parts.query else parts.path
    return request.get_full_path()
