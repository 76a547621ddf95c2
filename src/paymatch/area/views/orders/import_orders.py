"""Orders from a file: uploaded, looked at with the meaning of its columns, imported all or none, and undone."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people.models import ORDERS, OfferedFile
from paymatch.area.people.roles import Permission
from paymatch.area.templatetags.figures import grouped
from paymatch.area.views import pending_uploads
from paymatch.area.views.orders.fields import FIELD_WORDS, DayField, why_refused
from paymatch.area.views.orders.new_order import KINDS
from paymatch.domain.orders.submission import OrderRefused
from paymatch.domain.refusal import Refused
from paymatch.formats.order_files.columns import CUSTOMER, FIELDS
from paymatch.formats.order_files.table import MAX_BYTES, OrderTable
from paymatch.formats.statement import FileRefused
from paymatch.usecases.orders import order_imports
from paymatch.usecases.orders.order_imports import ImportedRow, ImportWish, OrderImport

_SHOWN: Final = 20
_REFUSED_SHOWN: Final = 100
_LONGEST_FIELD: Final = 20
_MENDED: Final = ("cell_", "drop_")
"""Prefixes of the fields for corrected cells and omitted rows."""
_NEEDED: Final = (
    ("number", frozenset({"number"})),
    ("amount", frozenset({"amount"})),
    (CUSTOMER, frozenset({CUSTOMER, "billing.lastName", "billing.company"})),
)
"""Fields of a new order that only the table can give, and the columns that give each."""
_OUTCOMES: Final[Mapping[str, tuple[str, str | Promise]]] = {
    "new": ("accent", gettext_lazy("New")),
    "changed": ("amber", gettext_lazy("Changed")),
    "same": ("grey", gettext_lazy("Same")),
    "refused": ("red", gettext_lazy("Refused")),
}


class _OrderedForm(forms.Form):
    """When the new orders of a table without such a column were ordered."""

    ordered = DayField(
        label=gettext_lazy("Ordered"), required=False,
        help_text=gettext_lazy(
            "Of new orders, where no column says it. Payments booked before this day are not matched to them."
        ),
    )  # fmt: skip


@page("import-orders", "import_orders", needs=Permission.DECIDE, changes=Permission.DECIDE)
def import_orders(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Where a file is chosen, and the last imports. POST takes the file, or undoes an import."""
    if request.method == "POST" and request.POST.get("undo"):
        _undo(request, visit)
        return redirect(visit.url("import_orders"))
    refused = ""
    if request.method == "POST":
        file, refused = _keep_upload(request, visit)
        if file is not None:
            return redirect(visit.url("import_orders_file", file_id=str(file.pk)))
    with visit.transaction() as tx:
        imports = order_imports.list_imports(tx)
    waiting = pending_uploads.files_for(visit, ORDERS)
    values = {"imports": imports[:_SHOWN], "refused": refused, "waiting": waiting}
    return render(request, "area/import_orders.html", values, status=422 if refused else 200)


