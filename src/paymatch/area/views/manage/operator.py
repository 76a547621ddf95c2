"""The installation for its operator: shops, due work, queues. Money is read-only here, and no shop's is shown."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from paymatch.area.service import the_service
from paymatch.domain.shops.audit import INSTALLATION
from paymatch.usecases import shops
from paymatch.usecases.work import audit, metrics

_DEEDS: Final = 50


@require_safe
@login_required
def operator(request: HttpRequest) -> HttpResponse:
    """All shops, the work that is due, the last sign-ins and other deeds of no shop (D-46).

    Http404 for everybody but the operator's people.
    """
    if not request.user.is_staff:
        raise Http404
    service = the_service()
    found = metrics.figures(service.database, service.clock())
    deeds = audit.last_deeds(service.database, INSTALLATION, "", _DEEDS)
    for row in deeds:
        row["after"] = bytes(row["after"] or b"").decode()
    values = {
        "deeds": deeds,
        "shops": shops.every(service.database),
        "found": found,
        "tallies": sorted(found.tallies.items()),
    }
    return render(request, "area/operator.html", values)
