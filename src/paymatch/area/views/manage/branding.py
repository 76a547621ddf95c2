"""How customers see the shop: logo, colour, whom to ask, legal footer, with a preview."""

from __future__ import annotations

import base64
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.setting_forms import SettingForm
from paymatch.area.views.manage.setting_table import LOOK
from paymatch.area.views.manage.settings import tabs
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.brand import Brand
from paymatch.domain.shops.colours import READABLE, WHITE, contrast, ink_on, readable_on
from paymatch.usecases.shops import brands, shops


@page("settings/branding", "branding", needs=Permission.MANAGE, changes=Permission.MANAGE)
def branding(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The form and the preview. POST saves the fields, or sets or removes the logo (`do`)."""
    wanted, refused = request.POST.get("do", ""), ""
    with visit.transaction() as tx:
        initial = shops.settings_as_texts(tx)
    form = SettingForm(LOOK, visit, initial=initial, data=request.POST if wanted == "save" else None)
    said = ""
    try:
        if wanted == "logo":
            said = _set_logo(request, visit)
        elif wanted == "remove-logo":
            with visit.transaction() as tx:
                brands.remove_logo(tx)
            said = _("The logo is removed: customers see the shop's name.")
        elif wanted == "save" and form.is_valid() and form.save() is not None:
            said = _("Saved.")
    except Refused as refusal:
        refused = in_words_of(refusal)
    if said:
        messages.success(request, said, extra_tags="green")
        return redirect(visit.url("branding"))
    with visit.transaction() as tx:
        brand = brands.brand_of(tx)
    values = {"form": form, "refused": refused, "brand": brand, **preview(brand)}
    return render(request, "area/branding.html", values | tabs(visit, "branding", initial))


def _set_logo(request: HttpRequest, visit: Visit) -> str:
    """The uploaded picture is the logo; LogoRefused. It is read outside of the transaction, for that takes a while."""
    file = request.FILES.get("logo")
    logo = brands.read_logo(file.read() if file is not None else b"")
    with visit.transaction() as tx:
        brands.set_logo(tx, logo, visit.now)
    return _("The logo is set.")


def preview(brand: Brand) -> dict[str, Any]:
    """What the colour becomes: as a surface with its ink, and as text on white."""
    text = readable_on(brand.accent, WHITE)
    ratio = contrast(brand.accent, WHITE)
    return {
        "ink": str(ink_on(brand.accent)),
        "accent": str(brand.accent),
        "text_colour": str(text),
        "ratio": f"{ratio:.1f}",
        "is_readable": ratio >= READABLE,
        "logo": base64.b64encode(brand.logo.png).decode() if brand.logo else "",
    }
