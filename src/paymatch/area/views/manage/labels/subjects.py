"""What audit entries are about, as a person knows it: the refund of an order, a payer's posting, a file, a bank."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from uuid import UUID

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.figures import amount, day
from paymatch.area.page import Visit
from paymatch.area.views.alert_labels import alert_words
from paymatch.store.ids import is_row_id, row_ids_in, with_words_for_ids
from paymatch.store.lists.audit_subjects import AuditSubject

_KINDS: Final[Mapping[str, str | Promise]] = {
    "rf": gettext_lazy("Refund"),
    "pst": gettext_lazy("Posting"),
    "im": gettext_lazy("Statement file"),
    "tf": gettext_lazy("Transfer file"),
    "av": gettext_lazy("Remittance advice"),
    "as": gettext_lazy("Sender of advices"),
    "eb": gettext_lazy("EBICS connection"),
    "co": gettext_lazy("Collection"),
    "ml": gettext_lazy("Mail"),
    "lt": gettext_lazy("Letter"),
    "cb": gettext_lazy("Callback"),
    "al": gettext_lazy("Alert"),
    "run": gettext_lazy("Print run"),
    "os": gettext_lazy("Synchronisation"),
    "oi": gettext_lazy("Import of orders"),
    "om": gettext_lazy("Import of orders"),
    "fd": gettext_lazy("FinTS dialogue"),
    "rule": gettext_lazy("Rule"),
    "key": gettext_lazy("API key"),
    "sf": gettext_lazy("Settlement file"),
    "era": gettext_lazy("Erasure"),
    "exp": gettext_lazy("Export"),
    "bk": gettext_lazy("Backup"),
}
"""What an id begins with -> what it is, where nothing is left that it names."""
_NAMED: Final[Mapping[str, str | Promise]] = {
    "refund": gettext_lazy("Refund of order %(name)s"),
    "transfers": gettext_lazy("Transfer file %(name)s"),
    "advice": gettext_lazy("Remittance advice of %(name)s"),
    "mail": gettext_lazy("Mail about order %(name)s"),
    "letter": gettext_lazy("Letter about order %(name)s"),
    "callback": gettext_lazy("Callback of order %(name)s"),
    "case": gettext_lazy("Collection of order %(name)s"),
}
_NAMING_FIELDS: Final = ("bank", "file", "address", "name", "account", "customer", "system", "order")
"""Fields of an entry that name its subject once the row is gone."""
_FIXED: Final[Mapping[str, str | Promise]] = {
    "shop": gettext_lazy("Settings"),
    "callback-access-code, webhook-secret": gettext_lazy("Access code and webhook secret"),
    "webhook-secret": gettext_lazy("Webhook secret"),
    "callback-access-code": gettext_lazy("Access code"),
}
"""Subjects that are words of the program."""


def ids_in(texts: Iterable[str]) -> set[str]:
    """The ids of rows in the texts."""
    return {found for text in texts for found in row_ids_in(text)}


def subject_words(subject: str, names: Mapping[str, AuditSubject], before: str, after: str) -> str:
    """What the entry is about. `before` and `after` are its values in JSON, which name what is no longer there."""
    if subject in names:
        return _row_words(names[subject])
    if is_row_id(subject):
        values = _values_of(before) | _values_of(after)
        name = next(
            (str(values[field]) for field in _NAMING_FIELDS if isinstance(values.get(field), str) and values[field]), ""
        )
        kind = str(_KINDS.get(subject.partition("_")[0], _("Entry")))
        return f"{kind}: {with_names(name, names)}" if name else kind
    return str(_FIXED.get(subject, _("Replay") if _is_uuid(subject) else subject))


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def with_names(text: str, names: Mapping[str, AuditSubject]) -> str:
    """The text with what each id in it names in the id's place."""
    return with_words_for_ids(text, lambda found: _id_words(found, names))


def _id_words(found: str, names: Mapping[str, AuditSubject]) -> str:
    if found in names:
        return _row_words(names[found])
    return str(_KINDS.get(found.partition("_")[0], found)) if is_row_id(found) else found


def _row_words(row: AuditSubject) -> str:
    if row.what == "alert":
        return str(alert_words(row.name))
    if row.what == "posting" and row.amount_minor is not None and row.day is not None:
        money = f"{amount(row.amount_minor, row.currency)} {row.currency}"
        said = _("{amount} of {day}").format(amount=money, day=day(row.day))
        return f"{row.name}, {said}" if row.name else said
    template = _NAMED.get(row.what)
    return str(template) % {"name": row.name} if template is not None else row.name


def _values_of(text: str) -> dict[str, Any]:
    found = msgspec.json.decode(text) if text else {}
    return found if isinstance(found, dict) else {}


_PAGES: Final[Mapping[str, tuple[str, str]]] = {
    "file": ("bank_import", "import_id"),
    "posting": ("posting", "posting"),
    "advice": ("advice", "advice"),
    "ebics": ("ebics_connection", "connection"),
    "consent": ("consent", "connection"),
    "mail": ("mail", "mail"),
    "letter": ("letter", "letter"),
    "callback": ("callback", "callback"),
}
"""What a row is -> its page, and the page's variable part."""
_ELSEWHERE: Final[Mapping[str, Callable[[Visit, str, AuditSubject], str]]] = {
    "refund": lambda visit, _id, row: visit.url("order", number=row.name),
    "case": lambda visit, _id, row: visit.url("order", number=row.name),
    "transfers": lambda visit, _id, _row: visit.url("refund_files"),
    "alert": lambda visit, subject, _row: f"{visit.url('alerts')}?q={subject}",
}


def row_link(visit: Visit, subject: str, row: AuditSubject) -> str:
    """The address of the row's page; "" if it has none."""
    if row.what in _ELSEWHERE:
        return _ELSEWHERE[row.what](visit, subject, row)
    name, part = _PAGES.get(row.what, ("", ""))
    return visit.url(name, **{part: subject}) if name else ""
