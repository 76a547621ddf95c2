"""The person's own choices: language and theme."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from paymatch.area.people.models import User

_YEAR: Final = 365 * 86_400
_CHOICES = {"language": ("", "en", "de"), "theme": ("", "light", "dark")}


@require_POST
def change(request: HttpRequest) -> HttpResponse:
    """Stores what was chosen and leads back; other values are ignored. Of a stranger the browser keeps the language."""
    chosen = {name: request.POST[name] for name, values in _CHOICES.items() if request.POST.get(name) in values}
    if chosen and request.user.is_authenticated:
        User.objects.filter(pk=request.user.pk).update(**chosen)
    back = request.POST.get("next", "/")
    is_ours = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    answer = HttpResponseRedirect(back if is_ours else "/")
    if chosen.get("language"):
        answer.set_cookie(
            settings.LANGUAGE_COOKIE_NAME, chosen["language"], max_age=_YEAR, httponly=True, samesite="Lax"
        )
    return answer
