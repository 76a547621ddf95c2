"""The person's own choices: language and theme."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from paymatch.area.people.models import User

_CHOICES = {"language": ("", "en", "de"), "theme": ("", "light", "dark")}


@require_POST
@login_required
def change(request: HttpRequest) -> HttpResponse:
    """Stores what was chosen and leads back; other values are ignored."""
    chosen = {name: request.POST[name] for name, values in _CHOICES.items() if request.POST.get(name) in values}
    if chosen:
        User.objects.filter(pk=request.user.pk).update(**chosen)
    back = request.POST.get("next", "/")
    is_ours = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return HttpResponseRedirect(back if is_ours else "/")
