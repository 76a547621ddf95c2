"""A customer with earlier orders, in the form of a new one: what is filled in from the latest, and the time to pay."""

from __future__ import annotations

from typing import Any, Final

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from paymatch.area.page import Visit
from paymatch.usecases.desk.known_customers import KnownCustomer, PaymentHabit, known_customer

KNOWN: Final = "known"
"""The field with the customer whose data were filled in already: what a person changes or empties then stays so."""
_ADDRESS: Final = {"street": "street", "post_code": "postCode", "city": "city", "country": "countryCode"}
"""Field of the form -> part of the latest order's billing address; filled in together, or not at all."""


def find_known(visit: Visit, data: QueryDict) -> KnownCustomer | None:
    """The customer whose number or e-mail address was typed; None if there is none."""
    with visit.transaction() as tx:
        return known_customer(tx, data.get("customer_number", ""), data.get("email", ""))


def fill_in(data: QueryDict, known: KnownCustomer) -> QueryDict:
    """The typed data with what the customer's latest order says in empty fields; once for each customer."""
    filled = data.copy()
    if data.get(KNOWN) == known.found.id:
        return filled
    filled[KNOWN] = known.found.id
    billing: dict[str, Any] = known.latest.get("billing") or {}
    person = " ".join(filter(None, (billing.get("firstName"), billing.get("lastName"))))
    usual = {
        "customer": person or str(billing.get("company") or ""), "email": known.found.email,
        "customer_number": known.found.number, "phone": billing.get("phone"),
        "language": known.latest.get("language"),
    }  # fmt: skip
    if not any(data.get(name, "").strip() for name in _ADDRESS):
        usual |= {name: billing.get(part) for name, part in _ADDRESS.items()}
    for name, value in usual.items():
        if value and not data.get(name, "").strip():
            filled[name] = str(value)
    return filled


def habit_words(habit: PaymentHabit) -> str:
    """`pays after 9 days, 5 days early`: days from the order, and from its due date."""
    said = _("pays on the day of the order")
    if habit.days:
        said = ngettext("pays after %(n)s day", "pays after %(n)s days", habit.days) % {"n": habit.days}
    if habit.days_late is None:
        return said
    if not habit.days_late:
        return _("%(said)s, on the due date") % {"said": said}
    n = abs(habit.days_late)
    if habit.days_late > 0:
        return ngettext("%(said)s, %(n)s day late", "%(said)s, %(n)s days late", n) % {"said": said, "n": n}
    return ngettext("%(said)s, %(n)s day early", "%(said)s, %(n)s days early", n) % {"said": said, "n": n}
