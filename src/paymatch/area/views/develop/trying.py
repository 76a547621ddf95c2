"""Trying the API out: a request to the shop's own sandbox, sent by the browser, with the command line for it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission


@page("developers/try", "trying", needs=Permission.DEVELOP)
def try_api(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The form; the key that is typed into it goes from the browser to the API and nowhere else."""
    base = visit.service.base(request)
    values = {"base": f"{base}/api/v2", "today": f"{visit.today:%d-%m-%Y}"}
    values |= {"list_url": visit.url("developers"), "new_url": visit.url("new_key")}
    return render(request, "area/trying.html", values)
