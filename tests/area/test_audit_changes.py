"""The changes of an audit entry: its labelled fields, one table of JSON -> line."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.store.ids import new_id
from tests.contract.audit_entries import NAMED

CASES = [
    ('{"mark":null}', '{"by":"set paid","mark":"PAID"}', ["Mark: Paid"]),
    ('{"payment_information":false}', '{"payment_information":true}', ["Payment information for new orders: no → yes"]),
    (
        "",
        '{"account":"DE27…4212","amountMinor":2980,"currency":"CHF","order":"WT-1"}',
        ["Account: DE27…4212", "Amount: 29.80 CHF", "Order: WT-1"],
    ),
    ("", '{"refunds":["rf_1","rf_2"],"totalMinor":4470}', ["Refunds: rf_1, rf_2", "Sum: 44.70 EUR"]),
    ('{"orders":[]}', '{"orders":{"WT-1":6630}}', ["Orders: WT-1"]),
    ("", '{"orders":{"WT-1":"66.30 EUR (COMMISSION 1.00 EUR)"}}', ["Orders: WT-1 66.30 EUR (COMMISSION 1.00 EUR)"]),
    ('{"amount":"50.00 EUR"}', '{"amount":"60.00 EUR"}', ["Amount: 50.00 EUR → 60.00 EUR"]),
    (
        '{"status":"unmatched"}',
        '{"reason":"it","status":"ignored"}',
        ["State: No candidate → Ignored", "Reason: it"],
    ),
    ('{"levels":"7,21","opens":"09:00"}', '{"levels":"7,21","opens":"08:00"}', ["Mail is sent from: 09:00 → 08:00"]),
    ("", '{"validUntil":"2031-03-26T02:25:33Z"}', ["Valid until: 26 Mar 2031, 03:25"]),
    ("", '{"sha256":"50c577b8bf510bb0908206cd7829"}', ["SHA-256: 50c577b8…7829"]),
    ('{"role":"clerk"}', '{"role":"owner"}', ["Role: Clerk → Owner"]),
    ('{"note":"late"}', "{}", ["Note: late → –"]),
    ("", '{"rf_1":"PROCESSED"}', ["rf_1: Booked"]),
    ("", '{"by":["password","mfa"]}', ["By: password, second factor"]),
    ("", '{"by":["link"]}', ["By: sign-in link"]),
    ("", '{"note":"link"}', ["Note: link"]),
    (
        '{"action":"pays-for"}',
        '{"action":"set-aside"}',
        ["What it does: count as a customer's name → set the posting aside"],
    ),
    ("", "{}", []),
    (
        "",
        '{"erasure":"er_1","files":{"files in folders":1,"invoices":2},"resealed":{"2026-03":"c0ffee"},'
        '"rows":{"audit log":3,"orders":2},"sharedWithOthers":["name","street"]}',
        [
            "Erasure: er_1", "Files: Files in folders 1, Invoices 2", "Months sealed again: 2026-03",
            "Data: Audit log 3, Orders 2", "Kept, because other customers have it too: Name, Street",
        ],
    ),
    # As it was recorded before, by table.
    (
        "",
        '{"rows":{"allocations":4,"orders":2,"postings":1,"statement_lines":1}}',
        ["Data: Orders 2, Other data 4, Postings 2"],
    ),
    ("", '{"alert":"statement-gap"}', ["Alert: Statements missing"]),
    ('{"tolerance_minor":0}', '{"tolerance_minor":50}', ["Tolerance: 0.00 EUR → 0.50 EUR"]),
    ("", '{"after-days":"14","grace-days":"3"}', [
        "Days after the last reminder: 14", "Days between two mails about one order, at least: 3",
    ]),
]  # fmt: skip


@pytest.mark.usefixtures("service")  # Django is set up
@pytest.mark.parametrize(("before", "after", "lines"), CASES)
def test_fields_that_changed(before: str, after: str, lines: list[str]) -> None:
    from django.utils import translation

    from paymatch.area.views.manage.audit_changes import changes_of

    with translation.override("en"):
        assert [str(each) for each in changes_of(before, after, "EUR", "Europe/Berlin")] == lines


@pytest.mark.usefixtures("service")
@pytest.mark.parametrize("name", sorted(NAMED))
def test_every_field_that_a_deed_names_has_words(name: str) -> None:
    """Else it would be spelled as the log has it; that the words have a German translation is checked for all."""
    from paymatch.area.views.manage.labels.fields import field_words

    assert field_words(name)


_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(0, 10**12), st.text(max_size=20),
    st.lists(st.text(max_size=10), max_size=3), st.dictionaries(st.text(max_size=10), st.integers(0, 9), max_size=3),
)  # fmt: skip


@pytest.mark.usefixtures("service")
@given(st.dictionaries(st.sampled_from(sorted(NAMED)), _VALUES, max_size=6))
def test_a_field_of_any_type_is_shown(fields: dict[str, Any]) -> None:
    """Two kinds of entries use one name for different things: the `files` of a backup are a number."""
    from paymatch.area.views.manage.audit_changes import changes_of

    for before, after in (("", json.dumps(fields)), (json.dumps(fields), "")):
        assert len(changes_of(before, after, "EUR", "Europe/Berlin")) <= len(fields)


def test_what_an_entry_is_about_is_said_as_a_person_knows_it() -> None:
    from paymatch.area.views.manage.labels.subjects import ids_in, subject_words, with_names
    from paymatch.store.lists.audit_subjects import AuditSubject

    refund, posting, gone = (new_id(kind, datetime(2026, 3, 2, tzinfo=UTC)) for kind in ("rf", "pst", "eb"))
    names = {
        refund: AuditSubject("refund", "A-1001"),
        posting: AuditSubject("posting", "Eva Muster", 2490, "EUR", date(2026, 3, 2)),
    }
    assert ids_in([refund, f'{{"refunds": ["{refund}", "rf_1"]}}', "A-1001"]) == {refund}
    assert subject_words(refund, names, "", "") == "Refund of order A-1001"
    assert subject_words(posting, names, "", "") == "Eva Muster, 24.90 EUR of 2 Mar"
    assert subject_words(gone, names, '{"bank": "Hausbank"}', "") == "EBICS connection: Hausbank"
    assert subject_words(gone, names, "", "") == "EBICS connection"
    assert subject_words("A-1001", names, "", "") == "A-1001"
    assert subject_words("shop", names, "", "") == "Settings"
    assert with_names(f"Refunds: {refund}, rf_1", names) == "Refunds: Refund of order A-1001, rf_1"