def _keep_upload(request: HttpRequest, visit: Visit) -> tuple[OfferedFile | None, str]:
    """The uploaded file once it was read, or why it is not taken."""
    upload = request.FILES.get("file")
    if upload is None:
        return None, _("Choose a file")
    if (upload.size or 0) > MAX_BYTES:
        return None, _("The file has more than %(size)d MB") % {"size": MAX_BYTES // 1024**2}
    content = upload.read()
    try:
        order_imports.read_table(io.BytesIO(content))
    except FileRefused as refusal:
        return None, in_words_of(refusal)
    return pending_uploads.keep(visit, upload.name or "", content, ORDERS), ""


def _undo(request: HttpRequest, visit: Visit) -> None:
    try:
        with visit.transaction() as tx:
            done = order_imports.undo(tx, request.POST["undo"])
    except Refused as refusal:
        messages.error(request, in_words_of(refusal), extra_tags="red")
        return
    count, left = done["removed"], done["left"]
    messages.success(request, ngettext("%(n)d order is removed.", "%(n)d orders are removed.", count) % {"n": count})
    if left:
        words = _("Paid, marked or changed since, and therefore kept: %(numbers)s")
        messages.warning(request, words % {"numbers": ", ".join(left[:10])}, extra_tags="amber")


@page("import-orders/<str:file_id>", "import_orders_file", needs=Permission.DECIDE, changes=Permission.DECIDE)
def import_orders_file(request: HttpRequest, visit: Visit, file_id: str) -> HttpResponse:
    """What importing the file would do; POST shows it with other columns, imports it or throws it away."""
    file = pending_uploads.file_of(visit, file_id, ORDERS)
    if file is None:
        raise Http404
    action = request.POST.get("action", "")
    if action == "cancel":
        file.delete()
        messages.success(request, _("%(file)s is discarded; nothing of it was stored.") % {"file": file.name})
        return redirect(visit.url("import_orders"))
    table = order_imports.read_table(io.BytesIO(pending_uploads.content_of(visit, file)))
    table, mended = _mend_rows(table, request.POST)
    days = _OrderedForm(request.POST if request.method == "POST" else None, initial={"ordered": visit.today})
    wish = _wish(request, table, days)
    if action in ("import", "leave-out") and not days.errors:
        done = order_imports.import_orders(visit.database, visit.shop, table, wish, file.name, visit.service.clock())
        if done.id or not done.count("refused"):
            file.delete()
            _tell(request, done)
            in_setup = request.waiting()["in_setup"] and visit.may(Permission.MANAGE)
            return redirect(visit.url("setup" if in_setup else "orders"))
    else:
        done = order_imports.preview(visit.database, visit.shop, table, wish, visit.service.clock())
    refused = action in ("import", "leave-out") and done.count("refused") > 0
    values = _values(request, file, done, wish, days)
    shown = {fault.get("name") for row in values["rows"] for fault in row["faults"]}
    values["mended"] = {name: value for name, value in mended.items() if name not in shown}
    return render(request, "area/import_orders_file.html", values,
                  status=422 if refused or days.errors else 200)  # fmt: skip


def _wish(request: HttpRequest, table: OrderTable, days: _OrderedForm) -> ImportWish:
    """What the form says of the columns; before it was sent, as the layout is known."""
    if request.method != "POST":
        return ImportWish()
    sent = [request.POST.get(f"column_{place}", "") for place in range(len(table.headings))]
    columns = {heading: field if field in FIELDS else "" for heading, field in zip(table.headings, sent, strict=True)}
    kind = request.POST.get("kind", "")
    return ImportWish(
        columns, kind if kind in dict(KINDS) else "INVOICE", request.POST.get("action") == "leave-out",
        ordered=days.cleaned_data.get("ordered") if days.is_valid() else None,
        remember=bool(request.POST.get("remember")),
    )  # fmt: skip


def _mend_rows(table: OrderTable, form: Mapping[str, str]) -> tuple[OrderTable, dict[str, str]]:
    """The table with the cells corrected on the page and without the rows left out there; and these fields."""
    fields = {
        name: form[name].strip()[:500] for name in form if name.startswith(_MENDED) and len(name) <= _LONGEST_FIELD
    }
    if not fields:
        return table, {}
    rows = []
    for row, cells in table.rows:
        if f"drop_{row}" not in fields:
            kept = (fields.get(f"cell_{row}_{place}", cell) for place, cell in enumerate(cells))
            rows.append((row, tuple(kept)))
    return OrderTable(table.headings, tuple(rows)), fields


def _faults(row: ImportedRow, done: OrderImport, cells: Mapping[int, tuple[str, ...]]) -> list[dict[str, Any]]:
    """Each fault of a refused row: why, and the field in which it is corrected, that of the column that it is about."""
    return [{"why": why_refused(refusal), **_mend(row.row, refusal, done, cells)} for refusal in row.refusals]


def _mend(row: int, refusal: OrderRefused, done: OrderImport, cells: Mapping[int, tuple[str, ...]]) -> dict[str, Any]:
    parameter = refusal.parameter
    fields = [done.columns.get(heading, "") for heading in done.table.headings]
    fitting = [parameter, CUSTOMER] if parameter.startswith("billing") else [parameter]
    place = next((fields.index(each) for each in fitting if each in fields), None)
    if place is None or row not in cells:
        return {}
    return {"name": f"cell_{row}_{place}", "value": cells[row][place], "heading": done.table.headings[place]}


def _tell(request: HttpRequest, done: OrderImport) -> None:
    said = _("Imported: %(new)s new, %(changed)s changed, %(same)s as before.") % {
        outcome: grouped(done.count(outcome)) for outcome in ("new", "changed", "same")
    }
    left = done.count("refused")
    more = ngettext("%(n)d row was left out.", "%(n)d rows were left out.", left) % {"n": left} if left else ""
    messages.success(request, f"{said} {more}".strip(), extra_tags="green")


def _values(
    request: HttpRequest, file: OfferedFile, done: OrderImport, wish: ImportWish, days: _OrderedForm
) -> dict[str, Any]:
    first = done.table.rows[0][1] if done.table.rows else ()
    refused = [row for row in done.rows if row.outcome == "refused"]
    others = [row for row in done.rows if row.outcome != "refused"]
    cells, used = dict(done.table.rows), set(done.columns.values())
    shown = sorted([*others[:_SHOWN], *refused[:_REFUSED_SHOWN]], key=lambda row: row.row)
    rows = [_row(row) | {"faults": _faults(row, done, cells)} for row in shown]
    return {
        "file": file, "done": done, "rows": rows, "refused": len(refused),
        "counts": [(word, done.count(outcome), outcome) for outcome, (_colour, word) in _OUTCOMES.items()],
        "taken": done.count("new") + done.count("changed"), "hidden": len(done.rows) - len(shown),
        "columns": [
            {"name": f"column_{place}", "heading": heading, "field": done.columns.get(heading, ""),
             "sample": first[place] if place < len(first) else ""}
            for place, heading in enumerate(done.table.headings)
        ],
        "fields": sorted(((field, _words_of(field)) for field in FIELDS), key=lambda each: each[1].casefold()),
        "missing": [FIELD_WORDS[field] for field, columns in _NEEDED if not columns & used],
        "ordered": None if "date" in used else days["ordered"],
        "kinds": KINDS, "kind": wish.kind, "remember": request.method != "POST" or wish.remember,
    }  # fmt: skip


def _words_of(field: str) -> str:
    group, _dot, part = field.rpartition(".")
    word = str(FIELD_WORDS[part])
    return _("%(part)s (delivery)") % {"part": word} if group == "shipping" else word


def _row(row: ImportedRow) -> dict[str, Any]:
    colour, word = _OUTCOMES[row.outcome]
    submission = row.submitted.submission if row.submitted is not None else None
    return {
        "row": row.row, "number": row.number, "customer": row.customer, "badge": (colour, row.outcome, word),
        "due": submission.due_date if submission else None,
        "amount": submission.amount_minor if submission else None,
        "currency": submission.currency if submission else "",
    }  # fmt: skip
