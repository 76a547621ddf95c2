"""Counts on the tabs of the bank pages."""

from __future__ import annotations

from typing import Any, Final

from django import template

from paymatch.area.people.models import STATEMENT, OfferedFile
from paymatch.usecases.statements.account_chains import tab_counts

register: Final = template.Library()


@register.simple_tag(takes_context=True)
def bank_counts(context: dict[str, Any]) -> dict[str, int]:
    """How many files wait, accounts are known, imports and remittance advices there are."""
    visit = context["visit"]
    with visit.transaction() as tx:
        found = tab_counts(tx)
    shown = context.get("files")  # the page of the files has read them
    waiting = OfferedFile.objects.filter(shop_id=visit.shop.id, purpose=STATEMENT)
    return {"files": waiting.count() if shown is None else len(shown), **found}
