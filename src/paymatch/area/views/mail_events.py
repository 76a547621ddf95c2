"""Delivery events of a mail provider, at /mail-events/PROVIDER/tracking/ (django-anymail)."""

from __future__ import annotations

from typing import Any, Final

from anymail.exceptions import AnymailConfigurationError, AnymailInsecureWebhookWarning
from anymail.signals import tracking
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import Resolver404, get_resolver
from django.views.decorators.csrf import csrf_exempt

from paymatch.area.service import the_service
from paymatch.formats.mail.delivery_report import Bounce
from paymatch.formats.mail.layout import one_line
from paymatch.outbound.mail.provider import provider_in
from paymatch.usecases.reminders.bounces import take

_FINAL: Final = frozenset({"bounced", "rejected", "failed"})
"""Events (of django-anymail) after which no attempt follows."""


@csrf_exempt
def mail_events(request: HttpRequest, provider: str) -> HttpResponse:
    """Takes reports of the provider that sends our mail, if they carry its name and password or its signature.

    404 unless there is something to check them by, 400 if it is wrong, 500 if a report could not be recorded, so that
    the provider sends it again.
    """
    ours = provider_in(the_service().settings)
    if ours is None or ours.name != provider or not ours.webhook:
        raise Http404
    try:
        view = get_resolver("anymail.urls").resolve(f"/{provider}/tracking/").func
    except Resolver404:
        raise Http404 from None
    if not _checks(view):
        raise Http404
    answer: HttpResponse = view(request)
    return answer


def _checks(view: Any) -> bool:
    """Whether the library's view proves who reports: by name and password, or by a signature with a key that it has.

    An option that it does not know, such as a mistyped one, would leave it open to everyone.
    """
    try:
        made = view.view_class(**view.view_initkwargs)
    except (AnymailConfigurationError, AnymailInsecureWebhookWarning):
        return False
    return bool(made.basic_auth) or not made.warn_if_no_basic_auth


def take_event(sender: object, event: Any, **_more: object) -> None:
    """A report of django-anymail: undelivered mails are recorded; everything else is ignored."""
    if event.event_type not in _FINAL or not event.message_id:
        return
    service = the_service()
    reason = one_line(event.mta_response or event.description or event.event_type)[:300]
    take(service.database, Bounce(event.recipient or "", reason, provider_id=str(event.message_id)), service.clock())


tracking.connect(take_event, dispatch_uid="paymatch")  # the library's only way to report; it lets errors propagate
